-- Money of ESX. Its calls return nothing on success, throw on a refusal, and let every account fall below zero, so the
-- bridge checks before and after each call. ESX cannot save a single player; the bridge writes the row as ESX does.
local roster = Causeway.roster

local function usesOx() return Causeway.isStarted('ox_inventory') end

-- For an account that is also an item, the count in ox_inventory is authoritative.
local function isItem(account) return Causeway.isOxAccount(account, 'black_money') end

local GHOST = 'ESX could not save this player when they left, and would undo the change.'

local function createBooks(call, accountsOf, ownerOf, ghosts)
  local book
  local of = {
    table = 'users', key = 'identifier', owners = function(row) return { ownerOf(row) } end,
    columns = { money = 'accounts', metadata = 'metadata', inventory = 'inventory' },
    memory = function(source)
      local accounts = accountsOf(source)
      if not next(accounts) then return nil end
      return {
        money = json.encode(accounts),
        metadata = book.hasMarks and json.encode(call(source, 'getMeta')) or nil,
        inventory = usesOx() and json.encode(call(source, 'getInventory', true)) or nil,
      }
    end,
    mayOwe = function() return true end,
    isHeld = function(identifier, owners)
      return roster.isLeaving(identifier, owners) or ghosts.isHeld(identifier)
    end,
    agrees = ghosts.agree,
    -- Some versions of ox_inventory store the items themselves.
    proves = function(order) return not isItem(order.type) end,
  }
  book = Causeway.createBook(of)
  return book, Causeway.createBook(Causeway.withJob(of, { job = 'job', grade = 'job_grade' }, function(source)
    local job = call(source, 'getJob')
    return job and { job = job.name, grade = job.grade }
  end))
end

--- ox_inventory may silently refuse a change that ESX has already made.
local function itemProblem(source, order, accounts)
  if not isItem(order.type) then return nil end
  local account = accounts[order.type]
  if Causeway.isBalance(account) and Causeway.whole(account) ~= exports.ox_inventory:GetItemCount(source, order.type) then
    return 'The inventory holds something else than the account.'
  end
  if order.action == 'add' then
    return not exports.ox_inventory:CanCarryItem(source, order.type, order.amount) and 'The inventory is full.' or nil
  end
  local held = tonumber(exports.ox_inventory:GetItemCount(source, order.type)) or 0
  return held < order.amount and 'The inventory does not hold that much.' or nil
end

--- `call(source, method, ...)` calls a method of a player, `accountsOf(source)` are the player's balances by name,
--- `ownerOf(row)` is the identifier of the character's owner.
function Causeway.createEsxMoney(call, accountsOf, ownerOf)
  local ghosts = Causeway.createGhosts(call)
  local book, jobBook = createBooks(call, accountsOf, ownerOf, ghosts)
  local saver = Causeway.createSaver(book)
  local money = {}

  local function purseOf(source)
    local purse = {
      accounts = function() return Causeway.keysOf(accountsOf(source)) end,
      read = function(name) return accountsOf(source)[name] end,
    }
    if book.hasMarks then
      function purse.metadata() return call(source, 'getMeta') end
      function purse.setMark(key, text) call(source, 'setMeta', key, text) end
    end
    local function held(account) return isItem(account) and exports.ox_inventory:GetItemCount(source, account) end
    function purse.change(name, amount, action, reason)
      local before = held(name)
      call(source, action == 'add' and 'addAccountMoney' or 'removeAccountMoney', name, amount, reason)
      local wanted = before and before + (action == 'add' and amount or -amount)
      purse.problem = held(name) ~= wanted and 'The account was changed, and the item of it was not.' or nil
    end
    return purse
  end

  function money.pay(order, done)
    local source = roster.certain(order.target)
    if not source and isItem(order.type) then return Causeway.refuseOffline(order, book, done) end
    if not source then return Causeway.payOffline(order, book, saver, done) end
    local refused = money.refuse(order)
    if refused then return done(refused) end
    local ok, problem = Causeway.try(itemProblem, source, order, accountsOf(source))
    if not ok then return done(Causeway.failed(problem)) end
    if problem then
      local balance = accountsOf(source)[order.type]
      local details = { balance = Causeway.isBalance(balance) and Causeway.whole(balance) or nil }
      local code = order.action == 'add' and 'invalid_params' or 'insufficient_funds'
      return done(Causeway.rejected(code, problem, details))
    end
    Causeway.payOnline(order, purseOf(source), book, saver, done)
  end

  function money.resolve(order, done) Causeway.resolve(book, saver, order, done) end

  money.look = ghosts.look
  -- For the items of the same player.
  money.book, money.isHeld = book, ghosts.isHeld
  money.jobBook = jobBook

  --- The refusal of an online player whose payment or change would be undone, otherwise nil.
  function money.refuse(order)
    return ghosts.isHeld(order.target) and Causeway.rejected('player_offline', GHOST) or nil
  end

  --- Checks whether the table has metadata; old versions do not. `done(isKnown)`.
  function money.prepare(done)
    Causeway.lookFor('metadata', 'users', function(doesHave)
      book.hasMarks = doesHave == true
      jobBook.hasMarks = book.hasMarks
      done(doesHave ~= nil)
    end)
  end
  return money
end
