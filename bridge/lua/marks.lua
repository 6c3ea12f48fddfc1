-- Which of the hub's commands a player's balances contain, kept beside them in his metadata. Frameworks and the bridge
-- store both in one statement, so whatever is killed when: a row that has the money has the mark, and the other way round.
local KEY = 'causeway'
-- One command at a time runs for a player, so the newest mark is the one that anybody asks for.
local KEPT = 4

local function linesOf(metadata)
  local text, lines = metadata[KEY], {}
  for line in (type(text) == 'string' and text or ''):gmatch('[^;]+') do lines[#lines + 1] = line end
  return lines
end

local function plain(id) return (id:gsub('[%s;]', '_')) end

local function withMark(metadata, id, data)
  local lines = linesOf(metadata)
  lines[#lines + 1] = ('%s %d %d %s'):format(plain(id), data.before, data.after, data.account)
  while #lines > KEPT do table.remove(lines, 1) end
  return table.concat(lines, ';')
end

--- What a command has done, from a player's metadata (a table, or its JSON): nil when it is not in there.
function Causeway.markIn(metadata, id)
  for _, line in ipairs(linesOf(Causeway.decode(metadata))) do
    local marked, before, after, account = line:match('^(%S+) (%-?%d+) (%-?%d+) (.+)$')
    if marked == plain(id) then
      return { account = account, before = math.tointeger(tonumber(before)), after = math.tointeger(tonumber(after)) }
    end
  end
end

--- Marks the owner of a purse before it is changed: `purse.metadata()` and `purse.setMark(key, text)`, which a framework
--- without metadata lacks. Answers whether that is done, and what takes it back.
function Causeway.mark(purse, id, data)
  if not purse.setMark then return true, function() end end
  local ok, metadata = Causeway.try(purse.metadata)
  if not ok or type(metadata) ~= 'table' then return false end
  local before, text = metadata[KEY] or '', withMark(metadata, id, data)
  Causeway.try(purse.setMark, KEY, text)
  local read, marked = Causeway.try(purse.metadata)
  local function takeBack() Causeway.try(purse.setMark, KEY, before) end
  return read and type(marked) == 'table' and marked[KEY] == text, takeBack
end
