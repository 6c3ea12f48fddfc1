-- Pays somebody who is not there, in the framework's own table: one statement that changes the row only if nobody
-- has touched its money since it was read.
local ATTEMPTS = 3

local function changedBy(order, money)
  local purse = {
    accounts = function() return Causeway.keysOf(money) end,
    read = function(name) return tonumber(money[name]) end,
    change = function(name, amount, action)
      money[name] = tonumber(money[name]) + (action == 'add' and amount or -amount)
      if math.tointeger(money[name]) then money[name] = math.tointeger(money[name]) end
    end,
  }
  return Causeway.pay(order, purse)
end

--- `row(identifier, done)` reads `{ money = text, owners = identifiers }`, nil when there is no such player;
--- `swap(identifier, from, to, done)` replaces the text `from` by `to`; `mayOwe(name, after)` is the framework's own
--- rule about debts. `done(outcome)`.
function Causeway.payOffline(order, table_, done)
  local target = order.target
  -- Somebody who is connected may be reading this row at this moment.
  local function isBusy(owners) return Causeway.roster.source(target) or Causeway.isAnyConnected(owners) end

  local function attempt(number)
    table_.row(target, function(row, problem)
      if problem then return done(Causeway.failed(problem)) end
      if not row then return done(Causeway.unknown(target)) end
      if isBusy(row.owners) then return done(Causeway.offline(target)) end
      local money = Causeway.decode(row.money)
      local outcome = changedBy(order, money)
      if outcome.status ~= 'done' then return done(outcome) end
      if not table_.mayOwe(order.type, money[order.type]) and order.action == 'remove' then
        local details = { balance = outcome.data.before }
        return done(Causeway.rejected('insufficient_funds', 'The framework allows no such debt.', details))
      end
      table_.swap(target, row.money, json.encode(money), function(count, failure)
        if failure then return done(Causeway.indeterminate(('The database did not confirm it: %s'):format(failure))) end
        if count == 0 and number < ATTEMPTS then return attempt(number + 1) end
        if count == 0 then return done(Causeway.failed('The row changes all the time.')) end
        if isBusy(row.owners) then
          local message = 'The player joined at this moment, and may have been loaded without it.'
          return done(Causeway.indeterminate(message, outcome.data))
        end
        done(outcome)
      end)
    end)
  end
  attempt(1)
end
