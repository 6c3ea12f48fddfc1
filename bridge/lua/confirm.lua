-- Checks that a change in the row of an offline player is not overwritten.
local LOOK_AGAIN_MS = 500
local roster = Causeway.roster

--- Reports whether the row of a player who is not loaded contains a command and keeps it. `mark` is passed if the row
--- is known to contain it and no player has left since; it is true for a framework without marks. A load that is under
--- way may have read the row before the change, and a save of a departed player may lack it. Both are waited for; then
--- the row is read. Reads at most this many times, half a second apart; without a limit, as long as needed.
--- `done(verdict, mark)`, as for a saver.
function Causeway.confirm(book, saver, identifier, id, owners, mark, done, looks)
  local lefts, isSeen = roster.lefts(identifier, owners), false
  local look
  local function again()
    if looks and looks <= 1 then return done('unknown') end
    looks = looks and looks - 1
    Causeway.after(LOOK_AGAIN_MS, look)
  end

  look = function()
    if book.loaded(identifier) then
      if book.hasMarks then return saver.save(identifier, id, done) end
      return done('unknown')
    end
    local isLeaving = book.hasMarks and roster.isLeaving(identifier, owners)
    if isLeaving or lefts ~= roster.lefts(identifier, owners) then
      lefts, mark, isSeen = roster.lefts(identifier, owners), nil, false
    end
    if isLeaving or Causeway.isAnyLoading(owners) then return again() end
    if mark then return done('stored', mark) end
    if isSeen then return done('lost') end
    if not book.hasMarks then return done('unknown') end
    book.row(identifier, function(row, problem)
      if problem then return again() end
      mark, isSeen = row and Causeway.markIn(row.metadata, id), true
      look()
    end)
  end
  look()
end
