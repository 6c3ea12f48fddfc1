-- The library `json` of CfxLua. Checked against lua_rapidjson.cpp and .hpp of gottfriedleibniz/lua-rapidjson, from which
-- FXServer's was made, and against its options in scheduler.lua of citizenfx/fivem at 06d4d348c.
local MAX_DEPTH = 32
-- A table with holes is a list up to this key, and beyond it if at least half of its places are taken.
local CUTOFF = 10
local PLACES = 14

local ESCAPES = { ['"'] = '\\"', ['\\'] = '\\\\', ['\b'] = '\\b', ['\f'] = '\\f', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }
local function quoted(text)
  return '"' .. text:gsub('[%z\1-\31"\\]', function(char)
    return ESCAPES[char] or ('\\u%04X'):format(char:byte())
  end) .. '"'
end

--- The shortest text that is read as the same float, with at most 14 places: a float keeps its `.0`.
local function numeral(value)
  if math.type(value) == 'integer' then return tostring(value) end
  if value ~= value then return 'NaN' end
  if value == math.huge or value == -math.huge then return value > 0 and 'Infinity' or '-Infinity' end
  local text
  for digits = 15, 17 do
    text = ('%.' .. digits .. 'g'):format(value)
    if tonumber(text) == value then break end
  end
  local whole, places = text:match('^(%-?%d+)%.(%d+)$')
  if places then text = whole .. '.' .. places:sub(1, PLACES) end
  return text:find('[.eE]') and text or text .. '.0'
end

local EMPTY_OBJECT = { __jsontype = 'object' }
local LIST = { __jsontype = 'array' }

--- The length of a table that is written as a list; nil if it is an object.
local function lengthOf(value)
  local most, count = 0, 0
  for key in pairs(value) do
    if math.type(key) ~= 'integer' or key < 1 then return nil end
    most, count = math.max(most, key), count + 1
  end
  local meta = getmetatable(value)
  if most == 0 and meta and meta.__jsontype == 'object' then return nil end
  if most == count or most <= CUTOFF or count >= most // 2 then return most end
end

local encode
local function encodeTable(value, depth)
  if depth > MAX_DEPTH then error('maximum table nesting depth exceeded', 0) end
  local parts, length = {}, lengthOf(value)
  if length then
    for index = 1, length do parts[index] = encode(value[index], depth) end
    return '[' .. table.concat(parts, ',') .. ']'
  end
  for key, item in pairs(value) do parts[#parts + 1] = quoted(tostring(key)) .. ':' .. encode(item, depth) end
  return '{' .. table.concat(parts, ',') .. '}'
end

encode = function(value, depth)
  local kind = type(value)
  if kind == 'nil' then return 'null' end
  if kind == 'boolean' then return tostring(value) end
  if kind == 'number' then return numeral(value) end
  if kind == 'string' then return quoted(value) end
  if kind == 'table' then return encodeTable(value, depth + 1) end
  error('unsupported type', 0)
end

json = {
  encode = function(value) return encode(value, 0) end,
  --- A bad text is nil, a position and a reason. What was read as `{}` is written as `{}` again.
  decode = function(text)
    if type(text) ~= 'string' then return nil end
    local ok, value = pcall(__decode, text, function(made, isList)
      return setmetatable(made, isList and LIST or EMPTY_OBJECT)
    end)
    if ok then return value end
    return nil, 0, 'Invalid value. (0)'
  end,
}
