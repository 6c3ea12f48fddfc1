--- Matches whole texts with a `pattern` of a schema, in a time that grows with the text's length times the pattern's size.
if jit then jit.off(true, true) end
local syntax = require 'causeway.pattern_syntax'
local unicode = require 'causeway.unicode'

local pattern = {}

local MOST_INSTRUCTIONS = 1000

--- Writes a tree as a program: `set` reads one code point, `split` goes on at two places, `jump` at one.
local function write(node, program)
  local kind = node.kind
  local function add(instruction)
    if #program >= MOST_INSTRUCTIONS then error({ problem = 'over 1000 instructions' }, 0) end
    program[#program + 1] = instruction
    return instruction
  end
  if kind == 'sequence' then
    for _, inner in ipairs(node.nodes) do write(inner, program) end
  elseif kind == 'choice' then
    local jumps = {}
    for nth, inner in ipairs(node.nodes) do
      local split = nth < #node.nodes and add { op = 'split', to = #program + 2 }
      write(inner, program)
      if split then
        jumps[#jumps + 1] = add { op = 'jump' }
        split.other = #program + 1
      end
    end
    for _, jump in ipairs(jumps) do jump.to = #program + 1 end
  elseif kind == 'repeat' then
    local before = #program
    for _ = 1, node.least do
      write(node.node, program)
      -- A node that writes nothing once writes nothing again.
      if #program == before then return end
    end
    if node.most == math.huge then
      local from = #program + 1
      local split = add { op = 'split', to = from + 1 }
      write(node.node, program)
      add { op = 'jump', to = from }
      split.other = #program + 1
    else
      local splits = {}
      for _ = node.least + 1, node.most do
        splits[#splits + 1] = add { op = 'split', to = #program + 2, at = #program + 1 }
        write(node.node, program)
        if #program == splits[#splits].at then break end
      end
      for _, split in ipairs(splits) do split.other = #program + 1 end
    end
  elseif kind == 'set' then add { op = 'set', ranges = node.ranges }
  else add { op = kind } end
end

--- The program of a pattern. Nil and the problem if it cannot be used.
function pattern.compile(text)
  local tree, problem = syntax.read(text)
  if not tree then return nil, problem end
  local program = {}
  local fits, reason = pcall(write, tree, program)
  if not fits then return nil, type(reason) == 'table' and reason.problem or tostring(reason) end
  program[#program + 1] = { op = 'match' }
  return program
end

local function is_word(code)
  return code ~= nil and (code >= 48 and code <= 57 or code >= 65 and code <= 90 or code == 95 or code >= 97 and code <= 122)
end

local function contains(ranges, code)
  for nth = 1, #ranges do
    local range = ranges[nth]
    if code >= range[1] and code <= range[2] then return true end
  end
  return false
end

local HOLDS = {
  start = function(before) return before == nil end,
  finish = function(_, after) return after == nil end,
  boundary = function(before, after) return is_word(before) ~= is_word(after) end,
  inside = function(before, after) return is_word(before) == is_word(after) end,
}

--- Adds all places that are reached from one without reading; `seen` has those that are there already.
local function follow(program, from, places, seen, before, after)
  local stack = { from }
  while #stack > 0 do
    local place = table.remove(stack)
    if not seen[place] then
      seen[place] = true
      local instruction = program[place]
      local op = instruction.op
      if op == 'set' or op == 'match' then places[#places + 1] = place
      elseif op == 'jump' then stack[#stack + 1] = instruction.to
      elseif op == 'split' then
        stack[#stack + 1] = instruction.other
        stack[#stack + 1] = instruction.to
      elseif HOLDS[op](before, after) then stack[#stack + 1] = place + 1 end
    end
  end
end

--- Whether the program matches the whole text.
function pattern.matches(program, text)
  local codes = unicode.codes(text)
  local places = {}
  follow(program, 1, places, {}, nil, codes[1])
  for at = 1, #codes do
    local code, next, seen = codes[at], {}, {}
    for nth = 1, #places do
      local instruction = program[places[nth]]
      if instruction.op == 'set' and contains(instruction.ranges, code) then
        follow(program, places[nth] + 1, next, seen, code, codes[at + 1])
      end
    end
    if #next == 0 then return false end
    places = next
  end
  for nth = 1, #places do
    if program[places[nth]].op == 'match' then return true end
  end
  return false
end

return pattern
