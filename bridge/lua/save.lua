-- Puts what a player has into the database at once, because frameworks do so minutes later. The framework goes on
-- saving by itself; what is written here is what memory holds.
local AGAIN_MS = 1000
local LOOK_AGAIN_MS = 500

local function isSame(one, other)
  return one.money == other.money and (one.metadata or '') == (other.metadata or '')
end

--- Saves the players of a book, one write at a time for each: two of them could overtake each other on the way, and an
--- old one repeated would undo a newer one. Answers are `stored`; `lost`, when the player was loaded anew without the
--- command and has been stored like that; and `unknown`.
function Causeway.createSaver(book)
  local lines = {}
  local saver = {}
  local attempt

  --- Who came while a write was under way waits for the next, which reads memory when it starts.
  local function finish(identifier, line)
    line.serving, line.waiting = line.waiting, {}
    if #line.serving > 0 then attempt(identifier, line) else lines[identifier] = nil end
  end

  local function judged(caller, has, source)
    if book.hasMarks then return Causeway.markIn(has.metadata, caller.id) and 'stored' or 'lost' end
    return caller.source == source and 'stored' or 'unknown'
  end

  --- Rows that did not change are not counted by every driver, so nought is looked at. `done(isStored)`: nil when there
  --- is no such row.
  local function store(identifier, has, done)
    book.write(identifier, has, function(count, problem)
      if problem or count > 0 then return done(not problem) end
      book.row(identifier, function(row, failure)
        if not row and not failure then return done(nil) end
        done(row ~= nil and isSame(row, has))
      end)
    end)
  end

  attempt = function(identifier, line)
    local has, source = book.loaded(identifier)
    has = has or line.final
    store(identifier, has, function(isStored)
      if isStored == false then return SetTimeout(AGAIN_MS, function() attempt(identifier, line) end) end
      local _, now = book.loaded(identifier)
      -- Who has come back did not get what was just written; who has left was saved by the framework, perhaps before
      -- this came through, so what he left with goes last.
      local isBack, isBehind = now and now ~= source, not now and not isSame(has, line.final)
      if isStored and (isBack or isBehind) then return attempt(identifier, line) end
      for _, caller in ipairs(line.serving) do
        if not isStored then caller.done('unknown')
        elseif now then caller.done(judged(caller, has, now))
        else saver.confirm(identifier, caller.id, line.owners, caller.done) end
      end
      finish(identifier, line)
    end)
  end

  --- Stores what memory holds now, however long that takes. `done(verdict)`.
  function saver.save(identifier, id, done)
    local has, source = book.loaded(identifier)
    if not has then return done('unknown') end
    local caller = { id = id, source = source, done = done }
    local line = lines[identifier]
    if line then return table.insert(line.waiting, caller) end
    line = { serving = { caller }, waiting = {}, final = has, owners = Causeway.identifiersOf(source) }
    lines[identifier] = line
    attempt(identifier, line)
  end

  --- The row holds a command of somebody who is not loaded: whether it stays there. Somebody who is being loaded may
  --- have been read before, so it is waited until he is loaded or has left: for at most so many looks, half a second
  --- apart, and as long as it takes unless given. `done(verdict)`.
  function saver.confirm(identifier, id, owners, done, looks)
    if book.loaded(identifier) then
      if book.hasMarks then return saver.save(identifier, id, done) end
      return done('unknown')
    end
    if not Causeway.isAnyLoading(owners) then return done('stored') end
    if looks and looks <= 1 then return done('unknown') end
    SetTimeout(LOOK_AGAIN_MS, function() saver.confirm(identifier, id, owners, done, looks and looks - 1) end)
  end

  -- Not every framework has a player in memory still when it is heard that he left.
  Causeway.roster.watch(function(_, identifier)
    local line = lines[identifier]
    if line then line.final = book.loaded(identifier) or line.final end
  end)
  return saver
end

local SAID = {
  lost = 'The player was loaded anew at this moment, without it.',
  unknown = 'The money was moved, and nobody can say whether the database has it.',
}

--- A verdict on an order, or `unknown` where something else than the row has a say.
function Causeway.certain(book, order, verdict)
  if verdict == 'lost' and not book.proves(order) then return 'unknown' end
  if book.hasMarks and not book.agrees(order.target, order.id, verdict == 'stored') then return 'unknown' end
  return verdict
end

--- What the hub is told of an order that was carried out, by what became of it in the database.
function Causeway.verdictOn(book, order, outcome, said)
  local verdict = Causeway.certain(book, order, said)
  if verdict == 'stored' then return outcome end
  if verdict == 'lost' then return Causeway.failed(SAID.lost) end
  return Causeway.indeterminate(SAID.unknown, outcome.data)
end

--- Pays somebody who is online, and stores it; `purse.problem` is what went wrong on the way. `done(outcome)`.
function Causeway.payOnline(order, purse, book, saver, done)
  local outcome = Causeway.pay(order, purse)
  if outcome.status ~= 'done' then return done(outcome) end
  if purse.problem then return done(Causeway.indeterminate(purse.problem, outcome.data)) end
  saver.save(order.target, order.id, function(verdict)
    done(Causeway.verdictOn(book, order, outcome, verdict))
  end)
end
