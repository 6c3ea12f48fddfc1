-- Lists of the game's items, vehicle models and jobs, read a little at a time. An adapter has `catalogues`, by kind. A
-- source has `list()`: a table of the framework, or `page(after, done)`: rows of a table of the database after a name;
-- and `entry(key, value)`: name, label and, for jobs, grades.
local PAGE = 500
-- Frameworks announce many changes one after the other.
local TOLD_AFTER_MS = 1000

local readings = {}

local function textOf(value, otherwise)
  local text = value ~= nil and tostring(value) or ''
  return text ~= '' and text or tostring(otherwise)
end

--- The grades of a job in order, from `{ [grade] = { label, name } }` of a framework.
local function gradesOf(given)
  local grades = {}
  for grade, info in pairs(type(given) == 'table' and given or {}) do
    local level = math.tointeger(tonumber(grade))
    if level then grades[#grades + 1] = { grade = level, label = textOf(info.label or info.name, level) } end
  end
  table.sort(grades, function(one, other) return one.grade < other.grade end)
  return grades
end

local function entryOf(source, key, value)
  local ok, name, label, grades = Causeway.try(source.entry, key, value)
  if not ok or type(name) ~= 'string' then return nil end
  return { name = name, label = textOf(label, name), grades = grades and gradesOf(grades) or nil }
end

--- Entries until the time is over. `reading.isOver`: they were the last ones of its rows.
local function slice(source, reading, forMs)
  local isOver, entries = Causeway.timer(forMs), {}
  repeat
    local key, value = next(reading.rows, reading.key)
    reading.key, reading.isOver = key, key == nil
    if key == nil then break end
    entries[#entries + 1] = entryOf(source, key, value)
  until isOver()
  return entries
end

local function lastOf(rows) return #rows == PAGE and rows[PAGE].name or nil end

--- Reads the next entries of a catalogue, or its first ones. Ends after `forMs`. `done(answer, problem)`: `isLast` of the
--- answer says whether more follow.
function Causeway.catalogueOf(adapter, kind, isFirst, forMs, done)
  local source = (adapter.catalogues or {})[kind]
  if not source then return done(nil, ('there is no catalogue of %s'):format(kind)) end
  local reading = not isFirst and readings[kind] or {}
  readings[kind] = reading

  local function give()
    local entries = slice(source, reading, forMs)
    local isLast = reading.isOver and not reading.after
    if reading.isOver then reading.rows, reading.key = nil, nil end
    if isLast then readings[kind] = nil end
    done({ entries = entries, isLast = isLast })
  end

  if reading.rows then return give() end
  if not source.page then
    local ok, list = Causeway.try(source.list)
    if not ok then return done(nil, list) end
    reading.rows = type(list) == 'table' and list or {}
    return give()
  end
  source.page(reading.after or '', function(rows, problem)
    if not rows then return done(nil, problem) end
    reading.rows, reading.after = rows, lastOf(rows)
    give()
  end)
end

--- A source that reads pages of a table. `name` and `label` are columns or expressions; `name` is unique.
function Causeway.tableSource(name, label, from)
  local sql = ('SELECT %s AS name, %s AS label FROM %s WHERE %s > ? ORDER BY %s LIMIT ?')
    :format(name, label, from, name, name)
  return {
    page = function(after, done) Causeway.rows(sql, { after, PAGE }, done) end,
    entry = function(_, row) return row.name, row.label end,
  }
end

--- The same for a table that some servers do not have; without it there are no entries.
function Causeway.optionalSource(name, label, from)
  local source = Causeway.tableSource(name, label, from)
  local page = source.page
  function source.page(after, done)
    Causeway.lookFor(('%s, %s'):format(name, label), from, function(doesHave)
      if doesHave == nil then return done(nil, 'the database does not answer') end
      if not doesHave then return done({}) end
      page(after, done)
    end)
  end
  return source
end

--- A source of a table of the framework, by name.
function Causeway.listSource(list, entry)
  return { list = list, entry = entry or function(name, item) return name, item.label end }
end

--- The items of ox_inventory while it runs, otherwise those of another source.
function Causeway.itemsSource(otherwise)
  local source = {}
  local ox = Causeway.listSource(function() return exports.ox_inventory:Items() end)
  otherwise = otherwise or Causeway.listSource(function() return {} end)
  local function now() return Causeway.isStarted('ox_inventory') and ox or otherwise end
  return setmetatable(source, { __index = function(_, key) return now()[key] end })
end

local heard
local isTold = true

--- The framework has announced a change of one of its lists.
function Causeway.catalogueChanged()
  if not heard or not isTold then return end
  isTold = false
  SetTimeout(TOLD_AFTER_MS, function()
    isTold = true
    heard()
  end)
end

--- Calls `fn()` a moment after the lists have changed.
function Causeway.watchCatalogues(fn)
  heard = fn
  AddEventHandler('onResourceStart', function(resource)
    if resource == 'ox_inventory' then Causeway.catalogueChanged() end
  end)
end
