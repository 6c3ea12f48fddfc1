local bits = require 'causeway.bits'
local digest = require 'causeway.digest'
local fake_hub = require 'fake_hub'
local runner = require 'runner'
local unicode = require 'causeway.unicode'
local websocket = require 'causeway.websocket'

local test, equal, frame = runner.test, runner.equal, fake_hub.frame

--- The events of some bytes, which come all at once or one by one.
local function events_of(bytes, is_slow)
  local reader, events = websocket.reader(262144), {}
  local size = is_slow and 1 or #bytes
  for at = 1, #bytes, size do
    reader.feed(bytes:sub(at, at + size - 1))
    local event = reader.next()
    while event do
      events[#events + 1] = event
      event = reader.next()
    end
  end
  return events
end

local function both(bytes)
  local events = events_of(bytes)
  equal(events_of(bytes, true), events)
  return events
end

local function code_of(bytes) return both(bytes)[1].code end

test('WebSocket: SHA-1 and the key of the RFC give the answer of the RFC', function()
  equal(digest.hex(digest.sha1 'abc'), 'a9993e364706816aba3e25717850c26c9cd0d89d')
  equal(digest.hex(digest.sha1(('a'):rep(200))), 'e61cfffe0d9195a525fc6cf06ca2d77119c24a40')
  equal(digest.base64(digest.sha1 'dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11'), 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
  equal(digest.base64 'a', 'YQ==')
  equal(digest.base64 'ab', 'YWI=')
end)

test('WebSocket: a mask over a mask is the text, at every length', function()
  equal(bits.mask('Hello', '\55\250\33\61'), '\127\159\77\81\88')
  for length = 0, 70 do
    local text = ('x\0\255y'):rep(20):sub(1, length)
    equal(bits.mask(bits.mask(text, '\1\200\3\254'), '\1\200\3\254'), text)
  end
end)

test('WebSocket: lengths of one, two and eight bytes are read and written', function()
  for _, length in ipairs { 0, 1, 125, 126, 127, 65535, 65536, 200000 } do
    equal(events_of(frame(('a'):rep(length)))[1].data, ('a'):rep(length))
    local head = websocket.head(1, length, 'mask')
    equal(#head, (length < 126 and 2 or length < 65536 and 4 or 10) + 4)
  end
end)

test('WebSocket: fragments are one message, with control frames between them', function()
  local bytes = frame('Hel', { final = false }) .. frame('ping!', { opcode = 9 }) .. frame('l', { opcode = 0, final = false })
    .. frame('', { opcode = 10 }) .. frame('o', { opcode = 0 })
  equal(both(bytes), { { kind = 'ping', data = 'ping!' }, { kind = 'pong', data = '' }, { kind = 'text', data = 'Hello' } })
end)

test('WebSocket: a character may be cut between fragments', function()
  equal(both(frame('\240\159', { final = false }) .. frame('\152\128', { opcode = 0 })), { { kind = 'text', data = '\240\159\152\128' } })
end)

test('WebSocket: text that is not UTF-8 is 1007, in a close reason, too', function()
  for _, text in ipairs { '\255', '\192\128', '\237\160\128', '\244\144\128\128', '\226\130', 'a\128' } do
    equal(code_of(frame(text)), 1007)
    equal(unicode.fault(text) ~= nil, true)
  end
  equal(code_of(frame('\3\232\255', { opcode = 8 })), 1007)
end)

test('WebSocket: breaches of the RFC are 1002', function()
  equal(code_of(frame('a', { reserved = 4 })), 1002)
  equal(code_of(frame('a', { opcode = 3 })), 1002)
  equal(code_of(frame('a', { opcode = 11 })), 1002)
  equal(code_of(frame('a', { opcode = 9, final = false })), 1002)
  equal(code_of(frame(('a'):rep(126), { opcode = 9 })), 1002)
  equal(code_of(frame('a', { opcode = 0 })), 1002)
  equal(code_of(frame('a', { mask = true })), 1002)
  equal(code_of(frame('a', { opcode = 8 })), 1002)
  for _, code in ipairs { 0, 999, 1004, 1005, 1006, 1015, 2999, 5000 } do
    equal(code_of(frame(string.char(math.floor(code / 256), code % 256), { opcode = 8 })), 1002, tostring(code))
  end
  local both_starts = events_of(frame('a', { final = false }) .. frame('b'))
  equal(both_starts[#both_starts].code, 1002)
end)

test('WebSocket: close frames are read with their code and reason, and nothing after them', function()
  equal(both(frame('', { opcode = 8 }) .. frame 'x'), { { kind = 'close', code = 1005, reason = '' } })
  equal(both(frame('\17\157{"code":"replaced"}', { opcode = 8 })), { { kind = 'close', code = 4509, reason = '{"code":"replaced"}' } })
end)

test('WebSocket: a message that is too long is skipped, and the next one is read', function()
  local long = ('a'):rep(262145)
  equal(events_of(frame(long) .. frame 'next'), { { kind = 'oversize' }, { kind = 'text', data = 'next' } })
  local parts = frame(('a'):rep(200000), { final = false }) .. frame(('a'):rep(200000), { opcode = 0 }) .. frame 'next'
  equal(events_of(parts), { { kind = 'oversize' }, { kind = 'text', data = 'next' } })
  equal(events_of('\129\127\255\255\255\255\255\255\255\255')[1].code, 1009)
end)

test('WebSocket: binary messages are told apart', function() equal(both(frame('x', { opcode = 2 }))[1].kind, 'binary') end)

test('WebSocket: addresses are taken apart, and what is none is refused', function()
  equal(websocket.parse_url 'wss://hub.example.com/bridge',
    { host = 'hub.example.com', port = 443, secure = true, path = '/bridge', authority = 'hub.example.com' })
  equal(websocket.parse_url('ws://[::1]:8080/bridge?x=1').host, '::1')
  equal(websocket.parse_url('ws://127.0.0.1:8080').path, '/')
  for _, url in ipairs { 'http://a/b', 'ws://', 'ws://user@host/x', 'ws://host:99999/', 'ws://host/a b', 'ws://host/\r\nX: y', 5 } do
    equal((websocket.parse_url(url)), nil, tostring(url))
  end
end)
