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

--- From a list of items, or from `{ bread = 3 }`. Its order is that of the slots.
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

--- What somebody online carries where ox_inventory keeps it; nil where it does not.
function Causeway.oxInventory(source)
  if not Causeway.isStarted('ox_inventory') then return nil end
  local ok, items = Causeway.try(function() return exports.ox_inventory:GetInventoryItems(source) end)
  return ok and Causeway.inventoryOf(items) or nil
end

-- While it is stopped, what it kept is still an item: at the next login the account becomes what the items are.
local isUsed = false

local HOOKS = { 'swapItems', 'createItem', 'buyItem', 'craftItem' }
local INVENTORIES = { 'inventoryId', 'fromInventory', 'toInventory' }

local function addHooks()
  if not Causeway.isStarted('ox_inventory') then return end
  isUsed = true
  -- Inventories of players have their server id as a name, others are no number. Hooks come before the change, and
  -- whatever is read because of them after it.
  local function heard(event)
    for _, key in ipairs(INVENTORIES) do Causeway.roster.changed(event[key]) end
  end
  for _, hook in ipairs(HOOKS) do
    Causeway.try(function() exports.ox_inventory:registerHook(hook, heard) end)
  end
end

--- Hears from ox_inventory what no framework tells: that somebody carries something else. It says nothing of items that
--- a script takes away.
function Causeway.watchOxInventory()
  addHooks()
  AddEventHandler('onResourceStart', function(resource)
    if resource == 'ox_inventory' then addHooks() end
  end)
  AddEventHandler('ox_inventory:usedItem', Causeway.roster.changed)
end

-- ox_inventory has no list of its accounts to ask for. It tells them once, when it starts: nil, the bridge was not there.
local owned
-- Without that, an account of the name of an item is taken for one: an order that is refused is safe, a guess is not.
local isItem = {}

AddEventHandler('ox_inventory:loadInventory', function(inventory)
  local accounts = type(inventory) == 'table' and inventory.accounts
  if type(accounts) ~= 'table' then return end
  owned, isUsed = {}, true
  for name in pairs(accounts) do owned[name] = true end
end)

--- The framework is configured for ox_inventory, whether that runs or not.
function Causeway.expectOxInventory() isUsed = true end

local function isNamedLikeItem(account)
  if isItem[account] == nil and Causeway.isStarted('ox_inventory') then
    local ok, item = Causeway.try(function() return exports.ox_inventory:Items(account) end)
    isItem[account] = ok and item ~= nil
  end
  return isItem[account] == true
end

--- Whether an account is an item as well, which ox_inventory keeps. `builtIn` is the one that it adds for the framework
--- by itself, whatever its configuration says.
function Causeway.isOxAccount(account, builtIn)
  if not isUsed then return false end
  if account == builtIn then return true end
  for _, name in ipairs(Causeway.decode(GetConvar('inventory:accounts', '["money"]'))) do
    if name == account then return true end
  end
  if owned then return owned[account] == true end
  return isNamedLikeItem(account)
end
