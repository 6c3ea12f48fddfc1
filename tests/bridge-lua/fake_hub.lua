--- A hub and a network in the same Lua state, with a clock that the test moves. It reads each frame of the bridge as RFC
--- 6455 demands, and a bad one fails the test.
local bits = require 'causeway.bits'
local digest = require 'causeway.digest'
local json = require 'causeway.json'

local fake_hub = {}

local char, floor = string.char, math.floor

--- A frame of a server. Options: `opcode` (default 1), `final` (default true), `mask`, `reserved`.
function fake_hub.frame(payload, options)
  options = options or {}
  local first = (options.final == false and 0 or 128) + (options.reserved or 0) * 16 + (options.opcode or 1)
  local length = #payload
  local mark = options.mask and 128 or 0
  if length < 126 then return char(first, mark + length) .. payload end
  if length < 65536 then return char(first, mark + 126, floor(length / 256), length % 256) .. payload end
  return char(first, mark + 127, 0, 0, 0, 0, floor(length / 16777216), floor(length / 65536) % 256, floor(length / 256) % 256,
    length % 256) .. payload
end

--- Takes one frame of a client from the front of the bytes: its opcode, its payload, the rest. Nil if it is not complete.
local function take_frame(bytes)
  if #bytes < 2 then return nil end
  local first, second = bytes:byte(1, 2)
  assert(second >= 128, 'a frame of the bridge has no mask')
  assert(first >= 128 and first < 144, 'a frame of the bridge is a fragment, or has a reserved bit')
  local length, at = second - 128, 3
  if length >= 126 then
    local count = length == 126 and 2 or 8
    if #bytes < 2 + count then return nil end
    length = 0
    for nth = 3, 2 + count do length = length * 256 + bytes:byte(nth) end
    at = 3 + count
  end
  if #bytes < at + 3 + length then return nil end
  local payload = bits.mask(bytes:sub(at + 4, at + 3 + length), bytes:sub(at, at + 3))
  return first % 16, payload, bytes:sub(at + 4 + length)
end

local function upgrade_answer(request)
  local key = request:match 'Sec%-WebSocket%-Key: (%S+)'
  local accept = digest.base64(digest.sha1(key .. '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'))
  return 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ' .. accept
    .. '\r\nSec-WebSocket-Protocol: causeway.v1\r\n\r\n'
end

--- Options: `answer(request, nth)` is the text of a refusal, '' to say nothing, nil to accept; `welcomes` (default true); `takes(count)` says
--- how many bytes the network takes at a time.
function fake_hub.create(options)
  options = options or {}
  local hub = { time = 1760000000000, connections = {}, welcomes = options.welcomes ~= false, offset = 7 * 3600000, fsyncs = 0 }
  local self_options = options

  local function say(connection, frame)
    local text = type(frame) == 'string' and frame or assert(json.encode(frame))
    connection.raw(fake_hub.frame(text))
  end

  function hub.welcome(connection)
    say(connection, {
      type = 'welcome', session = 'ses_' .. connection.nth, epoch = connection.nth, now = hub.time + hub.offset,
      ping = { everyMs = 15000, timeoutMs = 10000 }, limits = { frameBytes = 262144, inFlight = 32 },
    })
  end

  local function hear(connection, text)
    local frame = assert(json.decode(text), 'a frame of the bridge is not JSON: ' .. text)
    assert(#text <= 262144, 'a frame of the bridge is too long')
    table.insert(connection.frames, frame)
    if #connection.frames == 1 then
      assert(frame.type == 'hello', 'the first frame is no hello')
      if hub.welcomes then hub.welcome(connection) end
    end
  end

  local function take(connection, bytes)
    connection.received = connection.received .. bytes
    if not connection.request then
      local stop = connection.received:find('\r\n\r\n', 1, true)
      if not stop then return end
      connection.request = connection.received:sub(1, stop + 3)
      connection.received = connection.received:sub(stop + 4)
      local refusal = self_options.answer and self_options.answer(connection.request, connection.nth)
      connection.raw(refusal or upgrade_answer(connection.request))
      connection.is_refused = refusal ~= nil
      connection.is_silent = refusal == ''
    end
    while not connection.is_refused do
      local opcode, payload, rest = take_frame(connection.received)
      if not opcode then return end
      connection.received = rest
      if opcode == 1 then hear(connection, payload) else table.insert(connection.controls, { opcode = opcode, payload = payload }) end
    end
  end

  local function new_connection(address, port, secure)
    local connection = {
      nth = #hub.connections + 1, out = {}, received = '', frames = {}, controls = {}, address = address, port = port,
      secure = secure, opened_at = hub.time,
    }
    function connection.say(frame) say(connection, frame) end
    function connection.raw(bytes) table.insert(connection.out, bytes) end
    function connection.close(code, reason)
      connection.raw(fake_hub.frame(char(floor(code / 256), code % 256) .. (reason or ''), { opcode = 8 }))
    end
    function connection.cut() connection.is_cut = true end
    --- The frames of a type.
    function connection.of(kind)
      local found = {}
      for _, frame in ipairs(connection.frames) do
        if frame.type == kind then found[#found + 1] = frame end
      end
      return found
    end
    --- The last result of an id.
    function connection.result(id)
      local last
      for _, frame in ipairs(connection.of 'result') do
        if frame.id == id then last = frame end
      end
      return last
    end
    return connection
  end

  local seed = 0
  hub.host = {
    connect = function(address, port, secure)
      if hub.unreachable then return nil, 'connection refused' end
      local connection = new_connection(address, port, secure)
      table.insert(hub.connections, connection)
      return connection
    end,
    send = function(connection, bytes)
      if connection.is_cut or connection.is_left then return nil, 'closed' end
      local count = options.takes and math.min(#bytes, options.takes(#bytes)) or #bytes
      take(connection, bytes:sub(1, count))
      return count
    end,
    receive = function(connection)
      local bytes = table.concat(connection.out)
      if bytes ~= '' then
        connection.out = {}
        return bytes
      end
      if connection.is_cut or connection.is_left or connection.is_refused and not connection.is_silent then return nil, 'closed' end
      return ''
    end,
    close = function(connection) connection.is_left = true end,
    now = function() return hub.time end,
    random = function(count)
      seed = seed + 1
      return count == 2 and '\128\0' or (digest.sha1(tostring(seed)) .. digest.sha1('x' .. seed)):sub(1, count)
    end,
    fsync = function()
      hub.fsyncs = hub.fsyncs + 1
      return not hub.is_fsync_broken, 'no sync'
    end,
    fsync_folder = function()
      hub.fsyncs = hub.fsyncs + 1
      return true
    end,
  }

  function hub.last() return hub.connections[#hub.connections] end

  --- Steps a bridge each `tick` (default 10) of the next `ms` milliseconds.
  function hub.pass(bridge, ms, tick)
    tick = tick or 10
    for _ = 1, math.ceil(ms / tick) do
      hub.time = hub.time + tick
      local before = hub.fsyncs
      bridge:step(2)
      assert(hub.fsyncs - before <= 1, 'a step had more than one fsync')
    end
  end

  local next_id = 0
  --- A frame `command` whose time is long.
  function hub.command(name, params, more)
    next_id = next_id + 1
    local frame = {
      type = 'command', id = 'cmd_' .. next_id, name = name, params = json.object(params), fingerprint = 'f' .. next_id,
      expiresAt = hub.time + hub.offset + 30000, attempt = 1,
    }
    for key, value in pairs(more or {}) do frame[key] = value end
    return frame
  end

  return hub
end

return fake_hub
