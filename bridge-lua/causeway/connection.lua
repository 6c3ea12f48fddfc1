--- One connection from its dial to its end. Frames come and go as JSON texts. The host's functions never block, and all
--- work is done in `step`.
if jit then jit.off(true, true) end
local limits = require 'causeway.limits'
local outbox = require 'causeway.outbox'
local reconnect = require 'causeway.reconnect'
local websocket = require 'causeway.websocket'

local connection = {}

--- Above this many unsent bytes, frames that can wait are delayed.
local UNSENT_BYTES = 131072
local REFUSAL_BYTES = 8192

--- `on` has `open()`, `text(frame)`, `unreadable(code, message)` and `ended(how)`; the last one is called once, and
--- nothing after it. `how` is `{ code, reason }`, or `{ status, body, retry_after }` of a refusal.
function connection.create(context, on)
  local host, address, times = context.host, context.address, context.times
  local steady, random = context.steady, context.random
  local reader = websocket.reader(limits.frame_bytes)
  local state, handle, box = 'new', nil, nil
  local opened_at, heard_at = steady(), steady()
  local accept, answer, head = nil, '', nil
  local is_silent_from_now = false
  local self = {}

  local function finish(how)
    if state == 'ended' then return end
    state = 'ended'
    if handle then pcall(host.close, handle) end
    handle = nil
    if how then on.ended(how) end
  end

  local function lost(reason) finish { code = 1006, reason = tostring(reason or '') } end

  local function flush(is_over)
    if state == 'ended' then return end
    local sent, problem = box.flush(is_over)
    if not sent then lost(problem) end
  end

  --- Says goodbye with a close frame, as far as the line takes it now.
  local function close(code, reason)
    box.raw(websocket.control(websocket.CLOSE, websocket.close_payload(code, reason), random))
    flush(function() return false end)
  end

  local function breached(event)
    context.log('error', ('The hub breached RFC 6455: %s.'):format(event.reason))
    close(event.code, event.reason)
    finish { code = 1006, reason = event.reason }
  end

  local function frame(event)
    local kind = event.kind
    if kind == 'text' then
      heard_at = steady()
      on.text(event.data)
    elseif kind == 'binary' then on.unreadable('invalid_message', 'A frame is a text message.')
    elseif kind == 'oversize' then on.unreadable('frame_too_large', 'A frame has at most 262144 bytes.')
    elseif kind == 'ping' then box.raw(websocket.control(websocket.PONG, event.data, random))
    elseif kind == 'breach' then breached(event)
    elseif kind == 'close' then
      box.raw(websocket.control(websocket.CLOSE, event.code == 1005 and '' or websocket.close_payload(1000, ''), random))
      flush(function() return false end)
      finish { code = event.code, reason = event.reason }
    end
  end

  local function refused()
    local body = (head.rest or ''):sub(1, REFUSAL_BYTES)
    local wait = reconnect.retry_after(head.headers['retry-after'], context.wall())
    finish { status = head.status, body = body, retry_after = wait }
  end

  --- Whether all that is wanted of the body of a refusal is there.
  local function is_body_read()
    local length = tonumber(head.headers['content-length'] or '') or REFUSAL_BYTES
    return #head.rest >= math.min(length, REFUSAL_BYTES)
  end

  local function upgraded()
    local fault = websocket.upgrade_fault(head.headers, accept)
    if fault then return lost(fault) end
    state = 'open'
    heard_at = steady()
    reader.feed(head.rest)
    on.open()
  end

  local function read_handshake(bytes)
    if head then
      head.rest = head.rest .. bytes
    else
      answer = answer .. bytes
      head = websocket.read_answer(answer)
      if head == false then return lost 'the answer is not HTTP' end
      if not head then return end
    end
    if head.status == 101 then upgraded() elseif is_body_read() then refused() end
  end

  local function hung_up(problem)
    if state == 'upgrading' and head then refused() else lost(problem) end
  end

  --- Handles the frames that are there until the time is over.
  local function handle_frames(is_over)
    while state == 'open' do
      local event = reader.next()
      if not event then return true end
      frame(event)
      if is_over() then return false end
    end
    return true
  end

  local function receive(is_over)
    if not handle_frames(is_over) then return end
    while state ~= 'ended' do
      local bytes, problem = host.receive(handle)
      if not bytes then return hung_up(problem) end
      if bytes == '' then return end
      if state == 'open' then reader.feed(bytes) else read_handshake(bytes) end
      if not handle_frames(is_over) or is_over() then return end
    end
  end

  local function watch()
    local now = steady()
    if state == 'upgrading' and now - opened_at >= limits.handshake_ms then
      if head then refused() else lost 'the handshake took too long' end
    elseif now - heard_at >= times.silence_ms then lost 'silent' end
  end

  --- Dials.
  function self.open()
    local made, problem = host.connect(address.host, address.port, address.secure)
    if not made then return lost(problem) end
    handle, state = made, 'upgrading'
    local request
    request, accept = websocket.request(address, context.token, random)
    box = outbox.create(function(bytes) return host.send(handle, bytes) end, random)
    box.raw(request)
  end

  --- Sends, receives and watches until the time is over.
  function self.step(is_over)
    if state == 'ended' or state == 'new' then return end
    receive(is_over)
    if state ~= 'ended' then watch() end
    flush(is_over)
  end

  --- Hands what waits to the host, at least one slice.
  function self.flush(is_over)
    if state ~= 'ended' and state ~= 'new' then flush(is_over) end
  end

  --- False when the frame does not go out: the connection is not open, the farewell is said, or it is too long.
  function self.send(text)
    if state ~= 'open' or is_silent_from_now then return false end
    if #text > limits.frame_bytes then return false end
    box.text(text)
    return true
  end

  --- Sends the last frame of this connection, which stays open.
  function self.send_last(text)
    self.send(text)
    is_silent_from_now = true
  end

  --- Whether frames that can wait should.
  function self.is_full() return box ~= nil and box.unsent > UNSENT_BYTES end
  --- Whether nothing waits to be sent.
  function self.is_drained() return box == nil or box.unsent == 0 end
  --- Cuts the line; `ended` is called.
  function self.cut(reason) lost(reason) end

  --- Ends the connection without `ended`; the hub gets a proper close.
  function self.abandon(reason)
    if state == 'open' then close(1000, reason) end
    finish(nil)
  end

  return self
end

return connection
