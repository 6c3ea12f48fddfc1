--- Reads what parameters of a custom command mean: its amount, item, player and reason.
if jit then jit.off(true, true) end
local json = require 'causeway.json'

local roles = {}

local MOST_BYTES = 4096
--- The types that a parameter with each role may have, and their name in messages.
local NUMBER, TEXT = { integer = true, number = true, says = 'number' }, { string = true, says = 'string' }
local TYPES = { amount = NUMBER, item = TEXT, player = TEXT, reason = TEXT }
local NAMES = { 'amount', 'item', 'player', 'reason' }

local function can_be(parameter, types)
  if not parameter.type then return true end
  for _, one in ipairs(parameter.type) do
    if types[one] then return true end
  end
  return false
end

--- Why a role cannot be this parameter; nil: it can.
local function problem_of(role, name, properties, taken)
  if type(name) ~= 'string' then return 'must be the name of a parameter' end
  if taken[name] then return 'the parameter has the role ' .. taken[name] .. ' already' end
  local parameter = properties[name]
  if not parameter then return ('the schema has no property "%s"'):format(name) end
  if not can_be(parameter, TYPES[role]) then return ('the parameter "%s" must be a %s'):format(name, TYPES[role].says) end
end

--- The roles, and their text for the hub. Nil and the problem, with its place. `schema`: see schema.lua.
function roles.read(given, schema)
  if type(given) ~= 'table' or given == json.null then return nil, '/roles: must be a table' end
  for role in pairs(given) do
    if not TYPES[role] and role ~= 'reasonRequired' then return nil, ('/roles: there is no role "%s"'):format(tostring(role)) end
  end
  local read, taken, texts = {}, {}, {}
  for _, role in ipairs(NAMES) do
    local name = given[role]
    if name ~= nil then
      local problem = problem_of(role, name, schema.properties or {}, taken)
      if problem then return nil, '/roles/' .. role .. ': ' .. problem end
      read[role], taken[name] = name, role
      texts[#texts + 1] = '"' .. role .. '":' .. json.string(name)
    end
  end
  if given.reasonRequired ~= nil and type(given.reasonRequired) ~= 'boolean' then
    return nil, '/roles/reasonRequired: must be true or false'
  end
  if given.reasonRequired then
    if not read.reason then return nil, '/roles/reasonRequired: no parameter has the role reason' end
    texts[#texts + 1] = '"reasonRequired":true'
  end
  local text = '{' .. table.concat(texts, ',') .. '}'
  if #schema.text + #text > MOST_BYTES then return nil, '/roles: with the schema over 4096 bytes of JSON' end
  return read, text
end

return roles
