--- Opens one TLS connection as the bridge does: `tls_client.lua HOST PORT CA_FILE`. Prints `ready`, or why there is none, and
--- the milliseconds of processor time that the longest call took. Every name leads to this machine.
local here = arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = table.concat({ here .. '/../../bridge-lua/?.lua', here .. '/../../bridge-lua/?/init.lua', package.path }, ';')
local socket = require 'socket'
local host = require 'causeway.host.luasocket' { ca_file = arg[3] }

socket.dns.getaddrinfo = function() return { { family = 'inet', addr = '127.0.0.1' } } end

local longest = 0
local function timed(call, ...)
  local from = os.clock()
  local first, second = call(...)
  longest = math.max(longest, (os.clock() - from) * 1000)
  return first, second
end

local handle, problem = timed(host.connect, arg[1], tonumber(arg[2]), true)
local sent = 0
while handle and not problem and sent ~= 5 do
  sent, problem = timed(host.send, handle, 'hello')
  if sent == 0 then socket.select({ handle.tcp }, nil, 0.01) end
end
print(problem or 'ready', ('%.1f'):format(longest))
