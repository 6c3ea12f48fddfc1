--- A bridge over a fake hub, with a game of two players whose bank is a table or the journal.
local causeway = require 'causeway'
local fake_hub = require 'fake_hub'

local stage = {}

local files = 0

--- A path for a file of a test; nothing is there.
function stage.path()
  files = files + 1
  local path = os.tmpname() .. '-' .. files
  for _, ending in ipairs { '', '.new', '.lock', '.damaged' } do os.remove(path .. ending) end
  return path
end

function stage.read(path)
  local file = io.open(path, 'rb')
  local text = file and file:read '*a'
  if file then file:close() end
  return text
end

function stage.write(path, text)
  local file = assert(io.open(path, 'wb'))
  file:write(text)
  file:close()
end

--- Opens a stage. Options: `hub` (of a fake hub), `journal` (its options), `bridge` (more of its options).
function stage.open(options)
  options = options or {}
  local hub = options.over or fake_hub.create(options.hub)
  local logged = {}
  local function log(level, message) logged[#logged + 1] = level .. ' ' .. message end
  local journal_options = { host = hub.host, log = log, class = 'saved' }
  for key, value in pairs(options.journal or { path = stage.path() }) do journal_options[key] = value end
  local journal = causeway.journal(journal_options)
  local game = options.game or { banks = { ['char1:ana'] = 1000, ['char1:bo'] = 50 }, effects = {} }

  local function record(identifier)
    local bank = game.banks[identifier]
    if not bank then return nil end
    return { identifier = identifier, name = 'Player ' .. identifier, online = true, accounts = { bank = bank } }
  end

  local function money(params, context)
    table.insert(game.effects, context.id)
    local before = game.banks[params.target]
    if not before then return causeway.rejected('player_not_found', 'Nobody.') end
    local after = params.action == 'add' and before + params.amount or before - params.amount
    if after < 0 and not params.allowNegative then return causeway.rejected('insufficient_funds', 'Too little.', { balance = before }) end
    game.banks[params.target] = after
    return causeway.done { account = 'bank', before = before, after = after }
  end

  local bridge_options = {
    url = 'ws://hub.example:8080/bridge', token = 'cwb_secret', host = hub.host, journal = journal, log = log,
    software = { name = 'test', version = '1' }, accounts = { 'bank' },
    commands = {
      kick = function(params, context)
        table.insert(game.effects, context.id)
        if not game.banks[params.target] then return causeway.rejected('player_not_found', 'Nobody.') end
        return causeway.done { kicked = true }
      end,
      money = money,
    },
    players = {
      snapshot = function()
        local identifier
        return function()
          identifier = next(game.banks, identifier)
          return identifier and record(identifier)
        end
      end,
      read = record,
    },
  }
  for key, value in pairs(options.bridge or {}) do bridge_options[key] = value end
  local bridge = causeway.bridge(bridge_options)
  local self = { hub = hub, bridge = bridge, journal = journal, game = game, logged = logged, path = journal_options.path }

  --- Starts the bridge, and lets it say all that it says at first.
  function self.greet()
    bridge:start()
    hub.pass(bridge, 100)
    return hub.last()
  end

  --- Sends a command, lets time pass, and answers its result.
  function self.run(frame, ms)
    hub.last().say(frame)
    hub.pass(bridge, ms or 100)
    return hub.last().result(frame.id)
  end

  --- The order to pay a player.
  function self.payment(amount, more)
    local params = { target = 'char1:ana', type = 'bank', amount = amount, action = 'add', allowNegative = false }
    return hub.command('money', params, more)
  end

  --- The next process over the same journal and game, as after `kill -9`: nothing was closed.
  function self.restart(more)
    journal:close()
    local again = { over = hub, game = game, journal = { path = journal_options.path, class = journal_options.class, ledger = journal_options.ledger }, bridge = options.bridge }
    for key, value in pairs(more or {}) do again[key] = value end
    return stage.open(again)
  end

  return self
end

return stage
