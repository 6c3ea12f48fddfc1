--- One welcomed connection: handles the hub's frames, and sends the bridge's own reports.
if jit then jit.off(true, true) end
local catalogue_sync = require 'causeway.catalogue_sync'
local json = require 'causeway.json'
local limits = require 'causeway.limits'
local outcomes = require 'causeway.outcomes'
local player_sync = require 'causeway.player_sync'
local players = require 'causeway.players'
local status_of = require 'causeway.status'

local session = {}

local function record_error(id, code, message)
  return '{"type":"players.record","id":' .. json.string(id) .. ',"error":{"code":"' .. code .. '","message":' .. json.string(message) .. '}}'
end

--- The answer to a question for one player: the record, or the reason why there is none.
local function read_player(source, frame, log)
  if not source or not source.read then return record_error(frame.id, 'unsupported', 'This bridge does not read single players.') end
  local fits, player = pcall(source.read, frame.identifier)
  if not fits then
    log('error', ('The player %s could not be read: %s'):format(frame.identifier, tostring(player)))
    return record_error(frame.id, 'internal_error', 'The record could not be read.')
  end
  if player == nil then
    -- Only a source with every player of the game can tell that a player is not there any more.
    local code = source.complete and source.complete() and 'player_not_found' or 'unsupported'
    return record_error(frame.id, code, ('This bridge does not know the player %s.'):format(frame.identifier))
  end
  local text, problem = players.text(player, limits.frame_bytes - 256)
  if text and player.identifier ~= frame.identifier then text, problem = nil, 'it is the record of another player' end
  if not text then
    log('warn', ('The record of %s is not sent: %s'):format(frame.identifier, problem))
    return record_error(frame.id, 'internal_error', 'The record does not fit.')
  end
  return '{"type":"players.record","id":' .. json.string(frame.id) .. ',"player":' .. text .. '}'
end

--- `options`: `connection`, `welcome`, `bridge` (the options of the bridge), `executor`, `custom`, `hub_clock`, `steady`,
--- `wall`, `times`, `on_drain(within)`, `acknowledgements` (with `add`), `log`.
function session.create(options)
  local connection, welcome, bridge = options.connection, options.welcome, options.bridge
  local executor, custom, log = options.executor, options.custom, options.log
  local sync = player_sync.create {
    connection = connection, source = bridge.players, steady = options.steady, log = log,
    frame_bytes = math.max(1024, math.min(limits.frame_bytes, welcome.limits.frameBytes)),
  }
  local catalogues = catalogue_sync.create {
    connection = connection, source = bridge.catalogues, known = welcome.catalogues, log = log,
  }
  local status_at, results, next_result = nil, {}, 1
  local announced = nil
  local self = { connection = connection, id = welcome.session, epoch = welcome.epoch, server = welcome.server, since = options.steady() }

  --- Sends `status` now.
  function self.report_status()
    status_at = options.steady() + options.times.status_ms
    connection.send(status_of.frame(bridge.status, executor.is_draining(), log))
  end

  --- Announces the custom commands if they have changed.
  local function announce()
    if custom.version() == announced then return end
    announced = custom.version()
    connection.send(custom.announcement())
  end

  --- Sends the results that are not acknowledged, oldest first, then the status; catalogues and players follow them.
  local function send_results(is_over)
    while results and not connection.is_full() do
      if results[next_result] then
        local entry = results[next_result]
        -- It may have been acknowledged meanwhile, because the hub asked for it.
        if entry.outcome and not entry.acknowledged then connection.send(outcomes.frame(entry.id, entry.outcome, entry.sequence)) end
        next_result = next_result + 1
      else
        results = nil
        self.report_status()
        catalogues.send()
        sync.snapshot()
      end
      if is_over() then return end
    end
  end

  function self.begin()
    -- Before anything that takes long: callers are refused until the hub knows them.
    announced = custom.version()
    if custom.size() > 0 then connection.send(custom.announcement()) end
    results = bridge.journal.open()
  end

  local HANDLERS = {
    command = function(frame)
      if executor.command(frame) then return end
      connection.send('{"type":"error","re":"command","code":"busy","message":' .. json.string(frame.id .. ' is one too many.') .. '}')
    end,
    void = function(frame) executor.void(frame.id) end,
    ack = function(frame) options.acknowledgements.add(frame.ids) end,
    ping = function(frame)
      options.hub_clock.heard(frame.now)
      connection.send(('{"type":"pong","n":%.0f,"now":%.0f}'):format(frame.n, math.floor(options.wall())))
    end,
    ['players.resync'] = function() sync.snapshot() end,
    ['players.read'] = function(frame) connection.send(read_player(bridge.players, frame, log)) end,
    drain = function(frame) options.on_drain(frame.withinMs) end,
    error = function(frame)
      log('warn', ('The hub complains about %s: %s: %s'):format(frame.re or 'a frame', frame.code, frame.message))
    end,
    welcome = function() end,
  }

  function self.receive(frame) HANDLERS[frame.type](frame) end

  --- Takes the ids of an `ack` as one text.
  self.acknowledged = options.acknowledgements.add

  function self.changed(change) sync.changed(change) end

  --- Reads the catalogues again, and sends those that have changed.
  function self.catalogues_changed() catalogues.send() end

  --- Sends what is due until the time is over.
  function self.step(is_over)
    announce()
    if results then return send_results(is_over) end
    if options.steady() >= status_at then self.report_status() end
    if catalogues.is_busy() then
      catalogues.step(is_over)
      if catalogues.is_busy() or is_over() then return end
    end
    sync.step(is_over)
  end

  return self
end

return session
