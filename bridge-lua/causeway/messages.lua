--- The frames of the hub: which fields each must have. What is not named here is ignored.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local unicode = require 'causeway.unicode'

local messages = {}

local function is_text(limit)
  return function(value) return type(value) == 'string' and unicode.units(value) <= limit end
end

local function is_id(value) return type(value) == 'string' and value ~= '' and unicode.units(value) <= 64 end

local function is_count(value) return json.is_whole(value) and value >= 0 end

local function is_at_least_one(value) return json.is_whole(value) and value >= 1 end

--- Whether a text is an identifier of a player.
function messages.is_identifier(value)
  return type(value) == 'string' and #value <= 128 and value:find '^[A-Za-z0-9:_.@-]+$' ~= nil
end

--- Whether a text is a type of account.
function messages.is_account(value)
  return type(value) == 'string' and #value <= 64 and value:find '^[A-Za-z0-9_.-]+$' ~= nil
end

local function is_ids(value)
  if not json.is_array(value) then return false end
  for _, id in ipairs(value) do
    if not is_id(id) then return false end
  end
  return true
end

local function is_map(value) return json.is_object(value) end

local function optional(check)
  return function(value) return value == nil or check(value) end
end

local function wholes(...)
  local names = { ... }
  return function(value)
    if not is_map(value) then return false end
    for _, name in ipairs(names) do
      if not json.is_whole(value[name]) then return false end
    end
    return true
  end
end

local FRAMES = {
  welcome = {
    session = is_text(64), server = optional(is_text(64)), epoch = json.is_whole, now = json.is_whole,
    ping = wholes('everyMs', 'timeoutMs'), limits = wholes('frameBytes', 'inFlight'), catalogues = optional(is_map),
  },
  command = {
    id = is_id, name = is_text(64), params = is_map, fingerprint = is_text(128), expiresAt = json.is_whole,
    attempt = is_at_least_one,
  },
  ack = { ids = is_ids },
  void = { id = is_id },
  ['players.resync'] = {},
  ['players.read'] = { id = is_id, identifier = messages.is_identifier },
  ping = { n = is_count, now = json.is_whole },
  drain = { withinMs = is_count },
  error = { re = optional(is_text(64)), code = is_text(64), message = is_text(1024) },
}

local ACK = '{"type":"ack","ids":['

--- The ids of an `ack` that is written without spaces and escapes, as one text; nil if it is another frame. One with
--- thousands of ids takes long to read, so its ids are read one by one later.
function messages.ack_ids(text)
  if text:sub(1, #ACK) ~= ACK or text:sub(-2) ~= ']}' then return nil end
  local ids = text:sub(#ACK + 1, -3)
  local bare = ids:gsub('"[%w_-]+"', 'x')
  if bare:find '[^x,]' or bare:find 'xx' or bare:find ',,' or bare:find '^,' or bare:find ',$' then return nil end
  return ids
end

--- Reads a frame of the hub. Nil and `{ code, message, re }` if it is none.
function messages.read(text)
  local value, problem = json.decode(text)
  if value == nil then
    if problem == 'too_deep' then return nil, { code = 'invalid_message', message = 'A frame is nested at most 64 deep.' } end
    return nil, { code = 'invalid_json', message = 'A frame is one JSON object.' }
  end
  local kind = json.is_object(value) and value.type
  if type(kind) ~= 'string' then return nil, { code = 'invalid_message', message = 'A frame has a string "type".' } end
  local re = unicode.cut(kind, 64)
  local fields = FRAMES[kind]
  if not fields then return nil, { code = 'unsupported', message = ('The type "%s" is not known here.'):format(re), re = re } end
  for name, fits in pairs(fields) do
    if not fits(value[name]) then
      return nil, { code = 'invalid_message', message = ('/%s: does not fit'):format(name), re = re }
    end
  end
  return value
end

return messages
