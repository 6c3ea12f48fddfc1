-- Functions that all adapters share. Adapters return outcomes in the hub's form; no function here throws on purpose.
Causeway = { frameworks = {} }

-- Above this value, Lua and JavaScript no longer represent every whole number.
local MAX = 2 ^ 53 - 1

local function outcome(status, code, message, details)
  return { status = status, error = { code = code, message = message, details = details } }
end

--- A refusal: nothing was changed.
function Causeway.rejected(code, message, details) return outcome('rejected', code, message, details) end

--- A failed attempt: nothing was changed.
function Causeway.failed(message) return outcome('failed', 'internal_error', message) end

--- The effect is unknown; an operator has to decide.
function Causeway.indeterminate(message, details) return outcome('indeterminate', 'internal_error', message, details) end

function Causeway.offline(identifier)
  return Causeway.rejected('player_offline', ('%s is not online.'):format(identifier))
end

function Causeway.unknown(identifier)
  return Causeway.rejected('player_not_found', ('This server has no player %s.'):format(identifier))
end

--- A usable balance: a finite, exact number.
function Causeway.isBalance(value)
  return type(value) == 'number' and value == value and value >= -MAX and value <= MAX
end

--- The whole part of a balance, as the hub shows it: some frameworks keep cents.
function Causeway.whole(value)
  return math.tointeger(math.floor(value)) or 0
end

--- Milliseconds since an arbitrary start, with the runtime's full precision.
function Causeway.nowMs()
  return os.microtime and os.microtime() / 1000 or os.clock() * 1000
end

--- A function that returns whether this many milliseconds have passed since now.
function Causeway.timer(forMs)
  local startedAt = Causeway.nowMs()
  return function() return Causeway.nowMs() - startedAt >= forMs end
end

local longest = 0

--- Calls a function, and records how long the server's thread was held, including calls into other runtimes.
function Causeway.timed(fn, ...)
  local startedAt = Causeway.nowMs()
  fn(...)
  longest = math.max(longest, Causeway.nowMs() - startedAt)
end

--- The longest recorded time since the last call, in milliseconds.
function Causeway.takeLongest()
  local taken = longest
  longest = 0
  return taken
end

function Causeway.isStarted(resource) return GetResourceState(resource) == 'started' end

--- A function that returns the shared object of a resource. After a restart of the resource it returns a new object,
--- because the functions of the old one no longer exist.
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

--- JSON of a database column as a table; an empty table if the value is missing or invalid.
function Causeway.decode(text)
  if type(text) == 'table' then return text end
  if type(text) ~= 'string' or text == '' then return {} end
  local ok, value = pcall(json.decode, text)
  return ok and type(value) == 'table' and value or {}
end

-- Lines of an error that say nothing: frames of a trace, the place of a call, and what stands around a lost text.
local EMPTY_LINES = { '^$', '^nil$', '^%-%-%-$', '^>', '^@?[%w_/.-]+:%d+:$' }

local function isEmpty(line)
  for _, pattern in ipairs(EMPTY_LINES) do
    if line:find(pattern) then return true end
  end
  return false
end

--- The text of an error in one line. FXServer puts colours, line ends and `nil` into the errors of exports.
function Causeway.plainText(problem)
  local lines = {}
  for line in tostring(problem):gsub('%^%d', ''):gmatch('[^\r\n]+') do
    line = line:match('^%s*(.-)%s*$')
    if not isEmpty(line) then lines[#lines + 1] = line end
  end
  local text = table.concat(lines, ' '):gsub('[%s:]+$', '')
  return text ~= '' and text or 'it failed without saying why'
end

--- A message with what a framework has returned or thrown, if that is a reason.
function Causeway.saying(message, said)
  if type(said) == 'table' then said = said.message end
  if type(said) ~= 'string' or said == '' then return message .. '.' end
  return ('%s: %s'):format(message, Causeway.plainText(said))
end

--- Calls a function of a framework. The text of a thrown error would be lost between runtimes.
function Causeway.try(fn, ...)
  local results = table.pack(pcall(fn, ...))
  if results[1] then return true, table.unpack(results, 2, results.n) end
  return false, Causeway.plainText(results[2])
end

--- Whether a row belongs to the requested identifier. MySQL collations treat other letters and trailing spaces as
--- equal, so an online player could otherwise be paid in the table as if offline.
function Causeway.isExactly(row, key, identifier) return row ~= nil and row[key] == identifier end

--- The identifiers of a connected player, with their types; IP addresses are left out.
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

--- Whether a connected player, loaded or not, owns one of these identifiers.
function Causeway.isAnyConnected(identifiers)
  for _, source in ipairs(GetPlayers()) do
    if isAnyOf(identifiers, source) then return true end
  end
  return false
end

--- Whether a connected player without a loaded character owns one of these identifiers.
function Causeway.isAnyLoading(identifiers)
  if Causeway.roster.isStopped() then return false end
  for _, source in ipairs(GetPlayers()) do
    if not Causeway.roster.identifier(source) and isAnyOf(identifiers, source) then return true end
  end
  return false
end

--- Sorted, so that two starts of the same server give the same list.
function Causeway.keysOf(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  return keys
end
