--- Bit operations on whole numbers below 2^32, with what the interpreter offers: operators, `bit`, or plain arithmetic.
if jit then jit.off(true, true) end

local bits = {}

local char, byte, concat = string.char, string.byte, table.concat

-- Only Lua 5.3 and newer has `math.type`. LuaJIT of 2026 knows the operators, too, but with 32 bits and without `string.pack`.
local OPERATORS = math.type and load [[
  local bits = {}
  function bits.xor(a, b) return a ~ b end
  function bits.both(a, b) return a & b end
  function bits.either(a, b) return a | b end
  function bits.rotate(a, n) return (a << n | a >> (32 - n)) & 0xffffffff end
  local pack, unpack = string.pack, string.unpack
  function bits.mask(text, key)
    local word = unpack('<I4', key)
    word = word << 32 | word
    local out, count, whole = {}, 0, #text - #text % 32
    for at = 1, whole, 32 do
      local a, b, c, d = unpack('<i8i8i8i8', text, at)
      count = count + 1
      out[count] = pack('<i8i8i8i8', a ~ word, b ~ word, c ~ word, d ~ word)
    end
    for at = whole + 1, #text do
      count = count + 1
      out[count] = string.char(text:byte(at) ~ key:byte((at - 1) % 4 + 1))
    end
    return table.concat(out)
  end
  return bits
]]

local function with_library(library)
  local function unsigned(value) return value % 4294967296 end
  function bits.xor(a, b) return unsigned(library.bxor(a, b)) end
  function bits.both(a, b) return unsigned(library.band(a, b)) end
  function bits.either(a, b) return unsigned(library.bor(a, b)) end
  function bits.rotate(a, n) return unsigned((library.rol or library.lrotate)(a, n)) end
end

local function with_arithmetic()
  local floor = math.floor
  local nibbles = { xor = {}, both = {} }
  for a = 0, 15 do
    for b = 0, 15 do
      local xor, both = 0, 0
      for nth = 0, 3 do
        local one, other = floor(a / 2 ^ nth) % 2, floor(b / 2 ^ nth) % 2
        if one ~= other then xor = xor + 2 ^ nth end
        if one + other == 2 then both = both + 2 ^ nth end
      end
      nibbles.xor[a * 16 + b], nibbles.both[a * 16 + b] = xor, both
    end
  end
  local function combined(a, b, values)
    local result, scale = 0, 1
    while a > 0 or b > 0 do
      local low, other = a % 16, b % 16
      result = result + values[low * 16 + other] * scale
      a, b, scale = (a - low) / 16, (b - other) / 16, scale * 16
    end
    return result
  end
  function bits.xor(a, b) return combined(a, b, nibbles.xor) end
  function bits.both(a, b) return combined(a, b, nibbles.both) end
  function bits.either(a, b) return a + b - combined(a, b, nibbles.both) end
  function bits.rotate(a, n)
    local shifted = a * 2 ^ n
    return shifted % 4294967296 + floor(shifted / 4294967296)
  end
end

local rows = {}

--- The results of one byte with each other one; made when it is first needed.
local function row(key)
  local values = rows[key]
  if values then return values end
  values = {}
  for value = 0, 255 do values[value] = bits.xor(key, value) end
  rows[key] = values
  return values
end

--- A text with the mask of RFC 6455 over it: four bytes, again and again. Twice is the text itself.
function bits.mask(text, key)
  local a, b, c, d = byte(key, 1, 4)
  a, b, c, d = row(a), row(b), row(c), row(d)
  local out, count = {}, 0
  local whole = #text - #text % 8
  for at = 1, whole, 8 do
    local p, q, r, s, t, u, v, w = byte(text, at, at + 7)
    count = count + 1
    out[count] = char(a[p], b[q], c[r], d[s], a[t], b[u], c[v], d[w])
  end
  local columns = { a, b, c, d }
  for at = whole + 1, #text do
    count = count + 1
    out[count] = char(columns[(at - 1) % 4 + 1][byte(text, at)])
  end
  return concat(out)
end

if OPERATORS then return OPERATORS() end
local library = rawget(_G, 'bit') or rawget(_G, 'bit32')
if library then with_library(library) else with_arithmetic() end
return bits
