-- The framework's table of vehicles. A garage describes it: `table`, `owner` (the column of the owner), `state` (the
-- column that tells whether the vehicle is out), `properties` (a column of JSON), `garage` (a column, or nil).
-- `columns` is added here: the length of each column's texts by its name, or false; then `learn()` is called.

local function isUnique(indexes)
  local columns = {}
  for _, index in ipairs(indexes) do
    if tonumber(index.Non_unique) == 0 or index.Non_unique == false then
      local parts = columns[index.Key_name] or {}
      columns[index.Key_name] = parts
      parts[#parts + 1] = tostring(index.Column_name):lower()
    end
  end
  for _, parts in pairs(columns) do
    if #parts == 1 and parts[1] == 'plate' then return true end
  end
  return false
end

local function lengthsOf(columns)
  local lengths = {}
  for _, column in ipairs(columns) do
    local kind = tostring(column.Type):lower()
    -- A driver returns moments as numbers, which these columns do not take back.
    if not kind:find('date') and not kind:find('time') then
      lengths[column.Field] = math.tointeger(tonumber(kind:match('char%((%d+)%)'))) or false
    end
  end
  return lengths
end

--- Offers the command `vehicles` if the adapter has a garage and its table permits no plate twice. The bridge never
--- changes a table. `done(isKnown)`: false while the database does not answer.
function Causeway.prepareGarage(adapter, done)
  local garage, isThere = adapter.garage, false
  for _, from in ipairs(adapter.vehicleTables or {}) do isThere = isThere or garage and from.name == garage.table end
  if not isThere or adapter.orders.vehicles then return done(true) end
  Causeway.rows(('SHOW INDEX FROM `%s`'):format(garage.table), {}, function(indexes)
    if not indexes then return done(false) end
    if not isUnique(indexes) then
      adapter.garage = nil
      print(('[causeway] plates are not unique in %s: this server has no vehicle commands'):format(garage.table))
      return done(true)
    end
    Causeway.rows(('SHOW COLUMNS FROM `%s`'):format(garage.table), {}, function(columns)
      if not columns then return done(false) end
      garage.columns = lengthsOf(columns)
      if garage.learn then garage.learn() end
      adapter.orders.vehicles = Causeway.createGarage(garage)
      done(true)
    end)
  end)
end

local function quoted(name) return ('`%s`'):format(name) end

-- A column of JSON is not equal to its own text in MySQL.
local function textOf(garage) return ('CAST(%s AS CHAR)'):format(quoted(garage.properties)) end

--- Reads vehicles with the text of their properties as `causeway`. `where` has one `?` for each value.
local function select(garage, where, values, done)
  local sql = ('SELECT *, %s AS causeway FROM `%s` WHERE %s'):format(textOf(garage), garage.table, where)
  Causeway.rows(sql, values, done)
end

--- Reads the vehicles with these plates. A locking read waits for every statement on them that has begun.
--- `done(rows, problem)`.
function Causeway.vehiclesByPlate(garage, plates, done)
  select(garage, ('plate IN (%s) LOCK IN SHARE MODE'):format(Causeway.places(#plates)), plates, done)
end

--- Reads an owner's vehicle with this plate, in whatever case and padding. `done(row, problem)`.
function Causeway.vehicleOf(garage, owner, plate, done)
  select(garage, quoted(garage.owner) .. ' = ?', { owner }, function(rows, problem)
    for _, row in ipairs(rows or {}) do
      if row[garage.owner] == owner and Causeway.barePlate(row.plate) == plate then return done(row) end
    end
    done(nil, problem)
  end)
end

--- The condition that a vehicle is still as it was read.
local function unchanged(garage, row)
  local parts, values = {}, {}
  local function is(column, value)
    if value == nil then
      parts[#parts + 1] = column .. ' IS NULL'
    else
      parts[#parts + 1], values[#values + 1] = column .. ' = ?', value
    end
  end
  is('plate', row.plate)
  is(quoted(garage.owner), row[garage.owner])
  is(quoted(garage.state), row[garage.state])
  is(textOf(garage), row.causeway)
  return table.concat(parts, ' AND '), values
end

--- Inserts a row: values by column. `done(count, problem)`.
function Causeway.insertVehicle(garage, row, done)
  local names, values = {}, {}
  for name, value in pairs(row) do
    names[#names + 1], values[#values + 1] = quoted(name), value
  end
  local sql = ('INSERT INTO `%s` (%s) VALUES (%s)')
    :format(garage.table, table.concat(names, ', '), Causeway.places(#values))
  Causeway.update(sql, values, done)
end

--- Deletes a vehicle that is still as it was read. `done(count, problem)`.
function Causeway.deleteVehicle(garage, row, done)
  local where, values = unchanged(garage, row)
  Causeway.update(('DELETE FROM `%s` WHERE %s'):format(garage.table, where), values, done)
end

--- Changes a vehicle that is still as it was read. `done(count, problem)`.
function Causeway.storeVehicle(garage, row, properties, place, done)
  local where, guarded = unchanged(garage, row)
  local sets, values = { quoted(garage.properties) .. ' = ?', quoted(garage.garage) .. ' = ?' }, { properties, place }
  sets[#sets + 1] = garage.inside
  table.move(guarded, 1, #guarded, #values + 1, values)
  Causeway.update(('UPDATE `%s` SET %s WHERE %s'):format(garage.table, table.concat(sets, ', '), where), values, done)
end
