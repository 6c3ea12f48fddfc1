-- Items in ox_inventory. Its AddItem checks no weight. With items that do not stack it fills the free slots only, and
-- reports success all the same. So the room is checked before.

-- The first version that leaves the row of a player on ESX to ESX, and has every function that is used here.
local MAJOR, MINOR = 2, 33
local ox = {}
Causeway.oxItems = ox

--- Whether this server has an ox_inventory that the bridge can work with, running or not.
function ox.isUsable()
  if GetResourceState('ox_inventory') == 'missing' then return false end
  local version = GetResourceMetadata('ox_inventory', 'version', 0) or ''
  local major, minor = version:match('^(%d+)%.(%d+)')
  major, minor = tonumber(major) or 0, tonumber(minor) or 0
  return major > MAJOR or (major == MAJOR and minor >= MINOR)
end

local function call(name, ...)
  return exports.ox_inventory[name](exports.ox_inventory, ...)
end

local function canCarry(source, name, count, metadata)
  return call('CanCarryItem', source, name, count, metadata) == true
end

--- The largest number below `count` that the player can carry.
local function mostOf(source, name, count, metadata)
  local fits, tooMany = 0, count
  while tooMany - fits > 1 do
    local middle = (fits + tooMany) // 2
    if canCarry(source, name, middle, metadata) then fits = middle else tooMany = middle end
  end
  return fits
end

local function weightOf(definition, metadata)
  return tonumber(metadata and metadata.weight) or tonumber(definition.weight) or 0
end

--- The bag of an online player. `accountOf(name)` as for `Causeway.moveItems`. A locked inventory, as in the last
--- minute before a restart, has no stacks, and neither has one that is not loaded yet.
function ox.bagOf(source, accountOf)
  local bag = { hasMetadata = true, accountOf = accountOf }
  local definition

  function bag.isItem(name)
    local ok, found = Causeway.try(call, 'Items', name)
    if not ok then return nil end
    definition = found
    -- It also finds items by another case.
    return type(found) == 'table' and found.name == name
  end
  function bag.stacks(name)
    local ok, slots = Causeway.try(call, 'GetSlotsWithItem', source, name)
    if ok and type(slots) == 'table' then return Causeway.inventoryOf(slots) end
  end
  function bag.fits(name, count, metadata)
    if canCarry(source, name, count, metadata) then return count end
    local fits = mostOf(source, name, count, metadata)
    local isLight = call('CanCarryWeight', source, weightOf(definition, metadata) * (fits + 1))
    return fits, isLight and 'inventory_full' or 'too_heavy'
  end
  function bag.add(name, count, metadata) return select(2, call('AddItem', source, name, count, metadata)) end
  --- The stack of `stacks` if it is only one, otherwise any stacks with equal metadata.
  function bag.take(name, count, metadata, stacks)
    local slot = #stacks == 1 and stacks[1].slot or nil
    return select(2, call('RemoveItem', source, name, count, metadata, slot))
  end
  return bag
end

--- The items of a player as ox_inventory stores them: nil while they cannot be read.
function ox.textOf(source)
  local ok, items = Causeway.try(call, 'GetInventoryItems', source)
  if not ok or type(items) ~= 'table' then return nil end
  local list = {}
  for _, item in ipairs(Causeway.inventoryOf(items)) do
    list[#list + 1] = {
      name = item.name, count = item.count, slot = item.slot, metadata = next(item.metadata) and item.metadata or nil,
    }
  end
  return json.encode(list)
end
