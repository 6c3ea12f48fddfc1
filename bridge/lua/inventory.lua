-- Inventories in one form: a list of `{ slot, name, label, count, metadata }`. Slots are sparse and chosen by the game.

local function entry(slot, item)
  local count = tonumber(item.count or item.amount) or 0
  if type(item.name) ~= 'string' or count < 1 then return nil end
  local metadata = item.metadata or item.info
  return {
    slot = tonumber(item.slot) or slot,
    name = item.name,
    label = item.label or item.name,
    count = Causeway.whole(count),
    metadata = type(metadata) == 'table' and metadata or {},
  }
end

--- Reads a list of items, or `{ bread = 3 }`. The result is in the order of the slots.
function Causeway.inventoryOf(items)
  local list, slot = {}, 0
  for key, item in pairs(type(items) == 'table' and items or {}) do
    slot = slot + 1
    if type(item) == 'table' then
      list[#list + 1] = entry(tonumber(key) or slot, item)
    else
      list[#list + 1] = entry(slot, { name = key, count = item })
    end
  end
  table.sort(list, function(one, other) return one.slot < other.slot end)
  return list
end

--- The items of an online player if ox_inventory keeps them; otherwise nil.
function Causeway.oxInventory(source)
  if not Causeway.isStarted('ox_inventory') then return nil end
  local ok, items = Causeway.try(function() return exports.ox_inventory:GetInventoryItems(source) end)
  return ok and Causeway.inventoryOf(items) or nil
end

-- While ox_inventory is stopped, its accounts remain items: at the next login the account is set to the item count.
local isUsed = false

local HOOKS = { 'swapItems', 'createItem', 'buyItem', 'craftItem' }
local INVENTORIES = { 'inventoryId', 'fromInventory', 'toInventory' }

-- Inventories of players are named by their server id; other names are not numbers. A hook runs before the change; reads
-- that it schedules run after the change.
local function heard(event)
  for _, key in ipairs(INVENTORIES) do Causeway.roster.changed(event[key]) end
end

--- Subscribes to inventory changes that no framework reports. ox_inventory does not report items that a script removes.
function Causeway.watchOxInventory()
  for _, hook in ipairs(HOOKS) do
    Causeway.inEachStart('ox_inventory', function()
      isUsed = true
      exports.ox_inventory:registerHook(hook, heard)
    end)
  end
  AddEventHandler('ox_inventory:usedItem', Causeway.roster.changed)
end

-- ox_inventory announces its accounts only once, when it starts: nil if the bridge was not running then.
local owned
-- Without that list, an account with the name of an item counts as an item: a refusal is safe, a guess is not.
local isItem = {}

AddEventHandler('ox_inventory:loadInventory', function(inventory)
  local accounts = type(inventory) == 'table' and inventory.accounts
  if type(accounts) ~= 'table' then return end
  owned, isUsed = {}, true
  for name in pairs(accounts) do owned[name] = true end
end)

--- Whether the framework is configured for ox_inventory, running or not.
function Causeway.expectOxInventory() isUsed = true end

local function isNamedLikeItem(account)
  if isItem[account] == nil and Causeway.isStarted('ox_inventory') then
    local ok, item = Causeway.try(function() return exports.ox_inventory:Items(account) end)
    isItem[account] = ok and item ~= nil
  end
  return isItem[account] == true
end

--- Whether an account is also an item of ox_inventory. `builtIn` is the account that ox_inventory adds for the
--- framework by itself, independent of its configuration.
function Causeway.isOxAccount(account, builtIn)
  if not isUsed then return false end
  if account == builtIn then return true end
  for _, name in ipairs(Causeway.decode(GetConvar('inventory:accounts', '["money"]'))) do
    if name == account then return true end
  end
  if owned then return owned[account] == true end
  return isNamedLikeItem(account)
end
