-- ESX Legacy: its players, their records and its events.
local COLUMNS = 'identifier, accounts, inventory, job, job_grade, `group`'
local roster = Causeway.roster

local function createAdapter()
  local esx = Causeway.sharedBy('es_extended', function() return exports.es_extended:getSharedObject() end)
  -- Without this export every read of a player copies the whole player.
  local hasStatic = Causeway.try(function() exports.es_extended:RunStaticPlayerMethod(-1, 'getIdentifier') end)

  local function call(source, method, ...)
    if hasStatic then return exports.es_extended:RunStaticPlayerMethod(source, method, ...) end
    local player = esx().GetPlayerFromId(source)
    return player and player[method](...)
  end

  local function accountsOf(source)
    local accounts = call(source, 'getAccounts', true)
    return type(accounts) == 'table' and accounts or {}
  end

  local ok, config = Causeway.try(function() return esx().GetConfig() end)
  config = ok and type(config) == 'table' and config or {}
  if config.CustomInventory == 'ox' then Causeway.expectOxInventory() end
  -- A server may identify its players by another identifier than their license.
  local function ownerOf(row) return (config.Identifier or 'license') .. ':' .. row.identifier:gsub('^.*:', '') end
  local money = Causeway.createEsxMoney(call, accountsOf, ownerOf)
  -- Not atomic: if the save of a leaving player failed, ESX keeps saving the old copy.
  local adapter = {
    class = 'saved', orders = { money = { class = 'saved', run = money.pay, resolve = money.resolve } },
  }
  adapter.orders.items = Causeway.createEsxItems(config, call, accountsOf, money)
  adapter.orders.job = Causeway.createEsxJobs(esx, call, money)

  function adapter.record(identifier, source)
    local job = call(source, 'getJob') or {}
    return {
      identifier = identifier,
      name = call(source, 'getName') or GetPlayerName(source),
      online = true, gameId = source,
      identifiers = Causeway.identifiersOf(source),
      accounts = accountsOf(source),
      inventory = Causeway.oxInventory(source) or Causeway.inventoryOf(call(source, 'getInventory')),
      metadata = {
        job = job.name, jobLabel = job.label, jobGrade = job.grade, group = call(source, 'getGroup'),
      },
    }
  end

  adapter.offlineTable = {
    name = 'users', key = 'identifier', columns = COLUMNS, optional = 'firstname, lastname',
    record = function(row)
      local name = ('%s %s'):format(row.firstname or '', row.lastname or ''):match('^%s*(.-)%s*$')
      return {
        identifier = row.identifier,
        name = name ~= '' and name or row.identifier,
        identifiers = { ownerOf(row) },
        accounts = Causeway.decode(row.accounts),
        inventory = Causeway.inventoryOf(Causeway.decode(row.inventory)),
        metadata = { job = row.job, jobGrade = row.job_grade, group = row.group },
      }
    end,
  }
  adapter.vehicleTables = { { name = 'owned_vehicles', owner = 'owner', record = Causeway.esxVehicle } }
  adapter.garage = Causeway.createEsxGarage()

  adapter.catalogues = {
    items = Causeway.itemsSource(Causeway.tableSource('name', 'label', 'items')),
    -- Of esx_vehicleshop.
    vehicles = Causeway.optionalSource('model', 'name', 'vehicles'),
    jobs = Causeway.listSource(function() return esx().GetJobs() end, function(name, job)
      return name, job.label, job.grades
    end),
  }

  -- ESX itself knows nothing of death and health.
  local function careBy(event, ...)
    local more = table.pack(...)
    return {
      resource = 'esx_ambulancejob',
      isDead = function(source) return Player(source).state.isDead == true end,
      send = function(source) TriggerClientEvent(event, source, table.unpack(more)) end,
    }
  end
  adapter.care = { revive = careBy('esx_ambulancejob:revive'), heal = careBy('esx_ambulancejob:heal', 'big', true) }

  function adapter.accountNames(done)
    local names = {}
    for name in pairs(config.Accounts or {}) do names[name] = true end
    Causeway.rows('SELECT accounts FROM users LIMIT 1', {}, function(rows)
      if not rows then return done(nil) end
      for name in pairs(Causeway.decode(rows[1] and rows[1].accounts)) do names[name] = true end
      money.prepare(function(isKnown) done(isKnown and names or nil) end)
    end)
  end

  function adapter.listen()
    Causeway.watchOxInventory()
    Causeway.inEachStart('es_extended', function()
      for source in pairs(exports.es_extended:getSharedObject().Players or {}) do money.look(source) end
    end)
    roster.ask(function(source) return call(source, 'getIdentifier') end)
    AddEventHandler('esx:playerLoaded', function(source)
      roster.join(source)
      money.look(source)
    end)
    for _, event in ipairs({ 'esx:jobsRefreshed', 'esx:jobCreated' }) do
      AddEventHandler(event, Causeway.catalogueChanged)
    end
    AddEventHandler('esx:playerLogout', roster.leave)
    -- This event comes before ESX saves the player and removes them from memory.
    AddEventHandler('esx:playerDropped', roster.leave)
    for _, event in ipairs({
      'esx:addAccountMoney', 'esx:removeAccountMoney', 'esx:setAccountMoney', 'esx:onAddInventoryItem',
      'esx:onRemoveInventoryItem', 'esx:setJob', 'esx:setGroup',
    }) do
      AddEventHandler(event, roster.changed)
    end
  end
  return adapter
end

Causeway.frameworks[#Causeway.frameworks + 1] = { name = 'esx', resource = 'es_extended', create = createAdapter }
