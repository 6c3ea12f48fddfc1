--- Runs tests that are sentences. It works under every Lua, and needs nothing.
local runner = { tests = {} }

--- Adds a test.
function runner.test(name, run) table.insert(runner.tests, { name = name, run = run }) end

local function shown(value)
  if type(value) == 'string' then return ('%q'):format(value) end
  if type(value) ~= 'table' then return tostring(value) end
  local parts = {}
  for key, inner in pairs(value) do parts[#parts + 1] = tostring(key) .. '=' .. shown(inner) end
  table.sort(parts)
  return '{' .. table.concat(parts, ', ') .. '}'
end

local function is_same(one, other)
  if type(one) ~= 'table' or type(other) ~= 'table' then return one == other end
  for key, value in pairs(one) do
    if not is_same(value, other[key]) then return false end
  end
  for key in pairs(other) do
    if one[key] == nil then return false end
  end
  return true
end

--- Fails unless both are the same, tables by their fields.
function runner.equal(found, wanted, what)
  if not is_same(found, wanted) then
    error(('%sfound %s, wanted %s'):format(what and what .. ': ' or '', shown(found), shown(wanted)), 2)
  end
end

--- Fails unless the text has the part.
function runner.contains(text, part)
  if not tostring(text):find(part, 1, true) then error(('%s does not contain %s'):format(shown(text), shown(part)), 2) end
end

--- Fails unless the function raises an error that contains the part.
function runner.raises(part, run)
  local fits, problem = pcall(run)
  if fits then error('it raised no error', 2) end
  runner.contains(problem, part)
end

--- Runs all tests. Answers how many passed, and a list of failures.
function runner.run()
  local passed, failures = 0, {}
  for _, test in ipairs(runner.tests) do
    local fits, problem = xpcall(test.run, function(reason) return (debug and debug.traceback or tostring)(tostring(reason)) end)
    if fits then passed = passed + 1 else failures[#failures + 1] = test.name .. '\n' .. tostring(problem) end
  end
  return passed, failures
end

return runner
