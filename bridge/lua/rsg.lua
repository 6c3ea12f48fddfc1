-- RSG for RedM: made from QBCore, with its names. Some of its money is items; the balance in memory counts.
local function createAdapter()
  local core = exports['rsg-core']:GetCoreObject()
  local money = (core.Config or {}).Money or {}
  local function player(source) return core.Functions.GetPlayer(source) end
  local function mayOwe(name, after)
    if after >= 0 then return true end
    for _, closed in pairs(money.DontAllowMinus or {}) do
      if closed == name then return false end
    end
    return after >= (tonumber(money.MinusLimit) or -5000)
  end

  return Causeway.createQbAdapter({
    prefix = 'RSGCore',
    data = function(source)
      local found = player(source)
      return found and found.PlayerData
    end,
    balance = function(source, name) return player(source).Functions.GetMoney(name) end,
    change = function(source, name, amount, action, reason)
      local functions = player(source).Functions
      if action == 'add' then return functions.AddMoney(name, amount, reason) end
      return functions.RemoveMoney(name, amount, reason)
    end,
    setMark = function(source, key, text) player(source).Functions.SetMetaData(key, text) end,
    hasMoneyItems = true,
    mayOwe = mayOwe,
    accountNames = function() return money.MoneyTypes end,
  })
end

Causeway.frameworks[#Causeway.frameworks + 1] = { name = 'rsg', resource = 'rsg-core', create = createAdapter }
