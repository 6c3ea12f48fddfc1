--- Collects the ids of commands that were taken over, and reports them in one frame a little later. A `result` says the
--- same, so an id that is answered meanwhile is taken out.
if jit then jit.off(true, true) end
local json = require 'causeway.json'

local received = {}

local IDS_PER_FRAME = 1024

function received.create(steady, within, send)
  local ids, count, due_at = {}, 0, nil
  local self = {}

  local function flush()
    local list = json.array {}
    for id in pairs(ids) do list[#list + 1] = id end
    self.clear()
    if #list > 0 then send('{"type":"received","ids":' .. json.encode(list) .. '}') end
  end

  function self.add(id)
    if ids[id] then return end
    ids[id], count = true, count + 1
    due_at = due_at or steady() + within
    if count >= IDS_PER_FRAME then flush() end
  end

  function self.remove(id)
    if ids[id] then ids[id], count = nil, count - 1 end
  end

  --- Drops the collected ids of a connection that has ended.
  function self.clear() ids, count, due_at = {}, 0, nil end

  --- Sends what was collected long enough.
  function self.step()
    if due_at and steady() >= due_at then flush() end
  end

  return self
end

return received
