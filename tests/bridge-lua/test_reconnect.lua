local reconnect = require 'causeway.reconnect'
local runner = require 'runner'
local stage = require 'stage'

local test, equal = runner.test, runner.equal

local TIMES = { backoff_base_ms = 500, backoff_max_ms = 30000, probe_ms = 600000 }

local function next_step(how, uniform) return reconnect.create(function() return uniform or 0.5 end, TIMES).after(how) end

local function refused(status, retry_after, uniform) return next_step({ status = status, body = '', retry_after = retry_after }, uniform) end

local function closed(code, reason, uniform) return next_step({ code = code, reason = reason or '' }, uniform) end

test('reconnect: refusals are followed as the table says', function()
  equal(refused(403, 20000), { probe = 22500 })
  equal(refused(403, 20000, 0), { probe = 20000 })
  for _, status in ipairs { 400, 401, 403 } do equal(refused(status), { probe = 600000 }) end
  equal(refused(401, 5000), { probe = 600000 })
  equal(refused(503, 5000), { after = 6250 })
  equal(refused(429, 1000), { after = 1500 })
  equal(refused(503, 600000), { after = 615000 })
  equal(refused(503, 99999999, 0), { after = 3600000 })
  for _, status in ipairs { 200, 301, 302, 307, 308, 404, 405, 429, 500, 502, 503 } do equal(refused(status), { after = 250 }) end
end)

test('reconnect: close codes are followed as the table says', function()
  equal(closed(4000, '{"code":"shutting_down","r":2000}'), { after = 1000 })
  for _, code in ipairs { 1000, 1001, 1006, 1011, 4000, 4001, 4002, 4003, 4004, 4005, 4006, 4008, 4100, 4499, 3000 } do
    equal(closed(code), { after = 250 }, tostring(code))
  end
  equal(closed(4005, '{"r":60000}'), { after = 250 })
  equal(closed(4007), { after = 30000 })
  equal(closed(4007, '{"r":5000}'), { after = 5000 })
  equal(closed(4029, '{"code":"instances_fight","r":60000}'), { after = 60000 })
  for _, code in ipairs { 4500, 4501, 4503, 4504, 4506, 4513, 4522, 4700, 4999 } do equal(closed(code), { probe = 600000 }, tostring(code)) end
  equal(closed(4503, '{"r":20000}'), { probe = 22500 })
  equal(closed(4501, '{"r":20000}'), { probe = 600000 })
  equal(closed(4509), {})
end)

test('reconnect: a reason that cannot be read is as good as none, and no time is longer than an hour', function()
  for _, reason in ipairs { '{', '[]', 'bye', '{"r":"5"}', '{"r":-5}', '{"r":null}' } do equal(closed(4007, reason), { after = 30000 }) end
  equal(closed(4007, '{"r":999999999}'), { after = 3600000 })
  equal(closed(4000, '{"r":999999999}', 0.999).after < 3600000, true)
end)

test('reconnect: delays are drawn from zero on, grow to 30 seconds, and start over when a session was held', function()
  local drawn = reconnect.create(function() return 1 end, TIMES)
  local delays = {}
  for nth = 1, 9 do delays[nth] = drawn.after({ code = 1006, reason = '' }).after end
  equal(delays, { 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000 })
  drawn.stable()
  equal(drawn.after { code = 1006, reason = '' }, { after = 500 })
  equal(closed(1006, '', 0), { after = 0 })
end)

test('reconnect: `Retry-After` may be a date', function()
  local now = 1760000000000
  equal(reconnect.retry_after('Thu, 09 Oct 2025 08:53:30 GMT', now), 10000)
  equal(reconnect.retry_after('Thu, 09 Oct 2025 08:53:10 GMT', now), 0)
  equal(reconnect.retry_after('30', now), 30000)
  equal(reconnect.retry_after('soon', now), nil)
  equal(reconnect.retry_after(nil, now), nil)
end)

test('reconnect: a lost connection comes back, and a welcome alone does not start the delays over', function()
  local on = stage.open()
  on.greet()
  local waited = {}
  for nth = 1, 4 do
    local lost_at = on.hub.time
    on.hub.last().cut()
    on.hub.pass(on.bridge, 5000)
    waited[nth] = on.hub.last().opened_at - lost_at
  end
  equal({ #on.hub.connections, on.bridge.state }, { 5, 'welcomed' })
  equal(waited[4] > waited[1], true)
  for second = 1, 61 do
    on.hub.last().say { type = 'ping', n = second, now = on.hub.time + on.hub.offset }
    on.hub.pass(on.bridge, 1000)
  end
  local lost_at = on.hub.time
  on.hub.last().cut()
  on.hub.pass(on.bridge, 5000)
  equal(on.hub.last().opened_at - lost_at <= 300, true)
end)

test('reconnect: after 4509 the bridge stays away for good, and alive', function()
  local on = stage.open()
  on.greet().close(4509, '{"code":"replaced"}')
  on.hub.pass(on.bridge, 3600000, 10000)
  equal({ #on.hub.connections, on.bridge.state }, { 1, 'stopped' })
end)

test('reconnect: a hub that refuses is asked again when its time is over, and a redirect is not followed', function()
  local answers = {
    'HTTP/1.1 503 X\r\nRetry-After: 5\r\nContent-Length: 2\r\n\r\n{}', 'HTTP/1.1 307 X\r\nLocation: ws://other/bridge\r\n\r\n',
  }
  local on = stage.open { hub = { answer = function(_, nth) return answers[nth] end } }
  on.bridge:start()
  on.hub.pass(on.bridge, 6000)
  equal({ #on.hub.connections, on.bridge.state }, { 1, 'waiting' })
  on.hub.pass(on.bridge, 4000)
  equal({ #on.hub.connections, on.hub.connections[2].address, on.hub.last().address, on.bridge.state },
    { 3, 'hub.example', 'hub.example', 'welcomed' })
end)

test('reconnect: a token that is refused is tried again after ten minutes', function()
  local on = stage.open { hub = { answer = function(_, nth) return nth == 1 and 'HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n' or nil end } }
  on.bridge:start()
  on.hub.pass(on.bridge, 599000, 1000)
  equal({ #on.hub.connections, on.bridge.state }, { 1, 'stopped' })
  on.hub.pass(on.bridge, 5000, 100)
  equal({ #on.hub.connections, on.bridge.state }, { 2, 'welcomed' })
end)

test('reconnect: at most one connection is there, and one more during a drain', function()
  local on = stage.open()
  on.greet()
  local function count()
    local open = 0
    for _, line in ipairs(on.hub.connections) do
      if not line.is_left and not line.is_cut then open = open + 1 end
    end
    return open
  end
  for _ = 1, 50 do
    on.hub.last().say { type = 'drain', withinMs = 50 }
    for _ = 1, 20 do
      on.hub.pass(on.bridge, 10)
      equal(count() <= 2, true)
    end
  end
  equal(count(), 1)
end)
