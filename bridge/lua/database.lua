-- The game's database through oxmysql. Answers come by callback, because a promise would cost a tick.
local RESOURCE = GetCurrentResourceName()

local function ask(method, sql, parameters, go)
  local done = Causeway.awaited(go)
  if not Causeway.isStarted('oxmysql') then return done(nil, 'oxmysql is not started') end
  local answered = false
  local ok, problem = Causeway.try(function()
    exports.oxmysql[method](exports.oxmysql, sql, parameters, function(result, failure)
      if answered then return end
      answered = true
      if failure or result == nil then return done(nil, Causeway.plainText(failure or 'the query failed')) end
      Causeway.timed(done, result)
    end, RESOURCE, true)
  end)
  if not ok and not answered then
    answered = true
    done(nil, problem)
  end
end

--- Reads rows. `done(rows, problem)`: `rows` is nil when the database did not answer.
function Causeway.rows(sql, parameters, done) ask('query', sql, parameters, done) end

--- Changes rows. `done(count, problem)`: `count` is nil when the result of the statement is unknown.
function Causeway.update(sql, parameters, done)
  Causeway.written()
  ask('update', sql, parameters, function(result, problem)
    if result == nil then return done(nil, problem) end
    done(tonumber(type(result) == 'table' and result.affectedRows or result) or 0)
  end)
end

--- `?, ?, ?` for this many parameters.
function Causeway.places(count) return (('?, '):rep(count):sub(1, -3)) end
