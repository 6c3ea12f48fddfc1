--- A lock for hosts that have lua-luv and nothing better: a file that names its process. The file comes into being with
--- its content, by a hard link, so it is never seen empty.
if jit then jit.off(true, true) end

local lock = {}

--- Another container has other processes under the same numbers; the kernel gives its set of processes a name.
local function place_of(uv)
  local place = uv.fs_readlink '/proc/self/ns/pid'
  return (place or '?'):gsub('%s', '')
end

local function refusal(path, who)
  return ('%s has it open. If no such program runs any more, remove %s'):format(who, path)
end

--- `start_of(pid)` and `read(path)` answer nil for what is not there.
function lock.create(uv, start_of, read)
  local own_pid = uv.os_getpid()
  local own = ('%d %s %s\n'):format(own_pid, start_of(own_pid) or '?', (place_of(uv)))

  local function write_own(path)
    os.remove(path)
    local file, problem = uv.fs_open(path, 'wx', 384)
    if not file then return nil, problem end
    local count, reason = uv.fs_write(file, own, 0)
    uv.fs_close(file)
    if count == #own then return true end
    os.remove(path)
    return nil, reason or 'the disk is full'
  end

  --- Whether the process that a lock names may be running.
  local function is_held(text)
    if text == own then return false end
    local pid, start, place = (text or ''):match '^(%d+) (%S+) (%S+)\n$'
    if not pid or place ~= (place_of(uv)) then return true end
    local current = start_of(tonumber(pid))
    if current then return start == '?' or current == start end
    if start ~= '?' then return false end
    return tonumber(pid) ~= own_pid and (uv.kill(tonumber(pid), 0)) == 0
  end

  local acquire

  --- Takes the lock of a process that is gone. Only the holder of a second lock, which is named after the first, may do
  --- that: of two programs that find the same old lock, one gets it.
  local function take_over(path, draft, text)
    local release, problem = acquire(path .. '.' .. text:gsub('%W+', '-'), draft)
    if not release then return nil, problem end
    local is_old = read(path) == text
    local written, fault = nil, nil
    if is_old then written, fault = write_own(draft) end
    local taken = written and uv.fs_rename(draft, path) and read(path) == own
    release()
    os.remove(draft)
    if taken then return true end
    return nil, fault or refusal(path, 'another process')
  end

  local function link(path, draft)
    local linked, problem = uv.fs_link(draft, path)
    os.remove(draft)
    if linked then return true end
    local text = read(path)
    if not text then return nil, ('%s cannot be made: %s'):format(path, tostring(problem)) end
    if is_held(text) then return nil, refusal(path, 'another process') end
    return take_over(path, draft, text)
  end

  --- `draft`: where a file with the own name can be made. Answers the function that gives the lock back.
  function acquire(path, draft)
    local written, problem = write_own(draft)
    if not written then return nil, ('%s cannot be written: %s'):format(draft, tostring(problem)) end
    local linked, reason = link(path, draft)
    if not linked then return nil, reason end
    return function()
      if read(path) == own then os.remove(path) end
    end
  end

  return function(path) return acquire(path, ('%s.%d'):format(path, own_pid)) end
end

return lock
