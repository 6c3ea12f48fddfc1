local causeway = require 'causeway'
local fake_hub = require 'fake_hub'
local runner = require 'runner'
local stage = require 'stage'

local test, equal, contains = runner.test, runner.equal, runner.contains

test('session: the request is that of the protocol, and hello says who is there', function()
  local on = stage.open()
  local line = on.greet()
  equal({ line.address, line.port, line.secure }, { 'hub.example', 8080, false })
  contains(line.request, 'GET /bridge HTTP/1.1\r\nHost: hub.example:8080\r\n')
  contains(line.request, 'Authorization: Bearer cwb_secret\r\n')
  contains(line.request, 'Sec-WebSocket-Protocol: causeway.v1\r\n')
  equal(line.request:find('Origin', 1, true), nil)
  local hello = line.frames[1]
  equal({ hello.protocol, hello.commands, hello.accounts }, { 1, { 'kick@1', 'money@1' }, { 'bank' } })
  equal({ hello.journal.class, hello.journal.id, hello.journal.sequence }, { 'saved', on.journal.id, 0 })
  equal({ hello.open, hello.limits.inFlight, #hello.instance }, { {}, 32, 32 })
  equal(on.bridge.state, 'welcomed')
end)

test('session: hello names the class of a command that is weaker than the journal', function()
  local commands = { kick = function() end, items = function() end }
  local function classes_of(class)
    local on = stage.open { bridge = { commands = commands, classes = { items = class } } }
    return on.greet().frames[1].classes
  end
  equal(classes_of('volatile'), { ['items@1'] = 'volatile' })
  equal(classes_of('atomic'), nil)
  equal(classes_of(nil), nil)
  local fits, problem = pcall(classes_of, 'certain')
  equal(fits, false)
  equal(problem:find('classes.items', 1, true) ~= nil, true)
end)

test('session: nothing is said between hello and welcome, then the status and the players', function()
  local on = stage.open { hub = { welcomes = false } }
  on.bridge:start()
  on.hub.pass(on.bridge, 3000)
  local line = on.hub.last()
  equal({ #line.frames, on.bridge.state }, { 1, 'connected' })
  on.hub.welcome(line)
  on.hub.pass(on.bridge, 50)
  equal({ line.frames[2].type, line.frames[3].type, #line.frames }, { 'status', 'players.snapshot', 3 })
end)

test('session: the instance is the same for all connections of a process, and another for the next one', function()
  local on = stage.open()
  local first = on.greet().frames[1].instance
  on.hub.last().cut()
  on.hub.pass(on.bridge, 1000)
  equal(on.hub.last().frames[1].instance, first)
  local next = on.restart()
  equal(next.greet().frames[1].instance ~= first, true)
end)

test('session: options that a hub would not take are named', function()
  local host = fake_hub.create().host
  local journal = causeway.journal {}
  local good = { url = 'ws://h/bridge', token = 't', host = host, journal = journal, software = { name = 'a', version = '1' } }
  local function with(field, value)
    return function()
      local options = {}
      for key, one in pairs(good) do options[key] = one end
      options[field] = value
      causeway.bridge(options)
    end
  end
  with('url', good.url)()
  runner.raises('url:', with('url', 'http://h'))
  runner.raises('token:', with('token', ''))
  runner.raises('token:', with('token', 'a\r\nX-Other: b'))
  runner.raises('journal:', with('journal', nil))
  runner.raises('software.version', with('software', { name = 'a' }))
  runner.raises('accounts[2]', with('accounts', { 'bank', 'my bank' }))
  runner.raises('host.connect', with('host', {}))
  runner.raises('times.silence', with('times', { silence = 1 }))
end)

test('session: a ping is answered with its number, also before the welcome', function()
  local on = stage.open { hub = { welcomes = false } }
  on.bridge:start()
  on.hub.pass(on.bridge, 50)
  local line = on.hub.last()
  line.say { type = 'ping', n = 3, now = on.hub.time }
  on.hub.pass(on.bridge, 10)
  equal({ line.of('pong')[1].n, line.of('pong')[1].now }, { 3, on.hub.time })
end)

test('session: frames that cannot be read are answered with an error, and the connection stays', function()
  local on = stage.open()
  local line = on.greet()
  local cases = {
    { '{"type":', 'invalid_json' }, { '[]', 'invalid_message' }, { '5', 'invalid_message' }, { '{"type":5}', 'invalid_message' },
    { '{"type":"command"}', 'invalid_message', 'command' }, { '{"type":"teleport"}', 'unsupported', 'teleport' },
    { ('['):rep(65) .. (']'):rep(65), 'invalid_message' }, { '{"type":"ping","n":null,"now":1}', 'invalid_message', 'ping' },
    { '{"type":"drain","withinMs":-1}', 'invalid_message', 'drain' }, { '{"type":"ack","ids":{}}', 'invalid_message', 'ack' },
  }
  for nth, case in ipairs(cases) do
    line.say(case[1])
    on.hub.pass(on.bridge, 10)
    local complaint = line.of('error')[nth]
    equal({ complaint.code, complaint.re }, { case[2], case[3] }, case[1])
  end
  line.raw(fake_hub.frame('x', { opcode = 2 }))
  line.raw(fake_hub.frame(('x'):rep(262145)))
  line.say { type = 'error', code = 'invalid_message', message = 'no', more = { unknown = true } }
  line.say '{"type":"error"}'
  on.hub.pass(on.bridge, 20)
  equal({ #line.of 'error', line.of('error')[11].code, line.of('error')[12].code }, { 12, 'invalid_message', 'frame_too_large' })
  equal({ on.bridge.state, #on.hub.connections }, { 'welcomed', 1 })
end)

test('session: a breach of RFC 6455 ends the connection with its code', function()
  local on = stage.open()
  local line = on.greet()
  line.raw(fake_hub.frame('\255'))
  on.hub.pass(on.bridge, 20)
  equal({ line.controls[1].opcode, line.controls[1].payload:sub(1, 2), line.is_left }, { 8, '\3\239', true })
  on.hub.pass(on.bridge, 1000)
  equal({ #on.hub.connections, on.bridge.state }, { 2, 'welcomed' })
end)

test('session: a close frame is answered with one, an empty one with an empty one', function()
  local on = stage.open()
  local line = on.greet()
  line.raw(fake_hub.frame('', { opcode = 8 }))
  on.hub.pass(on.bridge, 1000)
  equal({ line.controls, line.is_left }, { { { opcode = 8, payload = '' } }, true })
  local next = on.hub.last()
  next.close(4000)
  on.hub.pass(on.bridge, 20)
  equal({ next.controls, next.is_left }, { { { opcode = 8, payload = '\3\232' } }, true })
end)

test('session: a clock that is set back makes no step longer', function()
  local records, ticks = 0, 0
  local on = stage.open()
  local host, now = on.hub.host, on.hub.host.now
  host.now = function()
    ticks = ticks + 0.1
    return now() + ticks - (records >= 10 and 3600000 or 0)
  end
  local bridge = causeway.bridge {
    url = 'ws://hub/bridge', token = 't', host = host, journal = on.journal, software = { name = 'a', version = '1' },
    players = { snapshot = function()
      return function()
        records = records + 1
        return records <= 1000 and { identifier = 'p' .. records, name = 'P' } or nil
      end
    end },
  }
  bridge:start()
  local most, before = 0, 0
  for _ = 1, 100 do
    bridge:step(2)
    most, before = math.max(most, records - before), records
  end
  equal({ records > 40, most < 25 }, { true, true })
end)

test('session: pings of WebSocket are answered, and do not count as life', function()
  local on = stage.open()
  local line = on.greet()
  for _ = 1, 45 do
    line.raw(fake_hub.frame('alive?', { opcode = 9 }))
    on.hub.pass(on.bridge, 1000)
  end
  equal({ line.controls[1].opcode, line.controls[1].payload, line.is_left }, { 10, 'alive?', true })
end)

test('session: a hub that says nothing for 40 seconds is given up, before the welcome, too', function()
  for _, welcomes in ipairs { true, false } do
    local on = stage.open { hub = { welcomes = welcomes } }
    on.greet()
    on.hub.pass(on.bridge, 39000, 100)
    equal({ #on.hub.connections, on.hub.last().is_left }, { 1, nil })
    on.hub.pass(on.bridge, 2000, 100)
    equal({ #on.hub.connections, on.hub.connections[1].is_left }, { 2, true })
  end
end)

test('session: a handshake that takes longer than 10 seconds is given up', function()
  local on = stage.open { hub = { answer = function() return '' end } }
  on.bridge:start()
  on.hub.pass(on.bridge, 9000, 100)
  equal(on.hub.last().is_left, nil)
  on.hub.pass(on.bridge, 1500, 100)
  equal(on.hub.connections[1].is_left, true)
end)

test('session: an answer that does not come from a hub gets no hello', function()
  local good = 'HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
  for _, answer in ipairs { good .. 'Sec-WebSocket-Accept: x\r\nSec-WebSocket-Protocol: causeway.v1\r\n\r\n', 'SSH-2.0-OpenSSH\r\n', good .. '\r\n' } do
    local on = stage.open { hub = { answer = function() return answer end } }
    on.bridge:start()
    on.hub.pass(on.bridge, 100)
    equal({ #on.hub.connections[1].frames, on.bridge.state }, { 0, 'waiting' })
  end
end)

test('session: a network that takes a few bytes at a time changes nothing', function()
  local on = stage.open { hub = { takes = function() return 7 end } }
  on.greet()
  equal(on.run(on.payment(5)).data.after, 1005)
end)

test('session: a drain opens the next connection before the old one is left', function()
  local on = stage.open()
  local old = on.greet()
  old.say { type = 'drain', withinMs = 1000 }
  old.say { type = 'drain', withinMs = 1000 }
  on.hub.pass(on.bridge, 400)
  equal(#on.hub.connections, 1)
  on.hub.welcomes = false
  on.hub.pass(on.bridge, 200)
  equal({ #on.hub.connections, old.is_left, on.bridge.state }, { 2, nil, 'welcomed' })
  local order = on.payment(5)
  old.say(order)
  on.hub.pass(on.bridge, 100)
  equal(old.result(order.id).status, 'done')
  on.hub.welcome(on.hub.last())
  on.hub.pass(on.bridge, 100)
  equal({ old.is_left, on.hub.last().result(order.id).status }, { true, 'done' })
  old.say(on.payment(7))
  on.hub.pass(on.bridge, 100)
  equal(#on.game.effects, 1)
end)

test('session: a drain whose next connection is refused keeps the old one', function()
  local refusals = 0
  local on = stage.open { hub = { answer = function(_, nth)
    if nth ~= 2 and nth ~= 3 then return nil end
    refusals = refusals + 1
    return nth == 2 and 'HTTP/1.1 503 X\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n' or 'HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n'
  end } }
  local old = on.greet()
  old.say { type = 'drain', withinMs = 100 }
  on.hub.pass(on.bridge, 5000)
  equal({ refusals, old.is_left, on.bridge.state }, { 1, nil, 'welcomed' })
  on.hub.pass(on.bridge, 4000)
  equal({ refusals, old.is_left, on.bridge.state }, { 2, nil, 'welcomed' })
  on.hub.pass(on.bridge, 20000)
  equal({ #on.hub.connections, old.is_left }, { 3, nil })
end)

test('session: status goes out every 15 seconds and when draining changes', function()
  local on = stage.open { bridge = { status = function()
    return { players = { online = 3, max = 20 }, tickMs = 4.5, database = { engine = 'x', status = 'pass', latencyMs = 0 / 0 } }
  end } }
  local line = on.greet()
  equal(line.of('status')[1], { type = 'status', players = { online = 3, max = 20 }, tickMs = 4.5, draining = false,
    database = { engine = 'x', status = 'pass' } })
  on.hub.pass(on.bridge, 30100)
  equal(#line.of 'status', 3)
  on.bridge:draining(true)
  on.hub.pass(on.bridge, 10)
  equal({ #line.of 'status', line.of('status')[4].draining }, { 4, true })
end)

test('session: while the game drains, new commands are refused and known ones answered', function()
  local on = stage.open()
  on.greet()
  local known = on.payment(5)
  on.run(known)
  on.bridge:draining(true)
  equal(on.run(on.payment(5)).error.code, 'server_restarting')
  equal(on.run(on.hub.command('kick', { target = 'char1:ana', reason = 'x' })).error.code, 'server_restarting')
  equal(on.run(known).status, 'done')
  on.bridge:draining(false)
  equal(on.run(on.payment(5)).status, 'done')
end)

test('session: a stop waits for what runs, says bye as the last frame, and does not come back', function()
  local finish
  local is_over = false
  local on = stage.open { bridge = { commands = { money = function(_, context)
    finish = context.finish
    return causeway.later
  end } } }
  local line = on.greet()
  local order = on.payment(5)
  line.say(order)
  on.hub.pass(on.bridge, 100)
  on.bridge:stop('Nightly restart', function() is_over = true end)
  on.hub.pass(on.bridge, 1000)
  equal(#line.of 'bye', 0)
  finish(causeway.done { account = 'bank', before = 0, after = 5 })
  on.hub.pass(on.bridge, 100)
  local last = line.frames[#line.frames]
  equal({ last.type, last.reason, line.result(order.id).status }, { 'bye', 'Nightly restart', 'done' })
  line.close(1000)
  on.hub.pass(on.bridge, 60000, 100)
  equal({ on.bridge.state, is_over, #on.hub.connections }, { 'stopped', true, 1 })
end)

test('session: a stop waits 5 seconds for a command, and one second for the hub', function()
  local on = stage.open { bridge = { commands = { money = function() return causeway.later end } } }
  local line = on.greet()
  on.run(on.payment(5))
  on.bridge:stop()
  on.hub.pass(on.bridge, 4900)
  equal(#line.of 'bye', 0)
  on.hub.pass(on.bridge, 200)
  equal({ #line.of 'bye', on.bridge.state }, { 1, 'welcomed' })
  on.hub.pass(on.bridge, 1000)
  equal(on.bridge.state, 'stopped')
end)

test('session: a stop waits for what runs, also after the hub has sent the bridge away', function()
  local finish
  local is_over = false
  local on = stage.open { bridge = { commands = { money = function(_, context)
    finish = context.finish
    return causeway.later
  end } } }
  local line = on.greet()
  local order = on.payment(5)
  line.say(order)
  on.hub.pass(on.bridge, 100)
  line.close(4509)
  on.hub.pass(on.bridge, 100)
  equal(on.bridge.state, 'stopped')
  on.bridge:stop('Restart', function() is_over = true end)
  on.hub.pass(on.bridge, 100)
  equal(is_over, false)
  finish(causeway.done { account = 'bank', before = 0, after = 5 })
  on.hub.pass(on.bridge, 100)
  equal({ is_over, on.journal.get(order.id).status }, { true, 'done' })
end)

-- A signal handler of Lua runs between any two lines.
test('session: a stop between two lines of what sends leaves every frame whole', function()
  local at, is_there = -3, true
  while is_there do
    at = at + 4
    local on = stage.open()
    local line = on.greet()
    local orders = { on.payment(5), on.payment(6) }
    for _, order in ipairs(orders) do line.say(order) end
    local passed = 0
    debug.sethook(function()
      if not debug.getinfo(2, 'S').source:find('outbox', 1, true) then return end
      passed = passed + 1
      if passed ~= at then return end
      debug.sethook()
      on.bridge:stop('Restart')
    end, 'l')
    local fits, problem = pcall(on.hub.pass, on.bridge, 30)
    debug.sethook()
    is_there = passed >= at
    equal(fits and 'sent' or problem, 'sent', ('line %d'):format(at))
    on.hub.pass(on.bridge, 100, 10)
    for _, order in ipairs(orders) do equal(type(line.result(order.id)), 'table', ('line %d'):format(at)) end
  end
  equal(at > 10, true)
end)

test('session: the hub\'s clock is the largest of the last four offsets, and a clock set back changes nothing', function()
  local on = stage.open()
  local line = on.greet()
  -- Frames that lay around for ten seconds must not let a command look early.
  for n = 1, 3 do line.say { type = 'ping', n = n, now = on.hub.time + on.hub.offset - 10000 } end
  on.hub.pass(on.bridge, 10)
  equal(on.run(on.payment(5, { expiresAt = on.hub.time + on.hub.offset - 1000 })).status, 'voided')
  equal(on.run(on.payment(5, { expiresAt = on.hub.time + on.hub.offset + 1000 })).status, 'done')
  local at_hub = on.hub.time + on.hub.offset
  on.hub.time = on.hub.time - 3600000
  equal(on.run(on.payment(5, { expiresAt = at_hub - 20 })).status, 'voided')
end)

test('session: no log has the token', function()
  local on = stage.open { hub = { answer = function() return 'HTTP/1.1 401 X\r\nContent-Length: 2\r\n\r\nno' end } }
  on.bridge:start()
  on.hub.pass(on.bridge, 1000)
  equal(#on.logged > 0, true)
  for _, line in ipairs(on.logged) do equal(line:find('cwb_secret', 1, true), nil) end
end)
