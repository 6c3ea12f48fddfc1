--- Reads the file of a journal into an index. A line that cannot be read is damage, unless a power cut explains it.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local ledger = require 'causeway.ledger'

local journal_reader = {}

local CHUNK = 65536
local START = '{"op":"journal",'
local STATUSES = { started = true, done = true, failed = true, rejected = true, voided = true, indeterminate = true }

local function is_count(value) return json.is_whole(value) and value >= 0 end

local function text_of(value)
  if value == nil then return nil end
  return (json.encode_object(value))
end

local function are_balances(value)
  if value == nil then return true end
  if not json.is_array(value) then return false end
  for _, change in ipairs(value) do
    if not ledger.is_change(change) then return false end
  end
  return true
end

local function entry_of(line, has_balances)
  if type(line.id) ~= 'string' or type(line.fingerprint) ~= 'string' or not STATUSES[line.status] then return nil end
  if not is_count(line.sequence) or type(line.at) ~= 'number' or type(line.acknowledged) ~= 'boolean' then return nil end
  if has_balances and not are_balances(line.balances) then return nil end
  local entry = {
    id = line.id, fingerprint = line.fingerprint, name = type(line.name) == 'string' and line.name or nil,
    status = line.status, atomic = line.atomic == true or nil, sequence = line.sequence, at = line.at,
    acknowledged = line.acknowledged, balances = has_balances and line.balances or nil,
  }
  -- Acknowledged entries keep the code of a refusal; older versions kept nothing.
  if entry.status ~= 'started' and (not entry.acknowledged or line.error ~= nil) then
    entry.outcome = { status = entry.status, data = text_of(line.data), error = text_of(line.error) }
  end
  return entry
end

--- Applies a line to the index, by the kind of the line; false if it cannot be read.
local OPERATIONS = {
  entry = function(line, index, has_balances)
    local entry = entry_of(line, has_balances)
    if entry then index.put(entry) end
    return entry ~= nil
  end,
  acknowledged = function(line, index)
    if not json.is_array(line.ids) then return false end
    index.acknowledge(line.ids)
    return true
  end,
  balance = function(line, index, has_balances)
    if not ledger.is_change { line.identifier, line.account, line.balance } then return false end
    if has_balances then index.set_balance(line.identifier, line.account, line.balance) end
    return true
  end,
}

local function is_header(line)
  return json.is_object(line) and line.op == 'journal' and line.version == 1 and type(line.id) == 'string' and is_count(line.sequence)
end

local function apply(line, index, has_balances)
  local operation = json.is_object(line) and OPERATIONS[line.op]
  return operation and operation(line, index, has_balances) or false
end

--- Calls `each` with every whole line; answers what is left after the last line break. Raises what the system reports.
local function each_line(file, each)
  local rest = ''
  while true do
    local bytes, problem = file:read(CHUNK)
    if problem then error(problem, 0) end
    if not bytes then return rest end
    rest = rest .. bytes
    local from = 1
    while true do
      local stop = rest:find('\n', from, true)
      if not stop then break end
      each(rest:sub(from, stop - 1))
      from = stop + 1
    end
    rest = rest:sub(from)
  end
end

local function take_header(text, found, index)
  local header = json.decode(text)
  if not is_header(header) then
    found.bad = 1
    return
  end
  found.id, found.ledger = header.id, header.ledger == true
  index.sequence = math.max(index.sequence, header.sequence)
end

--- Takes one line. `later` collects those that follow a bad one.
local function take(text, found, later, index)
  local at = found.size
  found.size, found.lines = at + #text + 1, found.lines + 1
  if found.lines == 1 then return take_header(text, found, index) end
  local line = json.decode(text)
  if found.bad then
    later[#later + 1] = line
    local synced = json.is_object(line) and line.synced
    if is_count(synced) and synced > later.bad_at then later.proves_damage = true end
  elseif not apply(line, index, found.ledger) then
    found.bad, later.bad_at, later.has_zeros = found.lines, at, text:find '%z' ~= nil
  end
end

--- A power cut leaves zeros where a block was not written, and whole lines may follow them. Such lines were never synced,
--- so nothing of them was reported or had an effect, and they are cut off like a torn line. A later line that says that
--- the place was synced before proves damage instead.
local function judge(found, later, index)
  if not found.bad or not found.id then return end
  if later.has_zeros and not later.proves_damage then
    found.torn, found.lines = found.torn + found.size - later.bad_at, found.bad - 1
    found.size, found.bad = later.bad_at, nil
    return
  end
  for _, line in ipairs(later) do apply(line, index, found.ledger) end
end

--- A file that is there and cannot be opened is not a missing one: a new journal would take the place of its balances.
local function open(path)
  local file, problem, code = io.open(path, 'rb')
  -- Some sandboxes of games leave the code out, and not every system has the same one.
  if file or code == 2 or tostring(problem):find 'No such file or directory$' then return file end
  error(('journal %s: it cannot be opened: %s; give the game server the right to read and write it'):format(path, tostring(problem)), 0)
end

--- Reads a file into the index: `id` (nil: there is none), `ledger`, `lines` and `size` (bytes) of what counts, `torn` (bytes
--- after that), `bad` (the number of the first line that is damaged) and `foreign` (it is no journal at all).
--- Raises an error that names the file when it cannot be read to its end.
function journal_reader.read(path, index)
  local found, later = { lines = 0, size = 0, torn = 0 }, {}
  local file = open(path)
  if not file then return found end
  local fits, rest = pcall(each_line, file, function(text) take(text, found, later, index) end)
  file:close()
  if not fits then
    error(('journal %s: it cannot be read to its end: %s; check the disk, then start again'):format(path, tostring(rest)), 0)
  end
  found.torn = #rest
  found.foreign = found.id == nil and (found.lines > 0 or rest:sub(1, #START) ~= START:sub(1, #rest))
  judge(found, later, index)
  index.sort()
  return found
end

return journal_reader
