-- The command `vehicles`: it changes rows of the framework's own table. The table's unique index on plates decides
-- whether a plate is free. The row has the mark of the command's id in the same statement, so that the row shows after a
-- crash whether the command took effect; before a deletion, the row is remembered instead.
--
-- A garage describes the framework's side. Besides the fields in vehicle-table.lua: `isOwn` (the columns that it sets),
-- `pattern` (of plates), `player` (a query for `identifier` and the owner's key as `owner`), `inside` (what else
-- `store` sets), `home()` (the garage of a vehicle without one, or nil). `check(order, done)`: `done(problem, model)`
-- with a rejection or the model's data, which include its `hash`. `make(vehicle)`: the columns of a new row.
-- `modelOf(row)`, `isIn(row)`: the model of a row and whether its vehicle is not out. `isLoaded(row)`: whether the
-- framework has it in memory. `canBeLost()`: whether a vehicle that is out, but not in the world, can be stored.
-- `hasModelInside`: whether the properties have the model; `within`: the key of the object that has the plate.
local TRIES = 3
-- The hub hears of a stopped command after at most about a minute.
local LOOKS = 50
-- A convar ends with the server's process. In a later process, no player has used a vehicle since the command.
local PROCESS = 'causeway_vehicles'
local answers = Causeway.vehicleAnswers

--- The order's vehicle, or the answer that there is none.
local function withVehicle(garage, order, owner, done, go)
  local plate = Causeway.barePlate(order.plate)
  Causeway.vehicleOf(garage, owner, plate, function(row, problem)
    if problem then return done(Causeway.failed(problem)) end
    if row then return go(row) end
    done(Causeway.rejected('vehicle_not_found', ('The player has no vehicle with the plate %s.'):format(plate)))
  end)
end

local NEVER = 'The command was interrupted before it took effect.'
local NOWHERE = 'needed, because the vehicle has none and causeway_garage is not set'
local CHANGED = 'The vehicle was changed by the game during every attempt.'

--- The outcome of a deletion after a lost answer or a stop; nil when the rows do not tell.
local function judgeTaken(order, kept, rows, done)
  local row = rows[1]
  if not row then return answers.finish(order, kept.data, done) end
  done(row.causeway == kept.causeway and Causeway.failed(NEVER) or nil)
end

local function createTake(garage)
  local function take(order, player, attempt, done)
    withVehicle(garage, order, player.owner, done, function(row)
      local refused = answers.outOf(garage, row, false)
      if refused then return done(refused) end
      local data = answers.told(garage, order, row)
      data.metadata = Causeway.columnsOf(garage, row)
      if not data.metadata then
        data.note = 'The properties are too large to be reported: give cannot restore this vehicle as it was.'
      end
      local kept = { plate = row.plate, causeway = row.causeway, data = data }
      if not Causeway.taken.keep(order.id, kept) then
        return done(Causeway.failed('The vehicle could not be remembered, so it was not taken.'))
      end
      Causeway.deleteVehicle(garage, row, function(count, failure)
        if count == 1 then return answers.finish(order, data, done) end
        if not failure and attempt < TRIES then return take(order, player, attempt + 1, done) end
        if not failure then return done(Causeway.failed(CHANGED)) end
        answers.settled(garage, { row.plate }, nil, function(rows)
          judgeTaken(order, kept, rows, function(outcome)
            done(outcome or Causeway.indeterminate(('The database did not confirm it: %s'):format(failure)))
          end)
        end)
      end)
    end)
  end
  return function(order, player, done) take(order, player, 1, done) end
end

local function createStore(garage)
  local function store(order, player, attempt, done)
    withVehicle(garage, order, player.owner, done, function(row)
      local refused = answers.outOf(garage, row, true)
      if refused then return done(refused) end
      local place = order.garage or row[garage.garage] or garage.home(false)
      if not place then return done(answers.invalid('garage', NOWHERE)) end
      local problem = answers.tooLong(garage, { [garage.garage] = place })
      if problem then return done(problem) end
      local properties = Causeway.markedProperties(row.causeway, order.id)
      if not properties then return done(Causeway.failed('The properties of the vehicle are not a JSON object.')) end
      local stored = answers.told(garage, order, row)
      stored.garage = place
      Causeway.storeVehicle(garage, row, properties, place, function(count, failure)
        if count == 1 then return answers.finish(order, stored, done) end
        if not failure and attempt < TRIES then return store(order, player, attempt + 1, done) end
        if not failure then return done(Causeway.failed(CHANGED)) end
        answers.settled(garage, { row.plate }, nil, function(rows)
          if answers.markedIn(rows, order.id) then return answers.finish(order, stored, done) end
          done(Causeway.failed(('The database did not take it: %s'):format(failure)))
        end)
      end)
    end)
  end
  return function(order, player, done)
    if garage.garage then return store(order, player, 1, done) end
    done(Causeway.rejected('unsupported', ('The table %s has no garages.'):format(garage.table)))
  end
end

--- The command of a garage whose table was looked at.
function Causeway.createGarage(garage)
  local actions = { give = Causeway.createGive(garage), take = createTake(garage), store = createStore(garage) }
  local resolved = {}
  local isSameProcess = GetConvar(PROCESS, '') ~= ''
  SetConvar(PROCESS, 'yes')
  Causeway.taken.forgetAll()

  --- `go(player, answer)`: the row of the player, or the answer to an order for one who does not exist.
  local function withPlayer(order, go)
    Causeway.rows(garage.player, { order.target }, function(rows, problem)
      if not rows then return go(nil, Causeway.failed(problem)) end
      if not Causeway.isExactly(rows[1], 'identifier', order.target) then return go(nil, Causeway.unknown(order.target)) end
      go(rows[1])
    end)
  end

  local function run(order, done)
    withPlayer(order, function(player, answer)
      if not player then return done(answer) end
      actions[order.action](order, player, function(outcome)
        done(outcome)
        Causeway.taken.forget(order.id)
      end)
    end)
  end

  --- A row without the mark proves that nothing happened, unless a player has used the vehicle since.
  local function lookForMark(order, plates, done)
    answers.settled(garage, plates, LOOKS, function(rows)
      local row = answers.markedIn(rows, order.id)
      if row then return answers.finish(order, answers.told(garage, order, row), done) end
      done(rows and not isSameProcess and Causeway.failed(NEVER) or nil)
    end)
  end

  function resolved.give(order, done) lookForMark(order, Causeway.platesOf(garage, order), done) end

  function resolved.take(order, done)
    local kept = Causeway.taken.read(order.id)
    if not kept then return done(Causeway.failed(NEVER)) end
    answers.settled(garage, { kept.plate }, LOOKS, function(rows)
      if rows then judgeTaken(order, kept, rows, done) else done(nil) end
    end)
  end

  --- The plate of the row may be written differently.
  function resolved.store(order, done)
    withPlayer(order, function(player)
      if not player then return done(nil) end
      Causeway.vehicleOf(garage, player.owner, Causeway.barePlate(order.plate), function(row)
        if row then lookForMark(order, { row.plate }, done) else done(nil) end
      end)
    end)
  end

  return { class = 'durable', run = run, resolve = function(order, done) resolved[order.action](order, done) end }
end
