-- What QBCore, Qbox and RSG have in common: a table `players`, and characters by their citizenid.
local roster = Causeway.roster

local function nameOf(charinfo, otherwise)
  local name = ('%s %s'):format(charinfo.firstname or '', charinfo.lastname or ''):match('^%s*(.-)%s*$')
  return name ~= '' and name or otherwise
end

local function metadataOf(job, gang)
  local grade = type(job.grade) == 'table' and job.grade or {}
  return { job = job.name, jobLabel = job.label, jobGrade = grade.level, jobGradeName = grade.name, gang = gang.name }
end

local function offlineRecord(row)
  local metadata = metadataOf(Causeway.decode(row.job), Causeway.decode(row.gang))
  return {
    identifier = row.citizenid,
    name = nameOf(Causeway.decode(row.charinfo), row.name),
    identifiers = { row.license },
    accounts = Causeway.decode(row.money),
    inventory = Causeway.inventoryOf(Causeway.decode(row.inventory)),
    metadata = metadata,
  }
end

local function onlineRecord(identifier, source, data)
  local metadata = metadataOf(data.job or {}, data.gang or {})
  metadata.serverId = source
  return {
    identifier = identifier,
    name = nameOf(data.charinfo or {}, GetPlayerName(source)),
    online = true,
    identifiers = Causeway.identifiersOf(source),
    accounts = data.money,
    inventory = Causeway.oxInventory(source) or Causeway.inventoryOf(data.items),
    metadata = metadata,
  }
end

local function createTable()
  return {
    row = function(identifier, done)
      local sql = 'SELECT citizenid, money, license FROM players WHERE citizenid = ?'
      Causeway.rows(sql, { identifier }, function(rows, problem)
        if not rows or not Causeway.isExactly(rows[1], 'citizenid', identifier) then return done(nil, problem) end
        done({ money = rows[1].money, owners = { rows[1].license } })
      end)
    end,
    swap = function(identifier, from, to, done)
      Causeway.update('UPDATE players SET money = ? WHERE citizenid = ? AND money = ?', { to, identifier, from }, done)
    end,
  }
end

--- Makes an adapter of what differs: `data(source)` is a fresh copy of PlayerData, `balance(source, name)` one of its
--- accounts, `change(source, name, amount, action, reason)` the framework's own call, `mayOwe(name, after)` its rule
--- about debts, `prefix` that of its events, and `accountNames()` what its configuration names.
function Causeway.createQbAdapter(core)
  local offline = createTable()
  offline.mayOwe = core.mayOwe
  local saver = Causeway.createSaver(function(identifier)
    local source = roster.source(identifier)
    local data = source and core.data(source)
    return data and json.encode(data.money) or nil
  end, function(identifier, money, done)
    Causeway.update('UPDATE players SET money = ? WHERE citizenid = ?', { money, identifier }, done)
  end, function(identifier, done)
    offline.row(identifier, function(row) done(row and row.money) end)
  end)

  local function purseOf(source)
    local accounts = (core.data(source) or {}).money or {}
    return {
      accounts = function() return Causeway.keysOf(accounts) end,
      -- Frameworks forgive a spelling here and not there.
      read = function(name) return accounts[name] ~= nil and tonumber(core.balance(source, name)) or nil end,
      change = function(name, amount, action, reason) return core.change(source, name, amount, action, reason) end,
    }
  end

  local adapter = { class = 'saved', vehicleTable = core.vehicleTable }
  adapter.offlineTable = {
    name = 'players', key = 'citizenid', columns = 'citizenid, license, name, money, charinfo, job, gang, inventory',
    record = offlineRecord,
  }

  function adapter.money(order, done)
    local source = roster.source(order.target)
    if not source then return Causeway.payOffline(order, offline, done) end
    Causeway.payOnline(order, purseOf(source), saver, done)
  end

  function adapter.record(identifier, source)
    return onlineRecord(identifier, source, core.data(source))
  end

  function adapter.accountNames(done)
    local ok, known = Causeway.try(core.accountNames)
    local names = {}
    for name in pairs(ok and type(known) == 'table' and known or {}) do names[name] = true end
    Causeway.rows('SELECT money FROM players LIMIT 1', {}, function(rows)
      for name in pairs(Causeway.decode(rows and rows[1] and rows[1].money)) do names[name] = true end
      done(names)
    end)
  end

  function adapter.listen()
    for _, source in ipairs(GetPlayers()) do
      local ok, data = Causeway.try(core.data, tonumber(source))
      if ok and data then roster.join(source, data.citizenid) end
    end
    AddEventHandler(core.prefix .. ':Server:PlayerLoaded', function(player)
      local data = player and player.PlayerData or {}
      roster.join(data.source, data.citizenid)
    end)
    AddEventHandler(core.prefix .. ':Server:OnPlayerUnload', roster.leave)
    AddEventHandler(core.prefix .. ':Server:OnMoneyChange', roster.changed)
    AddEventHandler(core.prefix .. ':Server:OnJobUpdate', roster.changed)
    AddEventHandler(core.prefix .. ':Server:OnPlayerUpdated', roster.changed)
    for _, event in ipairs(core.events or {}) do AddEventHandler(event, roster.changed) end
  end
  return adapter
end
