--- Keeps one connection to the hub: opens it, replaces it when the hub drains, comes back when it ends. At most two exist
--- at a time, the welcomed one and the one that is being opened; frames of any other are ignored.
if jit then jit.off(true, true) end
local connection_of = require 'causeway.connection'
local json = require 'causeway.json'
local messages = require 'causeway.messages'
local reconnect_of = require 'causeway.reconnect'

local dialer = {}

--- `options`: `context` (of connections), `hello()`, `create_session(connection, welcome)`, `on_state(state, detail)`,
--- `on_leave()`, `uniform()`.
function dialer.create(options)
  local context, on_state = options.context, options.on_state
  local times, steady, log = context.times, context.steady, context.log
  local reconnect = reconnect_of.create(options.uniform, times)
  local session, attempt, open_at = nil, nil, nil
  local is_closed = false
  local self = {}
  local ended

  local function complain(connection, fault)
    log('warn', ('The hub sent a frame that is not understood: %s'):format(fault.message))
    if fault.re == 'error' then return end
    local re = fault.re and ',"re":' .. json.string(fault.re) or ''
    connection.send('{"type":"error"' .. re .. ',"code":"' .. fault.code .. '","message":' .. json.string(fault.message) .. '}')
  end

  local function leave()
    if not session then return end
    session.connection.abandon 'another connection was welcomed'
    session = nil
    options.on_leave()
  end

  local function welcomed(connection, welcome)
    leave()
    open_at, attempt = nil, nil
    session = options.create_session(connection, welcome)
    on_state('welcomed', welcome.session)
    session.begin()
  end

  local function receive(connection, text)
    local acknowledged = session and connection == session.connection and messages.ack_ids(text)
    if acknowledged then return session.acknowledged(acknowledged) end
    local frame, fault = messages.read(text)
    if not frame then return complain(connection, fault) end
    if session and connection == session.connection then return session.receive(frame) end
    if connection ~= attempt then return end
    if frame.type == 'welcome' then return welcomed(connection, frame) end
    if frame.type == 'ping' then
      connection.send(('{"type":"pong","n":%.0f,"now":%.0f}'):format(frame.n, math.floor(context.wall())))
    elseif frame.type == 'error' then log('warn', ('The hub complains: %s: %s'):format(frame.code, frame.message)) end
  end

  local function open()
    open_at = nil
    if attempt or is_closed then return end
    local connection
    connection = connection_of.create(context, {
      open = function()
        connection.send(options.hello())
        if not session then on_state('connected', 'hello was sent') end
      end,
      text = function(text) receive(connection, text) end,
      unreadable = function(code, message) complain(connection, { code = code, message = message }) end,
      ended = function(how) ended(connection, how) end,
    })
    attempt = connection
    if not session then on_state('connecting', '') end
    connection.open()
  end

  local function drop_attempt()
    open_at = nil
    if attempt then attempt.abandon 'not needed any more' end
    attempt = nil
  end

  --- Takes an ended connection out; false when nothing depended on it.
  local function remove(connection)
    if connection == attempt then
      attempt = nil
      return true
    end
    if not session or connection ~= session.connection then return false end
    if steady() - session.since >= times.stable_ms then reconnect.stable() end
    session = nil
    options.on_leave()
    return true
  end

  local function stopped(next, detail)
    if session then return end
    drop_attempt()
    if not next.probe then return on_state('stopped', detail) end
    open_at = steady() + next.probe
    on_state('stopped', ('%s; looks again in %.0f ms'):format(detail, next.probe))
  end

  ended = function(connection, how)
    if not remove(connection) or is_closed then return end
    local detail = reconnect_of.describe(how)
    log('warn', ('The connection to the hub was %s.'):format(detail))
    -- A successor on its way goes on, unless the hub said that this bridge must not come back.
    if attempt and not (how.code and reconnect_of.is_stop(how.code)) then return end
    local next = reconnect.after(how)
    if not next.after then return stopped(next, detail) end
    open_at = steady() + next.after
    if not session then on_state('waiting', ('%s; next attempt in %.0f ms'):format(detail, next.after)) end
  end

  --- Make before break: the next connection is opened while this one goes on.
  function self.drained(within)
    if not open_at and not attempt then open_at = steady() + options.uniform() * within end
  end

  self.open = open
  function self.session() return session end

  --- Works on the connections until the time is over.
  function self.step(is_over)
    if open_at and steady() >= open_at then open() end
    if attempt then attempt.step(is_over) end
    if session then session.connection.step(is_over) end
  end

  --- No further connection is opened; the welcomed one goes on until `cut`.
  function self.close()
    is_closed = true
    drop_attempt()
  end

  function self.cut()
    if session then session.connection.cut 'stopped' end
  end

  return self
end

return dialer
