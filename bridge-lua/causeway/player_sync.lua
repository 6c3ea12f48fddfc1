--- Keeps the hub's picture of the players up to date over one connection: a snapshot in parts, then changes by revision.
--- All of it is done in small slices, between which commands go on.
if jit then jit.off(true, true) end
local lanes = require 'causeway.lanes'
local limits = require 'causeway.limits'
local messages = require 'causeway.messages'
local players = require 'causeway.players'

local player_sync = {}

--- Over this many queued entries a new snapshot is cheaper than the changes.
local QUEUED_ENTRIES = 5000
local RETRY_SNAPSHOT_MS = 5000
--- Room for everything in a frame about players besides its entries.
local HEAD_BYTES = 256
local LISTS = { 'players', 'offline', 'removed' }

--- `options`: `connection`, `source`, `frame_bytes`, `steady`, `log`.
function player_sync.create(options)
  local connection, source, log = options.connection, options.source, options.log
  local record_bytes = options.frame_bytes - HEAD_BYTES
  local part_bytes = math.min(options.frame_bytes, limits.part_bytes)
  local revision, queue = 0, lanes.queue()
  local snapshot, is_wanted, is_synced, retry_at = nil, false, false, nil
  local self = {}

  local function leave_out(who, problem) log('warn', ('The player %s is left out: %s'):format(who, problem)) end

  local function tell_light(who) log('warn', ('The player %s is sent without large metadata of items and vehicles.'):format(who)) end

  local function send_part(is_last)
    local list = table.concat(snapshot.records, ',')
    local is_complete = is_last and snapshot.is_whole and source and source.complete and source.complete()
    connection.send(('{"type":"players.snapshot","revision":%d,"part":%d,"last":%s,%s"players":['):format(
      revision, snapshot.part, tostring(is_last), is_complete and '"complete":true,' or '') .. list .. ']}')
    snapshot.part, snapshot.records, snapshot.bytes = snapshot.part + 1, {}, HEAD_BYTES
  end

  local function fail_snapshot(problem)
    log('error', ('The players could not be read: %s'):format(tostring(problem)))
    snapshot, is_synced, retry_at = nil, false, options.steady() + RETRY_SNAPSHOT_MS
  end

  local function begin_snapshot()
    is_wanted, retry_at, queue = false, nil, lanes.queue()
    revision = revision + 1
    local fits, next_record = true, function() return nil end
    if source then fits, next_record = pcall(source.snapshot) end
    snapshot = { next = next_record, part = 0, records = {}, bytes = HEAD_BYTES, is_whole = true }
    if not fits or type(next_record) ~= 'function' then
      fail_snapshot(fits and 'players.snapshot answers with a function that gives one record after the other' or next_record)
    end
  end

  local function add_record(record)
    local text, more = players.text(record, record_bytes)
    if not text then
      snapshot.is_whole = false
      return leave_out(players.name_of(record), more)
    end
    if more then tell_light(players.name_of(record)) end
    local is_full = #snapshot.records > 0 and snapshot.bytes + #text + 1 > part_bytes
    if is_full or #snapshot.records >= limits.players_per_frame then send_part(false) end
    table.insert(snapshot.records, text)
    snapshot.bytes = snapshot.bytes + #text + 1
  end

  --- One record further; false when the snapshot has ended.
  local function advance()
    local fits, record = pcall(snapshot.next)
    if not fits then
      fail_snapshot(record)
      return false
    end
    if record == nil then
      send_part(true)
      snapshot, is_synced = nil, true
      return false
    end
    add_record(record)
    return true
  end

  local function item_text(item)
    if item.list == 'players' then return players.text(item.value, record_bytes) end
    if not messages.is_identifier(item.value) then return nil, 'not an identifier' end
    return '"' .. item.value .. '"'
  end

  local function send_change(frame)
    revision = revision + 1
    local text = ('{"type":"players.changed","revision":%d,'):format(revision)
    for nth, name in ipairs(LISTS) do
      text = text .. (nth > 1 and ',' or '') .. '"' .. name .. '":[' .. table.concat(frame[name], ',') .. ']'
    end
    connection.send(text .. '}')
  end

  local function new_frame() return { players = {}, offline = {}, removed = {}, named = {}, bytes = HEAD_BYTES, count = 0 } end

  --- The hub applies the lists one after the other, so a player is in one of them only.
  local function fits_into(frame, item, text)
    if frame.count == 0 then return true end
    if frame.named[item.name] or frame.count >= limits.players_per_frame then return false end
    return frame.bytes + #text + 1 <= part_bytes
  end

  local function send_changes(is_over)
    local frame = new_frame()
    repeat
      local item = queue.pop()
      if not item then break end
      local text, more = item_text(item)
      if not text then
        leave_out(item.name, more)
      else
        if more then tell_light(item.name) end
        if not fits_into(frame, item, text) then
          send_change(frame)
          frame = new_frame()
        end
        table.insert(frame[item.list], text)
        frame.named[item.name], frame.bytes, frame.count = true, frame.bytes + #text + 1, frame.count + 1
      end
    until is_over()
    if frame.count > 0 then send_change(frame) end
  end

  --- Sends all players, after a snapshot that is under way.
  function self.snapshot() is_wanted = true end

  --- Takes changes; they go out in the next steps. Without a snapshot the hub cannot place them: the one to come has them.
  function self.changed(change)
    if not is_synced and not snapshot then return end
    for _, list in ipairs(LISTS) do
      for _, value in ipairs(change[list] or {}) do
        local name = list == 'players' and players.name_of(value) or tostring(value)
        queue.push { list = list, value = value, name = name }
      end
    end
    if queue.size() > QUEUED_ENTRIES then
      queue, is_wanted = lanes.queue(), true
    end
  end

  --- Goes on until the time is over, or the line is full.
  function self.step(is_over)
    if retry_at and options.steady() >= retry_at then is_wanted = true end
    while not connection.is_full() do
      if snapshot then
        if not advance() then return end
      elseif is_wanted then
        begin_snapshot()
      elseif is_synced and queue.size() > 0 then
        send_changes(is_over)
      else
        return
      end
      if is_over() then return end
    end
  end

  return self
end

return player_sync
