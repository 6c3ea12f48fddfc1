-- RSG for RedM: derived from QBCore, with its names. If its cash is made of items, their count becomes the balance at
-- each change and at the next login. Both stored values must agree, and offline players cannot be paid cash.

--- The accounts that are made of items, according to the configuration.
local function itemsOf(config)
  local money, gold = config.Money or {}, config.Gold or {}
  local isItem = {}
  if money.EnableMoneyItems then isItem.cash, isItem.bloodmoney = true, true end
  if gold.EnableGoldItems then isItem.gold = true end
  return isItem
end

--- The accounts of the items that are money, by the item.
local function accountsOf(config)
  local money, gold, accounts = config.Money or {}, config.Gold or {}, {}
  if money.EnableMoneyItems then
    accounts.dollar, accounts.cent = 'cash', 'cash'
    accounts.blood_dollar, accounts.blood_cent = 'bloodmoney', 'bloodmoney'
  end
  if gold.EnableGoldItems then accounts[money.GoldItem or 'gold'] = 'gold' end
  return accounts
end

--- The items of a player, as rsg-inventory stores them.
local function inventoryOf(data)
  if not Causeway.isStarted('rsg-inventory') or type(data.items) ~= 'table' then return nil end
  local list = {}
  for slot, item in pairs(data.items) do
    local info = type(item.info) == 'table' and item.info or {}
    list[#list + 1] = {
      name = item.name, amount = item.amount, info = info, type = item.type, slot = tonumber(item.slot) or slot,
    }
  end
  return json.encode(list)
end

--- Its lists. They are part of the copy of the core object, which is therefore made again after a change.
local function sharedOf(core)
  local changed
  AddEventHandler('RSGCore:Server:UpdateObject', function() changed = true end)
  return function()
    if changed then
      local ok, object = Causeway.try(function() return exports['rsg-core']:GetCoreObject() end)
      if ok then core().Shared, changed = object.Shared, nil end
    end
    return core().Shared or {}
  end
end

local function createAdapter()
  local core = Causeway.sharedBy('rsg-core', function() return exports['rsg-core']:GetCoreObject() end)
  local shared = sharedOf(core)
  local config = core().Config or {}
  local money, isItem, accounts = config.Money or {}, itemsOf(config), accountsOf(config)
  local function player(source) return core().Functions.GetPlayer(source) end
  local function mayOwe(name, after)
    if after >= 0 then return true end
    for _, closed in pairs(money.DontAllowMinus or {}) do
      if closed == name then return false end
    end
    return after >= (tonumber(money.MinusLimit) or -5000)
  end

  return Causeway.createQbAdapter({
    prefix = 'RSGCore', logEvent = 'rsg-log:server:CreateLog',
    data = function(source)
      local found = player(source)
      return found and found.PlayerData
    end,
    find = function(citizenid)
      local found = core().Functions.GetPlayerByCitizenId(citizenid)
      return found and found.PlayerData
    end,
    balance = function(source, name) return player(source).Functions.GetMoney(name) end,
    change = function(source, name, amount, action, reason)
      local functions = player(source).Functions
      if action == 'add' then return functions.AddMoney(name, amount, reason) end
      return functions.RemoveMoney(name, amount, reason)
    end,
    setMark = function(source, key, text) player(source).Functions.SetMetaData(key, text) end,
    isItem = function(name) return isItem[name] == true end,
    inventory = next(isItem) and inventoryOf or nil,
    class = 'saved',
    mayOwe = mayOwe,
    accountNames = function() return money.MoneyTypes end,
    vehicleTables = { Causeway.rsgHorses, Causeway.rsgWagons },
    items = {
      resource = 'rsg-inventory', version = 2, decays = true,
      definition = function(name) return ((core().Shared or {}).Items or {})[name] end,
      accountOf = function(name) return accounts[name] end,
    },
    care = {
      resource = 'rsg-medic',
      send = function(source) TriggerClientEvent('rsg-medic:client:adminRevive', source) end,
    },
    catalogues = Causeway.qbCatalogues(function(name) return shared()[name] end, true),
    jobs = {
      find = function(name) return (shared().Jobs or {})[name] end,
      set = function(source, name, grade) return player(source).Functions.SetJob(name, grade) end,
    },
  })
end

Causeway.frameworks[#Causeway.frameworks + 1] = { name = 'rsg', resource = 'rsg-core', create = createAdapter }
