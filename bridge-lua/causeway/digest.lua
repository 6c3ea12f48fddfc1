--- SHA-1 and base64, which the handshake of RFC 6455 asks for, and hexadecimal ids.
if jit then jit.off(true, true) end
local bits = require 'causeway.bits'

local digest = {}

local byte, char, floor = string.byte, string.char, math.floor
local WORD = 4294967296

local function bytes_of(word)
  return char(floor(word / 16777216) % 256, floor(word / 65536) % 256, floor(word / 256) % 256, word % 256)
end

local function words_of(block, at)
  local words = {}
  for nth = 0, 15 do
    local a, b, c, d = byte(block, at + nth * 4, at + nth * 4 + 3)
    words[nth] = ((a * 256 + b) * 256 + c) * 256 + d
  end
  for nth = 16, 79 do
    local mixed = bits.xor(bits.xor(words[nth - 3], words[nth - 8]), bits.xor(words[nth - 14], words[nth - 16]))
    words[nth] = bits.rotate(mixed, 1)
  end
  return words
end

local function round(nth, b, c, d)
  if nth < 20 then return bits.xor(d, bits.both(b, bits.xor(c, d))), 0x5A827999 end
  if nth < 40 then return bits.xor(bits.xor(b, c), d), 0x6ED9EBA1 end
  if nth < 60 then return bits.either(bits.both(b, c), bits.both(d, bits.either(b, c))), 0x8F1BBCDC end
  return bits.xor(bits.xor(b, c), d), 0xCA62C1D6
end

--- The SHA-1 of a text, as 20 bytes.
function digest.sha1(text)
  local length = #text * 8
  local padded = text .. '\128' .. ('\0'):rep((55 - #text) % 64) .. bytes_of(floor(length / WORD)) .. bytes_of(length % WORD)
  local h0, h1, h2, h3, h4 = 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0
  for at = 1, #padded, 64 do
    local words = words_of(padded, at)
    local a, b, c, d, e = h0, h1, h2, h3, h4
    for nth = 0, 79 do
      local mixed, constant = round(nth, b, c, d)
      local next = (bits.rotate(a, 5) + mixed + e + constant + words[nth]) % WORD
      a, b, c, d, e = next, a, bits.rotate(b, 30), c, d
    end
    h0, h1, h2, h3, h4 = (h0 + a) % WORD, (h1 + b) % WORD, (h2 + c) % WORD, (h3 + d) % WORD, (h4 + e) % WORD
  end
  return bytes_of(h0) .. bytes_of(h1) .. bytes_of(h2) .. bytes_of(h3) .. bytes_of(h4)
end

local DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

--- The base64 of a text, with padding.
function digest.base64(text)
  local out = {}
  for at = 1, #text, 3 do
    local a, b, c = byte(text, at, at + 2)
    local group = a * 65536 + (b or 0) * 256 + (c or 0)
    for nth = 3, 0, -1 do
      local digit = floor(group / 64 ^ nth) % 64
      out[#out + 1] = DIGITS:sub(digit + 1, digit + 1)
    end
    if not b then out[#out - 1] = '=' end
    if not c then out[#out] = '=' end
  end
  return table.concat(out)
end

--- A text as hexadecimal digits.
function digest.hex(text)
  return (text:gsub('.', function(one) return ('%02x'):format(byte(one)) end))
end

return digest
