-- The outcome of an order that a crash, a restart of this resource or a lost database interrupted. The bridge connects
-- only after that check, so it takes at most about a minute.
local LOOKS, LOOK_AGAIN_MS = 120, 500
-- A statement of a process that died may still be on its way for this long.
local SETTLED_AFTER_MS = 2000
local roster = Causeway.roster

--- Reads the effect of an order from the marks of the player's book, once no write can change it any more.
--- `done(outcome)`: nil when the marks do not tell.
function Causeway.resolve(book, saver, order, done)
  if not book.hasMarks then return done(nil) end
  local looks = 0
  local look

  local function again(afterMs, isSettled)
    looks = looks + 1
    if looks >= LOOKS then return done(nil) end
    Causeway.after(afterMs, function() look(isSettled) end)
  end
  local function tell(said, mark)
    local verdict = Causeway.certain(book, order, said)
    if verdict == 'stored' then
      local data = mark and Causeway.results[order.name](order, mark.before, mark.after, mark.account)
      return done({ status = 'done', data = data })
    end
    done(verdict == 'lost' and Causeway.failed('The command was interrupted before it took effect.') or nil)
  end

  look = function(isSettled)
    -- The state in memory will be stored in the row later, so it is stored first.
    if book.loaded(order.target) then return saver.save(order.target, order.id, tell) end
    book.row(order.target, function(row, problem)
      if problem then return again(LOOK_AGAIN_MS, false) end
      local owners = row and row.owners or {}
      -- A player who has just left may be saved with the command, or without it.
      local isLeaving = roster.isNew() or roster.isLeaving(order.target, owners)
      if isLeaving or Causeway.isAnyLoading(owners) then return again(LOOK_AGAIN_MS, false) end
      local mark = row and Causeway.markIn(row.metadata, order.id)
      if mark then
        return Causeway.confirm(book, saver, order.target, order.id, owners, mark, tell, LOOKS - looks)
      end
      if isSettled then return tell('lost') end
      again(SETTLED_AFTER_MS, true)
    end)
  end
  look(false)
end
