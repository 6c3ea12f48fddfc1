-- Whether what was put into the row of somebody who is not there stays in it.
local LOOK_AGAIN_MS = 500
local roster = Causeway.roster

--- Tells whether the row of somebody who is not loaded has a command, and keeps it. `mark` is given where it is known to
--- be in there, and nobody has left since: true where there are no marks. Whoever is being loaded may have been read
--- before, and whoever has left may be saved without it, so both are waited for, and then it is looked. For at most so
--- many looks, half a second apart, and as long as it takes unless given. `done(verdict, mark)`, as a saver answers.
function Causeway.confirm(book, saver, identifier, id, owners, mark, done, looks)
  local lefts, isSeen = roster.lefts(identifier, owners), false
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
