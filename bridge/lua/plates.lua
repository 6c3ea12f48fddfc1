-- Number plates as the games show them: capitals, digits and spaces, at most eight of them.
local LONGEST = 8
local LETTERS, DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'
-- 2^61 - 1: the products below stay in 64 bits.
local PRIME, FACTOR = 2305843009213693951, 1000003

--- A plate as it is compared: frameworks pad plates with spaces, and databases ignore case.
function Causeway.barePlate(text) return (tostring(text or ''):match('^%s*(.-)%s*$'):upper()) end

--- The plate of a new vehicle. Returns nil and the reason if the game cannot show it. A vehicle that is restored keeps
--- what its column holds.
function Causeway.newPlate(text, restoredLength)
  local plate = Causeway.barePlate(text)
  local isRight = plate:find(restoredLength and '^[%g ]+$' or '^[A-Z0-9 ]+$') and #plate <= (restoredLength or LONGEST)
  if isRight then return plate end
  return nil, ('1 to %d of A-Z, 0-9 and spaces, but it is "%s"'):format(LONGEST, plate)
end

--- A function that draws numbers below a limit. The same text gives the same numbers; the ids of commands are random.
local function lottery(text)
  local state = 7
  for byte = 1, #text do state = (state * 31 + text:byte(byte)) % PRIME end
  return function(limit)
    for _ = 1, 3 do state = ((state % 2147483648) * FACTOR + state // 2147483648 + 12345) % PRIME end
    return state // 1024 % limit + 1
  end
end

--- A text that the bridge makes up for a command. `A` of the pattern is a letter, `1` a digit, `.` one of both; the
--- character after `^` and all others stay. The same id and number always give the same text.
function Causeway.invent(pattern, id, nth)
  local draw = lottery(('%s %d'):format(id, nth))
  local function from(characters)
    local at = draw(#characters)
    return characters:sub(at, at)
  end
  return (pattern:gsub('%^?.', function(part)
    if part == 'A' then return from(LETTERS) end
    if part == '1' then return from(DIGITS) end
    if part == '.' then return from(LETTERS .. DIGITS) end
    return part:sub(-1)
  end))
end

--- The plate with this number for a command: after a crash, its vehicle is found by its plates.
function Causeway.inventPlate(pattern, id, nth)
  return Causeway.barePlate(Causeway.invent(pattern, id, nth):sub(1, LONGEST))
end
