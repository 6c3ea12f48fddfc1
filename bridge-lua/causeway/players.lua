--- A player as it goes into a frame, as JSON text. One bad record must not cost the hub a whole frame.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local messages = require 'causeway.messages'
local unicode = require 'causeway.unicode'

local players = {}

local concat = table.concat
--- Metadata of an item or a vehicle above this are left out of a record that is larger than a frame.
local LARGE_METADATA_BYTES = 512

local function fail(where, problem) error({ problem = where .. ': ' .. problem }, 0) end

local function text(value, limit, where)
  if type(value) ~= 'string' then fail(where, 'must be a text') end
  local clean = unicode.clean(value)
  if unicode.units(clean) > limit then fail(where, ('must have at most %d characters'):format(limit)) end
  return json.string(clean)
end

local function count(value, where)
  if not json.is_whole(value) or value < 0 then fail(where, 'must be a whole number of at least 0') end
  return ('%.0f'):format(value)
end

local function map(value, where)
  if value == nil then return '{}' end
  local written, problem = json.encode_object(value)
  if not written then fail(where, problem) end
  for key in pairs(value) do
    if unicode.units(tostring(key)) > 64 then fail(where, 'a key must have at most 64 characters') end
  end
  return written
end

local function list(values, most, where, each, is_light)
  if values == nil then return '[]' end
  if type(values) ~= 'table' or values == json.null then fail(where, 'must be a list') end
  if #values > most then fail(where, ('must have at most %d entries'):format(most)) end
  if #values == 0 and next(values) ~= nil then fail(where, 'must be a list, from 1 on without gaps') end
  local out = {}
  for nth = 1, #values do out[nth] = each(values[nth], where .. '/' .. nth, is_light) end
  return '[' .. concat(out, ',') .. ']'
end

local function identifier(value, where)
  if not messages.is_identifier(value) then fail(where, 'must be an identifier') end
  return '"' .. value .. '"'
end

--- The number that the game shows beside an online player; absent in most games.
local function game_id(value)
  return value == nil and '' or ',"gameId":' .. count(value, '/gameId')
end

local function accounts(values, where)
  if values == nil then return '{}' end
  if type(values) ~= 'table' or values == json.null then fail(where, 'must be a table of balances') end
  local out = {}
  for name, balance in pairs(values) do
    if not json.is_whole(balance) then fail(where .. '/' .. tostring(name), 'must be a whole number') end
    out[#out + 1] = text(tostring(name), 64, where) .. (':%.0f'):format(balance)
  end
  if #out > 64 then fail(where, 'must have at most 64 accounts') end
  return '{' .. concat(out, ',') .. '}'
end

--- The metadata of an item or a vehicle; with `is_light` only small ones.
local function properties(value, where, is_light)
  local written = map(value, where)
  return is_light and #written > LARGE_METADATA_BYTES and '{"omitted":true}' or written
end

local function slot(item, where, is_light)
  if type(item) ~= 'table' then fail(where, 'must be a table') end
  return '{"slot":' .. count(item.slot, where .. '/slot') .. ',"name":' .. text(item.name, 128, where .. '/name')
    .. ',"label":' .. text(item.label, 128, where .. '/label') .. ',"count":' .. count(item.count, where .. '/count')
    .. ',"metadata":' .. properties(item.metadata, where .. '/metadata', is_light) .. '}'
end

local function vehicle(item, where, is_light)
  if type(item) ~= 'table' then fail(where, 'must be a table') end
  if type(item.stored) ~= 'boolean' then fail(where .. '/stored', 'must be true or false') end
  local has_garage = item.garage ~= nil and item.garage ~= json.null
  return '{"plate":' .. text(item.plate, 32, where .. '/plate') .. ',"model":' .. text(item.model, 128, where .. '/model')
    .. ',"label":' .. text(item.label, 128, where .. '/label') .. ',"stored":' .. tostring(item.stored)
    .. ',"garage":' .. (has_garage and text(item.garage, 128, where .. '/garage') or 'null')
    .. ',"metadata":' .. properties(item.metadata, where .. '/metadata', is_light) .. '}'
end

local function record(player, is_light)
  if type(player) ~= 'table' then fail('/', 'must be a table') end
  local online = player.online
  if online ~= nil and type(online) ~= 'boolean' then fail('/online', 'must be true or false') end
  return '{"identifier":' .. identifier(player.identifier, '/identifier') .. ',"name":' .. text(player.name, 128, '/name')
    .. ',"online":' .. tostring(online == true) .. game_id(player.gameId) .. ',"identifiers":' .. list(player.identifiers, 32, '/identifiers', identifier)
    .. ',"accounts":' .. accounts(player.accounts, '/accounts') .. ',"inventory":' .. list(player.inventory, 1024, '/inventory', slot, is_light)
    .. ',"vehicles":' .. list(player.vehicles, 512, '/vehicles', vehicle, is_light) .. ',"metadata":' .. map(player.metadata, '/metadata') .. '}'
end

--- Objects and lists inside one another; the text is valid JSON.
local function depth_of(written)
  local bare = written:gsub('\\.', ''):gsub('"[^"]*"', '')
  local depth, deepest = 0, 0
  for bracket in bare:gmatch '[%[%]{}]' do
    depth = depth + ((bracket == '{' or bracket == '[') and 1 or -1)
    deepest = math.max(deepest, depth)
  end
  return deepest
end

--- The JSON text of a player record, and whether large metadata of items and vehicles are left out, so that it fits into
--- `bytes`. Nil and the reason if it does not fit the protocol's bounds or `bytes`.
function players.text(player, bytes)
  local fits, written = pcall(record, player, false)
  if not fits then return nil, type(written) == 'table' and written.problem or tostring(written) end
  local is_light = #written > bytes
  if is_light then written = record(player, true) end
  if #written > bytes then return nil, ('larger than a frame: %d bytes'):format(#written) end
  -- A record lies in the list of a frame: two levels are taken. A plain record has three more.
  if written:find '[%[{][%[{][%[{]' and depth_of(written) > json.DEPTH - 2 then return nil, 'nested too deep' end
  return written, is_light
end

--- The identifier of a record for a log.
function players.name_of(player)
  return type(player) == 'table' and unicode.cut(unicode.clean(tostring(player.identifier)), 128) or '?'
end

return players
