--- How a command ended, in the bounds of the wire. `data` and `error` are kept as JSON texts, so that nothing changes them.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local limits = require 'causeway.limits'
local unicode = require 'causeway.unicode'

local outcomes = {}

--- A `result` is kept well below the bound of a frame.
local RESULT_BYTES = 200000
local DETAILS_BYTES = 100000
local STATUSES = { done = true, failed = true, rejected = true, voided = true, indeterminate = true }
local PROMISED = {
  kick = { 'kicked' }, money = { 'account', 'before', 'after', 'applied' }, items = { 'item', 'before', 'after', 'applied' },
  vehicles = { 'plate', 'model', 'garage', 'metadata' }, job = { 'before', 'after' }, announce = { 'confirmedBy', 'players' },
  message = { 'confirmedBy' }, revive = { 'confirmedBy' }, heal = { 'confirmedBy' }, freeze = { 'confirmedBy', 'frozen' },
  teleport = { 'confirmedBy', 'position' },
}

--- It happened. `data` is what the command promises.
function outcomes.done(data) return { status = 'done', data = data or json.object {} } end
--- It was refused before anything changed. `code` is an error code of the protocol, `details` a table or nil.
function outcomes.rejected(code, message, details)
  return { status = 'rejected', error = { code = code, message = message, details = details } }
end
--- It was tried, and nothing changed for certain.
function outcomes.failed(code, message) return { status = 'failed', error = { code = code, message = message } } end
--- The bridge cannot know whether the command took effect.
function outcomes.indeterminate(message)
  return { status = 'indeterminate', error = { code = 'internal_error', message = message } }
end

--- A handler's answer that says: the outcome comes with `context.finish`.
outcomes.later = setmetatable({}, { __tostring = function() return 'causeway.later' end })

local function has_long_key(fields)
  for key in pairs(fields) do
    if unicode.units(tostring(key)) > 64 then return true end
  end
  return false
end

--- The JSON text of a map within `bytes`; nil if there is none.
local function map_text(fields, bytes)
  if type(fields) ~= 'table' or has_long_key(fields) then return nil end
  -- The depth of the frame around it counts, too.
  local text = json.encode_object { { fields } } and json.encode_object(fields)
  return text and #text <= bytes and text or nil
end

local function cut_data(name, data)
  local promised = PROMISED[name]
  if not promised then return '{"omitted":true}' end
  local kept = {}
  for _, field in ipairs(promised) do kept[field] = type(data) == 'table' and data[field] or nil end
  return map_text(kept, RESULT_BYTES) or '{}'
end

local function error_text(given)
  if type(given) ~= 'table' then return nil end
  local code, message = unicode.clean(tostring(given.code)), unicode.clean(tostring(given.message))
  local text = '{"code":' .. json.string(unicode.cut(code, 64)) .. ',"message":' .. json.string(unicode.cut(message, 1024))
  local details = given.details and map_text(given.details, DETAILS_BYTES)
  return text .. (details and ',"details":' .. details or '') .. '}'
end

--- The outcome of a handler's answer, cut to the bounds; nil if the answer is no outcome.
function outcomes.fit(name, answer)
  if type(answer) ~= 'table' or not STATUSES[answer.status] then return nil end
  local fitted = { status = answer.status, error = error_text(answer.error) }
  if name == 'money' and answer.status == 'done' then fitted.ledger = answer.ledger end
  if answer.data ~= nil then
    local bytes = PROMISED[name] and RESULT_BYTES or limits.custom_data_bytes
    fitted.data = map_text(answer.data, bytes) or cut_data(name, answer.data)
  end
  return fitted
end

--- The outcome of a command without a proof: an `atomic` transaction was rolled back, anything else is unknown.
function outcomes.unfinished(is_atomic, message)
  if is_atomic then return outcomes.fit('', outcomes.failed('internal_error', message)) end
  return outcomes.fit('', outcomes.indeterminate(message))
end

--- The outcome of a command that an earlier process started. The code lets the hub send one that waited once more.
function outcomes.left_over(is_atomic)
  local message = 'The bridge stopped while this command was running.'
  if is_atomic then return outcomes.fit('', outcomes.failed('server_restarting', message)) end
  return outcomes.unfinished(false, message)
end

function outcomes.refusal(code, message, details) return outcomes.fit('', outcomes.rejected(code, message, details)) end

outcomes.VOIDED = { status = 'voided' }

--- The frame `result`. `sequence` is nil where the outcome is in no journal.
function outcomes.frame(id, outcome, sequence)
  return '{"type":"result","id":' .. json.string(id) .. ',"status":"' .. outcome.status .. '"'
    .. (outcome.data and ',"data":' .. outcome.data or '') .. (outcome.error and ',"error":' .. outcome.error or '')
    .. (sequence and (',"sequence":%.0f'):format(sequence) or '') .. '}'
end

return outcomes
