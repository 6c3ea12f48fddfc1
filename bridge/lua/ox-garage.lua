-- Vehicles of ox_core: its table `vehicles`. ox_core reads a row when it spawns the vehicle. Its own function is not used:
-- for a plate that is taken it makes up another one.

local function modelNamed(name)
  local found = exports.ox_core:GetVehicleData(name)
  return type(found) == 'table' and found.name and found or nil
end

local function two(text, otherwise)
  text = tostring(text or ''):upper():gsub('[^A-Z0-9]', '')
  return ((#text >= 2 and text or otherwise):sub(1, 2):gsub('.', '^%0'))
end

--- The garage of ox_core.
function Causeway.createOxGarage()
  local garage = {
    table = 'vehicles', owner = 'owner', state = 'stored', properties = 'data', within = 'properties', garage = 'stored',
    isOwn = { id = true, plate = true, owner = true, model = true, class = true, stored = true },
    player = 'SELECT stateId AS identifier, charId AS owner FROM characters WHERE stateId = ? AND deleted IS NULL',
  }

  function garage.pattern() return GetConvar('ox:plateFormat', '........'):upper() end
  --- ox_core puts vehicles there that were lost.
  function garage.home()
    for _, convar in ipairs({ 'causeway_garage', 'ox:defaultVehicleStore' }) do
      if GetConvar(convar, '') ~= '' then return GetConvar(convar, '') end
    end
    return 'impound'
  end
  function garage.isIn(row) return row.stored ~= nil end
  function garage.canBeLost() return true end
  function garage.modelOf(row) return row.model or '' end
  --- A vehicle in its memory is saved later, over the row.
  function garage.isLoaded(row)
    local ok, found = Causeway.try(function() return exports.ox_core:GetVehicleFromFilter({ id = row.id }) end)
    return ok and found ~= nil
  end

  function garage.check(order, done)
    local ok, found = Causeway.try(modelNamed, order.model)
    if not ok then return done(Causeway.failed(('ox_core did not look up the model: %s'):format(found))) end
    if not found then
      return done(Causeway.rejected('unknown_model', ('This server has no vehicle "%s".'):format(order.model)))
    end
    done(nil, { hash = joaat(order.model), class = found.class, make = found.make, name = found.name })
  end

  function garage.make(vehicle)
    local model = vehicle.model
    local number = ('1%s%s.A1111111111'):format(two(model.make, 'OX'), two(model.name, 'OX'))
    return {
      owner = vehicle.player.owner, plate = vehicle.plate, model = vehicle.order.model, class = model.class,
      vin = Causeway.invent(number, vehicle.order.id, vehicle.nth), data = '{"properties":{}}', stored = vehicle.garage,
    }
  end
  return garage
end
