--- One entry of a catalogue as JSON text, and the hash of a whole one.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local limits = require 'causeway.limits'
local unicode = require 'causeway.unicode'

local catalogue_entry = {}

local byte = string.byte

local function text_of(value, shortest)
  if type(value) ~= 'string' then return nil end
  local clean = unicode.clean(value)
  local units = unicode.units(clean)
  return units >= shortest and units <= limits.item_name_length and json.string(clean) or nil
end

local function grades_of(grades)
  if type(grades) ~= 'table' or #grades > limits.grades_per_job then return nil end
  local out = {}
  for nth, each in ipairs(grades) do
    local label = type(each) == 'table' and text_of(each.label, 0)
    if not label or not json.is_whole(each.grade) or each.grade < 0 then return nil end
    out[nth] = ('{"grade":%.0f,"label":'):format(each.grade) .. label .. '}'
  end
  return '[' .. table.concat(out, ',') .. ']'
end

--- The JSON text of an entry `{ name, label, grades }`; nil if it does not fit the protocol.
function catalogue_entry.text(kind, entry)
  if type(entry) ~= 'table' then return nil end
  local name, label = text_of(entry.name, 1), text_of(entry.label, 0)
  if not name or not label then return nil end
  local written = '{"name":' .. name .. ',"label":' .. label
  if entry.grades == nil then return written .. '}' end
  local grades = kind == 'jobs' and grades_of(entry.grades)
  return grades and written .. ',"grades":' .. grades .. '}' or nil
end

--- Primes below 2^32, so that no product leaves the whole numbers of a double.
local FIRST, SECOND = 4294967291, 4294967279

--- A running hash. It tells two lists of one game apart and is no protection, so it need not be a cryptographic one.
function catalogue_entry.hash()
  local one, other = 1, 1
  local self = {}
  function self.add(text)
    for at = 1, #text do
      local code = byte(text, at)
      one, other = (one * 257 + code) % FIRST, (other * 65599 + code) % SECOND
    end
  end
  --- The hash as a text, with the number of entries.
  function self.text(count) return ('%d-%.0f-%.0f'):format(count, one, other) end
  return self
end

return catalogue_entry
