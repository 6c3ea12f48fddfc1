--- The commands that a game adds to those of the protocol while it runs.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local limits = require 'causeway.limits'
local messages = require 'causeway.messages'
local params_of = require 'causeway.params'
local roles_of = require 'causeway.roles'
local schema_of = require 'causeway.schema'
local unicode = require 'causeway.unicode'

local custom = {}

local function fail(name, problem) error(('custom command %s: %s'):format(tostring(name), problem), 0) end

--- The text for people: `description`, with `title` before it if there is one.
local function description_of(command)
  local parts = {}
  for _, part in ipairs { command.title or '', command.description or '' } do
    if part ~= '' then parts[#parts + 1] = part end
  end
  return unicode.clean(table.concat(parts, ': '))
end

function custom.create()
  local commands, order, version = {}, {}, 0
  local self = {}

  --- Adds a command: `name`, `params` (a JSON Schema), `roles` (what parameters mean), `run(params, context)`, `title` and
  --- `description` for people, and `replace` (true: it takes the place of one of this name). Raises an error that describes
  --- the mistake, and changes nothing.
  function self.register(command)
    local name = command.name
    if type(name) ~= 'string' or #name > 48 or not name:find '^[a-z][a-z0-9_-]*$' then
      fail(name, 'name: up to 48 of a-z 0-9 _ - that begin with a letter')
    end
    if type(command.run) ~= 'function' then fail(name, 'run: must be a function') end
    local description = description_of(command)
    if unicode.units(description) > 256 then fail(name, 'title and description: at most 256 characters together') end
    local schema, problem = schema_of.read(command.params or json.object {})
    if not schema then fail(name, 'params: ' .. problem) end
    local roles, written = roles_of.read(command.roles or {}, schema)
    if not roles then fail(name, written) end
    local is_new = commands[name] == nil
    if not is_new and command.replace ~= true then fail(name, 'there is a command of this name') end
    if is_new and #order >= limits.custom_commands then fail(name, 'there are 50 custom commands, and no more are possible') end
    local text = '{"name":"' .. name .. '","description":' .. json.string(description) .. ',"params":' .. schema.text
    if written ~= '{}' then text = text .. ',"roles":' .. written end
    commands[name] = { schema = schema, roles = roles, run = command.run, text = text .. '}' }
    if is_new then order[#order + 1] = name end
    version = version + 1
  end

  --- Takes a command away; a name that is not there changes nothing.
  function self.unregister(name)
    if not commands[name] then return end
    commands[name] = nil
    for nth, one in ipairs(order) do
      if one == name then table.remove(order, nth) break end
    end
    version = version + 1
  end

  --- The frame that tells the hub all of them.
  function self.announcement()
    local texts = {}
    for nth, name in ipairs(order) do texts[nth] = commands[name].text end
    return '{"type":"commands.custom","commands":[' .. table.concat(texts, ',') .. ']}'
  end

  function self.size() return #order end
  --- Another number after each change.
  function self.version() return version end

  --- The parameters as the command gets them. Nil if there is no such command; nil and the fault if they do not fit.
  function self.check(name, params)
    local command = commands[name]
    if not command then return nil end
    local fault = params_of.fault(command.schema, params)
    if fault then return nil, fault end
    return params
  end

  function self.handler(name) return commands[name].run end

  --- The player that a command acts on: the parameter that names the player, where that is an identifier.
  function self.target(name, params)
    local target = params[commands[name].roles.player or 'target']
    return messages.is_identifier(target) and target or nil
  end

  return self
end

return custom
