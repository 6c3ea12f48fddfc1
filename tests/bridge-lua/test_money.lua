local causeway = require 'causeway'
local runner = require 'runner'
local stage = require 'stage'

local test, equal, contains = runner.test, runner.equal, runner.contains

local function nothing() end
local function never() return false end

--- A host with a clock that the test moves, and switches that break its fsyncs.
local function new_host()
  local host = { time = 1760000000000.3, folder_syncs = 0 }
  host.now = function() return host.time end
  host.fsync = function() return not host.is_broken, 'no sync' end
  host.fsync_folder = function()
    host.folder_syncs = host.folder_syncs + 1
    return not host.is_folder_broken, 'no folder'
  end
  return host
end

local function open(path, more)
  local options = { path = path, host = new_host(), ledger = true }
  for key, value in pairs(more or {}) do options[key] = value end
  return causeway.journal(options)
end

local function settle(journal, id, balance)
  journal.start(id, 'f', 'money', nothing)
  journal.commit()
  journal.settle(id, { status = 'done', ledger = { 'char1:ana', 'bank', balance } }, nil, true, nothing)
  journal.commit()
end

--- A closed bank with a balance of 70.
local function bank()
  local path = stage.path()
  local journal = open(path)
  settle(journal, 'a', 70)
  journal:close()
  return path
end

--- Replaces `io.open` while a function runs.
local function with_open(replacement, run)
  local real = io.open
  io.open = function(...) return replacement(real, ...) end
  local fits, problem = pcall(run)
  io.open = real
  if not fits then error(problem, 0) end
end

test('money: a bank that cannot be opened is not replaced by an empty one', function()
  local path = bank()
  local whole = stage.read(path)
  local function denied(real, name, mode)
    if name == path and mode == 'rb' then return nil, name .. ': Permission denied', 13 end
    return real(name, mode)
  end
  with_open(denied, function()
    runner.raises('Permission denied; give the game server the right', function() open(path) end)
  end)
  equal(stage.read(path), whole)
  local journal = open(path)
  equal(journal:balance('char1:ana', 'bank'), 70)
  journal:close()
end)

test('money: a bank that cannot be read to its end is not cut off there', function()
  local path = bank()
  local whole = stage.read(path)
  local function failing(real, name, mode)
    local file, problem = real(name, mode)
    if not file or name ~= path then return file, problem end
    local reads = 0
    return {
      read = function()
        reads = reads + 1
        if reads == 1 then return file:read(100) end
        return nil, 'Input/output error', 5
      end,
      close = function() return file:close() end,
    }
  end
  with_open(failing, function() runner.raises('Input/output error; check the disk', function() open(path) end) end)
  equal(stage.read(path), whole)
  open(path):close()
end)

test('money: no custom command and no plain journal writes a balance', function()
  for _, is_ledger in ipairs { true, false } do
    local on = stage.open { journal = { path = stage.path(), ledger = is_ledger, class = 'saved' } }
    on.bridge:register { name = 'give', params = {}, run = function()
      local outcome = causeway.done()
      outcome.ledger = { 'char1:bo', 'bank', 1.5 }
      return outcome
    end }
    on.greet()
    equal(on.run(on.hub.command('custom:give', {})).status, 'done')
    equal(on.run(on.payment(1)).status, 'done')
    equal(on.journal:balance('char1:bo', 'bank'), 0)
    equal(stage.read(on.path):find('balances', 1, true), nil)
    on.journal:close()
    causeway.journal({ path = on.path, ledger = is_ledger, host = on.hub.host }):close()
  end
end)

test('money: a balance that is not that of the order makes the outcome unknown, and changes nothing', function()
  local answer
  local on = stage.open {
    journal = { path = stage.path(), ledger = true, class = 'atomic' },
    bridge = { commands = { money = function()
      local outcome = causeway.done { account = 'bank', before = 0, after = 5 }
      outcome.ledger = answer
      return outcome
    end } },
  }
  on.greet()
  for _, wrong in ipairs {
    { 1 }, {}, 'bank', { 'char1:bo', 'bank', 5 }, { 'char1:ana', 'cash', 5 }, { 'char1:ana', 'bank', 6 }, { 'char1:ana', 'bank', 5.5 },
    { 'char1:ana', 'bank', '5' },
  } do
    answer = wrong
    equal(on.run(on.payment(5)).status, 'indeterminate')
  end
  equal(on.journal:balance('char1:ana', 'bank'), 0)
  answer = { 'char1:ana', 'bank', 5 }
  equal(on.run(on.payment(5)).status, 'done')
  on.journal:close()
  local again = open(on.path)
  equal(again:balance('char1:ana', 'bank'), 5)
  again:close()
end)

test('money: a line with a bad balance is named when the bank is opened', function()
  for _, balances in ipairs { '[[1]]', '[["a","bank",1.5]]', '{"a":1}', '5' } do
    local path = bank()
    stage.write(path, (stage.read(path):gsub('"balances":%b[]', '"balances":' .. balances)))
    runner.raises('line 3 was durable', function() open(path) end)
  end
end)

test('money: a payment is covered by the class under which it began, not by the class of today', function()
  local path = stage.path()
  for _, case in ipairs { { 'saved', 'atomic', 'indeterminate' }, { 'atomic', 'saved', 'failed' } } do
    local on = stage.open {
      journal = { path = path .. case[1], ledger = true, class = case[1] },
      bridge = { commands = { money = function() return causeway.later end } },
    }
    on.greet()
    local order = on.payment(5)
    on.run(order)
    local next = on.restart { journal = { path = on.path, ledger = true, class = case[2] } }
    equal(next.greet().result(order.id).status, case[3])
  end
end)

test('money: a compaction that fails gives its room on the disk back', function()
  local path = stage.path()
  local function full(real, name, mode)
    local file, problem = real(name, mode)
    if not file or mode ~= 'wb' or name ~= path .. '.new' then return file, problem end
    return {
      setvbuf = nothing, close = function() return file:close() end,
      write = function() return nil, 'No space left on device' end,
    }
  end
  local journal = open(path, { compact_after = 1 })
  for nth = 1, 9 do
    settle(journal, 'id' .. nth, nth)
    journal.acknowledge { 'id' .. nth }
  end
  journal.commit()
  with_open(full, function() journal.work(never) end)
  equal(stage.read(path .. '.new'), nil)
  settle(journal, 'next', 99)
  journal:close()
  local again = open(path)
  equal(again:balance('char1:ana', 'bank'), 99)
  again:close()
end)

test('money: a clock that is set back delays no retry', function()
  local host = new_host()
  local journal = open(stage.path(), { host = host })
  host.is_broken = true
  journal.start('a', 'f', 'money', nothing)
  journal.commit()
  host.is_broken = false
  host.time = host.time - 3600000
  journal.work(never)
  host.time = host.time + 101
  journal.work(never)
  for _ = 1, 2 do journal.commit() end
  settle(journal, 'b', 7)
  equal(journal:balance('char1:ana', 'bank'), 7)
  journal:close()
end)

test('money: an error in one callback costs the other commands of its batch nothing', function()
  local logged = {}
  local journal = open(stage.path(), { log = function(level, message) logged[#logged + 1] = level .. ' ' .. message end })
  local started = {}
  for nth = 1, 3 do
    journal.start('id' .. nth, 'f', 'money', function()
      started[#started + 1] = nth
      if nth == 2 then error 'boom' end
    end)
  end
  journal.commit()
  equal({ started, journal.get('id3').status, #logged }, { { 1, 2, 3 }, 'started', 1 })
  contains(logged[1], 'boom')
  journal:close()
end)

test('money: a folder that cannot be synced is tried again, and logged once', function()
  local host, logged = new_host(), {}
  local path = stage.path()
  local journal = open(path, { host = host, compact_after = 1, log = function(level, message) logged[#logged + 1] = level .. message end })
  for nth = 1, 9 do
    settle(journal, 'id' .. nth, nth)
    journal.acknowledge { 'id' .. nth }
  end
  journal.commit()
  host.is_folder_broken = true
  local tries, refused = host.folder_syncs, 0
  journal.settle('patient', { status = 'voided' }, 'f', true, nothing)
  for nth = 1, 1000 do
    host.time = host.time + 10
    journal.work(never)
    journal.start('late' .. nth, 'f', 'money', function(_, problem) refused = refused + (problem and 1 or 0) end)
    journal.commit()
  end
  equal({ #logged, refused > 900, host.folder_syncs - tries < 12 }, { 1, true, true })
  host.is_folder_broken = false
  host.time = host.time + 30000
  for _ = 1, 3 do journal.commit() end
  equal(journal.get('patient').status, 'voided')
  journal:close()
end)

test('money: a sum is written whole where an integer of C has 32 bits', function()
  local real = string.format
  string.format = function(form, value, ...)
    if form == '%d' and not (math.type and math.type(value) == 'integer') then value = value % 2147483648 end
    return real(form, value, ...)
  end
  local loaded = package.loaded['causeway.json']
  package.loaded['causeway.json'] = nil
  local json = require 'causeway.json'
  package.loaded['causeway.json'] = loaded
  string.format = real
  equal(json.encode { 5000000000 + 0.0, -0.0, 2 ^ 53 - 1, -3.0 }, '[5000000000,0,9007199254740991,-3]')
end)

test('money: Windows keeps the old bank under another name until the new one has its own', function()
  local config = package.config
  package.config = '\\' .. config:sub(2)
  local path = bank()
  local journal = open(path, { compact_after = 1 })
  for nth = 1, 9 do
    settle(journal, 'id' .. nth, nth)
    journal.acknowledge { 'id' .. nth }
  end
  journal.commit()
  journal.work(never)
  for _ = 1, 3 do journal.commit() end
  settle(journal, 'last', 5)
  journal:close()
  equal({ stage.read(path .. '.old'), stage.read(path):find('"id":"last"', 1, true) ~= nil }, { nil, true })
  os.rename(path, path .. '.old')
  local again = open(path)
  equal(again:balance('char1:ana', 'bank'), 5)
  again:close()
  package.config = config
end)
