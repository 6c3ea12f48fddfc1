--- JSON for all Lua versions. Strings that are not UTF-8 are written with U+FFFD; NUL and lone surrogates are read so.
if jit then jit.off(true, true) end
local unicode = require 'causeway.unicode'

local json = {}

local byte, find, format, gsub, match, sub = string.byte, string.find, string.format, string.gsub, string.match, string.sub
local to_integer = math.tointeger
local ARRAY, OBJECT = { __name = 'causeway.array' }, { __name = 'causeway.object' }
local REPLACEMENT = '\239\191\189'
local WHOLE = 9007199254740991

--- JSON's null, because a table cannot hold nil.
json.null = setmetatable({}, { __name = 'causeway.null', __tostring = function() return 'null' end })

--- Marks a table as a list, so that an empty one is written `[]`.
function json.array(values) return setmetatable(values or {}, ARRAY) end
--- Marks a table as an object, so that one with the keys 1, 2, … is not written as a list.
function json.object(fields) return setmetatable(fields or {}, OBJECT) end

--- Whether a value is written as a list.
function json.is_array(value)
  if type(value) ~= 'table' or value == json.null then return false end
  local mark = getmetatable(value)
  if mark == ARRAY then return true end
  if mark == OBJECT or next(value) == nil then return false end
  local count = 0
  for key in pairs(value) do
    if type(key) ~= 'number' or key < 1 or key % 1 ~= 0 then return false end
    count = count + 1
  end
  return #value == count
end

--- Whether a value is written as an object.
function json.is_object(value)
  return type(value) == 'table' and value ~= json.null and not json.is_array(value)
end

--- Whether a value is a whole number between -(2^53-1) and 2^53-1.
function json.is_whole(value)
  return type(value) == 'number' and value % 1 == 0 and value >= -WHOLE and value <= WHOLE
end

local ESCAPES = { ['"'] = '\\"', ['\\'] = '\\\\', ['\b'] = '\\b', ['\f'] = '\\f', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

local function escaped(char) return ESCAPES[char] or format('\\u%04x', byte(char)) end

local function write_string(text)
  if find(text, '[\128-\255]') then text = unicode.clean(text) end
  if find(text, '[%z\1-\31"\\]') then text = gsub(text, '[%z\1-\31"\\]', escaped) end
  return '"' .. text .. '"'
end
json.string = write_string

local function write_number(value)
  if value ~= value or value == math.huge or value == -math.huge then error('JSON has no such number', 0) end
  if math.type and math.type(value) == 'integer' then return format('%d', value) end
  -- Lua 5.1 writes `%d` through an integer of C, which may have 32 bits.
  if json.is_whole(value) then return value == 0 and '0' or format('%.0f', value) end
  local text = format('%.14g', value)
  if tonumber(text) ~= value then text = format('%.17g', value) end
  return (gsub(text, ',', '.'))
end

--- The keys of a table as texts, sorted, so that the same value is always the same text; and where each one's value is.
local function sorted_keys(fields)
  local names, keys, count = {}, {}, 0
  for key in pairs(fields) do
    local name = key
    if type(key) == 'number' then name = write_number(key)
    elseif type(key) ~= 'string' then error('JSON has no key of the type ' .. type(key), 0) end
    -- A number whose text is a key, too, would be a duplicate.
    if type(key) == 'string' or fields[name] == nil then
      count = count + 1
      names[count], keys[name] = name, key
    end
  end
  if count > 1 then table.sort(names) end
  return names, keys
end

local write

local function write_object(value, out, count, depth)
  local names, keys = sorted_keys(value)
  for nth, name in ipairs(names) do
    count = count + 1
    out[count] = (nth == 1 and '{' or ',') .. write_string(name) .. ':'
    count = write(value[keys[name]], out, count, depth + 1)
  end
  out[count + 1] = #names == 0 and '{}' or '}'
  return count + 1
end

write = function(value, out, count, depth)
  local kind = type(value)
  if kind == 'string' then
    out[count + 1] = write_string(value)
  elseif kind == 'number' then
    out[count + 1] = write_number(value)
  elseif kind == 'boolean' then
    out[count + 1] = value and 'true' or 'false'
  elseif value == json.null then
    out[count + 1] = 'null'
  elseif kind ~= 'table' then
    error('JSON has no value of the type ' .. kind, 0)
  elseif depth > json.DEPTH then
    error('nested over ' .. json.DEPTH .. ' deep', 0)
  elseif not json.is_array(value) then
    return write_object(value, out, count, depth)
  else
    out[count + 1] = '['
    count = count + 1
    for index = 1, #value do
      if index > 1 then
        count = count + 1
        out[count] = ','
      end
      count = write(value[index], out, count, depth + 1)
    end
    out[count + 1] = ']'
  end
  return count + 1
end

--- How deep objects and lists may be nested.
json.DEPTH = 64

--- The JSON text of a value. Nil and the reason if JSON has no such value, or it is nested over 64 deep.
function json.encode(value)
  local out = {}
  local fits, problem = pcall(write, value, out, 0, 1)
  if not fits then return nil, problem end
  return table.concat(out)
end

--- The JSON text of a table as an object, whatever its keys are. Nil and the reason if that is not possible.
function json.encode_object(fields)
  if type(fields) ~= 'table' or fields == json.null then return nil, 'not a table' end
  if getmetatable(fields) == ARRAY and #fields > 0 then return nil, 'a list' end
  local out = {}
  local fits, problem = pcall(write_object, fields, out, 0, 1)
  if not fits then return nil, problem end
  return table.concat(out)
end

local UNESCAPED = { b = '\b', f = '\f', n = '\n', r = '\r', t = '\t', ['"'] = '"', ['\\'] = '\\', ['/'] = '/' }

local function fail(reason) error({ reason = reason }, 0) end

local function read_escape(text, at)
  local kind = sub(text, at, at)
  if UNESCAPED[kind] then return UNESCAPED[kind], at + 1 end
  local digits = kind == 'u' and match(text, '^%x%x%x%x', at + 1)
  if not digits then fail 'invalid_json' end
  local code = tonumber(digits, 16)
  at = at + 5
  if code >= 0xD800 and code <= 0xDBFF then
    local low = tonumber(match(text, '^\\u([dD][c-fC-F]%x%x)', at) or '', 16)
    if not low then return REPLACEMENT, at end
    return unicode.char(0x10000 + (code - 0xD800) * 1024 + low - 0xDC00), at + 6
  end
  if code == 0 or code >= 0xDC00 and code <= 0xDFFF then return REPLACEMENT, at end
  return unicode.char(code), at
end

--- Reads the string whose first character is at `at`; answers it and the place after its closing quote.
local function read_string(text, at)
  local stop = find(text, '[%z\1-\31"\\]', at)
  if stop and byte(text, stop) == 34 then return sub(text, at, stop - 1), stop + 1 end
  local parts = {}
  while stop do
    parts[#parts + 1] = sub(text, at, stop - 1)
    local stopper = byte(text, stop)
    if stopper == 34 then return table.concat(parts), stop + 1 end
    if stopper ~= 92 then fail 'invalid_json' end
    parts[#parts + 1], at = read_escape(text, stop + 1)
    stop = find(text, '[%z\1-\31"\\]', at)
  end
  return fail 'invalid_json'
end

local function read_number(text, at)
  local digits = match(text, '^-?%d+', at)
  if not digits or find(digits, '^-?0%d') then fail 'invalid_json' end
  local after = at + #digits
  local fraction = match(text, '^%.%d+', after) or ''
  local exponent = match(text, '^[eE][+-]?%d+', after + #fraction) or ''
  local value = tonumber(digits .. fraction .. exponent)
  if not value then fail 'invalid_json' end
  -- Lua 5.4 would write a float 5.0 otherwise than the integer 5.
  if to_integer then value = to_integer(value) or value end
  if value == 0 then value = 0 end
  return value, after + #fraction + #exponent
end

local LITERALS = { t = { 'true', true }, f = { 'false', false }, n = { 'null', json.null } }

local read

local function after_space(text, at) return find(text, '[^ \n\r\t]', at) or #text + 1 end

local function read_array(text, at, depth)
  local values, count = setmetatable({}, ARRAY), 0
  at = after_space(text, at)
  if byte(text, at) == 93 then return values, at + 1 end
  while true do
    count = count + 1
    values[count], at = read(text, at, depth + 1)
    at = after_space(text, at)
    local next = byte(text, at)
    if next == 93 then return values, at + 1 end
    if next ~= 44 then fail 'invalid_json' end
    at = after_space(text, at + 1)
  end
end

local function read_object(text, at, depth)
  local fields, key = setmetatable({}, OBJECT), nil
  at = after_space(text, at)
  if byte(text, at) == 125 then return fields, at + 1 end
  while true do
    if byte(text, at) ~= 34 then fail 'invalid_json' end
    key, at = read_string(text, at + 1)
    at = after_space(text, at)
    if byte(text, at) ~= 58 then fail 'invalid_json' end
    fields[key], at = read(text, after_space(text, at + 1), depth + 1)
    at = after_space(text, at)
    local next = byte(text, at)
    if next == 125 then return fields, at + 1 end
    if next ~= 44 then fail 'invalid_json' end
    at = after_space(text, at + 1)
  end
end

read = function(text, at, depth)
  local first = byte(text, at)
  if first == 34 then return read_string(text, at + 1) end
  if first == 123 or first == 91 then
    if depth > json.DEPTH then fail 'too_deep' end
    return (first == 123 and read_object or read_array)(text, at + 1, depth)
  end
  local literal = first and LITERALS[sub(text, at, at)]
  if not literal then return read_number(text, at) end
  if sub(text, at, at + #literal[1] - 1) ~= literal[1] then fail 'invalid_json' end
  return literal[2], at + #literal[1]
end

local function read_whole(text)
  local value, at = read(text, after_space(text, 1), 1)
  if after_space(text, at) <= #text then fail 'invalid_json' end
  return value
end

--- The value of a JSON text. Nil and `invalid_json` or `too_deep` (over 64) if it is none. Of duplicate keys the last counts.
function json.decode(text)
  if unicode.fault(text) then return nil, 'invalid_json' end
  local fits, value = pcall(read_whole, text)
  if fits then return value end
  return nil, type(value) == 'table' and value.reason or 'invalid_json'
end

--- Whether two values are the same JSON, whatever the order of their keys.
function json.equal(one, other)
  if one == other then return true end
  if type(one) ~= 'table' or type(other) ~= 'table' or one == json.null or other == json.null then return false end
  if json.is_array(one) ~= json.is_array(other) then return false end
  for key, value in pairs(one) do
    if not json.equal(value, other[key]) then return false end
  end
  for key in pairs(other) do
    if one[key] == nil then return false end
  end
  return true
end

return json
