-- Whole records of players with their vehicles: online players from memory, offline players from the framework's table.
-- An adapter has `record(identifier, source)` and may have `vehicleTables` and an `offlineTable`: its name, key,
-- columns, `record(row)`, and if needed `where`, `keyOf(identifier)` and `toKey(text)`. For an adapter with `isInTable`
-- the table is authoritative for all players.

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

local function addVehicles(adapter, players, done)
  local tables = adapter.vehicleTables or {}
  if #tables == 0 or #players == 0 then return done({ players = players }) end
  local owners, byOwner = {}, {}
  for index, player in ipairs(players) do
    player.vehicles = {}
    owners[index] = player.owner or player.identifier
    byOwner[tostring(owners[index])] = player
  end
  local function add(index)
    local from = tables[index]
    if not from then return done({ players = players }) end
    local sql = ('SELECT %s FROM %s WHERE %s IN (%s)')
      :format(from.columns or '*', from.name, from.owner, Causeway.places(#owners))
    Causeway.rows(sql, owners, function(rows, problem)
      if not rows then return done(nil, problem) end
      for _, row in ipairs(rows) do
        local player = byOwner[tostring(row[from.owner])]
        if player then table.insert(player.vehicles, from.record(row)) end
      end
      add(index + 1)
    end)
  end
  add(1)
end

local function selectOf(from, where)
  if from.where then where = ('%s AND %s'):format(where, from.where) end
  return ('SELECT %s FROM %s WHERE %s'):format(from.columns, from.name, where)
end

--- The players of rows until the time is over, the number of rows they cover, which is at least one, and whether one of these
--- could not be read.
local function collect(adapter, rows, isOver)
  local players, count, isLeftOut = {}, 0, nil
  for _, row in ipairs(rows) do
    if count > 0 and isOver() then break end
    count = count + 1
    local player = fromRow(adapter, row)
    if player then players[#players + 1] = fromMemory(adapter, player.identifier) or player end
    isLeftOut = isLeftOut or not player or nil
  end
  return players, count, isLeftOut
end

local function fromTable(adapter, identifiers, done)
  local from, keys, isAsked = adapter.offlineTable, {}, {}
  if not from or #identifiers == 0 then return done({}) end
  for index, identifier in ipairs(identifiers) do
    isAsked[identifier] = true
    keys[index] = from.keyOf and from.keyOf(identifier) or identifier
  end
  local where = ('%s IN (%s)'):format(from.key, Causeway.places(#keys))
  Causeway.rows(selectOf(from, where), keys, function(rows, problem)
    if not rows then return done(nil, problem) end
    local players = {}
    local found, _, isLeftOut = collect(adapter, rows, Causeway.timer(math.huge))
    for _, player in ipairs(found) do
      if isAsked[player.identifier] then players[#players + 1] = player end
    end
    done(players, nil, isLeftOut)
  end)
end

--- The records of those identifiers that exist. Reading from memory ends after `forMs`, and after the first record at
--- the earliest: `count` of the answer is the number of identifiers that were looked up, and `isLeftOut` says that a row
--- could not be read. `done(answer, problem)`.
function Causeway.recordsOf(adapter, identifiers, forMs, done)
  local isOver, players, absent, count = Causeway.timer(forMs), {}, {}, 0
  for _, identifier in ipairs(identifiers) do
    if count > 0 and isOver() then break end
    count = count + 1
    local player = fromMemory(adapter, identifier)
    if player then players[#players + 1] = player else absent[#absent + 1] = identifier end
  end
  fromTable(adapter, absent, function(others, problem, isLeftOut)
    if not others then return done(nil, problem) end
    table.move(others, 1, #others, #players + 1, players)
    addVehicles(adapter, players, function(answer, failure)
      if answer then answer.count, answer.isLeftOut = count, isLeftOut end
      done(answer, failure)
    end)
  end)
end

--- A page of the table in key order, after a key; empty text for the first page. It ends after `limit` rows, or after
--- `forMs` if that is sooner. `done(answer, problem)`: `last` of the answer is the key for the next page, if there is one;
--- `isLeftOut` as above.
function Causeway.pageOf(adapter, after, limit, forMs, done)
  local from = adapter.offlineTable
  if not from then return done({ players = {} }) end
  local sql = ('%s ORDER BY %s LIMIT ?'):format(selectOf(from, from.key .. ' > ?'), from.key)
  Causeway.rows(sql, { from.toKey and from.toKey(after) or after, limit }, function(rows, problem)
    if not rows then return done(nil, problem) end
    local players, count, isLeftOut = collect(adapter, rows, Causeway.timer(forMs))
    local isMore = count < #rows or #rows == limit
    local last = isMore and tostring(rows[count][from.key]) or nil
    addVehicles(adapter, players, function(answer, failure)
      if answer then answer.last, answer.isLeftOut = last, isLeftOut end
      done(answer, failure)
    end)
  end)
end
