--- Texts as UTF-8: whether they are, what replaces what is not, and how long they are.
if jit then jit.off(true, true) end

local unicode = {}

local byte, find, sub = string.byte, string.find, string.sub
local REPLACEMENT = '\239\191\189'

--- The end of the well-formed character that begins at `at` with a byte over 127; nil if there is none.
local function last_of(text, at)
  local first, second = byte(text, at, at + 1)
  if first < 0xC2 or first > 0xF4 or not second then return nil end
  local low, high, more = 0x80, 0xBF, 1
  if first >= 0xE0 then more = 2 end
  if first >= 0xF0 then more = 3 end
  if first == 0xE0 then low = 0xA0 elseif first == 0xED then high = 0x9F end
  if first == 0xF0 then low = 0x90 elseif first == 0xF4 then high = 0x8F end
  if second < low or second > high then return nil end
  for nth = 2, more do
    local next = byte(text, at + nth)
    if not next or next < 0x80 or next > 0xBF then return nil end
  end
  return at + more
end

--- The place of the first byte that is not UTF-8; nil if there is none.
function unicode.fault(text)
  local at = find(text, '[\128-\255]')
  while at do
    local last = last_of(text, at)
    if not last then return at end
    at = find(text, '[\128-\255]', last + 1)
  end
  return nil
end

--- The text with U+FFFD in the place of each byte that is not UTF-8.
function unicode.clean(text)
  local fault = unicode.fault(text)
  if not fault then return text end
  local parts, from = {}, 1
  while fault do
    parts[#parts + 1] = sub(text, from, fault - 1)
    parts[#parts + 1] = REPLACEMENT
    from = fault + 1
    local rest = unicode.fault(sub(text, from))
    fault = rest and rest + fault
  end
  parts[#parts + 1] = sub(text, from)
  return table.concat(parts)
end

--- UTF-16 code units of a text in UTF-8; a character beyond U+FFFF counts as two.
function unicode.units(text)
  if not find(text, '[\128-\255]') then return #text end
  local _, continued = text:gsub('[\128-\191]', '')
  local _, long = text:gsub('[\240-\247]', '')
  return #text - continued + long
end

--- Characters (code points) of a text in UTF-8.
function unicode.characters(text)
  local _, continued = text:gsub('[\128-\191]', '')
  return #text - continued
end

--- The text cut to at most `limit` UTF-16 code units, between two characters.
function unicode.cut(text, limit)
  if unicode.units(text) <= limit then return text end
  local units, at = 0, 1
  while at <= #text do
    local first = byte(text, at)
    local length = first < 0x80 and 1 or first < 0xE0 and 2 or first < 0xF0 and 3 or 4
    units = units + (length == 4 and 2 or 1)
    if units > limit then break end
    at = at + length
  end
  return sub(text, 1, at - 1)
end

--- A code point as UTF-8.
function unicode.char(code)
  local char = string.char
  if code < 0x80 then return char(code) end
  if code < 0x800 then return char(0xC0 + math.floor(code / 64), 0x80 + code % 64) end
  local low = 0x80 + code % 64
  local middle = 0x80 + math.floor(code / 64) % 64
  if code < 0x10000 then return char(0xE0 + math.floor(code / 4096), middle, low) end
  return char(0xF0 + math.floor(code / 262144), 0x80 + math.floor(code / 4096) % 64, middle, low)
end

return unicode
