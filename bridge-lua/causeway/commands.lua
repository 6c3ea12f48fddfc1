--- The commands of the protocol: their parameters, their class, and the lane in which each waits.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local limits = require 'causeway.limits'
local messages = require 'causeway.messages'
local unicode = require 'causeway.unicode'

local commands = {}

local function is_text(limit)
  return function(value) return type(value) == 'string' and value ~= '' and unicode.units(value) <= limit end
end

local function optional(fits)
  return function(value) return value == nil or fits(value) end
end

local function one_of(...)
  local words = {}
  for _, word in ipairs { ... } do words[word] = true end
  return function(value) return words[value] == true end
end

local function is_flag(value) return type(value) == 'boolean' end
local function is_number(value) return type(value) == 'number' end
local is_reason, is_name, is_plate = is_text(512), is_text(limits.item_name_length), is_text(limits.plate_length)

local function is_place(value)
  if not json.is_object(value) then return false end
  if value.player ~= nil then return value.x == nil and messages.is_identifier(value.player) end
  return is_number(value.x) and is_number(value.y) and is_number(value.z)
end

local TARGET = { 'target', messages.is_identifier, 'must be an identifier' }
local REASON = { 'reason', optional(is_reason), 'must be a text of 1 to 512 characters' }
local ADD_OR_REMOVE = { 'action', one_of('add', 'remove'), 'must be add or remove' }
local METADATA = { 'metadata', optional(function(value) return type(value) == 'table' end), 'must be an object' }
local MESSAGE = { 'message', is_text(limits.message_length), 'must be a text of 1 to 1024 characters' }

--- Whether a value is a list of players, each once.
local function are_targets(value)
  if not json.is_array(value) or #value < 1 or #value > limits.announce_targets then return false end
  local seen = {}
  for _, target in ipairs(value) do
    if not messages.is_identifier(target) or seen[target] then return false end
    seen[target] = true
  end
  return true
end
local TARGETS = { 'targets', optional(are_targets), 'must be a list of 1 to 1000 identifiers, each once' }

local function is_item_count(value) return json.is_whole(value) and value >= 1 and value <= limits.item_count end

local PARAMS = {
  kick = { TARGET, { 'reason', is_reason, 'must be a text of 1 to 512 characters' } },
  money = {
    TARGET,
    { 'type', messages.is_account, 'must be an account' },
    { 'amount', function(value) return json.is_whole(value) and value >= 1 end, 'must be a whole number of at least 1' },
    ADD_OR_REMOVE,
    { 'allowNegative', is_flag, 'must be true or false' },
    REASON,
  },
  items = {
    TARGET,
    { 'item', is_name, 'must be a text of 1 to 128 characters' },
    { 'count', is_item_count, 'must be a whole number from 1 to 1000000' },
    ADD_OR_REMOVE,
    METADATA,
    { 'allowPartial', is_flag, 'must be true or false' },
    REASON,
  },
  vehicles = {
    TARGET,
    { 'action', one_of('give', 'take', 'store'), 'must be give, take or store' },
    { 'model', optional(is_name), 'must be a text of 1 to 128 characters' },
    { 'plate', optional(is_plate), 'must be a text of 1 to 32 characters' },
    { 'garage', optional(is_name), 'must be a text of 1 to 128 characters' },
    METADATA,
    REASON,
  },
  job = {
    TARGET,
    { 'job', is_name, 'must be a text of 1 to 128 characters' },
    { 'grade', function(value) return json.is_whole(value) and value >= 0 end, 'must be a whole number of at least 0' },
    REASON,
  },
  announce = { MESSAGE, TARGETS },
  message = { TARGET, MESSAGE },
  revive = { TARGET, REASON },
  heal = { TARGET, REASON },
  freeze = { TARGET, { 'frozen', is_flag, 'must be true or false' }, REASON },
  teleport = { TARGET, { 'to', is_place, 'must be {player} or {x, y, z}' }, REASON },
}

--- The fault in parameters that fit one by one, and not together.
local FAULTS = {
  vehicles = function(params)
    if (params.action == 'give') ~= (params.model ~= nil) then return '/model: give needs a model, the others none' end
    if params.action ~= 'give' and params.plate == nil then return '/plate: take and store need a plate' end
    return nil
  end,
}

--- Commands that need no journal, and wait for nothing but their like.
commands.EPHEMERAL = { kick = true, announce = true, message = true, revive = true, heal = true, freeze = true, teleport = true }
--- Names in the order of the protocol.
local NAMES = {
  'kick', 'money', 'items', 'vehicles', 'job', 'announce', 'message', 'revive', 'heal', 'freeze', 'teleport',
}
--- Names with their version, in the order of the protocol.
commands.TAGS = {}
for nth, name in ipairs(NAMES) do commands.TAGS[nth] = { name, name .. '@1' } end

--- The field that came with a later version of a command. A handler of an earlier version would not look at it.
commands.LATER = { announce = { version = 2, field = 'targets', tag = 'announce@2' } }

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
  local fault = FAULTS[name] and FAULTS[name](read)
  if fault then return nil, fault end
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
