-- Vehicles of QBCore and Qbox: `player_vehicles`.

--- The garage of QBCore or Qbox. `modelNamed(name)`: what the framework's list of vehicles has of a model. `pattern`: of
--- plates. `canBeLost()`: whether a vehicle that is out, but not in the world, will not come back by itself.
function Causeway.createQbGarage(of)
  local garage = {
    table = 'player_vehicles', owner = 'citizenid', state = 'state', properties = 'mods', garage = 'garage',
    isOwn = {
      id = true, license = true, citizenid = true, vehicle = true, hash = true, plate = true, garage = true, state = true,
    },
    player = 'SELECT citizenid AS identifier, citizenid AS owner, license FROM players WHERE citizenid = ?',
    canBeLost = of.canBeLost,
  }

  --- An impounded vehicle leaves the impound.
  function garage.learn()
    garage.inside = '`state` = 1' .. (garage.columns.depotprice ~= nil and ', `depotprice` = 0' or '')
  end
  function garage.pattern() return of.pattern end
  --- This garage is part of both frameworks.
  function garage.home()
    local place = GetConvar('causeway_garage', '')
    return place ~= '' and place or 'motelgarage'
  end
  function garage.isIn(row) return tonumber(row.state) == 1 end
  function garage.modelOf(row) return row.vehicle or '' end

  function garage.check(order, done)
    local ok, found = Causeway.try(of.modelNamed, order.model)
    if not ok then return done(Causeway.failed(('The list of vehicles cannot be read: %s'):format(found))) end
    if found then return done(nil, { hash = joaat(order.model) }) end
    done(Causeway.rejected('unknown_model', ('This server has no vehicle "%s".'):format(order.model)))
  end

  function garage.make(vehicle)
    local hash = vehicle.model.hash
    return {
      license = vehicle.player.license, citizenid = vehicle.player.owner, vehicle = vehicle.order.model,
      hash = garage.columns.hash ~= nil and tostring(hash) or nil, plate = vehicle.plate, garage = vehicle.garage,
      state = 1,
      mods = ('{"plate":%s,"model":%d,"engineHealth":1000,"bodyHealth":1000,"fuelLevel":100}')
        :format(json.encode(vehicle.plate), hash),
    }
  end
  return garage
end
