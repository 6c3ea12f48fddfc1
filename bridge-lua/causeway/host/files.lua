--- The calls of the operating system that a durable journal needs: `fsync(file, path)`, `fsync_folder(path)` and `lock(path)`, with
--- LuaJIT's ffi, lua-posix or lua-luv. Without one of them they are missing, and the journal's class is `volatile`.
if jit then jit.off(true, true) end
local lock_of = require 'causeway.host.lock'

local files = {}

local function try(load, name)
  local fits, module = pcall(load, name)
  return fits and type(module) == 'table' and module or nil
end

local function with_posix(load)
  local fcntl, stdio, unistd = try(load, 'posix.fcntl'), try(load, 'posix.stdio'), try(load, 'posix.unistd')
  if not fcntl or not stdio or not unistd then return nil end

  local function fsync_folder(path)
    local folder, problem = fcntl.open(path, fcntl.O_RDONLY)
    if not folder then return nil, problem end
    local synced, reason = unistd.fsync(folder)
    unistd.close(folder)
    return synced ~= nil, reason
  end

  --- The kernel gives the lock back when the process ends, however it ends.
  local function lock(path)
    local file, problem = fcntl.open(path, fcntl.O_RDWR + fcntl.O_CREAT, 384)
    if not file then return nil, problem end
    local wanted = { l_type = fcntl.F_WRLCK, l_whence = fcntl.SEEK_SET or 0, l_start = 0, l_len = 0 }
    if fcntl.fcntl(file, fcntl.F_SETLK, wanted) then return function() unistd.close(file) end end
    unistd.close(file)
    return nil, 'another process has it open'
  end

  local function fsync(file)
    local synced, reason = unistd.fsync(stdio.fileno(file))
    return synced ~= nil, reason
  end

  return { fsync = fsync, fsync_folder = fsync_folder, lock = lock }
end

local function with_ffi(load)
  local ffi = try(load, 'ffi')
  if not ffi or ffi.os == 'Windows' then return nil end
  -- A second definition of the same is fine, one that differs is not: another library may have them already.
  pcall(ffi.cdef, 'int fileno(void *); int fsync(int); int close(int); int open(const char *, int, ...); int lockf(int, int, long);')
  local C = ffi.C
  local OPEN_TO_WRITE = ffi.os == 'Linux' and 66 or 514
  local TRY_LOCK = 2

  local function result(code, what)
    if code == 0 then return true end
    return nil, ('%s failed with error %d'):format(what, ffi.errno())
  end

  local function fsync_folder(path)
    local folder = C.open(path, 0)
    if folder < 0 then return nil, ('%s cannot be opened: error %d'):format(path, ffi.errno()) end
    local synced, problem = result(C.fsync(folder), 'fsync of a folder')
    C.close(folder)
    return synced, problem
  end

  local function lock(path)
    local file = C.open(path, OPEN_TO_WRITE, ffi.cast('int', 384))
    if file < 0 then return nil, ('%s cannot be opened: error %d'):format(path, ffi.errno()) end
    if C.lockf(file, TRY_LOCK, 0) == 0 then return function() C.close(file) end end
    C.close(file)
    return nil, 'another process has it open'
  end

  return { fsync = function(file) return result(C.fsync(C.fileno(file)), 'fsync') end, fsync_folder = fsync_folder, lock = lock }
end

local function read_all(path)
  local file = io.open(path, 'rb')
  local text = file and file:read '*a'
  if file then file:close() end
  return text
end

--- When a process was started, in ticks since the boot; nil where the system does not tell.
local function start_of(pid)
  local stat = read_all(('/proc/%d/stat'):format(pid))
  local fields = stat and stat:match '^.*%) (.*)$'
  if not fields then return nil end
  local nth = 0
  for field in fields:gmatch '%S+' do
    nth = nth + 1
    if nth == 20 then return field end
  end
  return nil
end

local function with_luv(load)
  local uv = try(load, 'luv')
  if not uv then return nil end

  --- All of the file is synced, whichever handle wrote it.
  local function sync(path)
    local file, problem = uv.fs_open(path, 'r', 0)
    if not file then return nil, problem end
    local synced, reason = uv.fs_fsync(file)
    uv.fs_close(file)
    return synced, reason
  end

  return { fsync = function(_, path) return sync(path) end, fsync_folder = sync, lock = lock_of.create(uv, start_of, read_all) }
end

--- `load` is the `require` to find them with.
function files.open(load)
  load = load or require
  return with_ffi(load) or with_posix(load) or with_luv(load) or {}
end

return files
