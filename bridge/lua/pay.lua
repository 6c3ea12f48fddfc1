-- The only code that changes balances in memory: read, change, read again, in one slice that does not yield.

local CENT = 1e-6

local function validated(order)
  local amount = order.amount
  if math.type(amount) == 'float' then amount = math.tointeger(amount) end
  if type(order.target) ~= 'string' or type(order.type) ~= 'string' then return nil end
  if order.action ~= 'add' and order.action ~= 'remove' then return nil end
  if not Causeway.isBalance(amount) or amount <= 0 then return nil end
  return amount
end

local function tooLittle(order, before)
  local message = ('%s holds %d.'):format(order.type, Causeway.whole(before))
  return Causeway.rejected('insufficient_funds', message, { balance = Causeway.whole(before) })
end

--- The result data of a completed order; `applied` is the change of the balance if it differs from the amount.
function Causeway.moved(order, before, after)
  local applied = math.abs(after - before)
  if applied == order.amount then applied = nil end
  return { account = order.type, before = before, after = after, applied = applied }
end

-- The result data of an order from the numbers and the text of its mark, by the command's name.
Causeway.results = { money = Causeway.moved }

--- Some frameworks round a balance with cents to a whole number when they change it.
local function isRounded(before, after, wanted)
  return before % 1 ~= 0 and after % 1 == 0 and math.abs(after - before - wanted) < 1
end

--- The outcome, judged by the balance alone, because return values of frameworks are not reliable.
local function judged(order, data, before, after, said)
  if not Causeway.isBalance(after) then return Causeway.indeterminate('The balance cannot be read any more.') end
  local wanted = data.after - data.before
  if math.abs(after - before - wanted) < CENT then return { status = 'done', data = data } end
  if isRounded(before, after, wanted) then
    return { status = 'done', data = Causeway.moved(order, data.before, Causeway.whole(after)) }
  end
  if math.abs(after - before) >= CENT then
    local details = { before = Causeway.whole(before), after = Causeway.whole(after) }
    return Causeway.indeterminate('The balance moved by another amount: something else changed it, too.', details)
  end
  if order.action == 'remove' and before < order.amount then return tooLittle(order, before) end
  return Causeway.failed(Causeway.saying('The framework did not change the balance', said))
end

--- Checks and carries out an order on a purse: `accounts()` lists names, `read(name)` is a balance or nil, and
--- `change(name, amount, action, reason)` calls the framework. `most` is the largest value of its column. `metadata()`
--- and `setMark(key, text)` exist if the player can be marked. Returns an outcome; never yields.
function Causeway.pay(order, purse)
  local amount = validated(order)
  if not amount then return Causeway.rejected('invalid_params', 'These are not parameters of money.') end
  local before = purse.read(order.type)
  if before == nil then
    local message = ('There is no account %s.'):format(order.type)
    return Causeway.rejected('unknown_account', message, { accounts = purse.accounts() })
  end
  if not Causeway.isBalance(before) then return Causeway.failed('The balance is not a usable number.') end
  if order.action == 'remove' and before < amount and not order.allowNegative then return tooLittle(order, before) end
  local wanted = order.action == 'add' and amount or -amount
  if not Causeway.isBalance(before + wanted) or before + wanted > (purse.most or math.huge) then
    return Causeway.rejected('invalid_params', 'The balance would be too large.')
  end
  local from = Causeway.whole(before + CENT)
  local data = { account = order.type, before = from, after = from + wanted }
  -- The mark is set before the money moves: a script that saves the player in between stores both.
  local isMarked, takeBack = Causeway.mark(purse, order.id, data)
  if not isMarked then return Causeway.failed('The player could not be marked, so no money was moved.') end
  local _, said = Causeway.try(purse.change, order.type, amount, order.action, order.reason or 'causeway')
  local read, after = Causeway.try(purse.read, order.type)
  local outcome = judged(order, data, before, read and after or nil, said)
  if outcome.data ~= data then takeBack() end
  if outcome.status == 'done' and outcome.data ~= data then Causeway.mark(purse, order.id, outcome.data) end
  return outcome
end

local SAID = {
  lost = 'The player was loaded again meanwhile, without the command.',
  unknown = 'It was carried out, but it is unknown whether the database has it.',
}

--- The verdict on an order; `unknown` if the row alone does not determine the balance.
function Causeway.certain(book, order, verdict)
  if verdict == 'lost' and not book.proves(order) then return 'unknown' end
  if book.hasMarks and not book.agrees(order.target, order.id, verdict == 'stored') then return 'unknown' end
  return verdict
end

--- The result for the hub of an order that was carried out, by its state in the database.
function Causeway.verdictOn(book, order, outcome, said)
  local verdict = Causeway.certain(book, order, said)
  if verdict == 'stored' then return outcome end
  if verdict == 'lost' then return Causeway.failed(SAID.lost) end
  return Causeway.indeterminate(SAID.unknown, outcome.data)
end

--- A player whose state cannot be written would keep a payment in memory only.
Causeway.UNREADABLE = 'The state of the player cannot be read, so nothing was changed.'

--- Pays an online player and stores the balance; `purse.problem` is an error on the way. `done(outcome)`.
function Causeway.payOnline(order, purse, book, saver, done)
  if not book.loaded(order.target) then return done(Causeway.failed(Causeway.UNREADABLE)) end
  local outcome = Causeway.pay(order, purse)
  if outcome.status ~= 'done' then return done(outcome) end
  if purse.problem then return done(Causeway.indeterminate(purse.problem, outcome.data)) end
  saver.save(order.target, order.id, function(verdict)
    done(Causeway.verdictOn(book, order, outcome, verdict))
  end)
end
