-- Gives vehicles: one INSERT, and the table's unique index on plates decides.
local TRIES = 10
local answers = Causeway.vehicleAnswers

--- The columns of the caller's properties, or a rejection that names the first wrong one.
local function givenColumns(garage, order, plate, model)
  local found = {}
  for name, value in pairs(order.metadata or {}) do
    if garage.columns[name] == nil or garage.isOwn[name] then
      return nil, answers.invalid('metadata/' .. tostring(name), ('no property in the table %s'):format(garage.table))
    end
    if name == garage.properties then
      value = Causeway.givenProperties(value, plate, garage.hasModelInside and model.hash or nil, garage.within)
      if not value then return nil, answers.invalid('metadata/' .. name, 'not a JSON object') end
    elseif type(value) == 'table' then
      value = json.encode(value)
    end
    found[name] = value
  end
  return found
end

--- The action `give` of a garage: `give(order, player, done)`.
function Causeway.createGive(garage)
  --- The plate that the caller wants, or nil and perhaps a problem.
  local function asked(order)
    if not order.plate then return nil end
    return Causeway.newPlate(order.plate, order.metadata and garage.columns.plate or nil)
  end

  local function rowOf(order, player, model, plate, nth)
    local given, problem = givenColumns(garage, order, plate, model)
    if not given then return nil, problem end
    local place = order.garage or garage.home(true)
    local row = garage.make({
      player = player, order = order, model = model, plate = plate, garage = place, nth = nth,
    })
    for name, value in pairs(given) do row[name] = value end
    row[garage.properties] = Causeway.markedProperties(row[garage.properties], order.id)
    return row, answers.tooLong(garage, row)
  end

  --- After a failed statement: the table tells whether it took effect.
  local function judge(order, row, failure, again, done)
    local isDuplicate = tostring(failure):find('Duplicate entry', 1, true) ~= nil
    local function tell(rows)
      if answers.markedIn(rows, order.id) then return answers.finish(order, answers.told(garage, order, row), done) end
      if not isDuplicate then return done(Causeway.failed(('The database did not take it: %s'):format(failure))) end
      if #rows == 0 or not order.plate then return again() end
      done(Causeway.rejected('plate_taken', ('Another vehicle has the plate %s.'):format(row.plate)))
    end
    if not isDuplicate then return answers.settled(garage, { row.plate }, nil, tell) end
    answers.look(garage, { row.plate }, tell)
  end

  local function try(order, player, model, nth, done)
    if nth > TRIES then
      if not order.plate then return done(Causeway.rejected('plate_taken', 'All plates that were tried are taken.')) end
      return done(Causeway.failed('Another vehicle has one of the properties, which may not be there twice.'))
    end
    local plate = asked(order) or Causeway.inventPlate(garage.pattern(), order.id, nth)
    local row, problem = rowOf(order, player, model, plate, nth)
    if problem then return done(problem) end
    Causeway.insertVehicle(garage, row, function(count, failure)
      if count == 1 then return answers.finish(order, answers.told(garage, order, row), done) end
      judge(order, row, failure or 'no row was inserted', function() try(order, player, model, nth + 1, done) end, done)
    end)
  end

  return function(order, player, done)
    local _, problem = asked(order)
    if problem then return done(answers.invalid('plate', problem)) end
    if order.garage and not garage.garage then
      return done(answers.invalid('garage', ('the table %s has no garages'):format(garage.table)))
    end
    garage.check(order, function(rejection, model)
      if rejection then return done(rejection) end
      try(order, player, model, 1, done)
    end)
  end
end

--- The plates that a `give` may have inserted.
function Causeway.platesOf(garage, order)
  if order.plate then return { Causeway.barePlate(order.plate) } end
  local plates = {}
  for nth = 1, TRIES do plates[nth] = Causeway.inventPlate(garage.pattern(), order.id, nth) end
  return plates
end
