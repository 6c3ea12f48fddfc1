-- Registrations in other resources. While a resource starts again, its exports still lead to the runtime that has ended.
-- FXServer forgets them with queued events: at `onServerResourceStart` they lead to the new runtime.
local AGAIN_MS, MOST_MS = 1000, 60000

--- Calls `fn()` once in each start of a resource; again while it throws. Now, if the resource runs already.
function Causeway.inEachStart(resource, fn)
  local start, isDone = 0, false
  local function attempt(mine, waitMs)
    if mine ~= start or isDone or not Causeway.isStarted(resource) then return end
    isDone = Causeway.try(fn)
    if isDone then return end
    SetTimeout(waitMs, function() attempt(mine, math.min(waitMs * 2, MOST_MS)) end)
  end
  AddEventHandler('onResourceStop', function(stopped)
    if stopped == resource then start, isDone = start + 1, false end
  end)
  AddEventHandler('onServerResourceStart', function(started)
    if started == resource then attempt(start, AGAIN_MS) end
  end)
  attempt(start, AGAIN_MS)
end
