-- Acts as the clients of a real framework: it answers the events `fake:*` with the framework's own exports and events.
local doing = {}

function doing.es_extended()
  local function call(source, method, ...) return exports.es_extended:RunStaticPlayerMethod(source, method, ...) end
  return {
    load = function(source, identifier) TriggerEvent('esx:onPlayerJoined', source, identifier:match('^(.-):')) end,
    call = call,
    -- Before 1.16 no export saves a player.
    save = function()
      for _, source in ipairs(GetPlayers()) do pcall(exports.es_extended.SavePlayer, exports.es_extended, tonumber(source)) end
    end,
  }
end

doing['qb-core'] = function()
  local function playerOf(source)
    local player = exports['qb-core']:GetPlayer(source)
    return player.Functions or player
  end
  return {
    load = function(source, identifier) exports['qb-core']:GetCoreObject().Player.Login(source, identifier) end,
    call = function(source, method, ...) return playerOf(source)[method](...) end,
    save = function()
      for _, player in pairs(exports['qb-core']:GetCoreObject().Players) do pcall(player.Functions.Save) end
    end,
  }
end

doing['rsg-core'] = function()
  local function core() return exports['rsg-core']:GetCoreObject() end
  return {
    load = function(source, identifier) core().Player.Login(source, identifier) end,
    call = function(source, method, ...) return core().Functions.GetPlayer(source).Functions[method](...) end,
    save = function()
      for _, player in pairs(core().Players) do pcall(player.Functions.Save) end
    end,
  }
end

function doing.qbx_core()
  return {
    load = function(source, identifier) exports.qbx_core:Login(source, identifier) end,
    call = function(source, method, ...) return exports.qbx_core[method](nil, source, ...) end,
    save = function()
      for source in pairs(exports.qbx_core:GetQBPlayers()) do pcall(exports.qbx_core.Save, exports.qbx_core, source) end
    end,
  }
end

function doing.ox_core()
  local ox = exports.ox_core
  return {
    call = function(source, method, amount)
      local account = ox:GetCharacterAccount(ox:GetPlayer(source).charId)
      ox:CallAccount(account.accountId, method, { amount = amount })
    end,
    save = function() ox:SaveAllPlayers() end,
  }
end

function doing.vorp_core()
  local core = exports.vorp_core:GetCore()
  local function characterOf(source) return core.getUser(source).getUsedCharacter end
  return {
    load = function(source, identifier)
      local charId = tonumber(identifier:match(':(%d+)$'))
      repeat Wait(0) until core.getUser(source) and #core.getUser(source).getUserCharacters > 0
      core.getUser(source).setUsedCharacter(charId)
    end,
    call = function(source, method, ...) return characterOf(source)[method](...) end,
    save = function() end,
  }
end

-- Clients answer the callbacks of ox_lib with an empty value.
AddEventHandler('fake:client', function(name, _, resource, key)
  if not name:find('^__ox_cb_') then return end
  SetTimeout(0, function() TriggerEvent('__ox_cb_' .. resource, key, true) end)
end)

local plays = doing[__framework]()
if plays.load then AddEventHandler('fake:load', plays.load) end
AddEventHandler('fake:call', plays.call)
AddEventHandler('fake:save', plays.save)
