--- Runs all tests: `lua main.lua` in any folder. wasmoon has no `arg`: there `CAUSEWAY_TESTS` and `CAUSEWAY_LIBRARY` name the
--- folders, and `CAUSEWAY_ONLY` one of the files.
local here = rawget(_G, 'CAUSEWAY_TESTS') or (arg and arg[0] and arg[0]:match '^(.*)/[^/]*$') or '.'
local library = rawget(_G, 'CAUSEWAY_LIBRARY') or here .. '/../../bridge-lua'
package.path = table.concat({ here .. '/?.lua', library .. '/?.lua', library .. '/?/init.lua', package.path }, ';')

-- LuaJIT may compile the tests to wrong code, too. The library must see to that itself, which the last test checks: a loop
-- that is compiled on purpose shows that it can see.
local begun = {}
if jit then
  jit.off(true, true)
  jit.opt.start 'hotloop=1'
  local find_file = package.loaders[2]
  package.loaders[2] = function(name)
    local chunk = find_file(name)
    if type(chunk) == 'function' and not name:find '^causeway' then jit.off(chunk, true) end
    return chunk
  end
  jit.attach(function(event, _, code)
    local source = event == 'start' and require 'jit.util'.funcinfo(code).source or ''
    if source == '@planted' or source:find 'bridge%-lua/causeway/' then begun[source] = true end
  end, 'trace')
  if jit.status() then
    loadstring('local sum = 0 for nth = 1, 1000 do sum = sum + nth end', '@planted')()
  else
    begun['@planted'] = true
  end
end

local runner = require 'runner'
local FILES = { 'json', 'websocket', 'journal', 'commands', 'session', 'reconnect', 'players', 'custom', 'crash', 'lock', 'money', 'catalogues' }
local only = rawget(_G, 'CAUSEWAY_ONLY')
for _, name in ipairs(only and { only } or FILES) do require('test_' .. name) end
if jit then runner.test('LuaJIT compiles no file of the library', function() runner.equal(begun, { ['@planted'] = true }) end) end
local passed, failures = runner.run()
local report = ''
for _, failure in ipairs(failures) do report = report .. 'FAIL ' .. failure .. '\n' end
if not arg then return report, passed, table.concat(FILES, ' ') end
io.write(report, ('%d passed, %d failed\n'):format(passed, #failures))
os.exit(#failures == 0 and 0 or 1)
