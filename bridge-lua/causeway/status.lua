--- The frame `status`, of what the game says about itself. What does not fit is left out: the hub counts bad frames.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local unicode = require 'causeway.unicode'

local status = {}

local function is_count(value) return json.is_whole(value) and value >= 0 end

local function is_length(value) return type(value) == 'number' and value >= 0 and value < math.huge end

local function number(value) return (json.encode(value)) end

local function players_text(given)
  if type(given) ~= 'table' or not is_count(given.online) then return nil end
  return ('{"online":%.0f'):format(given.online) .. (is_count(given.max) and (',"max":%.0f'):format(given.max) or '') .. '}'
end

local STATES = { pass = true, warn = true, fail = true }

local function database_text(given)
  if type(given) ~= 'table' or type(given.engine) ~= 'string' or not STATES[given.status] then return nil end
  local latency = is_length(given.latencyMs) and ',"latencyMs":' .. number(given.latencyMs) or ''
  local engine = unicode.cut(unicode.clean(given.engine), 32)
  return '{"engine":' .. json.string(engine) .. ',"status":"' .. given.status .. '"' .. latency .. '}'
end

--- `read` is the host's function, or nil.
function status.frame(read, is_draining, log)
  local fits, given = true, nil
  if read then fits, given = pcall(read) end
  if not fits then log('error', ('The status could not be read: %s'):format(tostring(given))) end
  given = fits and type(given) == 'table' and given or {}
  local players, database = players_text(given.players), database_text(given.database)
  return '{"type":"status"' .. (players and ',"players":' .. players or '') .. (database and ',"database":' .. database or '')
    .. (is_length(given.tickMs) and ',"tickMs":' .. number(given.tickMs) or '')
    .. ',"draining":' .. tostring(is_draining) .. '}'
end

return status
