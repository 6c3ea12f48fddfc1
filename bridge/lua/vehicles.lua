-- Vehicles in one form: `{ plate, model, label, stored, garage, metadata }`.

local function text(value) return value ~= nil and tostring(value) or '' end

--- A row of `owned_vehicles`. ESX stores the model as a number inside the properties, and no name.
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

--- Without the tuning, which is longer than all other fields together.
Causeway.qbVehicles = {
  name = 'player_vehicles', owner = 'citizenid', columns = 'citizenid, plate, vehicle, garage, state, fuel, engine',
  record = qbVehicle,
}

-- A row of `player_horses`. An `active` horse was taken out of the named stable.
local function rsgHorse(row)
  return {
    plate = text(row.horseid), model = text(row.horse), label = text(row.name),
    stored = row.active ~= 1 and row.active ~= true, garage = row.stable, metadata = { gender = row.gender },
  }
end

--- Versions of rsg-horses differ in their columns.
Causeway.rsgHorses = { name = 'player_horses', owner = 'citizenid', record = rsgHorse }

-- A row of `rsg_wagons`. The wagon's name is part of its appearance data; it has no stable.
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
