-- Stores a player's state in the database at once, because frameworks store it minutes later. The framework still saves
-- by itself; the bridge writes the state in memory.
local AGAIN_MS = 1000
-- The row of a new character is created while it is loaded, and may not exist yet.
local MISSES = 5
local roster = Causeway.roster

local function isSame(one, other)
  return one.money == other.money and (one.metadata or '') == (other.metadata or '')
    and one.job == other.job and one.grade == other.grade
end

--- Saves the players of a book, one write at a time for each player: two writes could overtake each other, and a
--- repeated old write would undo a newer one. Verdicts: `stored`, with the command's mark; `lost`, if the player was
--- loaded again without the command and stored like that; `unknown`.
function Causeway.createSaver(book)
  -- By identifier: the waiting callers, the player's current or last state (`final`), and the player's departure number
  -- at that time (`visit`).
  local lines = {}
  local saver = {}
  local attempt

  --- A caller that arrives during a write waits for the next write, which reads memory when it starts.
  local function finish(identifier, line)
    line.serving, line.waiting = line.waiting, {}
    if #line.serving > 0 then attempt(identifier, line) else lines[identifier] = nil end
  end
  local function later(identifier, line)
    Causeway.after(AGAIN_MS, function() attempt(identifier, line) end)
  end

  --- The command's mark in the stored state; without marks it is true if the player has not left since.
  local function markOf(caller, has, visit)
    if book.hasMarks then return Causeway.markIn(has.metadata, caller.id) end
    return caller.visit == visit or nil
  end
  --- Whether one of the two states contains a command that the other lacks.
  local function lacks(line, has, other)
    for _, caller in ipairs(book.hasMarks and line.serving or {}) do
      if Causeway.markIn(other.metadata, caller.id) and not Causeway.markIn(has.metadata, caller.id) then return true end
    end
    return false
  end

  local function tell(identifier, line, has, visit)
    local isThere = book.loaded(identifier) ~= nil
    for _, caller in ipairs(line.serving) do
      local mark = has and markOf(caller, has, visit)
      if not has then caller.done('unknown')
      elseif not isThere then caller.confirm(line.owners, mark)
      elseif mark then caller.done('stored', mark)
      else caller.done(book.hasMarks and 'lost' or 'unknown') end
    end
    finish(identifier, line)
  end

  --- Some drivers do not count unchanged rows, so the row is read when the count is 0. `done(isStored)`: nil when the
  --- row does not exist.
  local function store(identifier, has, done)
    book.write(identifier, has, function(count, problem)
      if problem or count > 0 then return done(not problem) end
      book.row(identifier, function(row, failure)
        if not row and not failure then return done(nil) end
        done(row ~= nil and isSame(row, has))
      end)
    end)
  end

  --- The framework has saved a departed player and may know later changes than the bridge. The player's last known
  --- state is therefore stored only over the bridge's own write (`written`), or over a row without the command.
  local function complete(identifier, line, written)
    book.row(identifier, function(row, problem)
      if problem then return later(identifier, line) end
      if not row then return tell(identifier, line) end
      if book.loaded(identifier) then return attempt(identifier, line) end
      local final = line.final
      local isBehind = lacks(line, row, final) or written and isSame(row, written) and not isSame(row, final)
      if not isBehind then return tell(identifier, line, row) end
      book.swap(identifier, row, final, function(_, failure)
        if failure then return later(identifier, line) end
        complete(identifier, line)
      end)
    end)
  end

  attempt = function(identifier, line)
    local has, visit = book.loaded(identifier), roster.lefts(identifier)
    if not has and book.hasMarks then return complete(identifier, line) end
    if not has then has, visit = line.final, line.visit end
    store(identifier, has, function(isStored)
      if isStored == false then return later(identifier, line) end
      if not isStored then
        line.misses = (line.misses or 0) + 1
        return (line.misses < MISSES and later or tell)(identifier, line)
      end
      local now = book.loaded(identifier)
      if now then
        -- The save of the player's previous visit may still arrive after this.
        if roster.isLeaving(identifier) then return later(identifier, line) end
        local isAnew = visit ~= roster.lefts(identifier) or lacks(line, now, has) or lacks(line, has, now)
        if isAnew then return attempt(identifier, line) end
      elseif not isSame(has, line.final) then
        if book.hasMarks then return complete(identifier, line, has) end
        return attempt(identifier, line)
      end
      tell(identifier, line, has, visit)
    end)
  end

  --- After an error in the middle, all callers are told that the verdict is unknown, and the next save begins anew.
  local function abandon(identifier, line, problem)
    print(('[causeway] the save of %s failed: %s'):format(identifier, problem))
    local callers = table.move(line.waiting, 1, #line.waiting, #line.serving + 1, line.serving)
    line.serving, line.waiting = {}, {}
    if lines[identifier] == line then lines[identifier] = nil end
    for _, caller in ipairs(callers) do caller.done('unknown') end
  end

  --- Stores the current state in memory, however long that takes. `done(verdict, mark)`.
  function saver.save(identifier, id, done)
    local has, source = book.loaded(identifier)
    if not has then return done('unknown') end
    local caller = { id = id, visit = roster.lefts(identifier), done = Causeway.kept(done) }
    caller.confirm = Causeway.kept(function(owners, mark)
      Causeway.confirm(book, saver, identifier, id, owners, mark, done)
    end)
    local line = lines[identifier]
    if line then
      line.final, line.visit = has, caller.visit
      return table.insert(line.waiting, caller)
    end
    line = { serving = { caller }, waiting = {}, final = has, visit = caller.visit }
    line.owners = Causeway.identifiersOf(source)
    lines[identifier] = line
    Causeway.guarded(function(problem) abandon(identifier, line, problem) end, attempt, identifier, line)
  end

  -- Some frameworks have removed the player from memory before the departure is noticed.
  roster.watch(function(_, identifier)
    local line = lines[identifier]
    local has = line and book.loaded(identifier)
    if has then line.final, line.visit = has, roster.lefts(identifier) end
  end)
  return saver
end
