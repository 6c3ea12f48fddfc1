local causeway = require 'causeway'
local disk_of = require 'disk'
local json = require 'causeway.json'
local runner = require 'runner'

local test, equal = runner.test, runner.equal

local PATH = '/bank/journal'
local PAYMENTS, ACKNOWLEDGED = 6, 5
--- A write is cut at every byte. wasmoon is slow: there it is every 61st; Lua 5.1 is, too, and does all in `.ci/luanti all` only.
local BYTES = not rawget(_G, 'arg') and 61 or _VERSION == 'Lua 5.1' and not jit and not os.getenv 'CAUSEWAY_ALL' and 7 or 1

local function always() return true end
local function never() return false end
local function nothing() end

local function open(disk)
  local host = { now = function() return 1760000000000 end, fsync = disk.fsync, fsync_folder = disk.fsync_folder }
  return causeway.journal { path = PATH, host = host, ledger = true, compact_after = 2 }
end

local function order_of(nth) return { target = 'ana', type = 'bank', amount = 2 ^ nth, action = 'add', allowNegative = false } end

local function copy(said)
  local result = {}
  for id, one in pairs(said) do result[id] = one end
  return result
end

--- Commits until a write has called back: a commit may have put a new file in its place instead.
local function await(journal, write)
  local is_done = false
  write(function(entry, problem)
    assert(entry, problem)
    is_done = true
  end)
  for _ = 1, 4 do
    journal.commit()
    if is_done then return end
  end
  error('it is not written', 0)
end

--- Carries a command out as the bridge does. `said` gets the balance when the result may leave.
local function deliver(journal, nth, said)
  local id = 'id' .. nth
  if journal.get(id) then return end
  await(journal, function(done) journal.start(id, 'f', 'money', done) end)
  local outcome = causeway.ledger_money(journal, { exists = always })(order_of(nth))
  local settled = { status = 'done', data = json.encode(outcome.data), ledger = outcome.ledger }
  await(journal, function(done) journal.settle(id, settled, nil, true, done) end)
  said[id] = { after = outcome.data.after, sequence = journal.sequence() }
  if nth <= ACKNOWLEDGED then journal.acknowledge { id } end
end

--- Settles what a crash left, as the bridge does.
local function recover(journal)
  for _, entry in ipairs(journal.open()) do
    if entry.status == 'started' then
      equal({ entry.atomic, entry.name }, { true, 'money' })
      journal.settle(entry.id, { status = 'failed' }, nil, true, nothing)
    end
  end
  journal.commit()
end

--- Everything that was said is there, and the balance is the sum of the payments that were done.
local function check(journal, said, where)
  local sum = 0
  for nth = 1, PAYMENTS do
    local id = 'id' .. nth
    local entry = journal.get(id)
    if said[id] then
      equal(entry and entry.status, 'done', where .. id)
      equal(journal.opened_at >= said[id].sequence, true, where .. 'sequence of ' .. id)
      local data = entry.outcome and json.decode(entry.outcome.data)
      if data then equal(data.after, said[id].after, where .. id) end
    end
    if entry and entry.status == 'done' then sum = sum + 2 ^ nth end
  end
  equal(journal:balance('ana', 'bank'), sum, where .. 'balance')
end

local function reopen(left, said, where)
  local disk = disk_of.create(left)
  disk.run(function()
    local journal = open(disk)
    check(journal, said, where)
    journal:close()
  end)
end

--- Opens what an end left, and goes on: the hub delivers everything once more.
local function survive(left, where)
  local disk, said = disk_of.create(left), copy(left.said)
  local cuts, reported
  disk.run(function()
    local journal = open(disk)
    check(journal, said, where)
    -- An entry that is read is reported, so it must survive a power cut from now on.
    cuts, reported = disk.cut(), copy(said)
    for _, entry in ipairs(journal.open()) do
      if entry.outcome then reported[entry.id] = { after = json.decode(entry.outcome.data).after, sequence = journal.opened_at } end
    end
    recover(journal)
    for nth = 1, PAYMENTS do deliver(journal, nth, said) end
    journal:close()
  end)
  for _, cut in ipairs(left.durable and cuts or {}) do reopen(cut, reported, where .. 'opened, then a power cut: ') end
  for _, cut in ipairs(disk.cut()) do reopen(cut, said, where .. 'at the end: ') end
end

--- Every end that the life of a journal may have, with what had been said until then.
local function ends_of_a_life()
  local ends, said, operations = {}, {}, {}
  local function add(left, where)
    left.said, left.where = copy(said), where
    ends[#ends + 1] = left
  end
  local disk = disk_of.create({ files = {} }, function(disk, what, file, text)
    operations[what] = (operations[what] or 0) + 1
    local where = ('%s %d: '):format(what, operations[what])
    add(disk.killed(), where)
    for _, left in ipairs(disk.cut()) do add(left, where .. 'power cut: ') end
    if not text then return end
    local data = file.data
    for size = 1, #text, BYTES do
      file.data = data .. text:sub(1, size)
      add(disk.killed(), where .. 'byte ' .. size .. ': ')
    end
    file.data = data
  end)
  disk.run(function()
    local journal = open(disk)
    for nth = 1, PAYMENTS do
      deliver(journal, nth, said)
      -- A new file is begun, filled a little at a time, and put in its place.
      for _ = 1, 600 do journal.work(always) end
      if nth == PAYMENTS then journal.work(never) end
      journal.commit()
    end
    journal.commit()
    journal:close()
  end)
  add(disk.killed(), 'closed: ')
  return ends, operations
end

test('crash: a kill at any byte and a power cut at any operation lose nothing that was said, and pay nothing twice', function()
  local ends, operations = ends_of_a_life()
  -- The file was made anew at least once while payments went on.
  equal({ operations.rename >= 2, operations.fsync > 2 * PAYMENTS }, { true, true })
  for _, left in ipairs(ends) do survive(left, left.where) end
end)
