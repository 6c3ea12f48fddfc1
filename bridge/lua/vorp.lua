-- VORP for RedM. Its currencies are numbers in memory without checks, return values or events: the bridge does all
-- checks and reads balances every few seconds. Its dollars have cents, so offline players cannot be paid in the table.
local roster = Causeway.roster
local CURRENCIES = { money = 0, gold = 1, rol = 2 }
-- The largest values of its columns: a server without strict mode would silently store this limit instead.
local MOST = 999999999.99
local LOOK_EVERY_MS, LOOK_FOR_MS = 1000, 1

local function identifierOf(character) return ('%s:%s'):format(character.identifier, character.charIdentifier) end
local function charIdOf(identifier) return tonumber(identifier:match(':(%d+)$')) end
local function textOf(row) return ('%.17g %.17g %.17g'):format(row.money or 0, row.gold or 0, row.rol or 0) end

local function createAdapter()
  local core = Causeway.sharedBy('vorp_core', function() return exports.vorp_core:GetCore() end)

  local function character(source)
    local user = core().getUser(source)
    return user and user.getUsedCharacter
  end

  local book = { hasMarks = false, proves = function() return false end }
  book.loaded = Causeway.loader(function(source)
    local found = character(source)
    return found and { money = textOf(found) }
  end)
  function book.write(identifier, has, done)
    local sql = 'UPDATE characters SET money = ?, gold = ?, rol = ? WHERE charidentifier = ?'
    local parameters = {}
    for number in has.money:gmatch('%S+') do parameters[#parameters + 1] = tonumber(number) end
    parameters[#parameters + 1] = charIdOf(identifier)
    Causeway.update(sql, parameters, done)
  end
  function book.row(identifier, done)
    local sql = 'SELECT money, gold, rol FROM characters WHERE charidentifier = ?'
    Causeway.rows(sql, { charIdOf(identifier) }, function(rows, problem)
      done(rows and rows[1] and { money = textOf(rows[1]) }, problem)
    end)
  end
  local saver = Causeway.createSaver(book)

  local function purseOf(source)
    return {
      most = MOST,
      accounts = function() return Causeway.keysOf(CURRENCIES) end,
      read = function(name) return CURRENCIES[name] and tonumber(character(source)[name]) end,
      change = function(name, amount, action)
        local found = character(source)
        return found[action == 'add' and 'addCurrency' or 'removeCurrency'](CURRENCIES[name], amount)
      end,
    }
  end

  local adapter = { class = 'saved' }

  local function refuseOffline(order, done)
    Causeway.recordsOf(adapter, { order.target }, math.huge, function(answer, problem)
      if not answer then return done(Causeway.failed(problem)) end
      done(answer.players[1] and Causeway.offline(order.target) or Causeway.unknown(order.target))
    end)
  end

  local function pay(order, done)
    local source = roster.certain(order.target)
    if source then return Causeway.payOnline(order, purseOf(source), book, saver, done) end
    refuseOffline(order, done)
  end

  adapter.orders = { money = { class = 'saved', run = pay } }
  adapter.orders.job = Causeway.createVorpJobs(character, charIdOf, refuseOffline)

  adapter.care = { revive = {
    resource = 'vorp_core',
    isDead = function(source)
      local found = character(source) or {}
      return found.isdead == true or found.isdead == 1
    end,
    send = function(source) core().Player.Revive(source) end,
  } }
  -- VORP has no list of vehicles or jobs.
  adapter.catalogues = { items = Causeway.tableSource('item', 'label', 'items') }

  local function recordOf(row, source)
    return {
      identifier = ('%s:%s'):format(row.identifier, row.charIdentifier or row.charidentifier),
      name = ('%s %s'):format(row.firstname or '', row.lastname or ''),
      online = source ~= nil,
      gameId = source,
      identifiers = source and Causeway.identifiersOf(source) or { row.identifier },
      accounts = { money = row.money, gold = row.gold, rol = row.rol },
      inventory = Causeway.inventoryOf(Causeway.decode(row.inventory)),
      metadata = { job = row.job, jobGrade = row.jobGrade or row.jobgrade, group = row.group },
    }
  end
  --- The last reported balances of online players.
  local told = {}
  function adapter.record(identifier, source)
    local found = character(source)
    told[identifier] = textOf(found)
    return recordOf(found, source)
  end

  adapter.offlineTable = {
    name = 'characters', key = 'charidentifier', toKey = function(text) return tonumber(text) or 0 end,
    keyOf = function(identifier) return charIdOf(identifier) or 0 end,
    columns = 'identifier, charidentifier, money, gold, rol, inventory, job, jobgrade, firstname, lastname, `group`',
    record = recordOf,
  }

  -- VORP deletes its user object six seconds after a drop, even if the player has returned: they play, but VORP does
  -- not know them. The bridge therefore remembers the chosen character until the connection ends.
  local chosen = {}
  local function remember(source)
    local ok, found = Causeway.try(character, source)
    if ok and found and found.charIdentifier then chosen[tonumber(source)] = identifierOf(found) end
  end

  local function isOf(source, identifier)
    local owner = identifier:match('^(.*):%d+$')
    for _, owned in ipairs(Causeway.identifiersOf(source)) do
      if owned == owner then return true end
    end
    return false
  end

  --- The connection of a player that VORP has lost. A connection that plays another character now does not count.
  function adapter.connection(identifier)
    for source, choice in pairs(chosen) do
      local isForgotten = choice == identifier and DoesPlayerExist(source) and not character(source)
      if isForgotten and isOf(source, identifier) then return source end
    end
  end

  function adapter.accountNames(done) done({ money = true, gold = true, rol = true }) end

  --- VORP sends no event about money, so the balances of all online players are read, a few in each turn.
  local function lookAround()
    local queue = {}
    local function look()
      if #queue == 0 then queue = roster.online() end
      local isOver = Causeway.timer(LOOK_FOR_MS)
      while #queue > 0 and not isOver() do
        local identifier = table.remove(queue)
        local source = roster.source(identifier)
        local ok, found = Causeway.try(function() return source and character(source) end)
        if ok and found and told[identifier] ~= textOf(found) then roster.changed(source) end
      end
      SetTimeout(#queue > 0 and 0 or LOOK_EVERY_MS, look)
    end
    SetTimeout(LOOK_EVERY_MS, look)
    roster.watch(function(kind, identifier)
      if kind == 'left' then told[identifier] = nil end
    end)
  end

  function adapter.listen()
    roster.ask(function(source)
      local found = character(source)
      return found and found.charIdentifier and identifierOf(found)
    end)
    for _, source in ipairs(GetPlayers()) do remember(source) end
    AddEventHandler('vorp:SelectedCharacter', function(source)
      remember(source)
      roster.join(source)
    end)
    AddEventHandler('playerDropped', function() chosen[tonumber(source)] = nil end)
    AddEventHandler('vorp:playerJobChange', roster.changed)
    AddEventHandler('vorp:playerJobGradeChange', roster.changed)
    lookAround()
  end
  return adapter
end

Causeway.frameworks[#Causeway.frameworks + 1] = { name = 'vorp', resource = 'vorp_core', create = createAdapter }
