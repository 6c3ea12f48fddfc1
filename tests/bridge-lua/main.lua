--- Runs all tests: `lua main.lua` in any folder. wasmoon has no `arg`: there `CAUSEWAY_TESTS` and `CAUSEWAY_LIBRARY` name the
--- folders, and `CAUSEWAY_ONLY` one of the files.
local here = rawget(_G, 'CAUSEWAY_TESTS') or (arg and arg[0] and arg[0]:match '^(.*)/[^/]*$') or '.'
local library = rawget(_G, 'CAUSEWAY_LIBRARY') or here .. '/../../bridge-lua'
package.path = table.concat({ here .. '/?.lua', library .. '/?.lua', library .. '/?/init.lua', package.path }, ';')

local runner = require 'runner'
local FILES = { 'json', 'websocket', 'journal', 'commands', 'session', 'reconnect', 'players', 'custom', 'crash', 'lock', 'money', 'catalogues' }
local only = rawget(_G, 'CAUSEWAY_ONLY')
for _, name in ipairs(only and { only } or FILES) do require('test_' .. name) end
local passed, failures = runner.run()
local report = ''
for _, failure in ipairs(failures) do report = report .. 'FAIL ' .. failure .. '\n' end
if not arg then return report, passed, table.concat(FILES, ' ') end
io.write(report, ('%d passed, %d failed\n'):format(passed, #failures))
os.exit(#failures == 0 and 0 or 1)
