-- Vehicles of ESX: `owned_vehicles`. A model is a number in the properties. Only a shop has a list of names.
local HASH_MIN, HASH_MAX = -2 ^ 31, 2 ^ 32 - 1

local function unknown(order)
  return Causeway.rejected('unknown_model', ('This server has no vehicle "%s".'):format(order.model))
end

--- Checks a model by the table `vehicles` of esx_vehicleshop, if there is one. A number is the model itself: ESX stores
--- no more of a vehicle that was taken.
local function createCheck()
  local hasShop
  local function look(go)
    if hasShop ~= nil then return go(hasShop) end
    Causeway.lookFor('model, price', 'vehicles', function(doesHave)
      hasShop = doesHave
      go(doesHave)
    end)
  end
  return function(order, done)
    local hash = order.model:find('^-?%d+$') and math.tointeger(tonumber(order.model))
    if hash and hash >= HASH_MIN and hash <= HASH_MAX then return done(nil, { hash = hash }) end
    if not order.model:find('^[a-z0-9_]+$') then return done(unknown(order)) end
    look(function(has)
      if has == nil then return done(Causeway.failed('The database does not answer.')) end
      if not has then return done(nil, { hash = joaat(order.model) }) end
      Causeway.rows('SELECT model FROM vehicles WHERE model = ?', { order.model }, function(rows, problem)
        if not rows then return done(Causeway.failed(problem)) end
        if not Causeway.isExactly(rows[1], 'model', order.model) then return done(unknown(order)) end
        done(nil, { hash = joaat(order.model) })
      end)
    end)
  end
end

--- The garage of ESX.
function Causeway.createEsxGarage()
  local garage = {
    table = 'owned_vehicles', owner = 'owner', state = 'stored', properties = 'vehicle', hasModelInside = true,
    isOwn = { owner = true, plate = true, stored = true, parking = true },
    player = 'SELECT identifier, identifier AS owner FROM users WHERE identifier = ?',
    check = createCheck(),
  }

  --- Only some garages add these columns.
  function garage.learn()
    garage.garage = garage.columns.parking ~= nil and 'parking' or nil
    garage.inside = '`stored` = 1' .. (garage.columns.pound ~= nil and ', `pound` = NULL' or '')
  end
  function garage.pattern() return 'AAA 111' end
  --- A new vehicle without a garage can be fetched from each.
  function garage.home()
    local place = GetConvar('causeway_garage', '')
    return place ~= '' and garage.garage and place or nil
  end
  function garage.isIn(row) return row.stored == true or row.stored == 1 end
  function garage.canBeLost() return true end
  function garage.modelOf(row) return Causeway.esxVehicle(row).model end

  function garage.make(vehicle)
    local row = {
      owner = vehicle.player.owner, plate = vehicle.plate, stored = 1,
      vehicle = ('{"model":%d,"plate":%s}'):format(vehicle.model.hash, json.encode(vehicle.plate)),
    }
    if garage.garage then row.parking = vehicle.garage end
    return row
  end
  return garage
end
