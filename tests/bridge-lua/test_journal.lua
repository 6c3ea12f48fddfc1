local causeway = require 'causeway'
local json = require 'causeway.json'
local runner = require 'runner'
local stage = require 'stage'

local test, equal, contains = runner.test, runner.equal, runner.contains

local DAY = 86400000

--- A host with nothing but files, a clock and a count of its fsyncs.
local function new_host()
  local host = { time = 1760000000000, fsyncs = 0 }
  host.now = function() return host.time end
  host.fsync = function()
    host.fsyncs = host.fsyncs + 1
    return not host.is_broken, 'no sync'
  end
  host.fsync_folder = host.fsync
  return host
end

local function open(path, more)
  local options = { path = path, host = new_host(), class = 'durable' }
  for key, value in pairs(more or {}) do options[key] = value end
  return causeway.journal(options)
end

local function nothing() end

--- Writes an entry from `started` to `done`, each durably.
local function pay(journal, id)
  journal.start(id, 'print of ' .. id, 'money', nothing)
  journal.commit()
  journal.settle(id, { status = 'done', data = '{"before":1,"after":2}' }, nil, true, nothing)
  journal.commit()
end

local function always() return true end
local function never() return false end

--- Lets writes of files fail after so many bytes while the function runs.
local function with_full_disk(bytes, run)
  local real = io.open
  local left = bytes
  io.open = function(path, mode)
    local file, problem = real(path, mode)
    if not file or not mode or not mode:find '[aw]' then return file, problem end
    return {
      setvbuf = function(_, mode) return file:setvbuf(mode) end,
      close = function() return file:close() end,
      write = function(_, text)
        if #text <= left then
          left = left - #text
          return file:write(text)
        end
        file:write(text:sub(1, left))
        file:flush()
        left = 0
        return nil, 'No space left on device'
      end,
    }
  end
  local fits, reason = pcall(run, function() left = math.huge end)
  io.open = real
  if not fits then error(reason, 0) end
end

test('journal: the code of a refusal survives its ack, a restart and a new file', function()
  local path = stage.path()
  local journal = open(path)
  local problem = '{"code":"player_offline","message":"Asleep.","details":{"code":"no"}}'
  journal.settle('a.1', { status = 'rejected', error = problem }, 'a print', true, nothing)
  journal.settle('b.1', { status = 'failed', error = '{"code":"a code","message":""}' }, '', true, nothing)
  journal.settle('c.1', { status = 'done', data = '{}' }, '', true, nothing)
  journal.commit()
  journal.acknowledge { 'a.1', 'b.1', 'c.1' }
  journal.commit()
  local kept = { status = 'rejected', error = '{"code":"player_offline","message":""}' }
  for nth = 1, 3 do
    equal({ journal.get('a.1').outcome, journal.get('a.1').fingerprint }, { kept, 'a print' })
    equal(journal.get('b.1').outcome, { status = 'failed', error = '{"code":"internal_error","message":""}' })
    equal(journal.get('c.1').outcome, nil)
    journal:close()
    journal = open(path, { compact_after = 0 })
    if nth == 2 then
      journal.settle('d', { status = 'voided' }, '', true, nothing)
      journal.commit()
      journal.work(never)
      journal.commit()
      journal.commit()
    end
  end
end)

test('journal: an acknowledged refusal of an earlier version has no code', function()
  local path = stage.path()
  open(path):close()
  local line = '{"op":"entry","id":"a","fingerprint":"x y","status":"rejected","sequence":3,"at":1760000000000,"acknowledged":true}\n'
  stage.write(path, stage.read(path) .. line)
  local entry = open(path).get('a')
  equal({ entry.status, entry.outcome, entry.fingerprint }, { 'rejected', nil, 'x y' })
end)

test('journal: entries, acks, id and sequence are there after a restart', function()
  local path = stage.path()
  local journal = open(path)
  pay(journal, 'a')
  pay(journal, 'b')
  journal.acknowledge { 'a', 'unknown' }
  journal.commit()
  journal:close()
  local again = open(path)
  equal({ again.id, again.opened_at }, { journal.id, 4 })
  equal({ again.get('a').status, again.get('a').acknowledged, again.get('a').outcome }, { 'done', true, nil })
  equal(again.get('a').fingerprint, 'print of a')
  equal(again.get('b').outcome.data, '{"after":2,"before":1}')
  equal(again.get('c'), nil)
  equal(#again.open(), 1)
  again:close()
end)

test('journal: all writes between two commits share one fsync', function()
  local host = new_host()
  local journal = open(stage.path(), { host = host })
  local before, started = host.fsyncs, 0
  for nth = 1, 50 do journal.start('id' .. nth, 'f', 'money', function(entry) started = started + (entry and 1 or 0) end) end
  equal({ host.fsyncs - before, started }, { 0, 0 })
  journal.commit()
  equal({ host.fsyncs - before, started }, { 1, 50 })
  journal.commit()
  equal(host.fsyncs - before, 1)
  journal:close()
end)

test('journal: an entry is not known before its line is durable, and an ack costs no fsync', function()
  local host = new_host()
  local journal = open(stage.path(), { host = host })
  journal.start('a', 'f', 'money', nothing)
  equal(journal.get 'a', nil)
  journal.commit()
  equal(journal.get('a').status, 'started')
  journal.acknowledge { 'a' }
  equal(journal.get('a').acknowledged, false)
  journal.settle('a', { status = 'done' }, nil, true, nothing)
  journal.commit()
  local before = host.fsyncs
  journal.acknowledge { 'a' }
  journal.commit()
  equal(host.fsyncs, before)
  journal:close()
end)

test('journal: a file that is cut at any byte is read up to its last whole line, and written on', function()
  local path = stage.path()
  local journal = open(path)
  for nth = 1, 2 do pay(journal, 'id' .. nth) end
  journal:close()
  local whole = stage.read(path)
  local lines = select(2, whole:gsub('\n', ''))
  equal(lines, 5)
  for size = 0, #whole do
    stage.write(path, whole:sub(1, size))
    local cut = open(path)
    local kept = select(2, whole:sub(1, size):gsub('\n', ''))
    equal(cut.opened_at, math.max(0, kept - 1), 'sequence at byte ' .. size)
    -- Without its first line the journal is a new one.
    equal(cut.id == journal.id, kept > 0, 'id at byte ' .. size)
    pay(cut, 'next')
    cut:close()
    local again = open(path)
    equal({ again.id, again.get('next').status, again.opened_at }, { cut.id, 'done', math.max(0, kept - 1) + 2 }, 'byte ' .. size)
    again:close()
  end
end)

test('journal: a new file that was not finished changes nothing', function()
  local path = stage.path()
  local journal = open(path)
  pay(journal, 'a')
  journal:close()
  stage.write(path .. '.new', '{"op":"journal"')
  local again = open(path)
  equal({ again.id, again.get('a').status }, { journal.id, 'done' })
  again:close()
end)

test('journal: a damaged line makes a new id, keeps what can be read, and sets the file aside', function()
  local path = stage.path()
  local journal = open(path)
  pay(journal, 'a')
  pay(journal, 'b')
  journal:close()
  local whole = stage.read(path)
  local damaged = whole:gsub('"id":"a","fingerprint":"print of a","status":"done"', '"id":"a\0')
  stage.write(path, damaged)
  local logged = {}
  local again = open(path, { log = function(level, message) logged[#logged + 1] = level .. message end })
  equal(again.id ~= journal.id, true)
  equal({ again.get('a').status, again.get('b').status }, { 'started', 'done' })
  equal(again.opened_at, journal.sequence())
  equal(stage.read(path .. '.damaged'), damaged)
  contains(logged[1], 'line 3')
  again:close()
end)

test('journal: a file that is no journal is left alone', function()
  local path = stage.path()
  stage.write(path, 'my diary\n')
  runner.raises('is no journal', function() open(path) end)
  equal(stage.read(path), 'my diary\n')
end)

test('journal: a second one over the same file is refused', function()
  local path = stage.path()
  local journal = open(path)
  runner.raises('has it open', function() open(path) end)
  journal:close()
  open(path):close()
end)

--- Writes until a disk with so much room is full, then goes on with an empty one.
local function fill_disk(room)
  local path = stage.path()
  with_full_disk(room, function(free)
    local host = new_host()
    local journal = open(path, { host = host })
    local started, settled, problems = 0, {}, 0
    for nth = 1, 9 do
      local id = 'id' .. nth
      journal.start(id, 'f', 'money', function(entry, problem)
        if problem then problems = problems + 1 end
        if not entry then return end
        started = started + 1
        journal.settle(id, { status = 'done' }, nil, true, function(done) settled[#settled + 1] = done.id end)
      end)
      journal.commit()
      journal.commit()
      journal.work(never, host.time)
    end
    equal(problems > 0, true)
    -- The disk is full: the file ends in half a line, and stays so.
    local torn = stage.read(path)
    equal(torn:sub(-1) ~= '\n', true)
    journal.commit()
    equal(stage.read(path), torn)
    free()
    host.time = host.time + 60000
    journal.work(never)
    for _ = 1, 3 do journal.commit() end
    equal(#settled, started, 'the outcome that waited is written')
    pay(journal, 'late')
    equal(stage.read(path):sub(-1), '\n')
    journal:close()
    local again = open(path)
    equal({ again.id, again.get('late').status, again.get(settled[#settled]).status }, { journal.id, 'done', 'done' })
    equal(again.get 'id9', nil)
    again:close()
  end)
end

test('journal: a torn record is never followed by another one; the file is written anew', function()
  for room = 500, 800, 20 do fill_disk(room) end
end)

test('journal: a start that cannot be written fails at once, an outcome is tried again', function()
  local host = new_host()
  local path = stage.path()
  local journal = open(path, { host = host })
  journal.start('a', 'f', 'money', nothing)
  journal.commit()
  host.is_broken = true
  local failed, written
  journal.settle('a', { status = 'done' }, nil, true, function(entry) written = entry end)
  journal.start('b', 'f', 'money', function(_, problem) failed = problem end)
  journal.commit()
  equal({ failed, written }, { 'no sync', nil })
  for _ = 1, 20 do
    host.time = host.time + 10000
    journal.work(never)
    journal.commit()
  end
  equal(written, nil)
  host.is_broken = false
  host.time = host.time + 60000
  journal.work(never)
  for _ = 1, 3 do journal.commit() end
  equal(written.status, 'done')
  equal(journal.get 'b', nil)
  journal:close()
end)

test('journal: ids are kept for 14 days after their ack, and for ever without one', function()
  local host = new_host()
  local path = stage.path()
  local journal = open(path, { host = host })
  pay(journal, 'a')
  pay(journal, 'open')
  journal.acknowledge { 'a' }
  host.time = host.time + 14 * DAY
  journal.commit()
  equal(journal.get('a').status, 'done')
  host.time = host.time + 1
  journal.commit()
  equal(journal.get 'a', nil)
  equal(journal.get('open').status, 'done')
  journal:close()
end)

test('journal: it is compacted in slices while it is written to, with at most one fsync a commit', function()
  local host = new_host()
  local path = stage.path()
  local journal = open(path, { host = host, compact_after = 100 })
  local most = 0
  local function step(work)
    local before = host.fsyncs
    work()
    journal.commit()
    journal.work(always)
    most = math.max(most, host.fsyncs - before)
  end
  for nth = 1, 300 do
    local id = 'id' .. nth
    step(function() journal.start(id, 'f' .. nth, 'money', nothing) end)
    step(function() journal.settle(id, { status = 'done' }, nil, true, nothing) end)
    step(function() journal.acknowledge { id } end)
  end
  -- Every third line was an ack, every third one a start.
  for _ = 1, 3000 do step(nothing) end
  equal(most, 1)
  local lines = select(2, stage.read(path):gsub('\n', ''))
  equal(lines < 700, true, 'lines: ' .. lines)
  journal:close()
  local again = open(path)
  equal({ again.id, again.opened_at, again.size() }, { journal.id, journal.sequence(), 300 })
  for nth = 1, 300 do equal(again.get('id' .. nth).fingerprint, 'f' .. nth) end
  again:close()
end)

test('journal: the class is the declared one, lowered to what the host and the file carry', function()
  local function class_of(options)
    local journal = causeway.journal(options)
    journal:close()
    return journal.class
  end
  local function host_without(...)
    local host = new_host()
    for _, name in ipairs { ... } do host[name] = nil end
    return host
  end
  equal(class_of { path = stage.path(), host = new_host(), class = 'saved' }, 'saved')
  equal(class_of { path = stage.path(), host = new_host() }, 'volatile')
  equal(class_of { path = stage.path(), host = new_host(), class = 'atomic' }, 'durable')
  equal(class_of { path = stage.path(), host = new_host(), ledger = true }, 'atomic')
  equal(class_of { path = stage.path(), host = new_host(), ledger = true, class = 'saved' }, 'saved')
  equal(class_of { path = stage.path(), host = host_without 'fsync', class = 'durable' }, 'volatile')
  equal(class_of { path = stage.path(), host = host_without 'fsync_folder', ledger = true }, 'volatile')
  equal(class_of { host = new_host(), class = 'durable' }, 'volatile')
  equal(class_of {}, 'volatile')
  runner.raises('class: one of', function() causeway.journal { class = 'perfect' } end)
end)

test('ledger: an outcome and its balance are one line, and both are there after a restart', function()
  local path = stage.path()
  local function ledger() return open(path, { ledger = true, class = 'atomic' }) end
  local journal = ledger()
  local money = causeway.ledger_money(journal, { exists = always })
  local order = { target = 'char1:ana', type = 'bank', amount = 70, action = 'add', allowNegative = false }
  journal.start('a', 'f', 'money', nothing)
  journal.commit()
  local outcome = money(order, { id = 'a' })
  journal.settle('a', { status = 'done', data = json.encode(outcome.data), ledger = outcome.ledger }, nil, true, nothing)
  equal(journal:balance('char1:ana', 'bank'), 0)
  journal.commit()
  equal(journal:balance('char1:ana', 'bank'), 70)
  journal:close()
  local whole = stage.read(path)
  for size = #whole - 30, #whole do
    stage.write(path, whole:sub(1, size))
    local cut = ledger()
    local is_done = cut.get('a').status == 'done'
    equal({ is_done, cut:balance('char1:ana', 'bank') }, { size == #whole, size == #whole and 70 or 0 })
    cut:close()
  end
end)

test('ledger: compaction keeps balances, and an old outcome does not bring an old balance back', function()
  local path = stage.path()
  local host = new_host()
  local journal = open(path, { ledger = true, class = 'atomic', host = host, compact_after = 10 })
  for nth = 1, 40 do
    journal.start('id' .. nth, 'f', 'money', nothing)
    journal.commit()
    journal.settle('id' .. nth, { status = 'done', ledger = { 'char1:ana', 'bank', nth } }, nil, true, nothing)
    journal.commit()
    if nth < 40 then journal.acknowledge { 'id' .. nth } end
    for _ = 1, 3 do
      journal.work(never)
      journal.commit()
    end
  end
  journal:close()
  equal(select(2, stage.read(path):gsub('\n', '')) < 100, true)
  local again = open(path, { ledger = true, class = 'atomic' })
  equal(again:balance('char1:ana', 'bank'), 40)
  again:close()
end)

test('ledger: its file is not opened as a plain journal, nor with a damaged line', function()
  local path = stage.path()
  local journal = open(path, { ledger = true })
  pay(journal, 'a')
  journal:close()
  runner.raises('ledger = true', function() open(path) end)
  local whole = stage.read(path)
  stage.write(path, whole:gsub('"op":"entry"', '"op":"enter"', 1) .. '')
  runner.raises('line 2', function() open(path, { ledger = true }) end)
end)

test('ledger: payments are refused as the protocol says', function()
  local journal = open(stage.path(), { ledger = true })
  local money = causeway.ledger_money(journal, { exists = function(who) return who == 'ana' end })
  local function code(params)
    local outcome = money(params)
    return outcome.error and outcome.error.code or outcome.status
  end
  local order = { target = 'ana', type = 'bank', amount = 5, action = 'remove', allowNegative = false }
  equal(code(order), 'insufficient_funds')
  order.allowNegative = true
  equal(code(order), 'done')
  order.target = 'bo'
  equal(code(order), 'player_not_found')
  order.target, order.type = 'ana', 'cash'
  equal(code(order), 'unknown_account')
  order.type, order.amount, order.action = 'bank', 2 ^ 53 - 1, 'add'
  equal(code(order), 'done')
  journal.settle('x', { status = 'done', ledger = { 'ana', 'bank', 1 } }, 'f', true, nothing)
  journal.commit()
  equal(code(order), 'invalid_params')
  journal:close()
end)
