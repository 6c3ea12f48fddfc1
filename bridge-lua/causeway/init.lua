--- The reference bridge in plain Lua: keeps one game server connected to its hub, carries commands out at most once, and
--- reports players. Nothing here blocks; `step` does the work.
-- LuaJIT of May 2020 to September 2022, as in Debian 12, compiles lengths of tables and loops over `pairs` to wrong code:
-- a game stood still, and a schema lost keywords. So each file of the library turns the compiler off for itself.
if jit then jit.off(true, true) end
local acknowledgements_of = require 'causeway.acknowledgements'
local clock = require 'causeway.clock'
local custom_of = require 'causeway.custom'
local dialer_of = require 'causeway.dialer'
local digest = require 'causeway.digest'
local executor_of = require 'causeway.executor'
local handlers_of = require 'causeway.handlers'
local hello_of = require 'causeway.hello'
local host_of = require 'causeway.host'
local journal_of = require 'causeway.journal'
local json = require 'causeway.json'
local ledger = require 'causeway.ledger'
local limits = require 'causeway.limits'
local outcomes = require 'causeway.outcomes'
local received_of = require 'causeway.received'
local session_of = require 'causeway.session'
local unicode = require 'causeway.unicode'
local websocket = require 'causeway.websocket'

local causeway = {
  null = json.null, array = json.array, object = json.object,
  done = outcomes.done, rejected = outcomes.rejected, failed = outcomes.failed, indeterminate = outcomes.indeterminate,
  later = outcomes.later, ledger_money = ledger.money, version = '1.0.0-rc.1',
}

--- Commands of the protocol that change the record of their player.
local LASTING = { money = true, items = true, vehicles = true, job = true }

--- After this share of its time, a step begins no new work; the rest is for the work that it has begun.
local SHARE = 0.5

--- Opens a journal. Options: `path` (none: in memory), `class`, `host`, `ledger`, `log`.
--- Raises an error that names the file when it cannot be opened.
function causeway.journal(options)
  local host = host_of.complete(options.host)
  return journal_of.open {
    path = options.path, class = options.class, ledger = options.ledger, log = options.log, host = host, random = host.random,
    compact_after = options.compact_after,
  }
end

--- Times in milliseconds, with those that the options name.
local function times_of(given)
  local times = {
    silence_ms = limits.silence_ms, stable_ms = limits.stable_ms, received_ms = limits.received_ms, status_ms = limits.status_ms,
    backoff_base_ms = limits.backoff_base_ms, backoff_max_ms = limits.backoff_max_ms, probe_ms = limits.probe_ms,
  }
  for name, value in pairs(given or {}) do
    if not times[name] then error(('times.%s: there is no such time'):format(tostring(name)), 0) end
    times[name] = value
  end
  return times
end

--- A number in [0, 1) of two random bytes of the host.
local function uniform_of(random)
  return function()
    local a, b = random(2):byte(1, 2)
    return (a * 256 + b) / 65536
  end
end

--- Makes a bridge, which begins with `start`. Raises an error that names the option which a hub would not take.
function causeway.bridge(options)
  local address, problem = websocket.parse_url(options.url)
  if not address then error(problem, 0) end
  if type(options.token) ~= 'string' or not options.token:find '^[!-~]+$' then
    error('token: a text without spaces; the panel shows one when a server is added', 0)
  end
  if type(options.journal) ~= 'table' or not options.journal.settle then error('journal: make one with causeway.journal', 0) end
  local host = host_of.complete(options.host)
  host_of.check(host)
  local log, times, journal = options.log or function() end, times_of(options.times), options.journal
  local steady = clock.steady(host.now)
  local hub_clock = clock.hub(steady, host.now)
  local custom = custom_of.create()
  local handlers = handlers_of.create(options.commands or {}, {
    accounts = options.accounts or {}, versions = options.versions, custom = custom,
    is_money_refused = journal.class == 'volatile' and options.allow_volatile_money ~= true,
  })
  local hello = hello_of.create(options, handlers.tags, digest.hex(host.random(16)))
  local bridge = { state = 'idle' }
  local acknowledgements, stopping = acknowledgements_of.create(journal.acknowledge), nil
  local dialer

  local function enter(state, detail)
    bridge.state = state
    if not options.on_state then return end
    local fits, reason = pcall(options.on_state, state, detail)
    if not fits then log('error', ('on_state failed: %s'):format(tostring(reason))) end
  end

  local function send(text)
    local session = dialer.session()
    if session then session.connection.send(text) end
  end

  --- Reports the player of a finished command with a lasting effect at once.
  local function report_change(call)
    local session = dialer.session()
    if not LASTING[call.name] or not session or not options.players or not options.players.read then return end
    local fits, record = pcall(options.players.read, call.target)
    if not fits then return log('error', ('The player %s could not be read: %s'):format(call.target, tostring(record))) end
    if record then session.changed { players = { record } } end
  end

  local received = received_of.create(steady, times.received_ms, send)
  local executor = executor_of.create {
    journal = journal, handlers = handlers, clock = hub_clock, received = received, send = send, log = log,
    on_done = report_change,
  }
  local context = {
    host = host, address = address, token = options.token, times = times, steady = steady, wall = host.now, random = host.random,
    log = log,
  }
  dialer = dialer_of.create {
    context = context, hello = hello, on_state = enter, on_leave = received.clear, uniform = uniform_of(host.random),
    create_session = function(connection, welcome)
      hub_clock.heard(welcome.now)
      return session_of.create {
        connection = connection, welcome = welcome, bridge = options, executor = executor, custom = custom, hub_clock = hub_clock,
        steady = steady, wall = host.now, times = times, log = log,
        on_drain = function(within) dialer.drained(within) end,
        acknowledgements = acknowledgements,
      }
    end,
  }

  local function begin_stop()
    stopping.deadline = steady() + limits.finish_ms
    dialer.close()
    executor.draining(true)
    bridge:report_status()
  end

  --- Work that is left of a stop: running commands, then `bye`, then the hub's close.
  local function step_stop()
    local session, now = dialer.session(), steady()
    if not stopping.is_said then
      if executor.size() > 0 and now < stopping.deadline then return end
      stopping.is_said, stopping.deadline = true, now + limits.farewell_ms
      if session then session.connection.send_last('{"type":"bye","reason":' .. json.string(stopping.reason) .. '}') end
    end
    if session and now < stopping.deadline then return end
    dialer.cut()
    enter('stopped', stopping.reason)
    local done = stopping.on_done
    stopping.is_over = true
    if done then done() end
  end

  --- Connects, and stays connected. A bridge that was stopped does not start again.
  function bridge.start(_)
    if bridge.state ~= 'idle' or stopping then return end
    executor.recover()
    dialer.open()
  end

  --- Does what is due, for at most `ms` milliseconds (default 2). What the host's own functions take comes on top.
  function bridge.step(_, ms)
    if bridge.state == 'idle' or stopping and stopping.is_over then return end
    local over_at = steady() + (ms or 2) * SHARE
    local function is_over() return steady() >= over_at end
    if stopping and not stopping.deadline then begin_stop() end
    dialer.step(is_over)
    acknowledgements.step(is_over)
    executor.step(is_over)
    received.step()
    local session = dialer.session()
    if session and not is_over() then session.step(is_over) end
    if session then session.connection.flush(is_over) end
    if not is_over() then journal.work(is_over) end
    if stopping and stopping.deadline then step_stop() end
  end

  --- Reports changed players: lists `players` (whole records), `offline` and `removed` (identifiers). The records are read
  --- in the next steps, so give the bridge tables that do not change. Dropped while not welcomed.
  function bridge.changed(_, change)
    local session = dialer.session()
    if session then session.changed(change) end
  end

  --- Reads the catalogues again, and sends those that have changed.
  function bridge.catalogues_changed(_)
    local session = dialer.session()
    if session then session.catalogues_changed() end
  end

  --- Sends `status` now instead of at its next turn.
  function bridge.report_status(_)
    local session = dialer.session()
    if session then session.report_status() end
  end

  --- Before a restart of the game server: tells the hub, and rejects new commands with `server_restarting`.
  function bridge.draining(_, on)
    executor.draining(on or stopping ~= nil)
    bridge:report_status()
  end

  --- Offers a custom command. Raises an error that describes the mistake.
  function bridge.register(_, command) custom.register(command) end
  --- Takes a custom command back.
  function bridge.unregister(_, name) custom.unregister(name) end

  --- Refuses new commands, waits up to 5 seconds for running ones, sends `bye` and closes. Only `step` does this work, so
  --- `stop` may be called during a step. `on_done()` is called at the end; then close the journal.
  function bridge.stop(_, reason, on_done)
    if stopping then return end
    stopping = { reason = unicode.cut(unicode.clean(reason or 'The game server stops.'), 512), on_done = on_done }
    if bridge.state == 'idle' then bridge.state = 'waiting' end
  end

  --- Commands that came and have not ended.
  function bridge.in_hand(_) return executor.size() end

  return bridge
end

return causeway
