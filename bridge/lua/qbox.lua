-- Qbox. Its calls take a server id or a citizenid; given the latter of somebody who is not online they leave handlers
-- behind and answer before they have written, so only server ids are given. Its bank goes below zero without end.
local function createAdapter()
  local qbx = exports.qbx_core
  return Causeway.createQbAdapter({
    prefix = 'QBCore',
    data = function(source)
      local player = qbx:GetPlayer(source)
      return player and player.PlayerData
    end,
    balance = function(source, name) return qbx:GetMoney(source, name) end,
    change = function(source, name, amount, action, reason)
      if action == 'add' then return qbx:AddMoney(source, name, amount, reason) end
      return qbx:RemoveMoney(source, name, amount, reason)
    end,
    setMark = function(source, key, text) qbx:SetMetadata(source, key, text) end,
    mayOwe = function(name, after) return after >= 0 or (name ~= 'cash' and name ~= 'crypto') end,
    accountNames = function() return {} end,
    events = { 'qbx_core:server:onGroupUpdate' },
    vehicleTables = { Causeway.qbVehicles },
  })
end

Causeway.frameworks[#Causeway.frameworks + 1] = { name = 'qbox', resource = 'qbx_core', create = createAdapter }
