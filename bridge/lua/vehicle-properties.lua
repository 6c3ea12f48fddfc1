-- The properties of a vehicle: a JSON object in its row, which also has the mark of the bridge's last command. The text
-- is changed only where it has to be, because Lua does not tell an empty list from an empty object.
local EMPTY = { [''] = true, ['[]'] = true, ['null'] = true }
-- Inside of a JSON text, quotes have a backslash: this matches keys only.
local MARK = '"causeway"%s*:%s*"[^"]*"%s*,?%s*'
-- A result has at most 16 KiB, and the other fields need room, too.
local LARGEST = 15 * 1024

local function plain(id) return (id:gsub('[^%w_:.-]', '_')) end

--- A table, or nil if the text is not a JSON object.
local function objectIn(text)
  if not text:find('^%s*{') then return nil end
  local object = json.decode(text)
  return type(object) == 'table' and object or nil
end

local function withoutMark(text) return (text:gsub(MARK, '', 1):gsub(',%s*}%s*$', '}')) end

--- Properties with the mark of a command; nil if they are not a JSON object.
function Causeway.markedProperties(text, id)
  if text == nil or EMPTY[text] then text = '{}' end
  if not objectIn(text) then return nil end
  local rest = withoutMark(text):match('^%s*{%s*(.*)$')
  return ('{"causeway":"%s"%s%s'):format(plain(id), rest:sub(1, 1) == '}' and '' or ',', rest)
end

--- Whether properties have the mark of a command.
function Causeway.isMarked(text, id) return Causeway.decode(text).causeway == plain(id) end

local function isSameModel(one, other)
  one, other = math.tointeger(one), math.tointeger(other)
  return one ~= nil and other ~= nil and one & 0xffffffff == other & 0xffffffff
end

--- The properties that a caller gave, for this plate; nil if they are not an object. `model`: the number that has to be in
--- them, as in ESX, where the plate is needed, too. `within`: the key of the object that has the plate, if not the whole.
function Causeway.givenProperties(given, plate, model, within)
  local text = type(given) == 'table' and (next(given) and json.encode(given) or '{}') or given
  local object = type(text) == 'string' and objectIn(text)
  if not object then return nil end
  local of = object
  if within then of = type(object[within]) == 'table' and object[within] or {} end
  local isRight = of.plate == nil and not model or Causeway.barePlate(of.plate) == plate
  if isRight and (not model or isSameModel(of.model, model)) then return text end
  of.plate, of.model = plate, model or of.model
  return json.encode(object)
end

--- All columns of a row that the garage does not set itself, for `give` to restore them; nil if they are too many to be
--- reported.
function Causeway.columnsOf(garage, row)
  local found = {}
  for name in pairs(garage.columns) do
    local value = row[name]
    if name == garage.properties then value = row.causeway and withoutMark(row.causeway) end
    if value ~= nil and not garage.isOwn[name] then
      found[name] = type(value) == 'table' and json.encode(value) or value
    end
  end
  return #json.encode(found) <= LARGEST and found or nil
end
