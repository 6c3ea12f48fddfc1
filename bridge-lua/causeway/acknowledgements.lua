--- The ids that the hub has acknowledged, which go into the journal a few at a time.
if jit then jit.off(true, true) end
local lanes = require 'causeway.lanes'

local acknowledgements = {}

local AT_ONCE = 32

--- `acknowledge(ids)` takes a list of ids.
function acknowledgements.create(acknowledge)
  local waiting, current = lanes.queue(), nil
  local self = {}

  --- Takes a list of ids, or the inside of a list in JSON whose ids have no escapes.
  function self.add(ids) waiting.push { ids = ids, at = 1 } end

  local function next_of_list(item)
    local id = item.ids[item.at]
    item.at = item.at + 1
    return id
  end

  local function next_of_text(item)
    local _, last, id = item.ids:find('"([^"]+)"', item.at)
    item.at = (last or #item.ids) + 1
    return id
  end

  --- The next ids of the front; nil if there are none.
  local function take()
    current = current or waiting.pop()
    if not current then return nil end
    local next_id = type(current.ids) == 'string' and next_of_text or next_of_list
    local ids = {}
    for nth = 1, AT_ONCE do
      ids[nth] = next_id(current)
      if not ids[nth] then
        current = nil
        break
      end
    end
    return ids
  end

  --- Goes on until the time is over, at least with a few.
  function self.step(is_over)
    repeat
      local ids = take()
      if not ids then return end
      acknowledge(ids)
    until is_over()
  end

  return self
end

return acknowledgements
