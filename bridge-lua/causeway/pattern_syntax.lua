--- Reads a `pattern` of a schema into a tree. It takes what RE2 and ECMA-262 (flag `u`) both read, and read alike, and
--- refuses the rest: classes of Unicode properties (`\p`), code points as `\u` or `\x{}`, named groups, look-around.
if jit then jit.off(true, true) end
local unicode = require 'causeway.unicode'

local syntax = {}

local MOST = 0x10FFFF
local MOST_REPETITIONS = 1000

local function fail(problem) error({ problem = problem }, 0) end

local DIGITS = { { 48, 57 } }
local WORDS = { { 48, 57 }, { 65, 90 }, { 95, 95 }, { 97, 122 } }
--- Whitespace as ECMA-262 has it; that of RE2 alone is ASCII.
local SPACES = {
  { 9, 13 }, { 32, 32 }, { 0xA0, 0xA0 }, { 0x1680, 0x1680 }, { 0x2000, 0x200A }, { 0x2028, 0x2029 }, { 0x202F, 0x202F },
  { 0x205F, 0x205F }, { 0x3000, 0x3000 }, { 0xFEFF, 0xFEFF },
}
local LINE_BREAKS = { { 10, 10 }, { 13, 13 }, { 0x2028, 0x2029 } }

--- The ranges of all other code points; the given ones may overlap.
local function others(ranges)
  local sorted = {}
  for nth, range in ipairs(ranges) do sorted[nth] = range end
  table.sort(sorted, function(one, other) return one[1] < other[1] end)
  local result, from = {}, 0
  for _, range in ipairs(sorted) do
    if range[1] > from then result[#result + 1] = { from, range[1] - 1 } end
    from = math.max(from, range[2] + 1)
  end
  if from <= MOST then result[#result + 1] = { from, MOST } end
  return result
end

local SETS = { d = DIGITS, D = others(DIGITS), w = WORDS, W = others(WORDS), s = SPACES, S = others(SPACES) }
local CONTROLS = { t = 9, n = 10, v = 11, f = 12, r = 13 }
local SPECIAL = '^$\\.*+?()[]{}|/'

--- Reads what follows a backslash: ranges of a set, or one code point.
local function read_escape(source, is_in_class)
  local char = source.take()
  if not char then fail 'it ends in a backslash' end
  if SETS[char] then return SETS[char] end
  if CONTROLS[char] then return nil, CONTROLS[char] end
  if char == 'x' then
    local digits = (source.take() or '') .. (source.take() or '')
    if not digits:find '^%x%x$' then fail 'after \\x come two hexadecimal digits' end
    return nil, tonumber(digits, 16)
  end
  if SPECIAL:find(char, 1, true) or is_in_class and char == '-' then return nil, char:byte() end
  return fail(('\\%s is not read alike by RE2 and ECMA-262'):format(char))
end

--- One member of a class: ranges of a set, or one code point.
local function read_member(source)
  local char, code = source.take()
  if not char then fail 'a [ has no ]' end
  if char == '\\' then return read_escape(source, true) end
  if char == '[' and source.peek() == ':' then fail '[: in a class is not read alike by RE2 and ECMA-262' end
  return nil, code
end

local function read_class(source)
  local is_negated = source.peek() == '^'
  if is_negated then source.take() end
  if not is_negated and source.peek() == ']' then fail 'a class is empty' end
  local ranges = {}
  while source.peek() ~= ']' do
    local set, low = read_member(source)
    local is_range = source.peek() == '-' and source.peek(1) ~= ']'
    if set and is_range then fail 'a set in a class is no end of a range' end
    if set then
      for _, range in ipairs(set) do ranges[#ranges + 1] = range end
    elseif is_range then
      source.take()
      local other, high = read_member(source)
      if other or high < low then fail 'a range in a class does not fit' end
      ranges[#ranges + 1] = { low, high }
    else
      ranges[#ranges + 1] = { low, low }
    end
  end
  source.take()
  return { kind = 'set', ranges = is_negated and others(ranges) or ranges }
end

local function read_count(source)
  local digits = ''
  while source.peek() and source.peek():find '^%d$' do digits = digits .. source.take() end
  return tonumber(digits)
end

--- The bounds of a repetition at this place; nil if there is none.
local function read_bounds(source)
  local char = source.peek()
  if char == '*' or char == '+' or char == '?' then
    source.take()
    return char == '+' and 1 or 0, char == '?' and 1 or math.huge
  end
  if char ~= '{' then return nil end
  source.take()
  local least = read_count(source)
  local most = least
  if source.peek() == ',' then
    source.take()
    most = source.peek() == '}' and math.huge or read_count(source)
  end
  if not least or not most or source.take() ~= '}' then fail 'a { is no repetition' end
  if least > most then fail 'a repetition ends before it begins' end
  source.repetitions = source.repetitions + (most == math.huge and least or most)
  if source.repetitions > MOST_REPETITIONS then fail 'its repetitions are too long; use maxLength' end
  return least, most
end

local read_choice

local function read_group(source)
  if source.peek() == '?' then
    source.take()
    if source.take() ~= ':' then fail 'of groups with ? only (?:…) is possible' end
  end
  local node = read_choice(source)
  if source.take() ~= ')' then fail 'a ( has no )' end
  return node
end

local function read_atom(source)
  local char, code = source.take()
  if char == '(' then return read_group(source) end
  if char == '[' then return read_class(source) end
  if char == '.' then return { kind = 'set', ranges = others(LINE_BREAKS) } end
  if char == '^' then return { kind = 'start' } end
  if char == '$' then return { kind = 'finish' } end
  if char == '*' or char == '+' or char == '?' then fail 'a repetition has nothing before it' end
  if char == '{' or char == '}' or char == ']' then fail(('a %s stands alone; write \\%s'):format(char, char)) end
  if char ~= '\\' then return { kind = 'set', ranges = { { code, code } } } end
  local next = source.peek()
  if next == 'b' or next == 'B' then
    source.take()
    return { kind = next == 'b' and 'boundary' or 'inside' }
  end
  local set, escaped = read_escape(source, false)
  return { kind = 'set', ranges = set or { { escaped, escaped } } }
end

local IS_ASSERTION = { start = true, finish = true, boundary = true, inside = true }

local function read_sequence(source)
  local nodes = {}
  while source.peek() and source.peek() ~= '|' and source.peek() ~= ')' do
    local node = read_atom(source)
    local least, most = read_bounds(source)
    if least then
      if IS_ASSERTION[node.kind] then fail 'an assertion cannot be repeated' end
      if source.peek() == '?' then source.take() end
      node = { kind = 'repeat', node = node, least = least, most = most }
      if read_bounds(source) then fail 'a repetition is repeated' end
    end
    nodes[#nodes + 1] = node
  end
  return { kind = 'sequence', nodes = nodes }
end

read_choice = function(source)
  local nodes = { read_sequence(source) }
  while source.peek() == '|' do
    source.take()
    nodes[#nodes + 1] = read_sequence(source)
  end
  return #nodes == 1 and nodes[1] or { kind = 'choice', nodes = nodes }
end

local function create_source(text)
  local codes, at = unicode.codes(text), 1
  local source = { repetitions = 0 }
  function source.peek(ahead)
    local code = codes[at + (ahead or 0)]
    return code and unicode.char(code)
  end
  function source.take()
    local code = codes[at]
    if not code then return nil end
    at = at + 1
    return unicode.char(code), code
  end
  return source
end

--- The tree of a pattern. Nil and the problem if it cannot be used.
function syntax.read(text)
  if unicode.fault(text) then return nil, 'it is not UTF-8' end
  if unicode.units(text) > 128 then return nil, 'over 128 characters' end
  local source = create_source(text)
  local fits, tree = pcall(function()
    local node = read_choice(source)
    if source.peek() then fail 'a ) has no (' end
    return node
  end)
  if fits then return tree end
  return nil, type(tree) == 'table' and tree.problem or tostring(tree)
end

return syntax
