local causeway = require 'causeway'
local players = require 'causeway.players'
local json = require 'causeway.json'
local runner = require 'runner'
local stage = require 'stage'

local test, equal, contains = runner.test, runner.equal, runner.contains

local function open(list, more)
  local source = {
    snapshot = function()
      local nth = 0
      return function()
        nth = nth + 1
        return list[nth]
      end
    end,
    read = function(identifier)
      for _, player in ipairs(list) do
        if player.identifier == identifier then return player end
      end
      return nil
    end,
  }
  for key, value in pairs(more or {}) do source[key] = value end
  return stage.open { bridge = { players = source } }
end

local function crowd(count, more)
  local list = {}
  for nth = 1, count do
    list[nth] = { identifier = 'p' .. nth, name = 'Player ' .. nth, online = true, accounts = { bank = nth }, metadata = more }
  end
  return list
end

test('players: maps and lists are written as the protocol has them, without a mark', function()
  local text = players.text({ identifier = 'a', name = 'A' }, 9999)
  equal(text, '{"identifier":"a","name":"A","online":false,"identifiers":[],"accounts":{},"inventory":[],"vehicles":[],"metadata":{}}')
  local full = players.text({
    identifier = 'a', name = 'A\255', online = true, identifiers = { 'license:1' }, accounts = { bank = 5.0, cash = -2 },
    inventory = { { slot = 1, name = 'bread', label = 'Bread', count = 3 } },
    vehicles = { { plate = 'X', model = 'm', label = 'L', stored = true }, { plate = 'Y', model = 'm', label = 'L', stored = false, garage = 'legion' } },
    metadata = { 'police', tags = {} },
  }, 9999)
  equal(json.decode(full).vehicles[1].garage == json.null, true)
  contains(full, '"metadata":{"1":"police","tags":{}}')
  equal(full:find('"bank":5[,}]') ~= nil, true)
  contains(full, '"name":"A\239\191\189"')
  contains(players.text({ identifier = 'a', name = 'A', online = true, gameId = 143 }, 9999), '"online":true,"gameId":143,')
end)

test('players: records that do not fit are left out, and the others are sent', function()
  local deep = {}
  for _ = 1, 70 do deep = { deep } end
  local bad = {
    { identifier = 'a b', name = 'x' }, { identifier = 'x' }, { identifier = 'x', name = ('x'):rep(129) }, { identifier = 'x', name = 5 },
    { identifier = 'x', name = 'x', accounts = { bank = 1.5 } }, { identifier = 'x', name = 'x', accounts = { bank = 2 ^ 53 } },
    { identifier = 'x', name = 'x', online = 1 }, { identifier = 'x', name = 'x', gameId = -1 }, { identifier = 'x', name = 'x', identifiers = { 'a b' } },
    { identifier = 'x', name = 'x', inventory = { { slot = -1, name = 'a', label = 'a', count = 1 } } },
    { identifier = 'x', name = 'x', metadata = 5 }, { identifier = 'x', name = 'x', metadata = { deep } },
    { identifier = 'x', name = 'x', metadata = { [('k'):rep(65)] = 1 } }, { identifier = 'x', name = 'x', metadata = { a = ('x'):rep(262144) } },
    { identifier = 'x', name = 'x', metadata = { a = print } }, { identifier = 'x', name = 'x', inventory = { a = 1 } }, 'no table',
    { identifier = 'x', name = 'x', metadata = json.null }, { identifier = 'x', name = 'x', vehicles = { {} } },
  }
  for nth, record in ipairs(bad) do equal((players.text(record, 260000)), nil, 'record ' .. nth) end
  local list = { bad[1], { identifier = 'good', name = 'Good' }, bad[5] }
  local on = open(list)
  local snapshot = on.greet().of('players.snapshot')[1]
  equal({ #snapshot.players, snapshot.players[1].identifier }, { 1, 'good' })
  contains(table.concat(on.logged, '\n'), 'a b is left out')
end)

test('players: a snapshot is complete if its source says so and no record was left out', function()
  local function snapshot_of(list, complete)
    return open(list, { complete = complete }).greet().of('players.snapshot')[1]
  end
  local function yes() return true end
  equal(snapshot_of(crowd(2), yes).complete, true)
  equal(snapshot_of(crowd(2), function() return false end).complete, nil)
  equal(snapshot_of(crowd(2)).complete, nil)
  equal(snapshot_of({ { identifier = 'a b', name = 'x' }, { identifier = 'a', name = 'x' } }, yes).complete, nil)
end)

test('players: a source with all players says that one is not there any more', function()
  local on = open(crowd(1), { complete = function() return true end })
  local line = on.greet()
  line.say { type = 'players.read', id = 'read_1', identifier = 'p9' }
  on.hub.pass(on.bridge, 20)
  equal(line.of('players.record')[1].error.code, 'player_not_found')
end)

test('players: a record larger than a frame is sent without the large metadata of its items', function()
  local inventory = {}
  for nth = 1, 17 do
    inventory[nth] = { slot = nth, name = 'note', label = 'Note', count = 1, metadata = { text = ('x'):rep(16000) } }
  end
  inventory[18] = { slot = 18, name = 'note', label = 'Note', count = 1, metadata = { text = 'short' } }
  local on = open { { identifier = 'ana', name = 'Ana', inventory = inventory }, { identifier = 'bo', name = 'Bo' } }
  local line = on.greet()
  local sent = line.of('players.snapshot')[1].players
  equal({ #sent, #sent[1].inventory, sent[1].inventory[17].metadata, sent[1].inventory[18].metadata },
    { 2, 18, { omitted = true }, { text = 'short' } })
  contains(table.concat(on.logged, '\n'), 'The player ana is sent without large metadata')
  line.say { type = 'players.read', id = 'read_1', identifier = 'ana' }
  on.hub.pass(on.bridge, 20)
  equal(line.of('players.record')[1].player.inventory[17].metadata, { omitted = true })
end)

test('players: a snapshot has one revision, parts from 0 on, the last of which says so', function()
  local on = open(crowd(1500, { note = ('n'):rep(200) }))
  local parts = on.greet().of 'players.snapshot'
  local count = 0
  for nth, part in ipairs(parts) do
    equal({ part.revision, part.part, part.last }, { 1, nth - 1, nth == #parts })
    equal(#json.encode(part) <= 65536 + 300, true)
    count = count + #part.players
  end
  equal({ count, #parts > 5 }, { 1500, true })
end)

test('players: a bridge without players sends one empty part', function()
  local on = stage.open()
  on.bridge = causeway.bridge { url = 'ws://h/bridge', token = 't', host = on.hub.host, journal = on.journal, software = { name = 'a', version = '1' } }
  on.bridge:start()
  on.hub.pass(on.bridge, 100)
  local parts = on.hub.last().of 'players.snapshot'
  equal({ #parts, parts[1].last, #parts[1].players }, { 1, true, 0 })
end)

test('players: changes have the next revision, and a resync begins a snapshot', function()
  local list = crowd(2)
  local on = open(list)
  local line = on.greet()
  on.bridge:changed { players = { list[1] }, offline = { 'p2' }, removed = { 'p3', 'no identifier!' } }
  on.hub.pass(on.bridge, 20)
  local change = line.of('players.changed')[1]
  equal({ change.revision, #change.players, change.offline, change.removed }, { 2, 1, { 'p2' }, { 'p3' } })
  line.say { type = 'players.resync' }
  on.hub.pass(on.bridge, 20)
  equal(line.of('players.snapshot')[2].revision, 3)
  on.bridge:changed { offline = { 'p1' } }
  on.hub.pass(on.bridge, 20)
  equal(line.of('players.changed')[2].revision, 4)
end)

test('players: who leaves and comes back at once is in two frames, in this order', function()
  local list = crowd(1)
  local on = open(list)
  local line = on.greet()
  on.bridge:changed { offline = { 'p1' } }
  on.bridge:changed { players = { list[1] } }
  on.hub.pass(on.bridge, 20)
  local changes = line.of 'players.changed'
  equal({ #changes, changes[1].offline, changes[2].players[1].identifier }, { 2, { 'p1' }, 'p1' })
end)

test('players: no change goes out between two parts of a snapshot', function()
  local list = crowd(1500, { note = ('n'):rep(200) })
  local on
  on = open(list, {
    snapshot = function()
      local nth = 0
      return function()
        nth = nth + 1
        if nth == 700 then on.bridge:changed { offline = { 'p1' } } end
        return list[nth]
      end
    end,
  })
  local line = on.greet()
  local kinds = {}
  for _, frame in ipairs(line.frames) do
    if frame.revision and kinds[#kinds] ~= frame.type then kinds[#kinds + 1] = frame.type end
  end
  equal(kinds, { 'players.snapshot', 'players.changed' })
end)

test('players: changes wait for no one while the bridge is away, and too many become a snapshot', function()
  local list = crowd(10)
  local on = open(list)
  on.bridge:changed { offline = { 'p1' } }
  local line = on.greet()
  equal(#line.of 'players.changed', 0)
  for _ = 1, 5001 do on.bridge:changed { offline = { 'p1' } } end
  on.hub.pass(on.bridge, 50)
  equal({ #line.of 'players.snapshot', #line.of 'players.changed' }, { 2, 0 })
end)

test('players: a snapshot that cannot be read is tried again after 5 seconds', function()
  local tries = 0
  local on = open({}, { snapshot = function()
    tries = tries + 1
    if tries < 3 then error 'no database' end
    return function() return nil end
  end })
  local line = on.greet()
  equal({ tries, #line.of 'players.snapshot' }, { 1, 0 })
  on.hub.pass(on.bridge, 11000)
  equal({ tries, #line.of 'players.snapshot' }, { 3, 1 })
end)

test('players: a question for one is answered with the record of that moment, or an error', function()
  local list = crowd(1)
  local on = open(list)
  local line = on.greet()
  local function ask(identifier)
    line.say { type = 'players.read', id = 'read_' .. identifier, identifier = identifier }
    on.hub.pass(on.bridge, 20)
    local records = line.of 'players.record'
    return records[#records]
  end
  list[1].accounts.bank = 77
  equal(ask('p1').player.accounts.bank, 77)
  equal(ask('p9').error.code, 'unsupported')
  list[1].name = nil
  equal(ask('p1').error.code, 'internal_error')
end)

test('players: a full line lets players wait, and commands go on', function()
  local is_stuck = false
  local on
  local list = crowd(2000, { note = ('n'):rep(500) })
  on = stage.open {
    hub = { takes = function(count) return is_stuck and 0 or count end },
    bridge = { players = { snapshot = function()
      local nth = 0
      return function()
        nth = nth + 1
        if nth == 100 then is_stuck = true end
        return list[nth]
      end
    end } },
  }
  local line = on.greet()
  equal(#line.of 'players.snapshot' < 4, true)
  local order = on.payment(5)
  line.say(order)
  on.hub.pass(on.bridge, 100)
  equal(#on.game.effects, 1)
  is_stuck = false
  on.hub.pass(on.bridge, 200)
  local parts = line.of 'players.snapshot'
  equal({ parts[#parts].last, line.result(order.id).status }, { true, 'done' })
end)
