--- First in, first out per lane, one at a time in each; lanes do not wait for one another. At most `window` entries that
--- are not urgent run at once: the lane that became ready first goes first.
if jit then jit.off(true, true) end

local lanes = {}

--- A queue that takes from the front without moving the rest.
function lanes.queue()
  local items, first, last = {}, 1, 0
  local queue = {}
  function queue.push(item)
    last = last + 1
    items[last] = item
  end
  function queue.pop()
    local item = items[first]
    if item == nil then return nil end
    items[first] = nil
    first = first + 1
    return item
  end
  function queue.size() return last - first + 1 end
  return queue
end

--- `run(entry)` begins an entry, which has `lane` and `urgent`.
function lanes.create(window, run)
  local waiting, ready, running, in_window = {}, lanes.queue(), {}, 0
  local self = {}

  local function begin(entry)
    running[entry] = true
    if not entry.urgent then in_window = in_window + 1 end
    run(entry)
  end

  local function begin_ready()
    while in_window < window do
      local entry = ready.pop()
      if not entry then return end
      begin(entry)
    end
  end

  local function offer(entry)
    if entry.urgent then return begin(entry) end
    ready.push(entry)
    begin_ready()
  end

  --- Whether an entry of the lane would have to wait for another one.
  function self.is_busy(lane) return waiting[lane] ~= nil end

  function self.add(entry)
    local lane = waiting[entry.lane]
    if lane then return lane.push(entry) end
    waiting[entry.lane] = lanes.queue()
    offer(entry)
  end

  --- The entry has ended: its lane goes on.
  function self.done(entry)
    if not running[entry] then return end
    running[entry] = nil
    if not entry.urgent then in_window = in_window - 1 end
    local next = waiting[entry.lane].pop()
    if next then offer(next) else waiting[entry.lane] = nil end
    begin_ready()
  end

  return self
end

return lanes
