--- When to come back after the end of a connection, as the protocol's tables say.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local limits = require 'causeway.limits'

local reconnect = {}

local DEFAULT_WAIT_MS = 30000
local NAMES = { shutting_down = 4000, node_full = 4007, instances_fight = 4029, disabled = 4503, replaced = 4509 }

--- The name and the time in the reason of a close frame; what cannot be read is as good as none.
function reconnect.read_reason(reason)
  local read = json.decode(reason)
  if type(read) ~= 'table' then return {} end
  local r = type(read.r) == 'number' and read.r >= 0 and read.r < math.huge and read.r or nil
  return { code = type(read.code) == 'string' and read.code or nil, r = r }
end

--- Whether a code means that coming back would not help.
function reconnect.is_stop(code) return code >= 4500 and code <= 4999 end

--- The end of a connection as text.
function reconnect.describe(how)
  if how.status then return ('refused with HTTP %d: %s'):format(how.status, how.body:sub(1, 300)) end
  local name = reconnect.read_reason(how.reason).code or how.reason
  return name == '' and ('closed with %d'):format(how.code) or ('closed with %d (%s)'):format(how.code, name)
end

--- Draws delays. `uniform()` lies in [0, 1). `after(how)` answers `{ after = ms }` to come back, `{ probe = ms }` to stop
--- and look again, or `{}` to stop for good.
function reconnect.create(uniform, times)
  local attempts = 0
  local self = {}

  local function backoff()
    local delay = uniform() * math.min(times.backoff_max_ms, times.backoff_base_ms * 2 ^ attempts)
    attempts = math.min(attempts + 1, 30)
    return { after = delay }
  end

  local function stop(told)
    if not told then return { probe = times.probe_ms } end
    return { probe = math.min(told, limits.longest_wait_ms) * (1 + uniform() / 4) }
  end

  local function after_close(code, reason)
    local r = reconnect.read_reason(reason).r
    local told = r and math.min(r, limits.longest_wait_ms)
    if code == NAMES.replaced then return {} end
    if code == NAMES.node_full or code == NAMES.instances_fight then return { after = told or DEFAULT_WAIT_MS } end
    if reconnect.is_stop(code) then return stop(code == NAMES.disabled and r or nil) end
    if code == NAMES.shutting_down and told then return { after = uniform() * told } end
    return backoff()
  end

  local function after_refusal(status, retry_after)
    if status == 403 then return stop(retry_after) end
    if status == 400 or status == 401 then return stop(nil) end
    if (status == 429 or status == 503) and retry_after then
      local jitter = math.max(1000, math.min(times.backoff_max_ms, retry_after / 2))
      return { after = math.min(retry_after, limits.longest_wait_ms) + uniform() * jitter }
    end
    return backoff()
  end

  function self.stable() attempts = 0 end
  function self.after(how)
    if how.status then return after_refusal(how.status, how.retry_after) end
    return after_close(how.code, how.reason)
  end
  return self
end

local MONTHS = { Jan = 1, Feb = 2, Mar = 3, Apr = 4, May = 5, Jun = 6, Jul = 7, Aug = 8, Sep = 9, Oct = 10, Nov = 11, Dec = 12 }

--- Seconds since 1970 of a date in UTC; `os.time` would read it in the zone of the machine.
local function epoch_of(year, month, day, hour, minute, second)
  if month < 3 then year, month = year - 1, month + 12 end
  local floor = math.floor
  local days = 365 * year + floor(year / 4) - floor(year / 100) + floor(year / 400) + floor((153 * month - 457) / 5) + day - 719469
  return ((days * 24 + hour) * 60 + minute) * 60 + second
end

--- `Retry-After` in milliseconds: a number of seconds, or a date; nil if it is neither.
function reconnect.retry_after(header, now)
  if not header then return nil end
  if header:find '^%d+$' then return tonumber(header) * 1000 end
  local day, name, year, hour, minute, second = header:match '^%a+, (%d%d) (%a%a%a) (%d%d%d%d) (%d%d):(%d%d):(%d%d) GMT$'
  if not day or not MONTHS[name] then return nil end
  local at = epoch_of(tonumber(year), MONTHS[name], tonumber(day), tonumber(hour), tonumber(minute), tonumber(second))
  return math.max(0, at * 1000 - now)
end

return reconnect
