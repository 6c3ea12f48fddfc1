-- Four commands for a hub: POST /api/v2/bridge/<server>/actions/<name>. Copy the ones you need into your own resource.
-- A handler gets the parameters, which match the schema, and the player: context.target, and context.source if online.
-- It returns a table with the result. `{ refused = 'reason' }` reports that nothing was done: return it before any
-- change.

local function isStarted(resource) return GetResourceState(resource) == 'started' end
local function offline(context)
  return { refused = ('%s is not online.'):format(context.target or 'The target'), code = 'player_offline' }
end

local target = { type = 'string', description = 'The identifier of a player, as the hub lists it' }
local commands = {}

commands.announce = {
  schema = {
    type = 'object', description = 'Shows a message to all players', additionalProperties = false,
    properties = { message = { type = 'string', minLength = 1, maxLength = 256 } },
    required = { 'message' },
  },
  run = function(params)
    TriggerClientEvent('chat:addMessage', -1, { args = { 'Server', params.message } })
    return { players = GetNumPlayerIndices() }
  end,
}

commands.revive = {
  schema = {
    type = 'object', description = 'Brings a player back to life', additionalProperties = false,
    properties = { target = target },
    required = { 'target' },
  },
  run = function(_, context)
    if not context.source then return offline(context) end
    -- The clients of ESX and QBCore each handle one of these events.
    TriggerClientEvent('esx_ambulancejob:revive', context.source)
    TriggerClientEvent('hospital:client:Revive', context.source)
    return { told = context.source }
  end,
}

commands.give_item = {
  schema = {
    type = 'object', description = 'Puts items into the inventory of a player', additionalProperties = false,
    properties = {
      target = target,
      item = { type = 'string', minLength = 1, maxLength = 64 },
      count = { type = 'integer', minimum = 1, maximum = 1000 },
      reason = { type = 'string', maxLength = 200, description = 'Only the journal of the hub has it' },
    },
    required = { 'target', 'item', 'count' },
  },
  -- The meaning of the parameters, for the journal and the panel.
  roles = { player = 'target', item = 'item', amount = 'count', reason = 'reason' },
  run = function(params, context)
    if not context.source then return offline(context) end
    -- A schema bounds the length of a text. The handler checks its characters.
    if params.item:find('[^%w_-]') then return { refused = 'The name of an item has letters, digits, _ and - only.' } end
    local inventory = isStarted('ox_inventory') and 'ox_inventory' or 'qb-inventory'
    if not isStarted(inventory) then return { refused = 'This server has neither ox_inventory nor qb-inventory.' } end
    local ok, why = exports[inventory]:AddItem(context.source, params.item, params.count)
    if not ok then return { refused = ('The inventory does not take it: %s.'):format(tostring(why or 'no reason')) } end
    return { item = params.item, count = params.count }
  end,
}

local function setJobOfEsx(source, job, grade)
  local ESX = exports.es_extended:getSharedObject()
  if not ESX.DoesJobExist(job, grade) then return false end
  ESX.GetPlayerFromId(source).setJob(job, grade)
  return true
end

local function setJobOfQb(source, job, grade)
  local QBCore = exports['qb-core']:GetCoreObject({ 'Functions' })
  return QBCore.Functions.GetPlayer(source).Functions.SetJob(job, grade)
end

commands.set_job = {
  schema = {
    type = 'object', description = 'Gives a player a job', additionalProperties = false,
    properties = { target = target, job = { type = 'string', maxLength = 64 }, grade = { type = 'integer', minimum = 0 } },
    required = { 'target', 'job', 'grade' },
  },
  run = function(params, context)
    if not context.source then return offline(context) end
    local setJob = isStarted('es_extended') and setJobOfEsx or setJobOfQb
    if not setJob(context.source, params.job, params.grade) then
      return { refused = ('There is no job %s with grade %d.'):format(params.job, params.grade) }
    end
    return { job = params.job, grade = params.grade }
  end,
}

local function offer()
  for name, command in pairs(commands) do
    exports.causeway:registerCommand(name, command.schema, command.run, command.roles)
  end
end
if isStarted('causeway') then offer() end
-- A bridge that was restarted alone has lost these registrations.
AddEventHandler('causeway:ready', offer)
