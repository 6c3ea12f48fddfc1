--- Reads the JSON Schema of a custom command's parameters, and writes it for the hub. A plain Lua table will do: which
--- keyword is a list and which an object is known here.
if jit then jit.off(true, true) end
local json = require 'causeway.json'

local schema = {}

local MOST_BYTES, MOST_DEPTH = 4096, 32

local function fail(where, problem) error({ problem = (where == '' and '/' or where) .. ': ' .. problem }, 0) end

local TYPES = { object = true, array = true, string = true, number = true, integer = true, boolean = true, null = true }
local read

local function value_text(value, where)
  local text, problem = json.encode(value)
  if not text then fail(where, problem) end
  return text
end

local function as_list(value, where, least)
  if type(value) ~= 'table' or value == json.null then fail(where, 'must be a list') end
  if #value < least or #value == 0 and next(value) ~= nil then fail(where, 'must be a list of at least ' .. least) end
  return value
end

local function list_text(texts) return '[' .. table.concat(texts, ',') .. ']' end

local function read_type(value, where)
  local types = type(value) == 'table' and value or { value }
  local texts = {}
  for nth, one in ipairs(as_list(types, where, 1)) do
    if not TYPES[one] then fail(where, 'must be a type of JSON Schema') end
    texts[nth] = '"' .. one .. '"'
  end
  return types, type(value) == 'table' and list_text(texts) or texts[1]
end

local function read_values(value, where)
  local texts = {}
  for nth, one in ipairs(as_list(value, where, 1)) do texts[nth] = value_text(one, where) end
  return value, list_text(texts)
end

local function read_names(value, where)
  local texts = {}
  for nth, name in ipairs(as_list(value, where, 0)) do
    if type(name) ~= 'string' then fail(where, 'must be a list of names') end
    texts[nth] = json.string(name)
  end
  return value, list_text(texts)
end

local function read_count(value, where)
  if not json.is_whole(value) or value < 0 then fail(where, 'must be a whole number of at least 0') end
  return value, ('%.0f'):format(value)
end

local function read_number(value, where)
  if type(value) ~= 'number' then fail(where, 'must be a number') end
  return value, value_text(value, where)
end

local function read_factor(value, where)
  if type(value) ~= 'number' or value <= 0 then fail(where, 'must be a number over 0') end
  return value, value_text(value, where)
end

local function read_properties(value, where, depth)
  if type(value) ~= 'table' or value == json.null then fail(where, 'must be a table of schemas') end
  local properties, names, texts = {}, {}, {}
  for name in pairs(value) do
    if type(name) ~= 'string' then fail(where, 'must have names as keys') end
    names[#names + 1] = name
  end
  table.sort(names)
  for nth, name in ipairs(names) do
    properties[name] = read(value[name], where .. '/' .. name, depth)
    texts[nth] = json.string(name) .. ':' .. properties[name].text
  end
  return properties, '{' .. table.concat(texts, ',') .. '}'
end

local function read_part(value, where, depth)
  local part = read(value, where, depth)
  return part, part.text
end

local function read_others(value, where, depth)
  if type(value) == 'boolean' then return value, tostring(value) end
  return read_part(value, where, depth)
end

local function read_parts(value, where, depth)
  local parts, texts = {}, {}
  for nth, one in ipairs(as_list(value, where, 1)) do
    parts[nth] = read(one, where .. '/' .. nth, depth)
    texts[nth] = parts[nth].text
  end
  return parts, list_text(texts)
end

local function read_note(value, where) return value, value_text(value, where) end

local KEYWORDS = {
  type = read_type, enum = read_values, const = read_note, properties = read_properties, required = read_names,
  additionalProperties = read_others, minProperties = read_count, maxProperties = read_count, items = read_part,
  minItems = read_count, maxItems = read_count, minLength = read_count, maxLength = read_count, minimum = read_number,
  maximum = read_number, exclusiveMinimum = read_number, exclusiveMaximum = read_number,
  multipleOf = read_factor, anyOf = read_parts, oneOf = read_parts, allOf = read_parts, ['not'] = read_part,
  title = read_note, description = read_note, default = read_note, examples = read_note, deprecated = read_note,
  ['$comment'] = read_note, ['$schema'] = read_note,
}

read = function(given, where, depth)
  if not (json.is_object(given) or json.is_array(given) and #given == 0) then fail(where, 'must be a table with keywords') end
  if depth > MOST_DEPTH then fail(where, 'nested over 32 deep') end
  local keywords, names, texts = {}, {}, {}
  for name in pairs(given) do
    if not KEYWORDS[name] then fail(where, tostring(name) .. ' cannot be used here') end
    names[#names + 1] = name
  end
  table.sort(names)
  for nth, name in ipairs(names) do
    local text
    keywords[name], text = KEYWORDS[name](given[name], where .. '/' .. name, depth + 1)
    texts[nth] = json.string(name) .. ':' .. text
  end
  keywords.text = '{' .. table.concat(texts, ',') .. '}'
  return keywords
end

--- Reads a schema, which is one of an object: its keywords, and `text` for the hub. Nil and the problem, with its place.
function schema.read(given)
  local fits, found = pcall(function()
    local keywords = read(given, '', 1)
    if keywords.type and (#keywords.type > 1 or keywords.type[1] ~= 'object') then fail('/type', 'parameters are an object') end
    if not keywords.type then
      keywords.type = { 'object' }
      keywords.text = '{"type":"object"' .. (keywords.text == '{}' and '' or ',') .. keywords.text:sub(2)
    end
    if #keywords.text > MOST_BYTES then fail('', 'over 4096 bytes of JSON') end
    -- Bounds of depth are those of the text: notes and values count, too.
    if not json.encode(json.decode(keywords.text)) then fail('', 'it cannot be written') end
    return keywords
  end)
  if fits then return found end
  return nil, type(found) == 'table' and found.problem or tostring(found)
end

return schema
