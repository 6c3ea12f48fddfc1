-- What the adapters share. Every adapter answers with outcomes as the hub reads them; nothing here throws on purpose.
Causeway = { frameworks = {} }

-- Beyond this, neither side counts in ones any more.
local MAX = 2 ^ 53 - 1

local function outcome(status, code, message, details)
  return { status = status, error = { code = code, message = message, details = details } }
end

--- Refused, and nothing was changed.
function Causeway.rejected(code, message, details) return outcome('rejected', code, message, details) end

--- Tried, and nothing was changed.
function Causeway.failed(message) return outcome('failed', 'internal_error', message) end

--- Nobody can say whether it took effect. An operator has to look.
function Causeway.indeterminate(message, details) return outcome('indeterminate', 'internal_error', message, details) end

function Causeway.offline(identifier)
  return Causeway.rejected('player_offline', ('%s is not online.'):format(identifier))
end

function Causeway.unknown(identifier)
  return Causeway.rejected('player_not_found', ('Nobody on this server is %s.'):format(identifier))
end

--- A balance that can be counted with: a finite number that is exact.
function Causeway.isBalance(value)
  return type(value) == 'number' and value == value and value >= -MAX and value <= MAX
end

--- The whole part of a balance, which is what the hub shows: some frameworks keep cents.
function Causeway.whole(value)
  return math.tointeger(math.floor(value)) or 0
end

--- Milliseconds from some moment on, as exactly as the runtime has them.
function Causeway.nowMs()
  return os.microtime and os.microtime() / 1000 or os.clock() * 1000
end

--- A function that says whether so many milliseconds have passed since now.
function Causeway.timer(forMs)
  local startedAt = Causeway.nowMs()
  return function() return Causeway.nowMs() - startedAt >= forMs end
end

local longest = 0

--- Calls a function, and remembers how long the server's thread was held, ways to other runtimes included.
function Causeway.timed(fn, ...)
  local startedAt = Causeway.nowMs()
  fn(...)
  longest = math.max(longest, Causeway.nowMs() - startedAt)
end

--- The longest of those since this was asked last, in milliseconds.
function Causeway.takeLongest()
  local taken = longest
  longest = 0
  return taken
end

function Causeway.isStarted(resource) return GetResourceState(resource) == 'started' end

--- A function that gives the shared object of a resource: a new one after that resource has started again, because the
--- functions of the old one are gone.
function Causeway.sharedBy(resource, get)
  local object
  AddEventHandler('onResourceStart', function(started)
    if started == resource then object = nil end
  end)
  return function()
    object = object or get()
    return object
  end
end

--- JSON of a database column as a table; an empty one where it is missing or broken.
function Causeway.decode(text)
  if type(text) == 'table' then return text end
  if type(text) ~= 'string' or text == '' then return {} end
  local ok, value = pcall(json.decode, text)
  return ok and type(value) == 'table' and value or {}
end

--- Calls a function of a framework. Its error text would be lost on the way to another runtime.
function Causeway.try(fn, ...)
  local results = table.pack(pcall(fn, ...))
  if results[1] then return true, table.unpack(results, 2, results.n) end
  return false, tostring(results[2] or 'it failed without saying why')
end

--- Whether a row is of whom was asked for. Collations of MySQL take other letters, and spaces at the end, for the same,
--- and somebody online would be paid in the table as if he were not.
function Causeway.isExactly(row, key, identifier) return row ~= nil and row[key] == identifier end

--- The identifiers of somebody who is connected, with their types; addresses stay here.
function Causeway.identifiersOf(source)
  local found = {}
  for index = 0, GetNumPlayerIdentifiers(source) - 1 do
    local identifier = GetPlayerIdentifier(source, index)
    if identifier and identifier:sub(1, 3) ~= 'ip:' then found[#found + 1] = identifier end
  end
  return found
end

local function isAnyOf(identifiers, source)
  for _, owned in ipairs(Causeway.identifiersOf(source)) do
    for _, wanted in ipairs(identifiers) do
      if owned == wanted then return true end
    end
  end
  return false
end

--- Whether anybody is connected, loaded or not, who owns one of these identifiers.
function Causeway.isAnyConnected(identifiers)
  for _, source in ipairs(GetPlayers()) do
    if isAnyOf(identifiers, source) then return true end
  end
  return false
end

--- Whether anybody is connected who owns one of these identifiers, and whose character is not there yet.
function Causeway.isAnyLoading(identifiers)
  if Causeway.roster.isStopped() then return false end
  for _, source in ipairs(GetPlayers()) do
    if not Causeway.roster.identifier(source) and isAnyOf(identifiers, source) then return true end
  end
  return false
end

--- Sorted, so that two starts of the same server say the same.
function Causeway.keysOf(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  return keys
end
