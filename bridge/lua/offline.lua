-- Changes an offline player in the framework's own table: one statement changes and marks the row, but only if the row
-- is the same as when it was read.
local ATTEMPTS, AGAIN_MS = 3, 1000
local roster = Causeway.roster

local function changedBy(order, money, metadata)
  local purse = {
    accounts = function() return Causeway.keysOf(money) end,
    read = function(name) return tonumber(money[name]) end,
    change = function(name, amount, action)
      money[name] = tonumber(money[name]) + (action == 'add' and amount or -amount)
      if math.tointeger(money[name]) then money[name] = math.tointeger(money[name]) end
    end,
  }
  if metadata then
    function purse.metadata() return metadata end
    function purse.setMark(key, text) metadata[key] = text end
  end
  return Causeway.pay(order, purse)
end

local EMPTY = { [''] = true, ['[]'] = true, ['{}'] = true, ['null'] = true }

--- A row that cannot be read must not be written.
local function metadataOf(row)
  local text = row.metadata or ''
  if type(text) ~= 'string' then return nil end
  local metadata = Causeway.decode(text)
  if next(metadata) or EMPTY[text] then return metadata end
end

--- Carries out an order on a row of a book. `change(row, metadata)` returns an outcome and the changed parts of the row;
--- it marks the metadata, which are nil for a book without marks. `done(outcome)`.
function Causeway.changeOffline(order, book, saver, change, done)
  local target = order.target
  -- A statement without an answer may have been carried out.
  local isUncertain = false
  local attempt

  local function refuse(outcome)
    if not isUncertain then return done(outcome) end
    Causeway.resolve(book, saver, order, function(found)
      done(found or Causeway.indeterminate('The database did not confirm the change.'))
    end)
  end
  local function again(number) Causeway.after(AGAIN_MS, function() attempt(number) end) end
  --- `lefts` is the player's departure number at the time when the row was written or read.
  local function settle(outcome, owners, lefts)
    local mark = lefts == roster.lefts(target, owners) and outcome.data or nil
    Causeway.confirm(book, saver, target, order.id, owners, mark, function(verdict)
      done(Causeway.verdictOn(book, order, outcome, verdict))
    end)
  end

  local function swap(row, to, outcome, number)
    local lefts = roster.lefts(target, row.owners)
    book.swap(target, row, to, function(count, failure)
      if failure and book.hasMarks then
        isUncertain = true
        return again(number)
      end
      if failure then return done(Causeway.indeterminate(('The database did not confirm it: %s'):format(failure))) end
      if count > 0 then return settle(outcome, row.owners, lefts) end
      if number < ATTEMPTS then return attempt(number + 1) end
      refuse(Causeway.failed('The row changed during every attempt.'))
    end)
  end

  local function changeRow(row, number)
    local metadata = book.hasMarks and metadataOf(row) or nil
    if book.hasMarks and not metadata then return refuse(Causeway.failed('The metadata of the player are not JSON.')) end
    -- JSON has limits, and nothing has been written yet.
    local isRead, outcome, to = Causeway.try(function()
      local made, parts = change(row, metadata)
      if made.status == 'done' then parts.metadata = metadata and json.encode(metadata) end
      return made, parts
    end)
    if not isRead then return refuse(Causeway.failed(Causeway.saying('The row cannot be written', outcome))) end
    if outcome.status ~= 'done' then return refuse(outcome) end
    swap(row, to, outcome, number)
  end

  attempt = function(number)
    book.row(target, function(row, problem)
      if problem and isUncertain then return again(number) end
      if problem then return done(Causeway.failed(problem)) end
      if not row then return refuse(Causeway.unknown(target)) end
      local mark = isUncertain and Causeway.markIn(row.metadata, order.id)
      if mark then
        local data = Causeway.results[order.name](order, mark.before, mark.after, mark.account)
        return settle({ status = 'done', data = data }, row.owners, roster.lefts(target, row.owners))
      end
      -- A connected player may be loading from this row now; a player who has just left may be saved to it.
      local isBusy = roster.source(target) or book.isHeld(target, row.owners) or Causeway.isAnyConnected(row.owners)
      if isBusy then return refuse(Causeway.offline(target)) end
      if roster.isNew() then return again(number) end
      changeRow(row, number)
    end)
  end
  attempt(1)
end

--- Pays an offline player. `done(outcome)`.
function Causeway.payOffline(order, book, saver, done)
  Causeway.changeOffline(order, book, saver, function(row, metadata)
    local money = Causeway.decode(row.money)
    local outcome = changedBy(order, money, metadata)
    local isPaid = outcome.status == 'done'
    if isPaid and order.action == 'remove' and not book.mayOwe(order.type, money[order.type]) then
      local details = { balance = outcome.data.before }
      return Causeway.rejected('insufficient_funds', 'The framework does not allow this debt.', details)
    end
    return outcome, { money = json.encode(money) }
  end, done)
end

--- Refuses an offline player in an account that is made of items at login.
function Causeway.refuseOffline(order, book, done)
  book.row(order.target, function(row, problem)
    if problem then return done(Causeway.failed(problem)) end
    done(row and Causeway.offline(order.target) or Causeway.unknown(order.target))
  end)
end
