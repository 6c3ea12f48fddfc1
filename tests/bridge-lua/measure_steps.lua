--- Measures the longest step of a bridge with 1,000 players: processor time without that of the host's functions, the best
--- of several runs. Prints one line for each case; ends with 1 when a step takes longer than 2 ms or syncs twice.
local here = arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = table.concat({ here .. '/?.lua', here .. '/../../bridge-lua/?.lua', here .. '/../../bridge-lua/?/init.lua', package.path }, ';')
local causeway = require 'causeway'
local fake_hub = require 'fake_hub'
local stage = require 'stage'

local clock = os.clock
local RUNS, MOST_MS, PLAYERS = tonumber(arg[1]) or 5, 2, 1000

local function inventory(nth)
  local slots = {}
  for slot = 1, 30 do
    slots[slot] = { slot = slot, name = 'item_' .. (nth + slot) % 90, label = 'Item ' .. slot, count = slot, metadata = { quality = 90 + slot % 9 } }
  end
  return slots
end

local function crowd()
  local players = {}
  for nth = 1, PLAYERS do
    players[nth] = {
      identifier = 'char1:p' .. nth, name = 'Player ' .. nth, online = true, identifiers = { 'license:' .. nth }, accounts = { bank = nth },
      inventory = inventory(nth), metadata = { job = 'police', grade = nth % 7 },
    }
  end
  return players
end

local players = crowd()
local excluded, is_outside = 0, false

--- Takes the time of a function out of the measurement.
local function outside(call)
  return function(...)
    if is_outside then return call(...) end
    is_outside = true
    local from = clock()
    local first, second = call(...)
    excluded = excluded + clock() - from
    is_outside = false
    return first, second
  end
end

local function snapshot()
  local nth = 0
  return function()
    nth = nth + 1
    return players[nth]
  end
end

--- A bridge over a fake hub, with a bank in its journal. Its clock is that of the processor.
local function open()
  local hub = fake_hub.create()
  local host = {}
  for name, call in pairs(hub.host) do host[name] = outside(call) end
  host.now = function() return hub.time + clock() * 1000 end
  local journal = causeway.journal { path = stage.path(), host = host, ledger = true }
  local bridge = causeway.bridge {
    url = 'ws://hub/bridge', token = 't', host = host, journal = journal, software = { name = 'a', version = '1' },
    accounts = { 'bank' }, commands = { money = causeway.ledger_money(journal, { exists = function() return true end }) },
    players = { snapshot = outside(snapshot), read = outside(function(who) return players[tonumber(who:match '%d+$')] end) },
  }
  return { hub = hub, journal = journal, bridge = bridge }
end

--- Steps until the end of a case; answers the longest step in milliseconds. A busy machine interrupts some steps:
--- the longest twentieth does not count.
local function longest(on, is_done)
  local steps = {}
  repeat
    on.hub.time = on.hub.time + 10
    local syncs = on.hub.fsyncs
    excluded = 0
    local from = clock()
    on.bridge:step(2)
    steps[#steps + 1] = (clock() - from - excluded) * 1000
    assert(on.hub.fsyncs - syncs <= 1, 'a step had more than one fsync')
    assert(#steps < 20000, 'the case does not end')
  until is_done()
  table.sort(steps)
  return steps[#steps - math.floor(#steps / 20)]
end

local function has_last_part(on)
  local line = on.hub.last()
  local parts = line and line.of 'players.snapshot' or {}
  return #parts > 0 and parts[#parts].last
end

local function counts(on, kind, count)
  local seen, at = 0, 1
  return function()
    local frames = on.hub.last().frames
    while frames[at] do
      local frame = frames[at]
      if frame.type == kind then seen = seen + (frame.players and #frame.players or 1) end
      at = at + 1
    end
    return seen >= count
  end
end

local function payments(on, from, count)
  for nth = from, from + count - 1 do
    on.hub.last().say(on.hub.command('money', {
      target = 'char1:p' .. nth, type = 'bank', amount = 5, action = 'add', allowNegative = false,
    }))
  end
end

local function ids_of(on)
  local ids = {}
  for _, frame in ipairs(on.hub.last().of 'result') do ids[#ids + 1] = frame.id end
  return causeway.array(ids)
end

--- Each case answers its longest step. They follow one another on one bridge.
local CASES = {
  { 'snapshot of 1,000 players', function(on)
    on.bridge:start()
    return longest(on, function() return has_last_part(on) end)
  end },
  { 'changes of 1,000 players', function(on)
    on.bridge:changed { players = players }
    return longest(on, counts(on, 'players.changed', PLAYERS))
  end },
  { '32 commands in flight', function(on)
    payments(on, 1, 32)
    return longest(on, counts(on, 'result', 32))
  end },
  { 'hello with 2,048 open results', function(on)
    -- More than the window are sent at once, as after a long time without a connection.
    payments(on, 33, 2016)
    longest(on, counts(on, 'result', 2048))
    on.hub.last().cut()
    return longest(on, function() return #on.hub.connections == 2 and #on.hub.last().frames > 0 end)
  end },
  { 'the results after it', function(on) return longest(on, counts(on, 'status', 1)) end },
  { 'the snapshot after them', function(on) return longest(on, function() return has_last_part(on) end) end },
  { 'an ack of 2,048 results', function(on)
    local ids = ids_of(on)
    assert(#ids == 2048, 'there are ' .. #ids .. ' open results')
    on.hub.last().say { type = 'ack', ids = ids }
    return longest(on, function() return #on.journal.open() == 0 and on.journal.is_idle() end)
  end },
}

local best = {}
for _ = 1, RUNS do
  local on = open()
  for nth, case in ipairs(CASES) do
    best[nth] = math.min(best[nth] or math.huge, case[2](on))
  end
  on.journal:close()
end
local is_over = false
for nth, case in ipairs(CASES) do
  print(('%-30s %.2f ms'):format(case[1], best[nth]))
  is_over = is_over or best[nth] > MOST_MS
end
os.exit(is_over and 1 or 0)
