-- ESX Legacy. It answers nothing when money moves, throws where it refuses, and lets every account go below zero: all
-- of that is checked before and after. It has no way to save one player, so his accounts are written here.
local COLUMNS = 'identifier, accounts, inventory, job, job_grade, `group`'
local roster = Causeway.roster

local function createAdapter()
  local ESX = exports.es_extended:getSharedObject()
  -- Without this export every look at a player copies all of him.
  local hasStatic = Causeway.try(function() exports.es_extended:RunStaticPlayerMethod(-1, 'getIdentifier') end)

  local function call(source, method, ...)
    if hasStatic then return exports.es_extended:RunStaticPlayerMethod(source, method, ...) end
    local player = ESX.GetPlayerFromId(source)
    return player and player[method](...)
  end

  local function accountsOf(source)
    local accounts = call(source, 'getAccounts', true)
    return type(accounts) == 'table' and accounts or {}
  end

  local function isItem(account)
    if not Causeway.isStarted('ox_inventory') then return false end
    for _, name in ipairs(Causeway.decode(GetConvar('inventory:accounts', '["money"]'))) do
      if name == account then return true end
    end
    return false
  end

  --- Of an account that is an item as well, ox_inventory holds the truth and may refuse without a word.
  local function itemProblem(source, order)
    if not isItem(order.type) then return nil end
    if order.action == 'add' then
      return not exports.ox_inventory:CanCarryItem(source, order.type, order.amount) and 'The inventory is full.' or nil
    end
    local held = tonumber(exports.ox_inventory:GetItemCount(source, order.type)) or 0
    return held < order.amount and 'The inventory does not hold that much.' or nil
  end

  local saver = Causeway.createSaver(function(identifier)
    local source = roster.source(identifier)
    local accounts = source and accountsOf(source)
    return accounts and next(accounts) and json.encode(accounts) or nil
  end, function(identifier, money, done)
    Causeway.update('UPDATE users SET accounts = ? WHERE identifier = ?', { money, identifier }, done)
  end, function(identifier, done)
    Causeway.rows('SELECT accounts FROM users WHERE identifier = ?', { identifier }, function(rows)
      done(rows and rows[1] and rows[1].accounts)
    end)
  end)

  local function purseOf(source)
    local purse = {
      accounts = function() return Causeway.keysOf(accountsOf(source)) end,
      read = function(name) return accountsOf(source)[name] end,
    }
    local function held(account) return isItem(account) and exports.ox_inventory:GetItemCount(source, account) end
    function purse.change(name, amount, action, reason)
      local before = held(name)
      call(source, action == 'add' and 'addAccountMoney' or 'removeAccountMoney', name, amount, reason)
      local wanted = before and before + (action == 'add' and amount or -amount)
      purse.problem = held(name) ~= wanted and 'The account was changed, and the item of it was not.' or nil
    end
    return purse
  end

  local offline = {
    row = function(identifier, done)
      local sql = 'SELECT identifier, accounts FROM users WHERE identifier = ?'
      Causeway.rows(sql, { identifier }, function(rows, problem)
        if not rows or not Causeway.isExactly(rows[1], 'identifier', identifier) then return done(nil, problem) end
        done({ money = rows[1].accounts, owners = { 'license:' .. identifier:gsub('^.*:', '') } })
      end)
    end,
    swap = function(identifier, from, to, done)
      local sql = 'UPDATE users SET accounts = ? WHERE identifier = ? AND accounts = ?'
      Causeway.update(sql, { to, identifier, from }, done)
    end,
    mayOwe = function() return true end,
  }

  local adapter = { class = 'saved', saver = saver }

  function adapter.money(order, done)
    local source = roster.source(order.target)
    if not source then return Causeway.payOffline(order, offline, done) end
    local ok, problem = Causeway.try(itemProblem, source, order)
    if not ok then return done(Causeway.failed(problem)) end
    if problem then
      local balance = accountsOf(source)[order.type]
      local details = { balance = Causeway.isBalance(balance) and Causeway.whole(balance) or nil }
      local code = order.action == 'add' and 'invalid_params' or 'insufficient_funds'
      return done(Causeway.rejected(code, problem, details))
    end
    Causeway.payOnline(order, purseOf(source), saver, done)
  end

  function adapter.record(identifier, source)
    local job = call(source, 'getJob') or {}
    return {
      identifier = identifier,
      name = call(source, 'getName') or GetPlayerName(source),
      online = true,
      identifiers = Causeway.identifiersOf(source),
      accounts = accountsOf(source),
      inventory = Causeway.oxInventory(source) or Causeway.inventoryOf(call(source, 'getInventory')),
      metadata = {
        job = job.name, jobLabel = job.label, jobGrade = job.grade, group = call(source, 'getGroup'),
        serverId = source,
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
        identifiers = { 'license:' .. row.identifier:gsub('^.*:', '') },
        accounts = Causeway.decode(row.accounts),
        inventory = Causeway.inventoryOf(Causeway.decode(row.inventory)),
        metadata = { job = row.job, jobGrade = row.job_grade, group = row.group },
      }
    end,
  }
  adapter.vehicleTable = { name = 'owned_vehicles', owner = 'owner', record = Causeway.esxVehicle }

  function adapter.accountNames(done)
    local ok, config = Causeway.try(function() return ESX.GetConfig() end)
    local names = {}
    for name in pairs(ok and type(config) == 'table' and config.Accounts or {}) do names[name] = true end
    Causeway.rows('SELECT accounts FROM users LIMIT 1', {}, function(rows)
      for name in pairs(Causeway.decode(rows and rows[1] and rows[1].accounts)) do names[name] = true end
      done(names)
    end)
  end

  function adapter.listen()
    for _, source in ipairs(GetPlayers()) do
      local ok, identifier = Causeway.try(call, tonumber(source), 'getIdentifier')
      if ok and identifier then roster.join(source, identifier) end
    end
    AddEventHandler('esx:playerLoaded', function(source, player)
      roster.join(source, player and player.identifier or call(source, 'getIdentifier'))
    end)
    AddEventHandler('esx:playerLogout', roster.leave)
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
