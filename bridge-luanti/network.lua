-- The host of the library: sockets that do not block, fsync, and random bytes. Without trust there is only the last.
local library, ca_file = ...

-- The library would seed the generator of the whole game.
local secure = SecureRandom()
local function random(count) return secure:next_bytes(count) end

local function refuse()
	return nil, 'The mod may not open sockets.'
end

local ok, host = pcall(function() return library.require('causeway.host.luasocket')({ ca_file = ca_file }) end)
if not ok then
	return { connect = refuse, send = refuse, receive = refuse, close = refuse, random = random }, tostring(host)
end
-- Without LuaSec the hub cannot be reached over wss://.
pcall(library.require, 'ssl')
host.random = random
return host
