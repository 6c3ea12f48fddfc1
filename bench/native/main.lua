-- A game server of the bench in native Lua: the resource's unmodified scripts, and the functions they call. Orders come
-- as lines on the standard input, one at a time; each is answered with a line. Arguments: this folder, the data folder,
-- the framework, the garbage collection mode, and the scripts.
local here, data, framework, mode = arg[1], arg[2], arg[3], arg[4]
package.path = here .. '/?.lua;' .. package.path
local cjson, platform = require('cjson'), require('platform')

-- The interpreter's own mode differs from the default of a program that embeds Lua, such as FXServer.
collectgarbage(mode)

local online = {}
for line in io.lines(data .. '/online') do online[#online + 1] = cjson.decode(line) end
for source, player in ipairs(online) do platform.players[source] = player.identifiers end
require('frameworks')[framework](platform, online)
online = nil

-- Rows have equal length, so that a row is found by its number.
local function open(name)
  local file = io.open(data .. '/' .. name)
  local stride = #file:read('L')
  local count = file:seek('end') // stride
  return function(from, most)
    local rows = math.min(most, count - from)
    if rows <= 0 then return '[]' end
    file:seek('set', from * stride)
    return '[' .. file:read(rows * stride - 2) .. ']'
  end
end
local players, vehicles = open('players'), open('vehicles')

local function numberOf(key) return tonumber(key:match('%d+$')) end

local function read(sql, parameters)
  if sql == 'SELECT 1' then return '[{"1":1}]' end
  if sql:find('LIMIT 1', 1, true) then return players(0, 1) end
  if sql:find('ORDER BY', 1, true) then
    local after, limit = table.unpack(parameters)
    return players(after == '' and 0 or numberOf(after) + 1, math.tointeger(limit))
  end
  local first, last = numberOf(parameters[1]), numberOf(parameters[#parameters])
  assert(sql:find('_vehicles', 1, true) and last - first + 1 == #parameters, 'the rows asked for are not one after another')
  return vehicles(first, #parameters)
end

for index = 5, #arg do
  local chunk = assert(loadfile(arg[index], 't'))
  platform.run(chunk)
end

local answers = {}
local orders = {
  tick = function() platform.tick() end,
  database = function() platform.answer(read) end,
  call = function(order)
    local method, args = table.unpack(order.args)
    platform.run(platform.exported.adapter, method, args, function(reply) answers[#answers + 1] = { order.id, reply } end)
  end,
}

-- Kept in a file: a list in memory would grow by 256 KB at once, and the code at that moment would pay for the
-- collection.
local function openFigures()
  local file = assert(io.open(data .. '/figures', 'w+'))
  file:setvbuf('full')
  return file
end
local figures = openFigures()

local function takeFigures()
  local taken = { memoryKb = collectgarbage('count'), wallUs = {}, cpuUs = {} }
  figures:seek('set')
  for wall, cpu in figures:lines('n', 'n') do
    taken.wallUs[#taken.wallUs + 1], taken.cpuUs[#taken.cpuUs + 1] = wall, cpu
  end
  figures:close()
  figures = openFigures()
  return taken
end

collectgarbage()
for line in io.lines() do
  local wall, cpu = os.microtime(), os.clock()
  local order = cjson.decode(line)
  local answer
  if orders[order['do']] then
    orders[order['do']](order)
    answer = cjson.encode({ answers = answers, queries = platform.pending() })
    answers = {}
    figures:write(os.microtime() - wall, ' ', (os.clock() - cpu) * 1e6, '\n')
  else
    answer = cjson.encode(takeFigures())
  end
  io.write(('%.0f\n'):format(os.clock() * 1e6), answer, '\n')
  io.flush()
end
