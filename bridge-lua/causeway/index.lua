--- The index of a journal, in memory: entries by id, balances, the sequence. Everything lies in many small tables, because
--- Lua moves a whole table when it grows, and a game would wait for that.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local limits = require 'causeway.limits'

local index = {}

local BUCKETS = 1024
local CHUNK = 512
local NONE = {}
local byte = string.byte

local function bucket_of(text)
  local a, b, c, d = byte(text, -4, -1)
  return ((a or 0) * 31 + (b or 0) * 131 + (c or 0) * 521 + (d or 0) * 37) % BUCKETS + 1
end

--- Ids in the order in which they were acknowledged, each with its time.
local function create_queue()
  local chunks, first, last, at, fill = {}, 1, 0, 1, CHUNK
  local queue = {}
  function queue.push(id)
    if fill == CHUNK then
      last, fill = last + 1, 0
      chunks[last] = {}
    end
    fill = fill + 1
    chunks[last][fill] = id
  end
  function queue.peek() return chunks[first] and chunks[first][at] end
  function queue.drop()
    at = at + 1
    if at <= CHUNK then return end
    chunks[first] = nil
    first, at = first + 1, 1
  end
  return queue
end

--- The code of a refusal; nil if it has none. A restored hub decides by it as it did the first time.
local function code_of(entry)
  if entry.status ~= 'rejected' and entry.status ~= 'failed' then return nil end
  local problem = entry.outcome and entry.outcome.error and json.decode(entry.outcome.error)
  local code = json.is_object(problem) and problem.code
  if type(code) ~= 'string' then return nil end
  -- The hub reads a code that it does not know as this one.
  return code:find '^[%w_]+$' and code or 'internal_error'
end

--- An acknowledged entry as one text: a table for each would take four times the memory.
local function packed(entry)
  local code = code_of(entry)
  local status = code and entry.status .. ':' .. code or entry.status
  return ('%s %.0f %.0f %s'):format(status, entry.sequence, entry.at, entry.fingerprint)
end

local function unpacked(id, text)
  local status, code, sequence, at, fingerprint = text:match '^(%a+):?([%w_]*) (%d+) (%d+) (.*)$'
  local outcome = code ~= '' and { status = status, error = '{"code":"' .. code .. '","message":""}' } or nil
  return {
    id = id, status = status, outcome = outcome, sequence = tonumber(sequence), at = tonumber(at), fingerprint = fingerprint,
    acknowledged = true,
  }
end

local function entry_line(entry)
  local outcome = entry.outcome or {}
  return '{"op":"entry","id":' .. json.string(entry.id) .. ',"fingerprint":' .. json.string(entry.fingerprint)
    .. (entry.name and ',"name":' .. json.string(entry.name) or '') .. ',"status":"' .. entry.status .. '"'
    .. (entry.atomic and ',"atomic":true' or '')
    .. (outcome.data and ',"data":' .. outcome.data or '') .. (outcome.error and ',"error":' .. outcome.error or '')
    .. (entry.balances and ',"balances":' .. json.encode(json.array(entry.balances)) or '')
    .. (',"sequence":%.0f,"at":%.0f,"acknowledged":%s}\n'):format(entry.sequence, entry.at, tostring(entry.acknowledged))
end
index.entry_line = entry_line

--- The line that replaces all earlier ones about a balance.
local function balance_line(identifier, account, balance)
  return '{"op":"balance","identifier":' .. json.string(identifier) .. ',"account":' .. json.string(account)
    .. (',"balance":%.0f}\n'):format(balance)
end

local function hello_text(entry) return ',{"id":' .. json.string(entry.id) .. ',"status":"' .. entry.status .. '"}' end

--- Entries in the order in which they came, of which any can be taken out.
local function create_order()
  local ends = {}
  ends.next, ends.before = ends, ends
  local nodes = {}
  local order = {}
  function order.remove(id)
    local node = nodes[id]
    if not node then return end
    node.before.next, node.next.before = node.next, node.before
    nodes[id] = nil
  end
  --- `text` is kept beside the entry: to look into thousands of entries costs milliseconds of memory accesses.
  function order.add(entry, text)
    order.remove(entry.id)
    local node = { entry = entry, text = text, next = ends, before = ends.before }
    ends.before.next, ends.before = node, node
    nodes[entry.id] = node
  end
  function order.get(id) return nodes[id] and nodes[id].entry end
  --- Calls a function with each entry and its text until it answers false.
  function order.each(call)
    local node = ends.next
    while node ~= ends and call(node.entry, node.text) ~= false do node = node.next end
  end
  return order
end

function index.create()
  local entries, balances, open = {}, {}, create_order()
  local acknowledged = create_queue()
  local self = { sequence = 0, size = 0 }

  --- The part of some parts that a text belongs to.
  local function part_of(parts, text)
    local nth = bucket_of(text)
    if not parts[nth] then parts[nth] = {} end
    return parts[nth]
  end

  --- The entry of an id; nil if it is not known.
  function self.get(id)
    local known = (entries[bucket_of(id)] or NONE)[id]
    if type(known) == 'string' then return unpacked(id, known) end
    return known
  end

  function self.set_balance(identifier, account, balance)
    local bucket = part_of(balances, identifier)
    if not bucket[identifier] then bucket[identifier] = {} end
    if bucket[identifier][account] == nil then self.size = self.size + 1 end
    bucket[identifier][account] = balance
  end

  --- Takes an entry that is durable, and the balances that were committed with it.
  function self.put(entry)
    local bucket = part_of(entries, entry.id)
    if bucket[entry.id] == nil then self.size = self.size + 1 end
    self.sequence = math.max(self.sequence, entry.sequence)
    for _, change in ipairs(entry.balances or {}) do self.set_balance(change[1], change[2], change[3]) end
    -- In a file that is written anew, a balance has a line of its own.
    entry.balances = nil
    if entry.acknowledged then
      bucket[entry.id] = packed(entry)
      open.remove(entry.id)
      acknowledged.push(entry.id)
    else
      bucket[entry.id] = entry
      open.add(entry, hello_text(entry))
    end
  end

  --- The balance of an account; 0 for one that was never paid into.
  function self.balance(identifier, account)
    local accounts = (balances[bucket_of(identifier)] or NONE)[identifier]
    return accounts and accounts[account] or 0
  end

  --- The identifiers that have a balance, as a list.
  function self.holders()
    local list = {}
    for part = 1, BUCKETS do
      for identifier in pairs(balances[part] or NONE) do list[#list + 1] = identifier end
    end
    return list
  end

  --- Drops the outcomes of settled ids, all but the codes of refusals; answers which ids changed.
  function self.acknowledge(ids)
    local changed = {}
    for _, id in ipairs(ids) do
      local entry = open.get(id)
      if entry and entry.status ~= 'started' then
        entry.acknowledged = true
        self.put(entry)
        changed[#changed + 1] = id
      end
    end
    return changed
  end

  --- Calls a function with everything that is not acknowledged and its text for `hello`, oldest first, until it answers false.
  self.each_open = open.each

  --- Everything that is not acknowledged, oldest first.
  function self.open()
    local list, count = {}, 0
    open.each(function(entry)
      count = count + 1
      list[count] = entry
    end)
    return list
  end

  --- Puts what was read from a file into its order: a file that was written anew has another one.
  function self.sort()
    local list = self.open()
    table.sort(list, function(one, other) return one.sequence < other.sequence end)
    for _, entry in ipairs(list) do open.add(entry, hello_text(entry)) end
  end

  --- Forgets at most `most` acknowledged ids that are past their retention.
  function self.prune(now, most)
    for _ = 1, most do
      local id = acknowledged.peek()
      if not id then return end
      local bucket = part_of(entries, id)
      local known = bucket[id]
      if type(known) == 'string' then
        if unpacked(id, known).at >= now - limits.retention_ms then return end
        bucket[id] = nil
        self.size = self.size - 1
      end
      acknowledged.drop()
    end
  end

  --- The lines of one of the `buckets` parts, as one text, and how many they are.
  function self.lines(part)
    if not entries[part] and not balances[part] then return '', 0 end
    local lines = {}
    for id, entry in pairs(entries[part] or NONE) do
      lines[#lines + 1] = entry_line(type(entry) == 'string' and unpacked(id, entry) or entry)
    end
    for identifier, accounts in pairs(balances[part] or NONE) do
      for account, balance in pairs(accounts) do lines[#lines + 1] = balance_line(identifier, account, balance) end
    end
    return table.concat(lines), #lines
  end

  self.buckets = BUCKETS
  return self
end

return index
