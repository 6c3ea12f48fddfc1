-- Vehicles in one form: `{ plate, model, label, stored, garage, metadata }`.

local function text(value) return value ~= nil and tostring(value) or '' end

--- A row of `owned_vehicles`. ESX keeps the model as a number inside of its properties, and no name.
function Causeway.esxVehicle(row)
  local model = text(Causeway.decode(row.vehicle).model)
  return {
    plate = text(row.plate), model = model, label = text(row.custom_name ~= nil and row.custom_name or model),
    stored = row.stored == 1 or row.stored == true, garage = row.parking,
    metadata = { type = row.type, job = row.job, pound = row.pound },
  }
end

local STATES = { [0] = 'out', [1] = 'garaged', [2] = 'impounded' }

-- A row of `player_vehicles`, as QBCore and Qbox have it.
local function qbVehicle(row)
  local state = tonumber(row.state)
  return {
    plate = text(row.plate), model = text(row.vehicle), label = text(row.vehicle), stored = state == 1,
    garage = row.garage, metadata = { state = STATES[state] or row.state, fuel = row.fuel, engine = row.engine },
  }
end

--- Without their tuning, which is longer than all the rest.
Causeway.qbVehicles = {
  name = 'player_vehicles', owner = 'citizenid', columns = 'citizenid, plate, vehicle, garage, state, fuel, engine',
  record = qbVehicle,
}

-- A row of `player_horses`. A horse that is `active` was taken out of the stable that is named.
local function rsgHorse(row)
  return {
    plate = text(row.horseid), model = text(row.horse), label = text(row.name),
    stored = row.active ~= 1 and row.active ~= true, garage = row.stable, metadata = { gender = row.gender },
  }
end

--- Not every version of rsg-horses has the same columns.
Causeway.rsgHorses = { name = 'player_horses', owner = 'citizenid', record = rsgHorse }

-- A row of `rsg_wagons`. What a wagon is called is kept with how it looks; it has no stable.
local function rsgWagon(row)
  return {
    plate = text(row.id), model = text(row.wagon), label = text(Causeway.decode(row.custom).name),
    stored = row.active ~= 1 and row.active ~= true, metadata = {},
  }
end

--- Without the carcasses and pelts on them.
Causeway.rsgWagons = {
  name = 'rsg_wagons', owner = 'citizenid', columns = 'id, citizenid, wagon, custom, active', record = rsgWagon,
}

--- A row of ox_core's `vehicles`; `stored` names the garage.
function Causeway.oxVehicle(row)
  return {
    plate = text(row.plate), model = text(row.model), label = text(row.model), stored = row.stored ~= nil,
    garage = row.stored, metadata = { vin = row.vin, class = row.class },
  }
end
