--- Measures what the host's functions take on this machine, which the bridge waits for: an fsync, and the look-up of a name.
--- `lua measure.lua [FOLDER] [NAME]`. Prints the median and the longest of 100 in milliseconds.
local host = require 'causeway.host.luasocket' {}
local socket = require 'socket'

local folder, name = arg[1] or '.', arg[2] or 'localhost'
local path = folder .. '/causeway-measure.tmp'

local function measure(what, call)
  local times = {}
  for nth = 1, 100 do
    local from = socket.gettime()
    call(nth)
    times[nth] = (socket.gettime() - from) * 1000
  end
  table.sort(times)
  print(('%-24s median %.2f ms, longest %.2f ms'):format(what, times[50], times[100]))
end

measure('look-up of ' .. name, function() assert(socket.dns.getaddrinfo(name)) end)
if host.fsync then
  local file = assert(io.open(path, 'wb'))
  file:setvbuf 'no'
  measure('fsync of 300 bytes', function()
    file:write(('x'):rep(299) .. '\n')
    assert(host.fsync(file, path))
  end)
  file:close()
  measure('fsync of the folder', function() assert(host.fsync_folder(folder)) end)
  os.remove(path)
else
  print 'fsync                    there is none here: no ffi, lua-posix or lua-luv'
end
