--- The memory of the Lua state after many commands and reconnects: `measure_memory.lua [COMMANDS] [RECONNECTS]`. The clock
--- passes 14 days again and again, so that retained ids are pruned. Ends with 1 when the memory grows.
local here = arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = table.concat({ here .. '/?.lua', here .. '/../../bridge-lua/?.lua', here .. '/../../bridge-lua/?/init.lua', package.path }, ';')
local causeway = require 'causeway'
local digest = require 'causeway.digest'
local fake_hub = require 'fake_hub'
local stage = require 'stage'

local COMMANDS, RECONNECTS = tonumber(arg[1]) or 100000, tonumber(arg[2]) or 1000
local CHECKS, BATCH = 5, 20
local RETENTION_MS = 15 * 86400000
local GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

local time, line, connections = 1760000000000, nil, 0

local function welcome()
  return fake_hub.frame(('{"type":"welcome","session":"s","epoch":%d,"now":%.0f,"ping":{"everyMs":15000,"timeoutMs":10000},'
    .. '"limits":{"frameBytes":262144,"inFlight":32}}'):format(connections, time))
end

--- A hub that answers the handshake and the first frame, and reads nothing else.
local host = {
  connect = function()
    connections = connections + 1
    line = { out = '', sent = 0 }
    return line
  end,
  send = function(handle, bytes)
    if handle.is_cut then return nil, 'closed' end
    handle.sent = handle.sent + 1
    if handle.sent == 1 then
      local accept = digest.base64(digest.sha1(bytes:match 'Sec%-WebSocket%-Key: (%S+)' .. GUID))
      handle.out = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ' .. accept
        .. '\r\nSec-WebSocket-Protocol: causeway.v1\r\n\r\n'
    elseif handle.sent == 3 then handle.out = handle.out .. welcome() end
    return #bytes
  end,
  receive = function(handle)
    if handle.is_cut then return nil, 'closed' end
    local bytes = handle.out
    handle.out = ''
    return bytes
  end,
  close = function() end, now = function() return time end, fsync = function() return true end, fsync_folder = function() return true end,
  random = function(count) return ('\1'):rep(count) end,
}

local path = stage.path()
local journal = causeway.journal { path = path, host = host, ledger = true }
local bridge = causeway.bridge {
  url = 'ws://hub/bridge', token = 't', host = host, journal = journal, software = { name = 'a', version = '1' }, accounts = { 'bank' },
  commands = { money = causeway.ledger_money(journal, { exists = function() return true end }) },
}

local function step_until(is_done)
  for _ = 1, 10000 do
    time = time + 10
    bridge:step(2)
    if is_done() then return end
  end
  error 'it does not end'
end

local function reconnect()
  if line then line.is_cut = true end
  local before = connections
  step_until(function() return connections > before and bridge.state == 'welcomed' end)
end

local function pay(from, count)
  local ids = {}
  for nth = from, from + count - 1 do
    local id = 'cmd_' .. nth
    ids[#ids + 1] = '"' .. id .. '"'
    line.out = line.out .. fake_hub.frame(('{"type":"command","id":"%s","name":"money","params":{"target":"char1:p%d","type":"bank","amount":1,'
      .. '"action":"add","allowNegative":false},"fingerprint":"f%d","expiresAt":%.0f,"attempt":1}'):format(id, nth % 100, nth, time + 60000))
  end
  local last = 'cmd_' .. (from + count - 1)
  step_until(function() return bridge:in_hand() == 0 and journal.get(last) ~= nil end)
  line.out = line.out .. fake_hub.frame('{"type":"ack","ids":[' .. table.concat(ids, ',') .. ']}')
  step_until(function() return #journal.open() == 0 end)
end

local function memory()
  collectgarbage 'collect'
  collectgarbage 'collect'
  return collectgarbage 'count'
end

bridge:start()
reconnect()
local seen = {}
for nth = 1, COMMANDS, BATCH do
  pay(nth, BATCH)
  local done = nth + BATCH - 1
  if done % math.floor(COMMANDS / RECONNECTS) == 0 then reconnect() end
  if done % (COMMANDS / CHECKS / 2) == 0 then
    time = time + RETENTION_MS
    reconnect()
  end
  if done % (COMMANDS / CHECKS) == 0 then
    seen[#seen + 1] = memory()
    print(('%7d commands, %5d connections: %.0f KiB, %d entries and balances'):format(done, connections, seen[#seen], journal.size()))
  end
end
local sum = 0
for nth = 0, 99 do sum = sum + journal:balance('char1:p' .. nth, 'bank') end
assert(sum == COMMANDS, 'the balances are not the sum of the payments')
journal:close()
os.remove(path)
os.exit(seen[CHECKS] > seen[2] * 1.05 and 1 or 0)
