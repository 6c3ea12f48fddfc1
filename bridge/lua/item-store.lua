-- Stores items where the framework writes a player's mark and inventory in two statements, or keeps no mark. The bridge
-- writes both in one statement. A row of the framework's own save proves a command only if its inventory agrees.
local AGAIN_MS = 1000
-- The row of a new character is created while it is loaded, and may not exist yet.
local MISSES = 5
-- A statement of a process that died may still be on its way for this long.
local SETTLED_AFTER_MS = 2000
-- The number of looks at the row of an interrupted command.
local LOOKS, LOOK_AGAIN_MS = 120, 500
local roster = Causeway.roster

local UNKNOWN = 'The items were moved, but it is unknown whether the database has them.'

--- `book.loaded`, `book.write` and `book.agrees` as for any book. `book.row(identifier, done)` also reads `inventory`.
--- `book.hasMarks`: whether the row has marks.
function Causeway.createItemStore(book)
  local store = {}

  local function isProven(row, order, after)
    if not row or (book.hasMarks and not Causeway.markIn(row.metadata, order.id)) then return false end
    local stacks = Causeway.stacksOf(Causeway.decode(row.inventory), order.item)
    return Causeway.countOf(stacks, order.metadata) == after and book.agrees(order.target, order.id, true)
  end

  --- Reads the row, however often that has to be tried. `done(isProven)`.
  local function judge(order, after, done)
    book.row(order.target, function(row, problem)
      if problem then return Causeway.after(AGAIN_MS, function() judge(order, after, done) end) end
      done(isProven(row, order, after))
    end)
  end

  --- Whether the row is what was written: some drivers do not count unchanged rows. `done(isSame)`.
  local function compare(identifier, has, done)
    book.row(identifier, function(row, problem)
      local isSame = row and row.inventory == has.inventory and (row.metadata or '') == (has.metadata or '')
      done(not problem and isSame == true)
    end)
  end

  --- Stores the state in memory, however long that takes. `visit` is the player's departure number when the items
  --- moved; without it the row has to prove the command. `done(isStored)`.
  function store.save(order, after, visit, done)
    local target, misses, owners = order.target, 0, {}
    local attempt
    local function later() Causeway.after(AGAIN_MS, attempt) end

    local function settle(seen)
      if not book.loaded(target) or seen ~= roster.lefts(target) then return attempt() end
      -- The save of the player's previous visit may still arrive after this.
      if roster.isLeaving(target) then return later() end
      if seen == visit then return done(true) end
      judge(order, after, done)
    end
    attempt = function()
      local has, source = book.loaded(target)
      if not has then
        if roster.isLeaving(target, owners) or Causeway.isAnyLoading(owners) then return later() end
        return judge(order, after, done)
      end
      local seen = roster.lefts(target)
      owners = Causeway.identifiersOf(source)
      book.write(target, has, function(count, problem)
        if problem then return later() end
        if count > 0 then return settle(seen) end
        misses = misses + 1
        compare(target, has, function(isSame)
          if isSame then return settle(seen) end
          if misses >= MISSES then return done(false) end
          later()
        end)
      end)
    end
    attempt()
  end

  --- Stores the items of a player who has just got or lost them. `done(outcome)`.
  function store.store(order, outcome, done)
    store.save(order, outcome.data.after, roster.lefts(order.target), function(isStored)
      done(isStored and outcome or Causeway.indeterminate(UNKNOWN, outcome.data))
    end)
  end

  --- The outcome of an interrupted order. A row without the mark proves nothing: the inventory may be of a later time.
  function store.resolve(order, done)
    if not book.hasMarks then return done(nil) end
    local looks, look = 0, nil
    local function again(afterMs, isSettled)
      looks = looks + 1
      if looks >= LOOKS then return done(nil) end
      Causeway.after(afterMs, function() look(isSettled) end)
    end
    local function tell(mark, isStored)
      if not isStored then return done(nil) end
      done({ status = 'done', data = Causeway.results.items(order, mark.before, mark.after) })
    end

    look = function(isSettled)
      local has = book.loaded(order.target)
      local mark = has and Causeway.markIn(has.metadata, order.id)
      if has and not mark then return done(nil) end
      if has then
        return store.save(order, mark.after, nil, function(isStored) tell(mark, isStored) end)
      end
      book.row(order.target, function(row, problem)
        local isMoving = roster.isNew() or roster.isLeaving(order.target, row and row.owners)
        if problem or isMoving or Causeway.isAnyLoading(row and row.owners or {}) then
          return again(LOOK_AGAIN_MS, false)
        end
        mark = row and Causeway.markIn(row.metadata, order.id)
        if mark then return tell(mark, isProven(row, order, mark.after)) end
        if isSettled then return done(nil) end
        again(SETTLED_AFTER_MS, true)
      end)
    end
    look(false)
  end
  return store
end
