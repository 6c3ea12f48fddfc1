-- Optional columns and tables of this server's database.

--- Whether a table has these columns. `done(doesHave)`: nil while the database does not answer.
function Causeway.lookFor(columns, name, done)
  local sql = ('SELECT %s FROM %s LIMIT 1'):format(columns, name)
  local function look(otherwise)
    Causeway.rows(sql, {}, function(rows)
      if rows then return done(true) end
      Causeway.rows('SELECT 1', {}, function(isUp)
        if isUp then otherwise() else done(nil) end
      end)
    end)
  end
  -- The database may have been away only for the first query.
  look(function()
    look(function() done(false) end)
  end)
end

local function prepareVehicles(adapter, done)
  local tables, found = adapter.vehicleTables or {}, {}
  local function look(index)
    local from = tables[index]
    if not from then
      adapter.vehicleTables = found
      return Causeway.prepareGarage(adapter, done)
    end
    Causeway.lookFor(from.columns or '*', from.name, function(doesHave)
      if doesHave == nil then return done(false) end
      if doesHave then
        found[#found + 1] = from
      else
        print(('[causeway] the table %s is missing or has other columns: its rows are not shown'):format(from.name))
      end
      look(index + 1)
    end)
  end
  look(1)
end

--- Looks for optional columns and vehicle tables. `done(isKnown)`: false while the database does not answer.
function Causeway.prepareTables(adapter, done)
  local from = adapter.offlineTable
  local optional = from and from.optional
  if not optional then return prepareVehicles(adapter, done) end
  Causeway.lookFor(optional, from.name, function(doesHave)
    if doesHave == nil then return done(false) end
    if doesHave then from.columns = from.columns .. ', ' .. optional end
    from.optional = nil
    prepareVehicles(adapter, done)
  end)
end
