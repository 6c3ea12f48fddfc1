-- Puts a player's money into the database at once, because frameworks do so minutes later. The framework goes on
-- saving by itself; what is written here is what memory holds.
local ATTEMPTS, AGAIN_MS = 3, 500

--- `read(identifier)`: the money in memory as the framework would store it, or nil when it is not there.
--- `write(identifier, money, done)` stores it; `done(count, problem)`. `stored(identifier, done)` reads it back.
function Causeway.createSaver(read, write, stored)
  local running = {}
  local saver = {}

  --- Rows that did not change are not counted by every driver, so nought is looked at.
  local function writeOnce(identifier, money, done)
    write(identifier, money, function(count, problem)
      if problem then return done(problem) end
      if count > 0 then return done(nil) end
      stored(identifier, function(text)
        done(text ~= money and 'the database has no such player' or nil)
      end)
    end)
  end

  local function writeStubbornly(identifier, money, done, attempt)
    writeOnce(identifier, money, function(problem)
      if not problem or attempt >= ATTEMPTS then return done(problem) end
      SetTimeout(AGAIN_MS, function() writeStubbornly(identifier, money, done, attempt + 1) end)
    end)
  end

  --- Stores what memory holds now. `done(problem)`: nil when the database has it.
  function saver.save(identifier, done)
    local money = read(identifier)
    if not money then return done('the player is not in memory') end
    local run = running[identifier] or { count = 0 }
    running[identifier] = run
    run.count = run.count + 1
    local function ended(problem)
      run.count = run.count - 1
      if run.count == 0 then running[identifier] = nil end
      done(problem)
    end
    writeStubbornly(identifier, money, function(problem)
      -- Who left meanwhile was saved by the framework, perhaps before this came through: what he left with goes last.
      if not problem and run.final and run.final ~= money and not Causeway.roster.source(identifier) then
        return writeStubbornly(identifier, run.final, ended, 1)
      end
      ended(problem)
    end, 1)
  end

  Causeway.roster.watch(function(kind, identifier)
    if kind == 'left' and running[identifier] then running[identifier].final = read(identifier) end
  end)
  return saver
end

--- Pays somebody who is online, and stores it; `purse.problem` is what went wrong on the way. `done(outcome)`.
function Causeway.payOnline(order, purse, saver, done)
  local outcome = Causeway.pay(order, purse)
  if outcome.status ~= 'done' then return done(outcome) end
  if purse.problem then return done(Causeway.indeterminate(purse.problem, outcome.data)) end
  saver.save(order.target, function(problem)
    if not problem then return done(outcome) end
    local message = ('The money was moved in memory, and the database did not confirm it: %s'):format(problem)
    done(Causeway.indeterminate(message, outcome.data))
  end)
end
