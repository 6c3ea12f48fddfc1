-- ox_core. Balances of bank accounts are in the database. Each change has a line there with the command's id, which
-- proves the change. Cash is an item that nothing makes durable, so it is not an account here.
local roster = Causeway.roster
local FROM = [[(SELECT balance FROM accounts WHERE accounts.owner = characters.charId AND isDefault = 1
    AND accounts.type <> 'inactive' LIMIT 1) AS bank,
  (SELECT id FROM accounts WHERE accounts.owner = characters.charId AND isDefault = 1
    AND accounts.type <> 'inactive' LIMIT 1) AS accountId,
  (SELECT inventory FROM character_inventory WHERE character_inventory.charId = characters.charId) AS inventory,
  (SELECT license2 FROM users WHERE users.userId = characters.userId) AS license2]]
-- Not read for payments.
local JOB = [[(SELECT CONCAT(grade, ' ', name) FROM character_groups WHERE character_groups.charId = characters.charId
    AND name IN (SELECT name FROM ox_groups WHERE type = 'job') ORDER BY isActive DESC, name LIMIT 1) AS job]]
-- The largest value of its balance column.
local MOST = 2 ^ 31 - 1
local ledger = Causeway.oxLedger

local function createAdapter()
  local ox = exports.ox_core
  local ownerOf = {}
  local adapter = { class = 'durable', isInTable = true }
  local proof = ledger.createProof()
  -- Orders without an answer from ox_core: an ox_core that was stopped never answers.
  local unanswered = {}

  local function neverHappened() return Causeway.failed('ox_core has no line of the command: it had no effect.') end

  --- The outcome of an interrupted order; nil when it is unknown: it was interrupted before its line, or ox_core may
  --- still carry it out.
  local function resolve(order, done)
    local isProof = proof.before()
    ledger.find(order, function(outcome, problem)
      done(outcome or (isProof and not problem and neverHappened()) or nil)
    end)
  end

  local function confirm(order, said, isProof, done)
    ledger.find(order, function(outcome, problem)
      if outcome then return done(outcome) end
      if isProof and not problem then return done(neverHappened()) end
      said = problem or said or 'its ledger has no line of it'
      done(Causeway.indeterminate(Causeway.saying('ox_core did not confirm it', said)))
    end)
  end

  local function tooLittle(order, balance)
    local message = 'The account does not hold that much.'
    if order.allowNegative then message = message .. ' ox_core books no debts: its statement for them is broken.' end
    return Causeway.rejected('insufficient_funds', message, { balance = balance })
  end

  --- Refuses the order with the account's current balance, which may have changed since.
  local function refuse(order, account, done)
    Causeway.rows('SELECT balance FROM accounts WHERE id = ?', { account.id }, function(rows)
      done(tooLittle(order, rows and rows[1] and rows[1].balance or nil))
    end)
  end

  local function judge(order, account, ok, answer, isProof, done)
    local code = ok and type(answer) == 'table' and not answer.success and answer.message
    if code == 'insufficient_balance' then return refuse(order, account, done) end
    if code and code ~= 'something_went_wrong' then return done(Causeway.failed(('ox_core says %s'):format(code))) end
    -- A stopped ox_core has no exports: the call did not reach it.
    local isGone = not ok and tostring(answer):find('No such export CallAccount in resource ox_core', 1, true) ~= nil
    if isGone then return done(Causeway.failed('ox_core is not running.')) end
    -- ox_core reported success: without a line the order is indeterminate.
    local isDone = ok and type(answer) == 'table' and answer.success
    confirm(order, code or (not isDone and answer) or nil, isProof and not isDone, done)
  end

  local function move(order, account, done)
    -- Never pass `overdraw`: ox_core binds three values to a statement with two places and may change another account.
    local options = { amount = order.amount, message = ledger.messageOf(order) }
    local method = order.action == 'add' and 'addBalance' or 'removeBalance'
    -- The kind of the ox_core that gets this order; a restart may replace it.
    local isProof = proof.now()
    Causeway.written()
    unanswered[order.id] = Causeway.kept(function() confirm(order, 'it was stopped', isProof, done) end)
    -- ox_core returns a promise; only a thread can wait for it.
    Causeway.thread(function()
      local ok, answer = Causeway.try(function() return ox:CallAccount(account.id, method, options) end)
      if not unanswered[order.id] then return end
      unanswered[order.id] = nil
      judge(order, account, ok, answer, isProof, done)
    end)
  end

  local function pay(order, done)
    local sql = 'SELECT charId, stateId, %s FROM characters WHERE stateId = ? AND deleted IS NULL'
    Causeway.rows(sql:format(FROM), { order.target }, function(rows, problem)
      if not rows then return done(Causeway.failed(problem)) end
      local row = rows[1]
      if not Causeway.isExactly(row, 'stateId', order.target) then return done(Causeway.unknown(order.target)) end
      local balances = { bank = row.bank }
      if order.type ~= 'bank' or not row.accountId then
        local details = { accounts = Causeway.keysOf(balances) }
        return done(Causeway.rejected('unknown_account', ('There is no account %s.'):format(order.type), details))
      end
      if order.action == 'remove' and row.bank < order.amount then return done(tooLittle(order, row.bank)) end
      if order.action == 'add' and row.bank + order.amount > MOST then
        return done(Causeway.rejected('invalid_params', 'The account cannot hold that much.', { balance = row.bank }))
      end
      move(order, { id = row.accountId }, done)
    end)
  end

  adapter.orders = { money = { class = 'durable', run = pay, resolve = resolve }, job = Causeway.createOxJobs(ox) }
  adapter.orders.items = Causeway.createOxCoreItems(ox)

  adapter.offlineTable = {
    name = 'characters', key = 'stateId', where = 'deleted IS NULL',
    columns = ('charId, userId, stateId, firstName, lastName, %s, %s'):format(FROM, JOB),
    record = function(row)
      local source = roster.source(row.stateId)
      if source and row.accountId then ownerOf[row.accountId] = source end
      local grade, job = (row.job or '0 unemployed'):match('^(%d+) (.*)$')
      return {
        identifier = row.stateId, owner = row.charId,
        name = ('%s %s'):format(row.firstName or '', row.lastName or ''), online = source ~= nil,
        gameId = source,
        identifiers = source and Causeway.identifiersOf(source) or { row.license2 and 'license2:' .. row.license2 },
        accounts = { bank = row.bank },
        inventory = source and Causeway.oxInventory(source) or Causeway.inventoryOf(Causeway.decode(row.inventory)),
        metadata = { charId = row.charId, job = job, jobGrade = tonumber(grade) },
      }
    end,
  }
  adapter.catalogues = {
    items = Causeway.itemsSource(),
    vehicles = Causeway.listSource(function() return ox:GetVehicleData() end, function(model, vehicle)
      return model, ('%s %s'):format(vehicle.make or '', vehicle.name or model):match('^%s*(.*)$')
    end),
    jobs = Causeway.oxJobSource,
  }
  adapter.vehicleTables = {
    { name = 'vehicles', owner = 'owner', columns = 'owner, plate, vin, model, class, stored', record = Causeway.oxVehicle },
  }

  adapter.garage = Causeway.createOxGarage()

  function adapter.accountNames(done) done({ bank = true }) end

  function adapter.listen()
    Causeway.watchOxInventory()
    AddEventHandler('onResourceStop', function(resource)
      local cutOff = resource == 'ox_core' and unanswered or {}
      if resource == 'ox_core' then unanswered = {} end
      for _, ask in pairs(cutOff) do ask() end
    end)
    roster.ask(function(source) return (ox:GetPlayer(source) or {}).stateId end)
    AddEventHandler('ox:playerLoaded', roster.join)
    AddEventHandler('ox:playerLogout', roster.leave)
    AddEventHandler('ox:setGroup', roster.changed)
    AddEventHandler('ox:deletedCharacter', function(_, _, charId)
      Causeway.rows('SELECT stateId FROM characters WHERE charId = ? AND deleted IS NOT NULL', { charId }, function(rows)
        if rows and rows[1] then roster.remove(rows[1].stateId) end
      end)
    end)
    AddEventHandler('ox:updatedBalance', function(event)
      if ownerOf[event.accountId] then roster.changed(ownerOf[event.accountId]) end
    end)
    roster.watch(function(kind, identifier)
      if kind ~= 'left' then return end
      local left = roster.source(identifier)
      for account, source in pairs(ownerOf) do
        if source == left then ownerOf[account] = nil end
      end
    end)
  end
  return adapter
end

Causeway.frameworks[#Causeway.frameworks + 1] = { name = 'ox_core', resource = 'ox_core', create = createAdapter }
