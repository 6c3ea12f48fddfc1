-- The common part of QBCore, Qbox and RSG: a table `players` with characters by their citizenid.
local roster = Causeway.roster
local GHOST = 'The framework holds an old copy of this player and may undo the payment.'

local function nameOf(charinfo, otherwise)
  local name = ('%s %s'):format(charinfo.firstname or '', charinfo.lastname or ''):match('^%s*(.-)%s*$')
  return name ~= '' and name or otherwise
end

-- QBCore and RSG tell a deletion only to their log, after it: the citizenid is the last word, or the only one, in asterisks.
local DELETED = {
  ['Character Deleted'] = '%*%*([^%*]+)%*%*[%.]*$',
  ['Character Force Deleted'] = '^Character %*%*([^%*]+)%*%* got deleted$',
}

--- Follows the log of a framework. The table decides whether the character is gone.
local function watchLog(event)
  AddEventHandler(event, function(_, title, _, message)
    local pattern = DELETED[title]
    local citizenid = pattern and type(message) == 'string' and message:match(pattern)
    if not citizenid then return end
    Causeway.rows('SELECT citizenid FROM players WHERE citizenid = ?', { citizenid }, function(rows)
      if rows and not rows[1] then roster.remove(citizenid) end
    end)
  end)
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
  return {
    identifier = identifier,
    name = nameOf(data.charinfo or {}, GetPlayerName(source)),
    online = true, gameId = source,
    identifiers = Causeway.identifiersOf(source),
    accounts = data.money,
    inventory = Causeway.oxInventory(source) or Causeway.inventoryOf(data.items),
    metadata = metadataOf(data.job or {}, data.gang or {}),
  }
end

--- Makes an adapter from the parts that differ. `data(source)`: a fresh copy of PlayerData; `find(identifier)`: that of
--- a character; both nil for a player who is not in memory. `balance(source, name)`: the balance of an account.
--- `change(source, name, amount, action, reason)`: the framework's own call. `mayOwe(name, after)`: its rule about
--- debts. `setMark(source, key, text)`: stores a text in the metadata. `prefix`: the prefix of its events.
--- `accountNames()`: the accounts of its configuration. If items may determine a balance: `isItem(name)` says so for an
--- account, and `inventory(data)` is the stored text of the items, otherwise nil. If items only follow a balance:
--- `itemOf(name)` is the item of an account, `carried(source, name)` the carried count (nil for an account without an
--- item), and `mayCarry(source, name, amount)` says whether the player has room. With an inventory of its own: `items`
--- has its `resource` and `version`, and `definition`, `accountOf` and `decays` as for a bag. `jobs.find(name)`: a job with its
--- `grades`; `jobs.set(source, name, grade)`: the framework's own call; `jobs.waits`: whether it waits for the database;
--- `jobs.refuse(order)`: the refusal of an online player, if there is one. `catalogues`: as an adapter has them.
--- `logEvent`: the event of its log, which tells of deleted characters. `care`: the `resource` for the dead and hurt, and `send(source)`, which revives a player. `mayHeal`: it heals, too.
function Causeway.createQbAdapter(core)
  core.isItem = core.isItem or function() return false end
  local book, holds, jobBook = Causeway.createQbBook(core)
  local saver, items = Causeway.createSaver(book), Causeway.createQbItems(core)
  -- At the next login a full inventory does not take the items of the row, and the balance follows the inventory.
  local function isKeptAsItem(name) return core.isItem(name) or (core.itemOf and core.itemOf(name) ~= nil) end

  local function purseOf(source)
    local purse
    local accounts = (core.data(source) or {}).money or {}
    purse = {
      accounts = function() return Causeway.keysOf(accounts) end,
      -- Some frameworks accept another spelling in one call and not in another.
      read = function(name) return accounts[name] ~= nil and tonumber(core.balance(source, name)) or nil end,
      change = function(name, amount, action, reason)
        local said = core.change(source, name, amount, action, reason)
        purse.problem = not items.isInStep(source, name) and 'The account was changed, and the item of it was not.' or nil
        return said
      end,
      metadata = function() return (core.data(source) or {}).metadata end,
      setMark = function(key, text) core.setMark(source, key, text) end,
    }
    return purse
  end

  local class = core.class or 'atomic'
  local adapter = { class = class, vehicleTables = core.vehicleTables, garage = core.garage }
  adapter.catalogues, adapter.care = core.catalogues, Causeway.qbCare(core)
  adapter.offlineTable = {
    name = 'players', key = 'citizenid', columns = 'citizenid, license, name, money, charinfo, job, gang, inventory',
    record = offlineRecord,
  }

  local function pay(order, done)
    local source = roster.certain(order.target)
    if not source and isKeptAsItem(order.type) then return Causeway.refuseOffline(order, book, done) end
    if not source and holds(order.target) then return done(Causeway.rejected('player_offline', GHOST)) end
    if not source then return Causeway.payOffline(order, book, saver, done) end
    local problem = items.problem(source, order)
    if problem then return done(problem) end
    Causeway.payOnline(order, purseOf(source), book, saver, done)
  end

  local function resolve(order, done) Causeway.resolve(book, saver, order, done) end
  adapter.orders = { money = { class = class, run = pay, resolve = resolve } }
  adapter.orders.items = Causeway.createQbItemOrder(core, book)
  adapter.orders.job = Causeway.createQbJobs(core, jobBook, class, holds)

  function adapter.record(identifier, source)
    return onlineRecord(identifier, source, core.data(source))
  end

  function adapter.accountNames(done)
    local ok, known = Causeway.try(core.accountNames)
    local names = {}
    for name in pairs(ok and type(known) == 'table' and known or {}) do names[name] = true end
    Causeway.rows('SELECT money FROM players LIMIT 1', {}, function(rows)
      if not rows then return done(nil) end
      for name in pairs(Causeway.decode(rows[1] and rows[1].money)) do names[name] = true end
      done(names)
    end)
  end

  function adapter.listen()
    roster.ask(function(source) return (core.data(source) or {}).citizenid end)
    AddEventHandler(core.prefix .. ':Server:PlayerLoaded', function(player)
      roster.join(type(player) == 'table' and (player.PlayerData or {}).source or nil)
    end)
    AddEventHandler(core.prefix .. ':Server:OnPlayerUnload', roster.leave)
    -- This event comes before the framework saves and removes the player. Some versions pass the player.
    AddEventHandler(core.prefix .. ':Server:PlayerDropped', function(player)
      roster.leave(type(player) == 'table' and (player.PlayerData or {}).source or player)
    end)
    AddEventHandler(core.catalogueEvent or core.prefix .. ':Server:UpdateObject', Causeway.catalogueChanged)
    AddEventHandler(core.prefix .. ':Server:OnMoneyChange', roster.changed)
    AddEventHandler(core.prefix .. ':Server:OnJobUpdate', roster.changed)
    AddEventHandler(core.prefix .. ':Server:OnPlayerUpdated', roster.changed)
    -- Old versions announce a changed inventory only by this event.
    AddEventHandler(core.prefix .. ':Player:SetPlayerData', function(data)
      roster.changed(type(data) == 'table' and data.source or nil)
    end)
    if core.logEvent then watchLog(core.logEvent) end
    Causeway.watchOxInventory()
    for _, event in ipairs(core.events or {}) do AddEventHandler(event, roster.changed) end
  end
  return adapter
end
