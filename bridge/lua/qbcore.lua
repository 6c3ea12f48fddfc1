-- QBCore. Its calls return true, false or nil, and let the bank fall to a limit. The bridge never uses its call for
-- offline players, because that call empties inventories.

--- Since version 1.3 an export returns one player; before that, the whole core object has to be copied once.
local function createCore()
  local hasExport = Causeway.try(function() exports['qb-core']:GetPlayer(-1) end)
  local function coreOf(filter)
    local ok, object = Causeway.try(function() return exports['qb-core']:GetCoreObject({ filter }) end)
    return ok and type(object) == 'table' and object or {}
  end
  local money = ((coreOf('Config').Config or {}).Money) or {}
  local core = Causeway.sharedBy('qb-core', function() return coreOf('Functions') end)

  local function player(source)
    if hasExport then return exports['qb-core']:GetPlayer(source) end
    return core().Functions.GetPlayer(source)
  end
  local function find(citizenid)
    if hasExport then return exports['qb-core']:GetPlayerByCitizenId(citizenid) end
    return core().Functions.GetPlayerByCitizenId(citizenid)
  end
  --- That export returns functions beside the data; all other calls return them in a separate table.
  local function functions(source)
    local found = player(source)
    return found.Functions or found
  end
  -- Copied once: the list is long.
  local vehicles = Causeway.sharedBy('qb-core', function()
    local ok, list = Causeway.try(function() return exports['qb-core']:GetShared('Vehicles') end)
    return ok and type(list) == 'table' and list or coreOf('Shared').Shared.Vehicles
  end)
  local function modelNamed(name) return vehicles()[name] end
  return {
    player = player, find = find, functions = functions, money = money, modelNamed = modelNamed,
    item = Causeway.createQbItemList(coreOf), shared = Causeway.createQbShared(coreOf),
  }
end

local function isListed(list, name)
  for _, listed in pairs(list or {}) do
    if listed == name then return true end
  end
  return false
end

local function createAdapter()
  local core = createCore()
  return Causeway.createQbAdapter({
    prefix = 'QBCore', logEvent = 'qb-log:server:CreateLog',
    data = function(source)
      local player = core.player(source)
      return player and player.PlayerData
    end,
    find = function(citizenid)
      local player = core.find(citizenid)
      return player and player.PlayerData
    end,
    balance = function(source, name) return core.functions(source).GetMoney(name) end,
    change = function(source, name, amount, action, reason)
      local functions = core.functions(source)
      if action == 'add' then return functions.AddMoney(name, amount, reason) end
      return functions.RemoveMoney(name, amount, reason)
    end,
    setMark = function(source, key, text) core.functions(source).SetMetaData(key, text) end,
    mayOwe = function(name, after)
      if after >= 0 then return true end
      local closed = core.money.DontAllowMinus or { 'cash', 'crypto' }
      return not isListed(closed, name) and after >= (tonumber(core.money.MinusLimit) or -5000)
    end,
    accountNames = function() return core.money.MoneyTypes end,
    vehicleTables = { Causeway.qbVehicles },
    garage = Causeway.createQbGarage({
      pattern = '1AA111AA', modelNamed = core.modelNamed, canBeLost = function() return true end,
    }),
    items = { resource = 'qb-inventory', version = 2, definition = core.item },
    catalogues = Causeway.qbCatalogues(core.shared, true),
    care = {
      resource = 'qb-ambulancejob', mayHeal = true,
      send = function(source) TriggerClientEvent('hospital:client:Revive', source) end,
    },
    jobs = {
      find = function(name) return core.shared('Jobs', name) end,
      set = function(source, name, grade) return core.functions(source).SetJob(name, grade) end,
    },
  })
end

Causeway.frameworks[#Causeway.frameworks + 1] = { name = 'qbcore', resource = 'qb-core', create = createAdapter }
