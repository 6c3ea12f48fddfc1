--- The commands of a bridge: what each frame runs, or why it is refused.
if jit then jit.off(true, true) end
local commands = require 'causeway.commands'
local json = require 'causeway.json'
local outcomes = require 'causeway.outcomes'

local handlers = {}

local function unsupported(name) return nil, outcomes.refusal('unsupported', ('This bridge does not carry out "%s".'):format(name)) end

local function invalid(fault)
  return outcomes.refusal('invalid_params', ('%s: %s'):format(fault.pointer, fault.detail), fault)
end

--- `given` maps the commands of the protocol to functions. `options`: `accounts`, `versions`, `custom` (see
--- custom.lua), `is_money_refused`.
function handlers.create(given, options)
  local self = { tags = {} }
  local function has(name, later) return ((options.versions or {})[name] or 1) >= later.version end
  for _, command in ipairs(commands.TAGS) do
    local later = commands.LATER[command[1]]
    if given[command[1]] then table.insert(self.tags, command[2]) end
    if given[command[1]] and later and has(command[1], later) then table.insert(self.tags, later.tag) end
  end
  local known_accounts = {}
  for _, account in ipairs(options.accounts) do known_accounts[account] = true end

  local function prepare_known(name, params)
    if not given[name] then return unsupported(name) end
    local read, problem = commands.read(name, params)
    if not read then return nil, outcomes.refusal('invalid_params', problem) end
    local later = commands.LATER[name]
    if later and read[later.field] ~= nil and not has(name, later) then return unsupported(later.tag) end
    if name == 'money' and not known_accounts[read.type] then
      local details = { accounts = json.array { (table.unpack or unpack)(options.accounts) } }
      return nil, outcomes.refusal('unknown_account', ('This server has no account "%s".'):format(read.type), details)
    end
    if name == 'money' and options.is_money_refused then
      return nil, outcomes.refusal('journal_unavailable', 'The journal of this bridge is volatile.')
    end
    return { name = name, target = read.target, params = read, run = given[name] }
  end

  local function prepare_custom(name, own, params)
    local read, fault = options.custom.check(own, params)
    if not read and not fault then return unsupported(name) end
    if not read then return nil, invalid(fault) end
    local function run(_, context)
      -- It may have waited: the command may have gone, or come back with another schema.
      local again, problem = options.custom.check(own, params)
      if again then return options.custom.handler(own)(again, context) end
      if problem then return outcomes.rejected('invalid_params', ('%s: %s'):format(problem.pointer, problem.detail), problem) end
      return outcomes.rejected('unsupported', 'This custom command has gone.')
    end
    return { name = name, target = options.custom.target(own, read), params = read, run = run }
  end

  --- Prepares a command: `name`, `target`, `params`, `run(params, context)`. Nil and the refusal if it cannot run.
  function self.prepare(name, params)
    local own = commands.custom_name(name)
    if own then return prepare_custom(name, own, params) end
    if commands.is_known(name) then return prepare_known(name, params) end
    return unsupported(name)
  end

  return self
end

return handlers
