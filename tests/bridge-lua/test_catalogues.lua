local runner = require 'runner'
local stage = require 'stage'

local test, equal, contains = runner.test, runner.equal, runner.contains

--- A function that gives one entry after the other.
local function each(list)
  return function()
    local nth = 0
    return function()
      nth = nth + 1
      return list[nth]
    end
  end
end

local function many(count, label)
  local list = {}
  for nth = 1, count do list[nth] = { name = 'item_' .. nth, label = (label or 'Thing ') .. nth } end
  return list
end

local BREAD = { name = 'bread', label = 'Bread' }
local POLICE = { name = 'police', label = 'LSPD', grades = { { grade = 0, label = 'Cadet' }, { grade = 1, label = 'Officer' } } }

test('catalogues: each is sent before the players, in parts that the hub takes, with its grades', function()
  local on = stage.open { bridge = { catalogues = { items = each(many(2500)), jobs = each { POLICE } } } }
  local line = on.greet()
  on.hub.pass(on.bridge, 500)
  local parts = line.of 'catalogue'
  local names, sizes = {}, {}
  for nth, part in ipairs(parts) do
    names[nth] = ('%s %d %s'):format(part.kind, part.part, tostring(part.last))
    sizes[nth] = #part.entries
  end
  equal(names, { 'items 0 false', 'items 1 false', 'items 2 true', 'jobs 0 true' })
  equal(sizes, { 1000, 1000, 500, 1 })
  equal(parts[4].entries[1], POLICE)
  equal({ parts[1].hash == parts[3].hash, #parts[1].hash <= 64 }, { true, true })
  local order = {}
  for nth, frame in ipairs(line.frames) do order[nth] = frame.type end
  contains(table.concat(order, ' '), 'catalogue players.snapshot')
  equal(table.concat(order, ' '):find 'players.snapshot catalogue', nil)
end)

test('catalogues: the hub is not sent what it has, and hears of a change', function()
  local list = { BREAD }
  local function items() return each(list)() end
  local on = stage.open { hub = { welcomes = false }, bridge = { catalogues = { items = items } } }
  on.bridge:start()
  on.hub.pass(on.bridge, 50)
  local function welcome(known)
    on.hub.last().say {
      type = 'welcome', session = 's', epoch = 1, now = on.hub.time, ping = { everyMs = 15000, timeoutMs = 10000 },
      limits = { frameBytes = 262144, inFlight = 32 }, catalogues = known,
    }
    on.hub.pass(on.bridge, 100)
    return on.hub.last().of 'catalogue'
  end
  local first = welcome(nil)
  equal(#first, 1)
  on.bridge:catalogues_changed()
  on.hub.pass(on.bridge, 50)
  equal(#on.hub.last().of 'catalogue', 1)
  list = { BREAD, { name = 'water', label = 'Water' } }
  on.bridge:catalogues_changed()
  on.hub.pass(on.bridge, 50)
  local second = on.hub.last().of 'catalogue'
  equal({ #second, second[2].hash ~= first[1].hash, #second[2].entries }, { 2, true, 2 })
  on.hub.last().cut()
  on.hub.pass(on.bridge, 5000)
  equal(#welcome { items = second[2].hash, furniture = 'x' }, 0)
  equal(#on.hub.last().of 'players.snapshot', 1)
end)

test('catalogues: entries that do not fit are left out, and the log says how many', function()
  local bad = {
    { name = '', label = 'x' }, { name = 'x' }, { name = ('x'):rep(129), label = 'x' }, { name = 'x', label = ('x'):rep(129) }, 'no table',
    { name = 'x', label = 'x', grades = {} }, { name = 5, label = 'x' },
  }
  local list = { BREAD }
  for nth, entry in ipairs(bad) do list[nth + 1] = entry end
  local on = stage.open { bridge = { catalogues = { items = each(list) } } }
  local line = on.greet()
  equal(line.of('catalogue')[1].entries, { BREAD })
  contains(table.concat(on.logged, '\n'), '7 entries of the catalogue of items do not fit')
end)

test('catalogues: one that is too large is not sent, and one that cannot be read harms nothing', function()
  local huge = {}
  for nth = 1, 12000 do huge[nth] = { name = ('n'):rep(100) .. nth, label = ('l'):rep(100) } end
  local on = stage.open { bridge = { catalogues = {
    items = each(huge), vehicles = function() error 'no database' end, jobs = each { POLICE },
  } } }
  local line = on.greet()
  on.hub.pass(on.bridge, 3000)
  equal({ #line.of 'catalogue', line.of('catalogue')[1].kind, #line.of 'players.snapshot' }, { 1, 'jobs', 1 })
  contains(table.concat(on.logged, '\n'), 'items has over 2097152 bytes')
  contains(table.concat(on.logged, '\n'), 'vehicles could not be read')
end)

test('catalogues: commands go on while one is read', function()
  local on
  on = stage.open { bridge = { catalogues = { items = each(many(20000)) } } }
  on.bridge:start()
  on.hub.pass(on.bridge, 30)
  local order = on.payment(5)
  on.hub.last().say(order)
  on.hub.pass(on.bridge, 5000)
  local line = on.hub.last()
  local count = 0
  for _, part in ipairs(line.of 'catalogue') do count = count + #part.entries end
  equal({ line.result(order.id).status, count }, { 'done', 20000 })
end)
