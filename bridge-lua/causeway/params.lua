--- Checks the parameters of a custom command: the bounds that all have, then its schema. A fault has a JSON pointer and a
--- detail.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local limits = require 'causeway.limits'
local unicode = require 'causeway.unicode'

local params = {}

local MOST_VALUES, MOST_DEPTH = 1000, 32

local function fault(pointer, detail) return { pointer = pointer, detail = detail } end

local function below(pointer, name)
  local cut = unicode.cut(tostring(name), 64):gsub('~', '~0'):gsub('/', '~1')
  return pointer .. '/' .. cut
end

--- The first value that no command can carry.
local function value_fault(value, pointer, room, depth)
  room.left = room.left - 1
  if room.left < 0 then return fault(pointer, 'parameters have at most 1000 values') end
  if depth > MOST_DEPTH then return fault(pointer, 'parameters are nested at most 32 deep') end
  if type(value) == 'number' and (value ~= value or value == math.huge or value == -math.huge) then
    return fault(pointer, 'must be a number that JSON has')
  end
  if type(value) ~= 'table' or value == json.null then return nil end
  local is_list = json.is_array(value)
  for key, inner in pairs(value) do
    local at = below(pointer, is_list and key - 1 or key)
    if key == '__proto__' then return fault(at, 'this field does not exist here') end
    local found = value_fault(inner, at, room, depth + 1)
    if found then return found end
  end
  return nil
end

local function is_of_type(name, value)
  if name == 'null' then return value == json.null end
  if name == 'array' then return json.is_array(value) end
  if name == 'object' then return json.is_object(value) end
  if name == 'integer' then return type(value) == 'number' and value % 1 == 0 end
  return type(value) == name
end

local function any(list, fits)
  for _, one in ipairs(list) do
    if fits(one) then return true end
  end
  return false
end

local function is_one_of(values, value) return any(values, function(one) return json.equal(one, value) end) end

local function size_fault(size, least, most, what)
  if least and size < least then return ('must have at least %d %s'):format(least, what) end
  if most and size > most then return ('must have at most %d %s'):format(most, what) end
  return nil
end

local function number_fault(schema, value)
  if schema.minimum and value < schema.minimum then return 'must be at least ' .. schema.minimum end
  if schema.maximum and value > schema.maximum then return 'must be at most ' .. schema.maximum end
  if schema.exclusiveMinimum and value <= schema.exclusiveMinimum then return 'must be more than ' .. schema.exclusiveMinimum end
  if schema.exclusiveMaximum and value >= schema.exclusiveMaximum then return 'must be less than ' .. schema.exclusiveMaximum end
  if schema.multipleOf and (value / schema.multipleOf) % 1 ~= 0 then return 'must be a multiple of ' .. schema.multipleOf end
  return nil
end

local schema_fault

local function list_fault(schema, list, pointer)
  local problem = size_fault(#list, schema.minItems, schema.maxItems, 'entries')
  if problem then return fault(pointer, problem) end
  if not schema.items then return nil end
  for nth = 1, #list do
    local found = schema_fault(schema.items, list[nth], below(pointer, nth - 1))
    if found then return found end
  end
  return nil
end

local function object_fault(schema, fields, pointer)
  for _, name in ipairs(schema.required or {}) do
    if fields[name] == nil then return fault(below(pointer, name), 'is required') end
  end
  local names = {}
  for name in pairs(fields) do names[#names + 1] = name end
  local problem = size_fault(#names, schema.minProperties, schema.maxProperties, 'fields')
  if problem then return fault(pointer, problem) end
  table.sort(names)
  for _, name in ipairs(names) do
    local inner = (schema.properties or {})[name]
    if inner == nil then inner = schema.additionalProperties end
    if inner == false then return fault(below(pointer, name), 'this field does not exist here') end
    local found = type(inner) == 'table' and schema_fault(inner, fields[name], below(pointer, name))
    if found then return found end
  end
  return nil
end

local function combination_fault(schema, value, pointer)
  local function fits(one) return schema_fault(one, value, pointer) == nil end
  if schema.anyOf and not any(schema.anyOf, fits) then return fault(pointer, 'fits none of the forms that are allowed') end
  if schema.oneOf then
    local count = 0
    for _, one in ipairs(schema.oneOf) do count = count + (fits(one) and 1 or 0) end
    if count ~= 1 then return fault(pointer, 'must fit exactly one of the forms that are allowed') end
  end
  if schema['not'] and fits(schema['not']) then return fault(pointer, 'is what is not allowed') end
  for _, one in ipairs(schema.allOf or {}) do
    local found = schema_fault(one, value, pointer)
    if found then return found end
  end
  return nil
end

local function own_fault(schema, value, pointer)
  if schema.type and not any(schema.type, function(one) return is_of_type(one, value) end) then
    return fault(pointer, 'must be ' .. table.concat(schema.type, ' or '))
  end
  if schema.enum and not is_one_of(schema.enum, value) then
    return fault(pointer, 'must be one of ' .. unicode.cut(json.encode(json.array(schema.enum)), 150))
  end
  if schema.const ~= nil and not json.equal(schema.const, value) then
    return fault(pointer, 'must be ' .. unicode.cut(json.encode(schema.const), 150))
  end
  if json.is_array(value) then return list_fault(schema, value, pointer) end
  if json.is_object(value) then return object_fault(schema, value, pointer) end
  local detail = type(value) == 'string' and size_fault(unicode.characters(value), schema.minLength, schema.maxLength, 'characters')
    or type(value) == 'number' and number_fault(schema, value)
  return detail and fault(pointer, detail) or nil
end

schema_fault = function(schema, value, pointer)
  return own_fault(schema, value, pointer) or combination_fault(schema, value, pointer)
end

--- The first thing about parameters that their schema does not allow; nil if there is none.
function params.fault(schema, given)
  if not json.is_object(given) then return fault('/', 'must be an object') end
  local found = value_fault(given, '', { left = MOST_VALUES }, 1)
  if found then return found end
  local text = json.encode(given)
  if not text or #text > limits.custom_data_bytes then return fault('/', 'parameters have at most 16384 bytes') end
  found = schema_fault(schema, given, '')
  if found and found.pointer == '' then found.pointer = '/' end
  return found
end

return params
