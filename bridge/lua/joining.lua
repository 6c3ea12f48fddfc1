-- Who plays already when this resource starts. Frameworks copy all of a player to say who he is, and there may be hundreds.
local SLICE_MS = 2

--- Lets everybody join the roster, a slice each tick. `done()`: the roster has them all.
function Causeway.joinAll(done)
  local sources, joined = GetPlayers(), 0
  local function slice()
    local isOver = Causeway.timer(SLICE_MS)
    while joined < #sources do
      joined = joined + 1
      -- Whoever left meanwhile may be in the framework's memory still.
      if DoesPlayerExist(sources[joined]) then Causeway.roster.join(sources[joined]) end
      if isOver() then break end
    end
    if joined == #sources then return done() end
    SetTimeout(0, slice)
  end
  slice()
end
