--- The table of functions with which a game connects the bridge to the world, and what is taken where one is missing.
if jit then jit.off(true, true) end

local host = {}

local REQUIRED = { 'connect', 'send', 'receive', 'close' }
local OPTIONAL = { 'now', 'random', 'fsync', 'fsync_folder', 'lock' }

--- Random bytes of the operating system; nil where it has no such file.
local function system_random()
  local file = io and io.open and io.open('/dev/urandom', 'rb')
  if not file then return nil end
  file:setvbuf('full', 64)
  return function(count) return file:read(count) end
end

--- Good enough for masks and delays, but it can be guessed.
local function weak_random()
  local seed = os.time() + math.floor(os.clock() * 1e6) + (tonumber(tostring({}):match '0x(%x+)' or '', 16) or 0) % 1e9
  math.randomseed(math.floor(seed % 2147483647))
  return function(count)
    local bytes = {}
    for nth = 1, count do bytes[nth] = string.char(math.random(0, 255)) end
    return table.concat(bytes)
  end
end

--- Milliseconds since 1970. Whole seconds of the system's clock, and the processor's time between two of them.
local function coarse_now()
  local second, from = os.time(), os.clock()
  return function()
    local current = os.time()
    if current ~= second then second, from = current, os.clock() end
    return second * 1000 + math.min(999, (os.clock() - from) * 1000)
  end
end

--- A host table with a default for each function that it lacks and that has one.
function host.complete(given)
  local complete = {}
  for _, list in ipairs { REQUIRED, OPTIONAL } do
    for _, name in ipairs(list) do complete[name] = given and given[name] end
  end
  complete.now = complete.now or coarse_now()
  complete.random = complete.random or system_random() or weak_random()
  return complete
end

--- Raises an error that names the function which a host must have and this one lacks.
function host.check(given)
  for _, name in ipairs(REQUIRED) do
    if type(given[name]) ~= 'function' then error(('host.%s: must be a function'):format(name), 0) end
  end
end

return host
