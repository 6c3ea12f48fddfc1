-- What FXServer gives to scripts besides the platform, as far as real frameworks use it: nobody has a body here, nobody
-- has a permission, and what clients would hear is heard by no one.
local function nothing() end
local function no() return false end

local VECTORS = { 'x', 'y', 'z', 'w' }
local function vector(count)
  return function(...)
    local made, values = {}, table.pack(...)
    for index = 1, count do made[VECTORS[index]] = values[index] or 0.0 end
    return made
  end
end
vector2, vector3, vector4 = vector(2), vector(3), vector(4)
vec2, vec3, vec4 = vector2, vector3, vector4

function table.create() return {} end
function table.type(value) return #value > 0 and 'array' or next(value) and 'hash' or 'empty' end
function warn(text) print('warning: ' .. tostring(text)) end

local bags = {}
local function bag(name)
  bags[name] = bags[name] or { set = function(self, key, value) self[key] = value end }
  return bags[name]
end
GlobalState = bag('global')
function Player(source) return { state = bag('player:' .. tostring(source)) } end

function GetPlayerIdentifiers(source)
  local found = {}
  for index = 0, GetNumPlayerIdentifiers(source) - 1 do found[#found + 1] = GetPlayerIdentifier(source, index) end
  return found
end
function GetPlayerPed(source) return DoesPlayerExist(source) and tonumber(source) or 0 end
function GetEntityCoords() return vector3(1.5, 2.5, 3.5) end
function GetEntityHeading() return 90.0 end
function GetEntityHealth() return 200 end
function GetPedArmour() return 0 end
function GetPlayerTimeOnline() return 60 end
function IsDuplicityVersion() return true end
function GetGameName() return 'fxserver' end

function RegisterNetEvent(name, heard)
  if heard then return AddEventHandler(name, heard) end
end
RegisterServerEvent = RegisterNetEvent
IsPlayerAceAllowed = no
for _, name in ipairs({
  'AddStateBagChangeHandler', 'CancelEvent', 'ExecuteCommand', 'PerformHttpRequest', 'RegisterCommand', 'SetGameType',
  'SetMapName', 'SetPedArmour', 'SetRoutingBucketEntityLockdownMode',
}) do
  _G[name] = nothing
end
