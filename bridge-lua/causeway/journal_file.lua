--- The file of a journal: lines that are appended, and a new file that takes its place. A second process is kept out by
--- the host's `lock`, where it has one.
if jit then jit.off(true, true) end
local json = require 'causeway.json'

local journal_file = {}

local held = {}

function journal_file.header(id, sequence, is_ledger)
  return '{"op":"journal","version":1,"id":' .. json.string(id) .. (',"sequence":%.0f'):format(sequence)
    .. (is_ledger and ',"ledger":true' or '') .. '}\n'
end

local function folder_of(path) return path:match '^(.*)[/\\][^/\\]*$' or '.' end

local function is_windows() return package ~= nil and package.config:sub(1, 1) == '\\' end

local function open_unbuffered(path, mode)
  local file, problem = io.open(path, mode)
  -- A buffer would hold back what a failed write left in it, and write it later.
  if file then file:setvbuf 'no' end
  return file, problem
end

--- On Windows, a process may have ended between the two renames of a replacement: the old file gets its name back.
function journal_file.restore(path)
  local old = is_windows() and io.open(path .. '.old', 'rb')
  if not old then return end
  old:close()
  local file = io.open(path, 'rb')
  if file then return file:close() end
  os.rename(path .. '.old', path)
end

--- The file that is appended to. `host.fsync(file, path)`, `host.fsync_folder(path)` and `host.lock(path)` are used where they
--- are there. Each function answers true, or nil and an error. `synced`: how many bytes from its start on are durable.
function journal_file.open(path, host)
  local file, next_file, size, next_size
  local self = { synced = 0 }

  local function sync(what, where)
    if not host.fsync then return true end
    return host.fsync(what, where)
  end

  --- Keeps other processes out; nil and the reason when one has it.
  function self.lock()
    if held[path] then return nil, 'this process has it open already' end
    if host.lock then
      local lock, problem = host.lock(path .. '.lock')
      if not lock then return nil, problem or 'another process has it open' end
      held[path] = lock
    else
      held[path] = true
    end
    return true
  end

  function self.unlock()
    local lock = held[path]
    held[path] = nil
    if type(lock) == 'function' then lock() end
  end

  --- Opens a file of so many bytes. A killed process may have left some of them, or its name, in the memory of the system
  --- only: they become durable before anything of them is reported.
  function self.open(bytes)
    local problem
    file, problem = open_unbuffered(path, 'ab')
    if not file then return nil, problem end
    size = bytes
    local synced, reason = sync(file, path)
    if not synced then return nil, reason end
    self.synced = size
    return self.settle()
  end

  function self.append(text, is_durable)
    local written, problem = file:write(text)
    if not written then return nil, problem end
    size = size + #text
    if not is_durable then return true end
    local synced, reason = sync(file, path)
    if synced then self.synced = size end
    return synced, reason
  end

  --- Begins the file that will take the place of this one.
  function self.begin()
    if next_file then next_file:close() end
    local problem
    next_file, problem = open_unbuffered(path .. '.new', 'wb')
    next_size = 0
    return next_file ~= nil, problem
  end

  function self.add(text)
    local written, problem = next_file:write(text)
    next_size = next_size + #text
    return written ~= nil and written ~= false, problem
  end

  --- Gives the room of a new file back that could not be finished.
  function self.discard()
    if not next_file then return end
    next_file:close()
    next_file = nil
    os.remove(path .. '.new')
  end

  --- Windows renames over no file that is there or open: the old one keeps another name until the new one has its own.
  local function swap_names()
    if file then file:close() end
    next_file:close()
    os.remove(path .. '.old')
    os.rename(path, path .. '.old')
    local moved, problem = os.rename(path .. '.new', path)
    if not moved then os.rename(path .. '.old', path) end
    os.remove(path .. '.old')
    next_file, file = nil, open_unbuffered(path, 'ab')
    return moved and file ~= nil, problem
  end

  local function take_place()
    if is_windows() then return swap_names() end
    local moved, problem = os.rename(path .. '.new', path)
    if not moved then return nil, problem end
    if file then file:close() end
    file, next_file = next_file, nil
    return true
  end

  --- Makes the new file durable and puts it in the place of the old one. After it, `settle` makes that durable, too.
  function self.replace()
    local synced, problem = sync(next_file, path .. '.new')
    if not synced then return nil, problem end
    local placed, reason = take_place()
    if not placed then return nil, reason end
    size, self.synced = next_size, next_size
    return true
  end

  --- Makes the name of the file durable.
  function self.settle()
    if not host.fsync_folder then return true end
    return host.fsync_folder(folder_of(path))
  end

  function self.close()
    if file then file:close() end
    if next_file then next_file:close() end
    file, next_file = nil, nil
    self.unlock()
  end

  return self
end

return journal_file
