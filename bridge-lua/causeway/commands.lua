--- The commands of the protocol: their parameters, their class, and the lane in which each waits.
local json = require 'causeway.json'
local limits = require 'causeway.limits'
local messages = require 'causeway.messages'
local unicode = require 'causeway.unicode'

local commands = {}

local function is_reason(value)
  if type(value) ~= 'string' or value == '' then return false end
  return unicode.units(value) <= 512
end

local function is_optional_reason(value) return value == nil or is_reason(value) end

local function is_action(value) return value == 'add' or value == 'remove' end

local function is_item(value)
  if type(value) ~= 'string' or value == '' then return false end
  return unicode.units(value) <= limits.item_name_length
end

local function is_count(value) return json.is_whole(value) and value >= 1 and value <= limits.item_count end

local PARAMS = {
  kick = {
    { 'target', messages.is_identifier, 'must be an identifier' },
    { 'reason', is_reason, 'must be a text of 1 to 512 characters' },
  },
  money = {
    { 'target', messages.is_identifier, 'must be an identifier' },
    { 'type', messages.is_account, 'must be an account' },
    { 'amount', function(value) return json.is_whole(value) and value >= 1 end, 'must be a whole number of at least 1' },
    { 'action', is_action, 'must be add or remove' },
    { 'allowNegative', function(value) return type(value) == 'boolean' end, 'must be true or false' },
    { 'reason', is_optional_reason, 'must be a text of 1 to 512 characters' },
  },
  items = {
    { 'target', messages.is_identifier, 'must be an identifier' },
    { 'item', is_item, 'must be a text of 1 to 128 characters' },
    { 'count', is_count, 'must be a whole number from 1 to 1000000' },
    { 'action', is_action, 'must be add or remove' },
    { 'metadata', function(value) return value == nil or type(value) == 'table' end, 'must be an object' },
    { 'allowPartial', function(value) return type(value) == 'boolean' end, 'must be true or false' },
    { 'reason', is_optional_reason, 'must be a text of 1 to 512 characters' },
  },
}

--- Commands that need no journal, and wait for nothing but their like.
commands.EPHEMERAL = { kick = true }
--- Names with their version, in the order of the protocol.
commands.TAGS = { { 'kick', 'kick@1' }, { 'money', 'money@1' }, { 'items', 'items@1' } }

--- Whether a name is that of a command of the protocol.
function commands.is_known(name) return PARAMS[name] ~= nil end

--- The known parameters of a command; nil and what does not fit.
function commands.read(name, params)
  local read = {}
  for _, field in ipairs(PARAMS[name]) do
    local key, fits, problem = field[1], field[2], field[3]
    if not fits(params[key]) then return nil, ('/%s: %s'):format(key, problem) end
    read[key] = params[key]
  end
  return read
end

--- The name of a custom command in a frame's `custom:name`; nil if it is none.
function commands.custom_name(name) return name:match '^custom:(.*)$' end

--- The lane of a command: commands of one lane keep their order. It is the player; without one, the name of the command.
function commands.lane(name, target)
  local is_alone = commands.EPHEMERAL[name] or target == nil
  return (is_alone and name or '') .. '/' .. (target or '')
end

return commands
