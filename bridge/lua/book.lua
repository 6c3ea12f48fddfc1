-- The row in which a framework keeps a player's money. What a player has is a table of texts, as the columns hold them:
-- `money`, `metadata` where the framework has it, `inventory` where that has to be stored with the money.
local PARTS = { 'money', 'metadata', 'inventory' }

--- What somebody has in memory, and his server id: nil when he is not loaded, or not any more.
function Causeway.loader(memory)
  return function(identifier)
    local source = Causeway.roster.source(identifier)
    if not source or not Causeway.roster.isPlaying(source, identifier) then return nil end
    local ok, has = Causeway.try(memory, source)
    if ok and has then return has, source end
  end
end

--- `of` has the names `table`, `key` and `columns` (by part), perhaps `license` (a column); `owners(row)`: identifiers
--- of whom the character belongs to; `memory(source)`: what he has in memory, nil when he is not there;
--- `mayOwe(name, after)`: the framework's rule about debts; `proves(order)`: whether nothing but these columns makes such
--- an order durable; `isHeld(identifier, owners)`: whether the framework may write the row of somebody who is not there;
--- `agrees(identifier, id, isIn)`: whether all that it may write has a command's mark, or nothing of it. `hasMarks` is set by who has looked whether there are metadata.
function Causeway.createBook(of)
  local book = { proves = of.proves, mayOwe = of.mayOwe, hasMarks = false }
  book.agrees = of.agrees or function() return true end
  book.isHeld = of.isHeld or Causeway.roster.isLeaving
  local columns = of.columns
  book.loaded = Causeway.loader(of.memory)

  --- The row. `done(row, problem)`: nil without a problem when there is no such player.
  function book.row(identifier, done)
    local metadata = book.hasMarks and columns.metadata or 'NULL'
    local sql = ('SELECT %s AS identifier, %s AS money, %s AS metadata, %s AS license FROM %s WHERE %s = ?'):format(
      of.key, columns.money, metadata, of.license or 'NULL', of.table, of.key)
    Causeway.rows(sql, { identifier }, function(rows, problem)
      local row = rows and rows[1]
      if not Causeway.isExactly(row, 'identifier', identifier) then return done(nil, problem) end
      done({ money = row.money, metadata = row.metadata, owners = of.owners(row) })
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

  --- Stores what a player has. `done(count, problem)`.
  function book.write(identifier, has, done)
    local sql, values = setting(has)
    values[#values + 1] = identifier
    Causeway.update(sql, values, done)
  end

  --- Replaces what was read by something else, unless somebody has touched it meanwhile. `done(count, problem)`.
  function book.swap(identifier, from, to, done)
    local sql, values = setting(to)
    sql = ('%s AND %s = ?'):format(sql, columns.money)
    values[#values + 1], values[#values + 2] = identifier, from.money
    if to.metadata then
      sql = ("%s AND COALESCE(%s, '') = ?"):format(sql, columns.metadata)
      values[#values + 1] = from.metadata or ''
    end
    Causeway.update(sql, values, done)
  end
  return book
end
