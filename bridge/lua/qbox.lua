-- Qbox. Its calls accept a server id or a citizenid. With the citizenid of an offline player they leave handlers behind
-- and answer before the write, so the bridge passes server ids, except to look into its memory. Its bank may fall below
-- zero without limit.
local function itemOf(account)
  local item = account == 'cash' and 'money' or account
  return Causeway.isOxAccount(item) and item or nil
end

local function createAdapter()
  local qbx = exports.qbx_core
  return Causeway.createQbAdapter({
    prefix = 'QBCore',
    data = function(source)
      local player = qbx:GetPlayer(source)
      return player and player.PlayerData
    end,
    find = function(citizenid)
      local player = qbx:GetPlayerByCitizenId(citizenid)
      return player and player.PlayerData
    end,
    balance = function(source, name) return qbx:GetMoney(source, name) end,
    change = function(source, name, amount, action, reason)
      if action == 'add' then return qbx:AddMoney(source, name, amount, reason) end
      return qbx:RemoveMoney(source, name, amount, reason)
    end,
    itemOf = itemOf,
    carried = function(source, name)
      local item = itemOf(name)
      return item and (tonumber(exports.ox_inventory:GetItemCount(source, item)) or 0)
    end,
    mayCarry = function(source, name, amount)
      local item = itemOf(name)
      return not item or exports.ox_inventory:CanCarryItem(source, item, amount)
    end,
    setMark = function(source, key, text) qbx:SetMetadata(source, key, text) end,
    mayOwe = function(name, after) return after >= 0 or (name ~= 'cash' and name ~= 'crypto') end,
    accountNames = function() return { bank = true } end,
    events = { 'qbx_core:server:onGroupUpdate' },
    catalogueEvent = 'qbx_core:server:onJobUpdate',
    vehicleTables = { Causeway.qbVehicles },
    garage = Causeway.createQbGarage({
      pattern = '........',
      -- For an unknown name it returns the whole list.
      modelNamed = function(name)
        local found = qbx:GetVehiclesByName(name)
        return type(found) == 'table' and found.model == name
      end,
      -- Otherwise it creates such vehicles again, when a player comes near.
      canBeLost = function() return GetConvar('qbx:enableVehiclePersistence', 'false') ~= 'true' end,
    }),
    jobs = Causeway.createQboxJobs(),
    care = {
      resource = 'qbx_medical', mayHeal = true,
      send = function(source) exports.qbx_medical:Revive(source) end,
    },
    catalogues = Causeway.qbCatalogues(function(name)
      if name == 'Jobs' then return qbx:GetJobs() end
      return qbx:GetVehiclesByName()
    end),
  })
end

Causeway.frameworks[#Causeway.frameworks + 1] = { name = 'qbox', resource = 'qbx_core', create = createAdapter }
