--- Two clocks: one of this process that never goes back, and that of the hub as seen from here.
if jit then jit.off(true, true) end

local clock = {}

local SAMPLES = 4

--- Milliseconds that never decrease, made of a wall clock that may be set back.
function clock.steady(now)
  local last, steady = now(), 0
  return function()
    local current = now()
    if current > last then steady = steady + current - last end
    last = current
    return steady
  end
end

--- The hub's clock. What the hub says of it arrives late and never early, so the largest of the last offsets is the best.
function clock.hub(steady, wall)
  local offsets = {}
  local hub = {}
  function hub.heard(time)
    table.insert(offsets, time - steady())
    if #offsets > SAMPLES then table.remove(offsets, 1) end
  end
  --- Epoch milliseconds at the hub; the own wall clock before anything was heard.
  function hub.now()
    if #offsets == 0 then return wall() end
    local best = offsets[1]
    for nth = 2, #offsets do best = math.max(best, offsets[nth]) end
    return steady() + best
  end
  return hub
end

return clock
