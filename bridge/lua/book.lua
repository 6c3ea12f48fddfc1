-- The row in which a framework keeps a player's money. A player's state is a table of texts, one for each column:
-- `money`, `metadata` if the framework has it, `inventory` if it has to be stored together with the money. For commands
-- about jobs it also has `job`, and `grade` if that is another column.
local PARTS = { 'money', 'metadata', 'inventory', 'job', 'grade' }
-- A payment neither reads nor writes them.
local OF_JOBS = { 'job', 'grade' }

--- Adds the job to the parts of a book, for a second book of the same row. `columns`: `job` and perhaps `grade`;
--- `memory(source)`: these parts of the state in memory.
function Causeway.withJob(of, columns, memory)
  local with = { columns = {}, proves = function() return true end }
  for key, value in pairs(of) do
    if with[key] == nil then with[key] = value end
  end
  for part, column in pairs(of.columns) do with.columns[part] = column end
  for part, column in pairs(columns) do with.columns[part] = column end
  function with.memory(source)
    local has, job = of.memory(source), memory(source)
    if not has or not job then return nil end
    has.job, has.grade = job.job, job.grade
    return has
  end
  return with
end

--- The state of a player in memory and their server id: nil if the player is not loaded.
function Causeway.loader(memory)
  return function(identifier)
    local source = Causeway.roster.source(identifier)
    if not source or not Causeway.roster.isPlaying(source, identifier) then return nil end
    local ok, has = Causeway.try(memory, source)
    if ok and has then return has, source end
  end
end

--- `of` has `table`, `key` and `columns` (by part), perhaps `license` (a column). `owners(row)`: identifiers of the
--- character's owner. `memory(source)`: the state in memory, nil if the player is not there. `mayOwe(name, after)`: the
--- framework's rule about debts. `proves(order)`: whether these columns alone make the order durable.
--- `isHeld(identifier, owners)`: whether the framework may write the row of an offline player. `agrees(identifier, id,
--- isIn)`: whether all copies that it may write have a command's mark, or none has it. `hasMarks` is set by the code
--- that checks for metadata.
function Causeway.createBook(of)
  local book = { proves = of.proves, mayOwe = of.mayOwe, hasMarks = false }
  book.agrees = of.agrees or function() return true end
  book.isHeld = of.isHeld or Causeway.roster.isLeaving
  local columns = of.columns
  book.loaded = Causeway.loader(of.memory)
  local jobs, jobParts = '', {}
  for _, part in ipairs(OF_JOBS) do
    if columns[part] then
      jobParts[#jobParts + 1] = part
      jobs = ('%s, %s AS %s'):format(jobs, columns[part], part)
    end
  end

  --- Reads the row. `done(row, problem)`: both are nil when the player does not exist.
  function book.row(identifier, done)
    local metadata = book.hasMarks and columns.metadata or 'NULL'
    local sql = ('SELECT %s AS identifier, %s AS money, %s AS metadata, %s AS license%s FROM %s WHERE %s = ?'):format(
      of.key, columns.money, metadata, of.license or 'NULL', jobs, of.table, of.key)
    Causeway.rows(sql, { identifier }, function(rows, problem)
      local row = rows and rows[1]
      if not Causeway.isExactly(row, 'identifier', identifier) then return done(nil, problem) end
      done({
        money = row.money, metadata = row.metadata, job = row.job, grade = row.grade, owners = of.owners(row),
      })
    end)
  end

  local function setting(has)
    local sets, values = {}, {}
    for _, part in ipairs(PARTS) do
      if has[part] then
        sets[#sets + 1] = columns[part] .. ' = ?'
        values[#values + 1] = has[part]
      end
    end
    return ('UPDATE %s SET %s WHERE %s = ?'):format(of.table, table.concat(sets, ', '), of.key), values
  end

  --- Stores the state of a player. `done(count, problem)`.
  function book.write(identifier, has, done)
    local sql, values = setting(has)
    values[#values + 1] = identifier
    Causeway.update(sql, values, done)
  end

  --- Replaces a state that was read, unless the row changed meanwhile. `done(count, problem)`.
  function book.swap(identifier, from, to, done)
    local sql, values = setting(to)
    sql = ('%s AND %s = ?'):format(sql, columns.money)
    values[#values + 1], values[#values + 2] = identifier, from.money
    if to.metadata then
      sql = ("%s AND COALESCE(%s, '') = ?"):format(sql, columns.metadata)
      values[#values + 1] = from.metadata or ''
    end
    for _, part in ipairs(jobParts) do
      sql = ("%s AND COALESCE(%s, '') = ?"):format(sql, columns[part])
      values[#values + 1] = from[part] or ''
    end
    Causeway.update(sql, values, done)
  end
  return book
end
