-- The items of players as in qb-inventory 2.0.0, with its oddities; with `__inventory.isRsg` as in rsg-inventory 2.8.5.
-- Each export was compared with its source there.
local OF = __inventory or { core = 'qb-core' }
local MAX_WEIGHT, MAX_SLOTS = 120000, 10
local Core = exports[OF.core]:GetCoreObject()

local function playerOf(source) return Core.Functions.GetPlayer(source) end

local function weightOf(items)
  local weight = 0
  for _, item in pairs(items) do weight = weight + Core.Shared.Items[item.name:lower()].weight * item.amount end
  return weight
end

local function firstSlotOf(items, name, isAlike)
  for slot, item in pairs(items) do
    if item.name:lower() == name:lower() and (not isAlike or isAlike(item)) then return tonumber(slot) end
  end
end

local function freeSlotOf(items)
  for slot = 1, MAX_SLOTS do
    if items[slot] == nil then return slot end
  end
end

local function usedOf(items)
  local used = 0
  for _ in pairs(items) do used = used + 1 end
  return used
end

-- rsg-inventory drops on the ground what does not fit.
local function refuse(source, name, amount)
  if OF.isRsg then TriggerEvent('fake:dropped', source, name, amount) end
  return false
end

--- Whether an item joins a stack: rsg-inventory compares the quality, qb-inventory nothing.
local function joins(item, slot, info)
  if item.slot ~= slot then return false end
  return not OF.isRsg or (type(item.info) == 'table' and item.info or {}).quality == info.quality
end

exports('AddItem', function(source, name, amount, slot, info)
  local definition, player = Core.Shared.Items[name:lower()], playerOf(source)
  if not definition or not player then return false end
  local items = player.PlayerData.items
  if weightOf(items) + definition.weight * amount > MAX_WEIGHT then return refuse(source, name, amount) end
  info = info or {}
  if OF.isRsg and definition.decay then info.quality = info.quality or 100 end
  local isUpdated = false
  if not definition.unique then
    slot = slot or firstSlotOf(items, name)
    for _, item in pairs(items) do
      if slot and joins(item, slot, info) then
        item.amount, isUpdated = item.amount + amount, true
        break
      end
    end
  end
  if not isUpdated then
    slot = slot or freeSlotOf(items)
    if not slot then return refuse(source, name, amount) end
    -- Over any item that is there. The name stays as it was given.
    items[slot] = { name = name, amount = amount, info = info, label = definition.label, type = definition.type, slot = slot }
  end
  player.Functions.SetPlayerData('items', items)
  return true
end)

--- Only from one slot.
exports('RemoveItem', function(source, name, amount, slot)
  local player = playerOf(source)
  if not Core.Shared.Items[name:lower()] or not player then return false end
  local items = player.PlayerData.items
  slot = slot or firstSlotOf(items, name)
  for key, item in pairs(items) do
    if item.slot == slot and item.name:lower() == name:lower() and item.amount >= amount then
      item.amount = item.amount - amount
      if item.amount <= 0 then items[key] = nil end
      player.Functions.SetPlayerData('items', items)
      return true
    end
  end
  return false
end)

exports('GetSlots', function(source)
  local used = usedOf(playerOf(source).PlayerData.items)
  return used, MAX_SLOTS - used
end)
exports('GetFreeWeight', function(source) return MAX_WEIGHT - weightOf(playerOf(source).PlayerData.items) end)
exports('GetItemCount', function(source, name)
  local count = 0
  for _, item in pairs(playerOf(source).PlayerData.items) do
    if item.name == name then count = count + item.amount end
  end
  return count
end)
