--- The durable list of the commands that this game server has seen. Writes are collected, and `commit` makes all of them
--- durable with one fsync.
if jit then jit.off(true, true) end
local clock = require 'causeway.clock'
local digest = require 'causeway.digest'
local index_of = require 'causeway.index'
local journal_file = require 'causeway.journal_file'
local journal_reader = require 'causeway.journal_reader'
local writer_of = require 'causeway.journal_writer'

local journal = {}

local RANKS = { volatile = 1, saved = 2, durable = 3, atomic = 4 }
local PRUNED_AT_ONCE = 64

--- The class that is true: the declared one, lowered where the file or the ledger does not carry it.
local function true_class(options, log)
  local declared = options.class or (options.ledger and 'atomic') or 'volatile'
  if not RANKS[declared] then error('class: one of atomic, durable, saved and volatile', 0) end
  local host = options.host or {}
  local function lowered(to, why)
    if options.class then log('warn', ('The class of the journal is %s and not %s: %s.'):format(to, declared, why)) end
    return to
  end
  if declared == 'volatile' then return declared end
  if not options.path then return lowered('volatile', 'it has no file') end
  if not host.fsync then return lowered('volatile', 'the host has no fsync') end
  if not host.fsync_folder then return lowered('volatile', 'the host has no fsync_folder') end
  if declared == 'atomic' and not options.ledger then return lowered('durable', 'the balances are not in it') end
  return declared
end

local function set_aside(path, why, log)
  local place = path .. '.damaged'
  os.remove(place)
  local moved, problem = os.rename(path, place)
  if not moved then error(('journal %s: it cannot be set aside: %s'):format(path, tostring(problem)), 0) end
  log('error', ('%s %s: it was kept as %s, and a journal with a new id was made.'):format(path, why, place))
end

--- Reads the file, and decides whether it must be written anew before anything is appended.
local function load(options, index, new_id, log)
  local path, is_ledger = options.path, options.ledger == true
  journal_file.restore(path)
  local found = journal_reader.read(path, index)
  if found.foreign then error(('journal %s: the file is no journal; name another one'):format(path), 0) end
  if found.ledger and not is_ledger then error(('journal %s: it holds balances; open it with ledger = true'):format(path), 0) end
  if found.bad and found.ledger then
    error(('journal %s: line %d was durable and cannot be read. Copy the file, then correct the line, or delete it and correct the '
      .. 'balance that it held: see the lines of its player.'):format(path, found.bad), 0)
  end
  if not found.id then return { id = new_id, is_stale = true } end
  if found.bad then
    set_aside(path, ('could not be read in line %d'):format(found.bad), log)
    return { id = new_id, is_stale = true }
  end
  if found.torn > 0 then log('warn', ('%s: its last %.0f bytes were never durable, and were cut off.'):format(path, found.torn)) end
  return { id = found.id, lines = found.lines, size = found.size, is_stale = found.torn > 0 or is_ledger ~= found.ledger }
end

local function open_file(options, index, new_id, log)
  local file = journal_file.open(options.path, options.host or {})
  local locked, problem = file.lock()
  if not locked then error(('journal %s: %s'):format(options.path, tostring(problem)), 0) end
  local fits, loaded = pcall(load, options, index, new_id, log)
  if not fits then
    file.unlock()
    error(loaded, 0)
  end
  loaded.file = file
  return loaded
end

--- Opens a journal, which may read a file of any length: do it before the game begins.
--- Options: `path` (none: it is in memory), `class`, `host`, `ledger`, `log`, `compact_after`.
--- Raises an error that names the file when it cannot be opened.
function journal.open(options)
  local log = options.log or function() end
  local host = options.host or {}
  local wall = host.now or function() return os.time() * 1000 end
  local steady = clock.steady(wall)
  local index = index_of.create()
  local random = options.random
  local loaded = { id = digest.hex(random(16)) }
  if options.path then
    if not io or not io.open then error('path: there is no io.open here; leave it out', 0) end
    loaded = open_file(options, index, loaded.id, log)
  end
  local self = { class = true_class(options, log), id = loaded.id, opened_at = index.sequence, ledger = options.ledger == true }
  local assigned, claimed = index.sequence, {}
  local writer = writer_of.create {
    file = loaded.file, index = index, log = log, compact_after = options.compact_after or 10000, lines = loaded.lines or 0,
    header = function() return journal_file.header(loaded.id, index.sequence, self.ledger) end,
  }
  if loaded.is_stale then
    local written, problem = writer.rewrite_now()
    if not written then
      loaded.file.close()
      error(('journal %s: it cannot be written: %s'):format(options.path, tostring(problem)), 0)
    end
  elseif loaded.file then
    local opened, problem = loaded.file.open(loaded.size)
    if not opened then
      loaded.file.close()
      error(('journal %s: it cannot be written: %s'):format(options.path, tostring(problem)), 0)
    end
  end

  local function write(entry, is_patient, done)
    claimed[entry.id] = true
    writer.write {
      line = index_of.entry_line(entry), is_durable = true, is_patient = is_patient,
      written = function()
        claimed[entry.id] = nil
        index.put(entry)
        done(entry)
      end,
      failed = function(problem)
        claimed[entry.id] = nil
        done(nil, problem)
      end,
    }
  end

  local function entry_at(id, fields)
    assigned = assigned + 1
    fields.id, fields.sequence, fields.at, fields.acknowledged = id, assigned, math.floor(wall()), false
    return fields
  end

  --- The entry of an id: `fingerprint`, `status`, `outcome`, `sequence`, `name`; nil if the id is not known.
  self.get = index.get
  --- Everything that is not acknowledged, oldest first.
  self.open = index.open
  --- Calls a function with each of them until it answers false.
  self.each_open = index.each_open
  --- The sequence of the last entry that is durable.
  function self.sequence() return index.sequence end
  --- The balance of an account in a journal with `ledger`; 0 for one that was never paid into.
  function self.balance(_, identifier, account) return index.balance(identifier, account) end

  --- The identifiers that were ever paid, as a list.
  self.holders = index.holders

  --- Writes `started`. `done(entry)` is called by `commit` when it is durable, `done(nil, problem)` when it cannot be.
  function self.start(id, fingerprint, name, done)
    if index.get(id) or claimed[id] then return done(nil, 'the id is known') end
    write(entry_at(id, {
      fingerprint = fingerprint, name = name, status = 'started', atomic = self.class == 'atomic' or nil,
    }), false, done)
  end

  --- Writes an outcome. A patient one is tried until it is written. A settled id is answered with what it has.
  function self.settle(id, outcome, fingerprint, is_patient, done)
    local known = index.get(id)
    if known and known.status ~= 'started' then return done(known) end
    if claimed[id] then return done(nil, 'the id is being written') end
    local kept = { status = outcome.status, data = outcome.data, error = outcome.error }
    write(entry_at(id, {
      fingerprint = known and known.fingerprint or fingerprint or '', status = outcome.status, outcome = kept,
      balances = self.ledger and outcome.ledger and { outcome.ledger } or nil,
    }), is_patient, done)
  end

  --- The hub has these outcomes. The line is not synced: if it is lost, a `result` goes out once more.
  function self.acknowledge(ids)
    local changed = index.acknowledge(ids)
    if #changed > 0 then writer.acknowledged(changed) end
  end

  --- Makes durable what was written since, with at most one fsync. Calls back.
  function self.commit()
    index.prune(wall(), PRUNED_AT_ONCE)
    writer.commit(steady())
  end

  --- Goes on writing the file anew, if that is under way, until the time is over.
  function self.work(is_over) writer.work(is_over, steady()) end

  --- Whether a commit would write anything.
  self.is_idle = writer.is_idle
  --- The time of the last fsync in milliseconds, and how many there were.
  self.syncs = writer.syncs
  self.size = function() return index.size end

  --- Closes the file, after the bridge has stopped.
  function self.close() if loaded.file then loaded.file.close() end end

  return self
end

return journal
