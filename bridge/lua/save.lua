-- Puts what a player has into the database at once, because frameworks do so minutes later. The framework goes on
-- saving by itself; what is written here is what memory holds.
local AGAIN_MS = 1000
local LOOK_AGAIN_MS = 500
local roster = Causeway.roster

local function isSame(one, other)
  return one.money == other.money and (one.metadata or '') == (other.metadata or '')
end

--- Saves the players of a book, one write at a time for each: two of them could overtake each other on the way, and an
--- old one repeated would undo a newer one. Answers are `stored`; `lost`, when the player was loaded anew without the
--- command and has been stored like that; and `unknown`.
function Causeway.createSaver(book)
  -- By identifier. `visit` is counted up when he leaves; `final` is what he has or left with, `finalVisit` when.
  local lines = {}
  local saver = {}
  local attempt

  --- Who came while a write was under way waits for the next, which reads memory when it starts.
  local function finish(identifier, line)
    line.serving, line.waiting = line.waiting, {}
    if #line.serving > 0 then attempt(identifier, line) else lines[identifier] = nil end
  end

  local function judged(caller, has, visit)
    if book.hasMarks then return Causeway.markIn(has.metadata, caller.id) and 'stored' or 'lost' end
    return caller.visit == visit and 'stored' or 'unknown'
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
    local has, visit = book.loaded(identifier), line.visit
    if not has then has, visit = line.final, line.finalVisit end
    store(identifier, has, function(isStored)
      if isStored == false then return SetTimeout(AGAIN_MS, function() attempt(identifier, line) end) end
      local isThere = book.loaded(identifier) ~= nil
      -- Who has come back did not get what was just written; who has left was saved by the framework, perhaps before
      -- this came through, so what he left with goes last.
      local isBack, isBehind = isThere and visit ~= line.visit, not isThere and not isSame(has, line.final)
      if isStored and (isBack or isBehind) then return attempt(identifier, line) end
      for _, caller in ipairs(line.serving) do
        local verdict = judged(caller, has, visit)
        if not isStored then caller.done('unknown')
        elseif isThere then caller.done(verdict)
        else saver.confirm(identifier, caller.id, line.owners, verdict == 'stored', caller.done) end
      end
      finish(identifier, line)
    end)
  end

  --- Stores what memory holds now, however long that takes. `done(verdict)`.
  function saver.save(identifier, id, done)
    local has, source = book.loaded(identifier)
    if not has then return done('unknown') end
    local line = lines[identifier]
    if line then
      line.final, line.finalVisit = has, line.visit
      return table.insert(line.waiting, { id = id, visit = line.visit, done = done })
    end
    line = { serving = { { id = id, visit = 0, done = done } }, waiting = {}, visit = 0, final = has, finalVisit = 0 }
    line.owners = Causeway.identifiersOf(source)
    lines[identifier] = line
    attempt(identifier, line)
  end

  --- Whether the row of somebody who is not loaded has a command, and keeps it; `isIn`: it is known to be in there now.
  --- Somebody who is being loaded may have been read before, so it is waited until he is loaded or has left; whoever was
  --- loaded and has left meanwhile may be saved without it, so then it is waited for that, and looked. For at most so
  --- many looks, half a second apart, and as long as it takes unless given. `done(verdict)`.
  function saver.confirm(identifier, id, owners, isIn, done, looks)
    local verdict, left = isIn and 'stored' or nil, roster.leaving(identifier)
    local look
    local function again()
      if looks and looks <= 1 then return done('unknown') end
      looks = looks and looks - 1
      SetTimeout(LOOK_AGAIN_MS, look)
    end

    look = function()
      if book.loaded(identifier) then
        if book.hasMarks then return saver.save(identifier, id, done) end
        return done('unknown')
      end
      local leaving = roster.leaving(identifier)
      if leaving and leaving ~= left then verdict, left = nil, leaving end
      if Causeway.isAnyLoading(owners) then return again() end
      if verdict then return done(verdict) end
      if not book.hasMarks then return done('unknown') end
      if leaving then return again() end
      book.row(identifier, function(row, problem)
        if problem then return again() end
        verdict = row and Causeway.markIn(row.metadata, id) and 'stored' or 'lost'
        look()
      end)
    end
    look()
  end

  -- Not every framework has a player in memory still when it is heard that he left.
  roster.watch(function(kind, identifier)
    local line = lines[identifier]
    if not line then return end
    local has = book.loaded(identifier)
    if has then line.final, line.finalVisit = has, line.visit end
    if kind == 'left' then line.visit = line.visit + 1 end
  end)
  return saver
end
