-- The answers of es_extended and qb-core as texts that were made beforehand; their own work is not measured.
local cjson = require('cjson')
local frameworks = {}

local CONFIG = { Accounts = { bank = {}, money = {}, black_money = {} } }

--- Each of `players` has `identifiers`, and the results of the player's methods by name.
function frameworks.esx(platform, players)
  local answers = {}
  for source, player in ipairs(players) do
    answers[source] = {}
    for method, answer in pairs(player.methods) do answers[source][method] = cjson.encode({ answer }) end
  end
  platform.provide('es_extended', 'getSharedObject', function() return '[{"Players":[]}]' end, function(ESX)
    ESX.GetConfig = function() return CONFIG end
    return ESX
  end)
  platform.provide('es_extended', 'RunStaticPlayerMethod', function(source, method)
    return answers[source] and answers[source][method]
  end)
end

local CORE = '[{"Config":{"Money":{"MoneyTypes":{"cash":500,"bank":5000,"crypto":0},"MinusLimit":-5000}}}]'
-- A function of another runtime is a table that releases it when it is collected.
local REFERENCE = { __gc = function() end }

--- Each of `players` has `identifiers`, and the `player` that the export returns.
function frameworks.qbcore(platform, players)
  local answers = {}
  for source, player in ipairs(players) do answers[source] = cjson.encode({ player.player }) end
  platform.provide('qb-core', 'GetCoreObject', function() return CORE end)
  platform.provide('qb-core', 'GetPlayer', function(source) return answers[source] end, function(player)
    for _, fn in pairs(player.Functions) do setmetatable(fn, REFERENCE) end
    return player
  end)
end

return frameworks
