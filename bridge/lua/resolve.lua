-- What became of an order that was cut off: by a crash, by a restart of this resource, by a database that was away.
-- The bridge connects after that, so it is no matter of more than a minute.
local LOOKS, LOOK_AGAIN_MS = 120, 500
-- A statement of a process that died may still be on its way for a moment.
local SETTLED_AFTER_MS = 2000
local roster = Causeway.roster

--- Tells from the marks of the player's book what an order has done, once nothing can change it any more.
--- `done(outcome)`: nil when nothing tells of it.
function Causeway.resolve(book, saver, order, done)
  if not book.hasMarks then return done(nil) end
  local looks = 0
  local look

  local function again(afterMs, isSettled)
    looks = looks + 1
    if looks >= LOOKS then return done(nil) end
    SetTimeout(afterMs, function() look(isSettled) end)
  end
  local function tell(said, mark)
    local verdict = Causeway.certain(book, order, said)
    if verdict == 'stored' then
      return done({ status = 'done', data = mark and Causeway.moved(order, mark.before, mark.after) })
    end
    done(verdict == 'lost' and Causeway.failed('It was cut off before it took effect.') or nil)
  end

  look = function(isSettled)
    -- What memory has is what will be in the row, so it is put there first.
    if book.loaded(order.target) then return saver.save(order.target, order.id, tell) end
    book.row(order.target, function(row, problem)
      if problem then return again(LOOK_AGAIN_MS, false) end
      local owners = row and row.owners or {}
      -- Who has just left may be saved with it, or without it.
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
