-- Whole records of players: from memory where they are online, from the framework's table where they are not, with
-- their vehicles. An adapter has `record(identifier, source)` and may have `vehicleTable` and `offlineTable`: its name,
-- key, columns, `record(row)`, and where needed `where`, `keyOf(identifier)` and `toKey(text)`. One with `isInTable` has
-- the truth about everybody in its table.

local function fromMemory(adapter, identifier)
  local source = Causeway.roster.source(identifier)
  if not source or adapter.isInTable then return nil end
  local ok, player = Causeway.try(adapter.record, identifier, source)
  if ok then return player end
  print(('[causeway] the player %s could not be read: %s'):format(identifier, tostring(player)))
end

local function fromRow(adapter, row)
  local ok, player = Causeway.try(adapter.offlineTable.record, row)
  if ok then return player end
  print(('[causeway] a row of %s could not be read: %s'):format(adapter.offlineTable.name, tostring(player)))
end

--- Looks for columns that only some servers have. `done()`.
function Causeway.prepareRecords(adapter, done)
  local from = adapter.offlineTable
  if not from then return done() end
  if not from.optional then return done() end
  Causeway.rows(('SELECT %s FROM %s LIMIT 1'):format(from.optional, from.name), {}, function(rows)
    if rows then from.columns = from.columns .. ', ' .. from.optional end
    done()
  end)
end

local function addVehicles(adapter, players, done)
  local from = adapter.vehicleTable
  if not from or #players == 0 then return done({ players = players }) end
  local owners, byOwner = {}, {}
  for index, player in ipairs(players) do
    player.vehicles = {}
    owners[index] = player.owner or player.identifier
    byOwner[tostring(owners[index])] = player
  end
  local sql = ('SELECT * FROM %s WHERE %s IN (%s)'):format(from.name, from.owner, Causeway.places(#owners))
  Causeway.rows(sql, owners, function(rows, problem)
    if not rows then return done(nil, problem) end
    local startedAt = Causeway.nowMs()
    for _, row in ipairs(rows) do
      local player = byOwner[tostring(row[from.owner])]
      if player then table.insert(player.vehicles, from.record(row)) end
    end
    done({ players = players, tookMs = Causeway.nowMs() - startedAt })
  end)
end

local function selectOf(from, where)
  if from.where then where = ('%s AND %s'):format(where, from.where) end
  return ('SELECT %s FROM %s WHERE %s'):format(from.columns, from.name, where)
end

local function collect(adapter, rows)
  local players = {}
  for _, row in ipairs(rows) do
    local identifier = adapter.offlineTable.record(row).identifier
    players[#players + 1] = fromMemory(adapter, identifier) or fromRow(adapter, row)
  end
  return players
end

--- The records of those who exist. `done(answer, problem)`.
function Causeway.recordsOf(adapter, identifiers, done)
  local from, players, absent = adapter.offlineTable, {}, {}
  for _, identifier in ipairs(identifiers) do
    local player = fromMemory(adapter, identifier)
    if player then players[#players + 1] = player else absent[#absent + 1] = identifier end
  end
  if not from or #absent == 0 then return addVehicles(adapter, players, done) end
  local keys, isAsked = {}, {}
  for index, identifier in ipairs(absent) do
    isAsked[identifier] = true
    keys[index] = from.keyOf and from.keyOf(identifier) or identifier
  end
  local where = ('%s IN (%s)'):format(from.key, Causeway.places(#keys))
  Causeway.rows(selectOf(from, where), keys, function(rows, problem)
    if not rows then return done(nil, problem) end
    for _, player in ipairs(collect(adapter, rows)) do
      if isAsked[player.identifier] then players[#players + 1] = player end
    end
    addVehicles(adapter, players, done)
  end)
end

--- A page of the table, in the order of its key, after a key; empty text for the first. `done(answer, problem)`: the
--- answer says how long the server's thread was held, and after which key to go on, if there is more.
function Causeway.pageOf(adapter, after, limit, done)
  local from = adapter.offlineTable
  if not from then return done({ players = {}, tookMs = 0 }) end
  local sql = ('%s ORDER BY %s LIMIT ?'):format(selectOf(from, from.key .. ' > ?'), from.key)
  Causeway.rows(sql, { from.toKey and from.toKey(after) or after, limit }, function(rows, problem)
    if not rows then return done(nil, problem) end
    local startedAt = Causeway.nowMs()
    local last = #rows == limit and tostring(rows[#rows][from.key]) or nil
    local players = collect(adapter, rows)
    local tookMs = Causeway.nowMs() - startedAt
    addVehicles(adapter, players, function(answer, failure)
      if answer then answer.last, answer.tookMs = last, math.max(tookMs, answer.tookMs or 0) end
      done(answer, failure)
    end)
  end)
end
