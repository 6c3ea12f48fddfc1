--- Balances that lie in the journal itself. The outcome of a payment and the new balance are one line, so a crash leaves
--- both or neither.
if jit then jit.off(true, true) end
local json = require 'causeway.json'
local outcomes = require 'causeway.outcomes'

local ledger = {}

--- Whether a value is a change of a balance: `{ identifier, account, balance }`.
function ledger.is_change(value)
  return type(value) == 'table' and type(value[1]) == 'string' and type(value[2]) == 'string' and json.is_whole(value[3])
end

--- Whether a change is the one that was ordered, and the one that the answer reports.
function ledger.is_ordered(change, params, data)
  if not ledger.is_change(change) or type(data) ~= 'table' then return false end
  return change[1] == params.target and change[2] == params.type and change[3] == data.after
end

--- The handler of `money` over a journal that was opened with `ledger = true`. Options: `account` (default `bank`) and
--- `exists(identifier)`. A balance changes when its line is durable; until then the player's next command waits.
function ledger.money(journal, options)
  local account, exists = options.account or 'bank', options.exists
  if not journal.ledger then error('ledger_money: open the journal with ledger = true', 0) end
  if type(exists) ~= 'function' then error('exists: a function that says whether a player exists', 0) end
  return function(params)
    local identifier = params.target
    if not exists(identifier) then return outcomes.rejected('player_not_found', ('There is no player %s.'):format(identifier)) end
    if params.type ~= account then
      local details = { accounts = json.array { account } }
      return outcomes.rejected('unknown_account', ('There is no account %s.'):format(params.type), details)
    end
    local before = journal:balance(identifier, account)
    local after = params.action == 'add' and before + params.amount or before - params.amount
    if params.action == 'remove' and after < 0 and not params.allowNegative then
      return outcomes.rejected('insufficient_funds', ('%s holds %.0f.'):format(account, before), { balance = before })
    end
    if not json.is_whole(after) then return outcomes.rejected('invalid_params', '/amount: the balance would be too large') end
    local outcome = outcomes.done { account = account, before = before, after = after }
    outcome.ledger = json.array { identifier, account, after }
    return outcome
  end
end

return ledger
