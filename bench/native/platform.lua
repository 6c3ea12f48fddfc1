-- The natives of FXServer that a snapshot needs, in native Lua. Values to and from other runtimes are text that C code
-- reads, because FXServer's msgpack is not available here.
local cjson, socket = require('cjson'), require('socket')
cjson.encode_sparse_array(true)
json = { encode = cjson.encode, decode = cjson.decode }

--- Microseconds of wall-clock time, as CfxLua provides them.
function os.microtime() return math.floor(socket.gettime() * 1e6) end

local platform = { exported = {}, resources = {}, players = {} }
local timers, queries = {}, {}

--- An export of another resource: `answer(...)` returns its result as text, and `finish` adds the values that text
--- cannot express.
function platform.provide(resource, name, answer, finish)
  platform.resources[resource] = platform.resources[resource] or {}
  platform.resources[resource][name] = function(_, ...)
    cjson.encode({ ... })
    local text = answer(...)
    local value = text and cjson.decode(text)[1]
    return value and finish and finish(value) or value
  end
end

platform.resources.oxmysql = {
  query = function(_, sql, parameters, done)
    cjson.encode({ sql, parameters })
    queries[#queries + 1] = { sql = sql, parameters = parameters, done = done }
  end,
}

exports = setmetatable({}, {
  __call = function(_, name, fn) platform.exported[name] = fn end,
  __index = function(_, resource)
    return setmetatable({}, {
      __index = function(_, name)
        return (platform.resources[resource] or {})[name] or error(('No such export %s in %s'):format(name, resource))
      end,
    })
  end,
})

--- FXServer runs every call in a thread.
function platform.run(fn, ...)
  local ok, problem = coroutine.resume(coroutine.create(fn), ...)
  if not ok then error(problem, 0) end
end

function platform.pending() return #queries end

--- Answers the oldest open database query. `read(sql, parameters)` returns rows as text.
function platform.answer(read)
  local query = table.remove(queries, 1)
  platform.run(function() query.done(cjson.decode(read(query.sql, query.parameters))) end)
end

function platform.tick()
  local now, due = os.microtime(), timers
  timers = {}
  for _, timer in ipairs(due) do
    if timer.at <= now then platform.run(timer.fn) else timers[#timers + 1] = timer end
  end
end

function SetTimeout(ms, fn) timers[#timers + 1] = { at = os.microtime() + ms * 1000, fn = fn } end
function AddEventHandler() end
function GetCurrentResourceName() return 'causeway' end
function GetInvokingResource() return nil end
function GetResourceState(resource) return platform.resources[resource] and 'started' or 'missing' end
function GetResourceMetadata() return '1.0.0' end
function GetConvar(_, otherwise) return otherwise end
function GetPlayers()
  local sources = {}
  for source in ipairs(platform.players) do sources[source] = tostring(source) end
  return sources
end
function GetPlayerName(source) return 'Player ' .. source end
function DoesPlayerExist(source) return platform.players[tonumber(source)] ~= nil end
function GetNumPlayerIdentifiers(source) return #platform.players[tonumber(source)] end
function GetPlayerIdentifier(source, index) return platform.players[tonumber(source)][index + 1] end

return platform
