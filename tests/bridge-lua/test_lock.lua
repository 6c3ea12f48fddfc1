local files = require 'causeway.host.files'
local lock_of = require 'causeway.host.lock'
local runner = require 'runner'

local test, equal, contains = runner.test, runner.equal, runner.contains

--- Processes of one machine that share a folder. `start(pid, place)` answers the lock function of a new process.
local function machine()
  local self = { files = {}, running = {}, room = 1000 }
  local started = 0

  local function uv_of(pid, place)
    local uv = {}
    function uv.os_getpid() return pid end
    function uv.fs_readlink() return place end
    function uv.kill(other) return self.running[other] and 0 or nil end
    function uv.fs_open(path)
      if self.files[path] then return nil, 'EEXIST' end
      self.files[path] = ''
      return path
    end
    function uv.fs_write(path, text)
      self.files[path] = text:sub(1, self.room)
      return #self.files[path]
    end
    function uv.fs_close() end
    function uv.fs_link(from, to)
      if self.files[to] then return nil, 'EEXIST' end
      self.files[to] = self.files[from]
      return true
    end
    function uv.fs_rename(from, to)
      if self.before_rename then self.before_rename() end
      self.files[from], self.files[to] = nil, self.files[from]
      return true
    end
    return uv
  end

  function self.start(pid, place)
    started = started + 1
    self.running[pid] = tostring(started)
    local function start_of(other)
      -- Processes of another container are not visible.
      return other == pid and self.running[pid] or place == nil and self.running[other] or nil
    end
    local lock = lock_of.create(uv_of(pid, place or 'pid:[1]'), start_of, function(path) return self.files[path] end)
    return function(path)
      local real = os.remove
      os.remove = function(name) self.files[name] = nil end
      local release, problem = lock(path)
      os.remove = real
      return release, problem
    end
  end

  return self
end

local function names_of(on)
  local names = {}
  for name in pairs(on.files) do names[#names + 1] = name end
  return names
end

test('lock: it keeps a second process out, and a process that is gone keeps nothing', function()
  local on = machine()
  local first, second = on.start(7), on.start(8)
  equal(first 'j' ~= nil, true)
  local release, problem = second 'j'
  equal(release, nil)
  contains(problem, 'remove j')
  on.running[7] = nil
  equal(second 'j' ~= nil, true)
  equal(names_of(on), { 'j' })
end)

test('lock: a process with the number of one that is gone takes its lock, one of another container does not', function()
  local on = machine()
  on.start(1) 'j'
  equal(on.start(1) 'j' ~= nil, true)
  equal((on.start(1, 'pid:[2]') 'j'), nil)
end)

test('lock: a file that names no process is held, because its maker may be about to write', function()
  local on = machine()
  on.files.j = ''
  equal((on.start(7) 'j'), nil)
  on.files.j = '7 1\n'
  equal((on.start(7) 'j'), nil)
end)

test('lock: of two processes that find the same old lock, one gets it', function()
  local on = machine()
  on.start(7) 'j'
  on.running[7] = nil
  local first, second = on.start(8), on.start(9)
  local other
  on.before_rename = function()
    on.before_rename = nil
    other = second 'j'
  end
  equal({ first 'j' ~= nil, other }, { true, nil })
  contains(on.files.j, '8 ')
  equal(names_of(on), { 'j' })
end)

test('lock: a process that died while taking a lock over keeps no other out', function()
  local on = machine()
  on.start(7) 'j'
  on.running[7] = nil
  on.before_rename = function() error 'killed' end
  local dying = on.start(8)
  local real = os.remove
  equal(pcall(dying, 'j'), false)
  os.remove = real
  on.before_rename, on.running[8] = nil, nil
  equal(#names_of(on) > 1, true)
  equal(on.start(9) 'j' ~= nil, true)
  contains(on.files.j, '9 ')
end)

test('lock: a full disk gives no lock, and leaves no file', function()
  local on = machine()
  on.room = 3
  local release, problem = on.start(7) 'j'
  equal({ release, names_of(on) }, { nil, {} })
  contains(problem, 'the disk is full')
end)

test('lock: without modules of the operating system there is none', function()
  equal(files.open(function() error 'no module' end), {})
end)
