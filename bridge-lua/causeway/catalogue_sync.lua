--- Sends the lists of the game's items, vehicle models and jobs: those that the hub does not have in this form. It works
--- in small slices, and keeps one list in memory.
if jit then jit.off(true, true) end
local catalogue_entry = require 'causeway.catalogue_entry'
local limits = require 'causeway.limits'

local catalogue_sync = {}

local KINDS = { 'items', 'vehicles', 'jobs' }
--- Room for everything in a frame besides its entries.
local HEAD_BYTES = 256

--- `options`: `connection`, `source` (a function for each kind), `known` (hashes by kind), `log`.
function catalogue_sync.create(options)
  local connection, source, log = options.connection, options.source or {}, options.log
  local sent = {}
  for _, kind in ipairs(KINDS) do sent[kind] = options.known and options.known[kind] end
  local waiting, is_again, list = {}, false, nil
  local self = {}

  local function fail(kind, problem) log('error', ('The catalogue of %s could not be read: %s'):format(kind, tostring(problem))) end

  local function begin(kind)
    if not source[kind] then return nil end
    local fits, next_entry = pcall(source[kind])
    if fits and type(next_entry) == 'function' then
      return { kind = kind, next = next_entry, texts = {}, bytes = 2, bad = 0, hash = catalogue_entry.hash(), at = 1, part = 0 }
    end
    fail(kind, fits and 'catalogues.' .. kind .. ' answers with a function that gives one entry after the other' or next_entry)
    return nil
  end

  --- All entries have been read: nothing to send, or the parts.
  local function begin_parts()
    local kind, count = list.kind, #list.texts
    if list.bad > 0 then log('warn', ('%d entries of the catalogue of %s do not fit the protocol.'):format(list.bad, kind)) end
    list.digest = list.hash.text(count)
    if list.bytes > limits.catalogue_bytes then
      log('warn', ('The catalogue of %s has over %d bytes and is not sent.'):format(kind, limits.catalogue_bytes))
      list = nil
    elseif sent[kind] == list.digest then
      list = nil
    end
  end

  local function read_entry()
    local fits, entry = pcall(list.next)
    if not fits then
      fail(list.kind, entry)
      list = nil
    elseif entry == nil then
      begin_parts()
    else
      local text = catalogue_entry.text(list.kind, entry)
      if not text or #list.texts >= limits.catalogue_entries then
        list.bad = list.bad + 1
      else
        list.texts[#list.texts + 1] = text
        list.bytes = list.bytes + #text + 1
        list.hash.add(text)
      end
    end
  end

  local function send_part()
    local from, bytes, texts = list.at, HEAD_BYTES, list.texts
    while texts[list.at] and list.at - from < limits.entries_per_frame do
      bytes = bytes + #texts[list.at] + 1
      if list.at > from and bytes > limits.part_bytes then break end
      list.at = list.at + 1
    end
    local is_last = texts[list.at] == nil
    local is_sent = connection.send(('{"type":"catalogue","kind":"%s","hash":"%s","part":%d,"last":%s,"entries":['):format(
      list.kind, list.digest, list.part, tostring(is_last)) .. table.concat(texts, ',', from, list.at - 1) .. ']}')
    list.part = list.part + 1
    if not is_last and is_sent then return end
    if is_sent then sent[list.kind] = list.digest end
    list = nil
  end

  --- Whether something is left to read or to send.
  function self.is_busy() return list ~= nil or #waiting > 0 or is_again end

  --- Reads all lists, and sends those that have changed. During a run, it is one more run.
  function self.send() is_again = true end

  --- Goes on until the time is over, or the line is full.
  function self.step(is_over)
    while self.is_busy() and not connection.is_full() do
      if list and list.digest then send_part()
      elseif list then read_entry()
      elseif #waiting > 0 then list = begin(table.remove(waiting, 1))
      else
        is_again = false
        for nth, kind in ipairs(KINDS) do waiting[nth] = kind end
      end
      if is_over() then return end
    end
  end

  return self
end

return catalogue_sync
