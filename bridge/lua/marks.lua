-- Marks in a player's metadata that show which of the hub's commands the balances contain. Frameworks and the bridge
-- store balance and mark in one statement, so a crash cannot leave a row with only one of them.
local KEY = 'causeway'
-- Only one command at a time runs for a player, so only the newest mark is ever looked up.
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

--- The effect of a command, from a player's metadata (a table or its JSON): nil when the metadata have no mark of it.
function Causeway.markIn(metadata, id)
  for _, line in ipairs(linesOf(Causeway.decode(metadata))) do
    local marked, before, after, account = line:match('^(%S+) (%-?%d+) (%-?%d+) (.+)$')
    if marked == plain(id) then
      return { account = account, before = math.tointeger(tonumber(before)), after = math.tointeger(tonumber(after)) }
    end
  end
end

--- Marks the owner of a purse before the change: `purse.metadata()` and `purse.setMark(key, text)`; both are absent for
--- a framework without metadata. Returns whether the mark is set, and a function that removes it.
function Causeway.mark(purse, id, data)
  Causeway.written()
  if not purse.setMark then return true, function() end end
  local ok, metadata = Causeway.try(purse.metadata)
  if not ok or type(metadata) ~= 'table' then return false end
  local before, text = metadata[KEY] or '', withMark(metadata, id, data)
  Causeway.try(purse.setMark, KEY, text)
  local read, marked = Causeway.try(purse.metadata)
  local function takeBack() Causeway.try(purse.setMark, KEY, before) end
  return read and type(marked) == 'table' and marked[KEY] == text, takeBack
end
