-- The ledger of ox_core: each change of a balance has a line, and a line of the bridge contains the order's id.
local ledger = {}
Causeway.oxLedger = ledger
local MESSAGE = 'causeway %s'
-- The line proves the change. Its stored balances come from a read without a lock, so the account is read with it. The
-- query uses the account, which has an index; no index finds the message alone.
local LINE = [[SELECT accounts.balance AS balance FROM accounts_transactions
  JOIN accounts ON accounts.id = accounts_transactions.%s JOIN characters ON accounts.owner = characters.charId
  WHERE stateId = ? AND message = ? LIMIT 1]]
-- Fails while a transaction locks the account, because that transaction may still write a line. The query reads the
-- balance, because a read of an index alone would not meet the lock.
local OVER = [[SELECT id, balance FROM accounts WHERE owner = (SELECT charId FROM characters WHERE stateId = ?)
  LOCK IN SHARE MODE NOWAIT]]
local LOOKS, LOOK_AGAIN_MS, SETTLED_AFTER_MS = 120, 500, 2000
local KIND = 'ox_core:isAtomic'
-- A convar survives resource restarts and ends with the server's process. It covers every ox_core of this process.
local PROCESS = 'causeway_ox_core'

--- Whether this ox_core moves a balance and writes its line in one transaction, as it does since 2026-06-28. Its
--- version number does not show that, so its code is read.
local function isAtomic()
  local code = LoadResourceFile('ox_core', 'dist/server.js')
  local from = code and code:find('function UpdateBalance', 1, true)
  if not from then return false end
  local to = code:find('async function', from, true) or #code
  return code:sub(from, to):find('beginTransaction', 1, true) ~= nil
end

--- Whether a missing line proves that the order had no effect. `now()` is for a new order, after ox_core has answered
--- it or stopped. `before()` is for orders of an earlier start of the bridge: the same ox_core may still carry them
--- out.
function ledger.createProof()
  local seen, was = GetConvar(PROCESS, ''), GetResourceKvpString(KIND) == 'yes'
  local is, hasEnded, kept = isAtomic() and seen ~= 'other', seen == '', nil
  SetConvar(PROCESS, is and 'atomic' or 'other')
  AddEventHandler('onResourceStart', function(resource)
    if resource ~= 'ox_core' then return end
    is = isAtomic()
    if not is then SetConvar(PROCESS, 'other') end
  end)
  AddEventHandler('onResourceStop', function(resource) hasEnded = hasEnded or resource == 'ox_core' end)
  --- Remembers which kind of ox_core got orders. Orders of earlier starts are resolved before the first new order.
  local function now()
    if kept == nil or kept and not is then
      kept = is
      SetResourceKvp(KIND, kept and 'yes' or 'no')
    end
    return is
  end
  return { now = now, before = function() return was and hasEnded end }
end

function ledger.messageOf(order) return MESSAGE:format(order.id) end

local function outcomeOf(line, order)
  local after = line.balance
  local before = order.action == 'add' and after - order.amount or after + order.amount
  return { status = 'done', data = Causeway.moved(order, before, after) }
end

--- Finds the line of an order. `done(outcome, problem)`: both are nil when there is no line. A failed query is
--- repeated, because only the database can tell. A missing line is looked for once more, because it may still be on its
--- way. A transaction that locks the account is waited for, because it may write the line.
function ledger.find(order, done)
  local looks, look = 0, nil
  local function retry(step, problem)
    looks = looks + 1
    if looks >= LOOKS then return done(nil, problem) end
    Causeway.after(LOOK_AGAIN_MS, step)
  end
  local function settle()
    Causeway.rows(OVER, { order.target }, function(rows, problem)
      if not rows then return retry(settle, problem) end
      look(true)
    end)
  end
  look = function(isSettled)
    local side = order.action == 'add' and 'toId' or 'fromId'
    Causeway.rows(LINE:format(side), { order.target, MESSAGE:format(order.id) }, function(rows, problem)
      if rows and rows[1] then return done(outcomeOf(rows[1], order)) end
      if rows and isSettled then return done(nil) end
      if rows then return Causeway.after(SETTLED_AFTER_MS, settle) end
      retry(function() look(false) end, problem)
    end)
  end
  look(false)
end
