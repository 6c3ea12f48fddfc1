-- Functions of FXServer that real frameworks use, besides the platform. Players have no body and no permissions, and
-- events to clients are dropped.
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

-- CfxLua has more in these than Lua.
function table.create() return {} end
function table.type(value)
  if type(value) ~= 'table' then return nil end
  return #value > 0 and 'array' or next(value) and 'hash' or 'empty'
end
function table.clone(from)
  local copy = {}
  for key, value in pairs(from) do copy[key] = value end
  return copy
end
function table.wipe(from)
  for key in pairs(from) do from[key] = nil end
  return from
end
function string.strtrim(text) return (text:match('^%s*(.-)%s*$')) end
function string.strjoin(by, ...)
  local words = table.pack(...)
  for index = 1, words.n do words[index] = tostring(words[index]) end
  return table.concat(words, by)
end
function string.strsplit(by, text)
  local parts = {}
  for part in (text .. by):gmatch('(.-)' .. by:gsub('%p', '%%%0')) do parts[#parts + 1] = part end
  return table.unpack(parts)
end
function os.nanotime() return os.microtime() * 1000 end
function io.readdir() return nil end
function warn(text) print('warning: ' .. tostring(text)) end
GetHashKey = joaat
msgpack = { setoption = nothing, pack = json.encode, pack_args = function(...) return json.encode({ ... }) end }

-- State bags belong to the server: all resources read a change and get its event.
local bags, watchers = {}, {}
local function bag(name)
  local values = bags[name] or {}
  bags[name] = values
  local function set(_, key, value) TriggerEvent('__bag', name, key, value) end
  return setmetatable({ set = set }, {
    __index = values,
    __newindex = set,
  })
end
AddEventHandler('__bag', function(name, key, value)
  bags[name] = bags[name] or {}
  bags[name][key] = value
  for _, watcher in ipairs(watchers) do
    if watcher.key == key and (not watcher.bag or watcher.bag == name) then watcher.heard(name, key, value) end
  end
end)
function AddStateBagChangeHandler(key, name, heard)
  watchers[#watchers + 1] = { key = key, bag = name, heard = heard }
end
function GetPlayerFromStateBagName(name) return tonumber(name:match('^player:(%d+)$')) end
GlobalState = bag('global')
function Player(source) return { state = bag('player:' .. tostring(source)) } end
function Entity(entity) return { state = bag('entity:' .. tostring(entity)) } end

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
function GetPlayerPing() return 30 end
function GetPlayerTimeOnline() return 60 end
function IsDuplicityVersion() return true end
function GetGameName() return 'fxserver' end
function GetNumResources() return 0 end

function RegisterNetEvent(name, heard)
  if heard then return AddEventHandler(name, heard) end
end
RegisterServerEvent = RegisterNetEvent
IsPlayerAceAllowed, IsPrincipalAceAllowed = no, no
for _, name in ipairs({
  'CancelEvent', 'ExecuteCommand', 'GetResourceByFindIndex', 'PerformHttpRequest', 'RegisterCommand', 'SaveResourceFile', 'SetEntityOrphanMode',
  'SetGameType',
  'SetMapName', 'SetPedArmour', 'SetPlayerRoutingBucket', 'SetRoutingBucketEntityLockdownMode', 'StopResource',
}) do
  _G[name] = nothing
end
