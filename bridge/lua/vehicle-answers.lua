-- The common parts of the actions of `vehicles`: the world, the result, and reads after a lost answer.
local AGAIN_MS = 1000
-- A statement that was cut off may still be on its way for this long.
local SETTLED_AFTER_MS = 2000
local answers = {}
Causeway.vehicleAnswers = answers

--- A refusal of a field of the command.
function answers.invalid(field, detail)
  local pointer = '/' .. field
  return Causeway.rejected('invalid_params', ('%s: %s'):format(pointer, detail), { pointer = pointer, detail = detail })
end

--- Whether a vehicle with one of these plates stands in the world. Without OneSync the server sees none.
local function isInWorld(plates)
  for _, vehicle in ipairs(GetAllVehicles()) do
    if plates[Causeway.barePlate(GetVehicleNumberPlateText(vehicle))] then return true end
  end
  return false
end

local function hasSync() return GetConvar('onesync', 'off') == 'on' end

--- A rejection if the vehicle is out. A vehicle whose row says so, and that is nowhere, may be stored.
function answers.outOf(garage, row, mayBeLost)
  local plates = { [Causeway.barePlate(row.plate)] = true }
  if row.fakeplate then plates[Causeway.barePlate(row.fakeplate)] = true end
  local message
  if isInWorld(plates) or garage.isLoaded and garage.isLoaded(row) then
    message = 'The vehicle %s is in the world.'
  elseif not garage.isIn(row) and not (mayBeLost and hasSync() and garage.canBeLost()) then
    message = 'The vehicle %s is not in a garage.'
  end
  return message and Causeway.rejected('vehicle_out', message:format(Causeway.barePlate(row.plate)))
end

--- The result of a command. A vehicle without a garage has no such field in Lua.
function answers.told(garage, order, row)
  return {
    plate = Causeway.barePlate(row.plate), model = order.model or garage.modelOf(row), garage = row[garage.garage],
  }
end

--- A success; the hub gets the player's vehicles anew.
function answers.finish(order, data, done)
  Causeway.roster.touch(order.target)
  done({ status = 'done', data = data })
end

--- Calls `ask(done)` until the database answers, at most `looks` times; without a limit, as long as needed.
--- `go(answer)`: nil after the last attempt.
local function insist(ask, looks, go)
  ask(function(answer, problem)
    if not problem then return go(answer) end
    if looks and looks <= 1 then return go(nil, problem) end
    Causeway.after(AGAIN_MS, function() insist(ask, looks and looks - 1, go) end)
  end)
end

--- Reads vehicles by plates, however long that takes.
function answers.look(garage, plates, go)
  insist(function(done) Causeway.vehiclesByPlate(garage, plates, done) end, nil, go)
end

--- Reads vehicles by plates when no statement on them can be on its way any more.
function answers.settled(garage, plates, looks, go)
  Causeway.after(SETTLED_AFTER_MS, function()
    insist(function(done) Causeway.vehiclesByPlate(garage, plates, done) end, looks, go)
  end)
end

--- The row with the mark of a command.
function answers.markedIn(rows, id)
  for _, row in ipairs(rows or {}) do
    if Causeway.isMarked(row.causeway, id) then return row end
  end
end

--- A refusal of the first text that its column would cut off.
function answers.tooLong(garage, row)
  for name, value in pairs(row) do
    local longest = garage.columns[name]
    if longest and type(value) == 'string' and (utf8.len(value) or #value) > longest then
      local field = name == garage.garage and 'garage' or garage.isOwn[name] and 'model' or 'metadata/' .. name
      return answers.invalid(field, ('at most %d characters, which the column %s holds'):format(longest, name))
    end
  end
end
