-- The players who are online when this resource starts. Frameworks copy a whole player for one identifier, and there
-- may be hundreds of players.
local SLICE_MS = 2

--- Adds all online players to the roster, one slice per tick. `done()`: the roster is complete.
function Causeway.joinAll(done)
  local sources, joined = GetPlayers(), 0
  local function slice()
    local isOver = Causeway.timer(SLICE_MS)
    while joined < #sources do
      joined = joined + 1
      -- A player who left meanwhile may still be in the framework's memory.
      if DoesPlayerExist(sources[joined]) then Causeway.roster.join(sources[joined]) end
      if isOver() then break end
    end
    if joined == #sources then return done() end
    SetTimeout(0, slice)
  end
  slice()
end
