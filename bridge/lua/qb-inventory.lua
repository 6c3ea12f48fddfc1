-- Items of QBCore in qb-inventory, and of RSG in rsg-inventory, which was made from it. Its AddItem takes any stack of
-- the name, whatever its metadata are, and its RemoveItem takes from one slot. So the bridge names the slots.
-- rsg-inventory drops on the ground what does not fit, and writes over a stack whose quality differs.

local function isNamed(definition, name)
  -- It looks for items in lower case and keeps the name as it was given.
  return type(definition) == 'table' and definition.name == name and name == name:lower()
end

--- A free slot of the inventory with these items; nil if there is none.
local function freeSlotOf(items, most)
  local isUsed = {}
  for key, item in pairs(items) do isUsed[tonumber(item.slot) or tonumber(key)] = true end
  for slot = 1, most do
    if not isUsed[slot] then return slot end
  end
end

--- The quality of a new item: rsg-inventory has it for items that decay, and its shared list may have one, too.
local function qualityOf(definition, metadata)
  local defaults = type(definition.info) == 'table' and definition.info or {}
  return metadata and metadata.quality or definition.decay and 100 or defaults.quality
end

--- The stack that takes new items; nil if they need a slot of their own. Without `metadata` it is one without metadata
--- if there is one, otherwise any, as the inventory does it.
local function stackFor(definition, metadata, stacks)
  if definition.unique then return nil end
  local found
  for _, stack in ipairs(stacks) do
    local isAlike = Causeway.isEqual(stack.metadata, metadata or {})
    if stack.metadata.quality == qualityOf(definition, metadata) then
      if isAlike then return stack end
      if not metadata then found = found or stack end
    end
  end
  return found
end

--- The bag of an online player. `of.resource`: the inventory; `of.itemsOf(source)`: a copy of the player's items;
--- `of.definition(name)`: the item in the framework's list; `of.accountOf(name)` as for `Causeway.moveItems`;
--- `of.metadata(source)` and `of.setMark(source, key, text)`; `of.decays`: whether the inventory lets items decay.
function Causeway.qbBag(of, source)
  local bag = { hasMetadata = true, accountOf = of.accountOf or function() return nil end }
  local definition, items
  local function call(name, ...) return exports[of.resource][name](exports[of.resource], ...) end

  function bag.metadata() return of.metadata(source) end
  function bag.setMark(key, text) of.setMark(source, key, text) end
  function bag.isItem(name)
    if not Causeway.isStarted(of.resource) then return nil end
    local ok, found = Causeway.try(of.definition, name)
    if not ok then return nil end
    definition = found
    return isNamed(found, name)
  end
  function bag.stacks(name)
    -- rsg-inventory lets items decay whenever it is asked, and the decay must not fall between the two counts.
    if of.decays then Causeway.try(call, 'GetItemCount', source, name) end
    local ok, found = Causeway.try(of.itemsOf, source)
    if not ok or type(found) ~= 'table' then return nil end
    items = found
    return Causeway.stacksOf(found, name)
  end
  function bag.fits(_, count, metadata, stacks)
    local _, free = call('GetSlots', source)
    if not stackFor(definition, metadata, stacks) and (tonumber(free) or 0) < 1 then return 0, 'inventory_full' end
    local weight = tonumber(definition.weight) or 0
    if weight <= 0 then return count end
    local room = Causeway.whole((tonumber(call('GetFreeWeight', source)) or 0) / weight)
    return math.max(0, math.min(count, room)), 'too_heavy'
  end
  function bag.add(name, count, metadata, stacks)
    local stack = stackFor(definition, metadata, stacks)
    local slot = stack and stack.slot
    if not slot then
      local used, free = call('GetSlots', source)
      slot = freeSlotOf(items, used + free)
    end
    if not slot then return 'inventory_full' end
    return call('AddItem', source, name, count, slot, metadata or {}, 'causeway')
  end
  function bag.take(name, count, metadata, stacks)
    for _, stack in ipairs(stacks) do
      if not metadata or Causeway.isEqual(stack.metadata, metadata) then
        local part = math.min(count, stack.count)
        if part > 0 then call('RemoveItem', source, name, part, stack.slot, 'causeway') end
        count = count - part
      end
    end
  end
  return bag
end

--- The items as the inventory stores them; nil if there are none to read.
function Causeway.qbItemsText(items)
  if type(items) ~= 'table' then return nil end
  local list = {}
  for slot, item in pairs(items) do
    list[#list + 1] = {
      name = item.name, amount = item.amount, info = item.info, type = item.type,
      slot = tonumber(item.slot) or tonumber(slot),
    }
  end
  return json.encode(list)
end
