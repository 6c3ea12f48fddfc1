--- A game server without a game: three players, whose bank is the journal. It runs until it gets a signal.
if jit then jit.off(true, true) end
local causeway = require 'causeway'
local host = require 'causeway.host.luasocket' {}
local socket = require 'socket'

local names = { ['char1:ana'] = 'Ana Souza', ['char1:bo'] = 'Bo Lindqvist', ['char1:cy'] = 'Cy Adeyemi' }
local journal = causeway.journal { path = os.getenv 'CAUSEWAY_JOURNAL' or 'causeway.journal', host = host, ledger = true }

local function log(level, message) io.stderr:write(level, ' ', message, '\n') end

local function record(identifier)
  local name = names[identifier]
  if not name then return nil end
  return { identifier = identifier, name = name, online = true, accounts = { bank = journal:balance(identifier, 'bank') } }
end

local function snapshot()
  local identifier
  return function()
    identifier = next(names, identifier)
    return identifier and record(identifier)
  end
end

local function kick(params)
  if not names[params.target] then return causeway.rejected('player_not_found', 'Nobody here has this identifier.') end
  return causeway.done { kicked = true }
end

local bridge = causeway.bridge {
  url = os.getenv 'CAUSEWAY_URL' or 'ws://127.0.0.1:8080/bridge', token = os.getenv 'CAUSEWAY_TOKEN', host = host, journal = journal,
  software = { name = 'lua-ledger', version = '1.0.0' }, accounts = { 'bank' },
  commands = { kick = kick, money = causeway.ledger_money(journal, { account = 'bank', exists = function(who) return names[who] ~= nil end }) },
  players = { snapshot = snapshot, read = record }, log = log,
  on_state = function(state, detail) log('info', state .. ' ' .. detail) end,
}
bridge:register {
  name = 'greet', description = 'Greets a player', run = function() return causeway.done() end,
  params = {
    properties = { name = { type = 'string', minLength = 1, maxLength = 16 } }, required = { 'name' }, additionalProperties = false,
  },
}
local function stop()
  bridge:stop('Restart', function()
    journal:close()
    os.exit(0)
  end)
end
--- Signals are no part of Lua. lua-luv tells of a SIGTERM when it is asked, in `poll`. lua-posix would call `stop` in the middle
--- of any line, and under LuaJIT that line may be lost.
local has_luv, uv = pcall(require, 'luv')
if has_luv then uv.new_signal():start('sigterm', stop) end
local function poll()
  if has_luv then uv.run 'nowait' end
end

bridge:start()
while true do
  bridge:step(2)
  poll()
  socket.sleep(0.002)
end
