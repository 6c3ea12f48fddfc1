-- Functions of FXServer's Lua runtime that the bridge and the fakes use. Checked against scheduler.lua of citizenfx/fivem
-- at 06d4d348c, and for what crosses to other runtimes against lua_cmsgpack.h.
-- Values cross to other runtimes as text, so that nothing is shared; functions cross as references.
local host, RESOURCE, RUNTIME = __host, __resource, __runtime
local references, lastReference = {}, 0

local ESCAPES = { ['"'] = '\\"', ['\\'] = '\\\\' }
local function escaped(text)
  if not text:find('[^\32-\126]') then return '"' .. text:gsub('["\\]', ESCAPES) .. '"' end
  if not utf8.len(text) then
    return '{"__bytes":"' .. text:gsub('.', function(c) return ('%02x'):format(c:byte()) end) .. '"}'
  end
  local parts = {}
  for _, code in utf8.codes(text) do
    if code >= 0x10000 then
      code = code - 0x10000
      parts[#parts + 1] = ('\\u%04x\\u%04x'):format(0xd800 + (code >> 10), 0xdc00 + (code & 0x3ff))
    elseif code < 32 or code > 126 then
      parts[#parts + 1] = ('\\u%04x'):format(code)
    else
      local char = string.char(code)
      parts[#parts + 1] = ESCAPES[char] or char
    end
  end
  return '"' .. table.concat(parts) .. '"'
end

local function numeral(value)
  if value ~= value or value == math.huge or value == -math.huge then
    return '{"__number":"' .. (value ~= value and 'NaN' or value > 0 and 'Infinity' or '-Infinity') .. '"}'
  end
  return math.type(value) == 'integer' and tostring(value) or ('%.17g'):format(value)
end

local function reference(fn)
  lastReference = lastReference + 1
  references[lastReference] = fn
  return '{"__cfx_functionReference":"' .. RESOURCE .. ':' .. RUNTIME .. ':' .. lastReference .. '"}'
end

-- LUACMSGPACK_MAX_NESTING of lua-cmsgpack: a table below this many others is written as nil, without a word.
local MAX_NESTING = 16
local encode
local function encodeTable(value, level)
  local meta = getmetatable(value)
  if meta and meta.__reference then return '{"__cfx_functionReference":"' .. meta.__reference .. '"}' end
  if level == MAX_NESTING then return 'null' end
  local count = 0
  for _ in pairs(value) do count = count + 1 end
  local parts = {}
  if count == #value then
    for index = 1, count do parts[index] = encode(value[index], level + 1) end
    return '[' .. table.concat(parts, ',') .. ']' -- an empty table too
  end
  for key, item in pairs(value) do
    parts[#parts + 1] = escaped(tostring(key)) .. ':' .. encode(item, level + 1)
  end
  return '{' .. table.concat(parts, ',') .. '}'
end

encode = function(value, level)
  local kind = type(value)
  if kind == 'nil' then return 'null' end
  if kind == 'boolean' then return tostring(value) end
  if kind == 'number' then return numeral(value) end
  if kind == 'string' then return escaped(value) end
  if kind == 'table' then return encodeTable(value, level) end
  if kind == 'function' then return reference(value) end
  return 'null'
end

local UNESCAPES = {
  b = '\b', f = '\f', n = '\n', r = '\r', t = '\t', ['"'] = '"', ['\\'] = '\\', ['/'] = '/',
}
local function unescaped(raw)
  if not raw:find('\\', 1, true) then return raw end
  if not raw:find('\\u', 1, true) then return (raw:gsub('\\(.)', UNESCAPES)) end
  raw = raw:gsub('\\u(d[89ab]%x%x)\\u(d[c-f]%x%x)', function(high, low)
    local code = ((tonumber(high, 16) - 0xd800) << 10) + (tonumber(low, 16) - 0xdc00) + 0x10000
    return ('\\U%08x'):format(code)
  end)
  raw = raw:gsub('\\(u?U?)(.)(%x?%x?%x?%x?%x?%x?%x?)', function(kind, char, rest)
    if kind == 'u' then return utf8.char(tonumber(char .. rest:sub(1, 3), 16)) .. rest:sub(4) end
    if kind == 'U' then return utf8.char(tonumber(char .. rest:sub(1, 7), 16)) end
    return (UNESCAPES[char] or char) .. rest
  end)
  return raw
end

local function textAt(source, at)
  local from = at + 1
  local to = from
  while true do
    local hit = source:find('["\\]', to)
    if source:byte(hit) == 34 then return unescaped(source:sub(from, hit - 1)), hit + 1 end
    to = hit + 2
  end
end

local NUMBERS = { NaN = 0 / 0, Infinity = math.huge, ['-Infinity'] = -math.huge }
local function special(value, wrap)
  if value.__cfx_functionReference then return wrap and wrap(value.__cfx_functionReference) or value end
  if value.__number then return NUMBERS[value.__number] end
  if value.__float then return tonumber(value.__float) + 0.0 end
  if value.__bytes then
    return (value.__bytes:gsub('%x%x', function(hex) return string.char(tonumber(hex, 16)) end))
  end
  return value
end

-- `wrap` makes a function of the name of one; `made` gets each table of a JSON text, whose keys stay texts.
local decodeAt
local function listAt(source, at, wrap, made)
  local list, index = {}, 0
  if made then made(list, true) end
  at = source:find('%S', at + 1)
  if source:byte(at) == 93 then return list, at + 1, 0 end
  while true do
    index = index + 1
    list[index], at = decodeAt(source, at, wrap, made)
    at = source:find('%S', at)
    if source:byte(at) == 93 then return list, at + 1, index end
    at = at + 1
  end
end

local function objectAt(source, at, wrap, made)
  local object = {}
  if made then made(object, false) end
  at = source:find('%S', at + 1)
  if source:byte(at) == 125 then return object, at + 1 end
  while true do
    local key
    key, at = textAt(source, source:find('"', at, true))
    at = source:find(':', at, true) + 1
    if not made then key = math.tointeger(tonumber(key)) or key end
    object[key], at = decodeAt(source, at, wrap, made)
    at = source:find('%S', at)
    if source:byte(at) == 125 then return made and object or special(object, wrap), at + 1 end
    at = at + 1
  end
end

decodeAt = function(source, at, wrap, made)
  at = source:find('%S', at)
  local byte = at and source:byte(at)
  if byte == 123 then return objectAt(source, at, wrap, made) end
  if byte == 91 then return listAt(source, at, wrap, made) end
  if byte == 34 then return textAt(source, at) end
  local word = byte and source:match('^[%w.+-]+', at) or error('not JSON', 0)
  local value = tonumber(word)
  -- In JSON a number with a point is a float; JavaScript writes every whole number without one.
  if value then return made and value or math.tointeger(value) or value, at + #word end
  if word == 'true' then return true, at + 4 end
  if word == 'false' then return false, at + 5 end
  if word == 'null' then return nil, at + 4 end
  error('not JSON', 0)
end

local function lengthOf(list)
  local length = list.n
  while length > 0 and list[length] == nil do length = length - 1 end
  return length
end
-- Arguments may have holes. Nils at their end are dropped.
local function encodeList(...)
  local list, parts = table.pack(...), {}
  for index = 1, lengthOf(list) do parts[index] = encode(list[index], 0) end
  return '[' .. table.concat(parts, ',') .. ']'
end
-- Results are one table, which is a level of its own, and which is no list if it has a hole: then no result arrives in
-- Lua, and an object in JavaScript.
local function encodeResults(list)
  local results = {}
  for index = 1, lengthOf(list) do results[index] = list[index] end
  return encode(results, 0)
end
local function decodeList(text, wrap)
  local list, _, count = decodeAt(text, 1, wrap)
  return table.unpack(list, 1, count or 0)
end

function __decode(text, made) return (decodeAt(text, 1, nil, made)) end

--- The hash of a model's name; CfxLua has this function.
function joaat(text)
  local hash = 0
  for _, byte in ipairs({ text:lower():byte(1, -1) }) do
    hash = (hash + byte) & 0xffffffff
    hash = (hash + (hash << 10)) & 0xffffffff
    hash = hash ~ (hash >> 6)
  end
  hash = (hash + (hash << 3)) & 0xffffffff
  hash = hash ~ (hash >> 11)
  hash = (hash + (hash << 15)) & 0xffffffff
  return hash >= 0x80000000 and hash - 0x100000000 or hash
end

--- Microseconds since some moment, as CfxLua has them; the clock of plain Lua counts in milliseconds here.
function os.microtime() return host('clock', '') end

-- Promises and threads: a thread goes on when its promise is settled, or at a tick.
local sleeping = {}
local function resume(thread, ...)
  local ok, wake = coroutine.resume(thread, ...)
  if not ok then
    host('error', ('%s: %s'):format(RESOURCE, tostring(wake)))
  elseif coroutine.status(thread) ~= 'dead' and type(wake) == 'number' then
    sleeping[#sleeping + 1] = { thread = thread, at = GetGameTimer() + wake }
  end
end

promise = {}
promise.__index = promise
function promise.new() return setmetatable({ waiting = {} }, promise) end
function promise:settle(state, value)
  if self.state then return end
  self.state, self.value = state, value
  for _, waiting in ipairs(self.waiting) do waiting() end
end
function promise:resolve(value) self:settle('resolved', value) end
function promise:reject(value) self:settle('rejected', value) end

Citizen = {}
function Citizen.Await(awaited)
  if not awaited.state then
    local thread = coroutine.running()
    awaited.waiting[1] = function() resume(thread) end
    coroutine.yield()
  end
  if awaited.state == 'rejected' then error(awaited.value, 0) end
  return awaited.value
end
function Citizen.CreateThread(fn)
  sleeping[#sleeping + 1] = { thread = coroutine.create(fn), at = 0 }
end
function Citizen.CreateThreadNow(fn) resume(coroutine.create(fn)) end
function Citizen.SetTimeout(ms, fn)
  sleeping[#sleeping + 1] = { thread = coroutine.create(fn), at = GetGameTimer() + ms }
end
function Citizen.Wait(ms) coroutine.yield(ms or 0) end
CreateThread, SetTimeout, Wait = Citizen.CreateThread, Citizen.SetTimeout, Citizen.Wait

-- References to functions elsewhere are tables that can be called, never functions.
local function isAsync(value) return type(value) == 'table' and value.__cfx_async_retval end
local wrap
local function unpackResults(text)
  local first = decodeList(text, wrap)
  if not isAsync(first) then return decodeList(text, wrap) end
  local awaited = promise.new()
  first.__cfx_async_retval(function(results, problem)
    if results then awaited:resolve(results) elseif problem then awaited:reject(problem) end
  end)
  return table.unpack(Citizen.Await(awaited))
end
wrap = function(id)
  host('hold', id)
  return setmetatable({ __cfx_functionReference = id }, {
    __reference = id,
    __gc = function() host('release', id) end,
    __call = function(_, ...)
      local answer = host('invoke', id .. '\n' .. encodeList(...))
      if answer == 'gone' then error('Execution of function reference in script host failed: no such runtime', 0) end
      -- The text of an error stays where it was raised.
      if answer == '' then error() end
      return unpackResults(answer)
    end,
  })
end

local function call(fn, args)
  local results, problem, heard
  resume(coroutine.create(function()
    local all = table.pack(pcall(fn, decodeList(args, wrap)))
    if all[1] then
      results = table.pack(table.unpack(all, 2, all.n))
    else
      problem = ('^1SCRIPT ERROR: %s^7\n^3> %s^7 (^5@%s^7)'):format(tostring(all[2]), tostring(fn), RESOURCE)
    end
    if not heard and problem then host('error', ('%s: %s'):format(RESOURCE, tostring(all[2]))) end
    if not heard then return end
    -- A caller that waits gets all results as one list, or the text of the error with its trace.
    if results then results.n = nil end
    heard(results or false, problem)
  end))
  if problem then return '' end
  if results then return encodeResults(results) end
  return encodeResults({ n = 1, { __cfx_async_retval = function(done) heard = done end } })
end

local handlers = {}
function AddEventHandler(name, fn)
  host('hears', name)
  handlers[name] = handlers[name] or {}
  table.insert(handlers[name], fn)
  return { name = name, fn = fn }
end
function RemoveEventHandler(handle)
  for index, fn in ipairs(handlers[handle.name] or {}) do
    if fn == handle.fn then table.remove(handlers[handle.name], index) end
  end
end
function TriggerEvent(name, ...) host('event', name .. '\n' .. encodeList(...)) end
-- `fake:client` has the events for clients.
function TriggerClientEvent(name, player, ...) TriggerEvent('fake:client', name, player, ...) end

function Player(source)
  local bag = 'player:' .. tostring(source)
  return { state = setmetatable({}, { __index = function(_, key) return GetStateBagValue(bag, key) end }) }
end

-- Exports are kept until the queued event says that their resource has stopped: until then, a call after its restart
-- reaches the function of the runtime that is gone.
local cached = {}
local function forgetStopped()
  AddEventHandler('onServerResourceStop', function(resource) cached[resource] = {} end)
  forgetStopped = function() end
end
local function indented(text) return (tostring(text):gsub('^', '  '):gsub('\n(.)', '\n  %1')) end
local function resultsOf(resource, name, ok, ...)
  if ok then return ... end
  local text = '\n^5 An error occurred while calling export `%s` in resource `%s`:\n%s\n^5 ---'
  error(text:format(name, resource, indented((...))), 2)
end

exports = setmetatable({}, {
  __call = function(_, name, fn)
    AddEventHandler(('__cfx_export_%s_%s'):format(RESOURCE, name), function(give) give(fn) end)
  end,
  __index = function(_, resource)
    return setmetatable({}, {
      __index = function(_, name)
        forgetStopped()
        cached[resource] = cached[resource] or {}
        if not cached[resource][name] then
          TriggerEvent(('__cfx_export_%s_%s'):format(resource, name), function(fn) cached[resource][name] = fn end)
        end
        if not cached[resource][name] then error(('No such export %s in resource %s'):format(name, resource), 2) end
        return function(_, ...) return resultsOf(resource, name, pcall(cached[resource][name], ...)) end
      end,
    })
  end,
})

function print(...)
  local words = table.pack(...)
  for index = 1, words.n do words[index] = tostring(words[index]) end
  host('print', (escaped(table.concat(words, ' '))))
end
local function native(name)
  return function(...) return (decodeList(host('native', name .. '\n' .. encodeList(...)))) end
end
setmetatable(_G, {
  __index = function(_, name)
    if type(name) ~= 'string' or not name:find('^[A-Z]%l') or not host('isNative', name) then return nil end
    local fn = native(name)
    rawset(_G, name, fn)
    return fn
  end,
})
function GetPlayers()
  local players = {}
  for index = 0, GetNumPlayerIndices() - 1 do players[#players + 1] = GetPlayerFromIndex(index) end
  return players
end

-- How the host gets in.
function __invoke(id, args)
  local fn = references[id]
  return fn and call(fn, args) or ''
end
function __event(name, source_, args)
  local list = handlers[name]
  if not list then return end
  for _, fn in ipairs({ table.unpack(list) }) do
    local before = source
    source = tonumber(source_) or source_
    call(fn, args)
    source = before
  end
end
function __tick(now)
  local due = sleeping
  sleeping = {}
  for _, entry in ipairs(due) do
    if entry.at <= now then resume(entry.thread) else sleeping[#sleeping + 1] = entry end
  end
end
function __load(name, code)
  local chunk, problem = load(code, '@' .. name, 't')
  if not chunk then error(problem, 0) end
  resume(coroutine.create(chunk))
end
function __forget(ids)
  for id in ids:gmatch('%d+') do references[tonumber(id)] = nil end
end
function __memory()
  -- This imitation's own table is as large as it ever was, until something more is put into it.
  local known = references
  references = {}
  for id, fn in pairs(known) do references[id] = fn end
  known = nil
  collectgarbage()
  collectgarbage()
  return collectgarbage('count')
end
