-- The online players, by the framework's own identifier of the character. Adapters report loads and logouts;
-- disconnects are detected here, because not every framework reports them.
local sourceOf, identifierOf = {}, {}
-- Frameworks save departed players and do not report the end of the save. It may take this long, counted from the
-- answer to a query that was sent after the departure. The query is repeated this often, because an answer may be lost.
local LEAVING_MS, QUERY_AGAIN_MS = 5000, 60000
-- A framework that does not tell who a player is, is asked this often.
local LOOKS, LOOK_AGAIN_MS = 60, 1000
-- The departing players, by identifiers of characters and of their owners.
local leaving = {}
-- The number of each identifier's last departure. Two generations of limited size are kept; a forgotten identifier has
-- the number of the newest forgotten departure, so that a number never returns.
local KNOWN = 512
local lefts, known, departures = {}, 0, 0
local before, newest, forgotten = {}, 0, 0
local listeners = {}
local roster = {}
Causeway.roster = roster
-- Any resource may send any event, so an event is not trusted for an identity: the framework is asked.
local function whoIs() return nil end

--- The adapter's identification of players: `of(source)` asks the framework for the identifier of the current
--- character.
function roster.ask(of) whoIs = of end

local function tell(kind, identifier)
  for _, heard in ipairs(listeners) do heard(kind, identifier) end
end

function roster.source(identifier) return sourceOf[identifier] end
function roster.identifier(source) return identifierOf[tonumber(source)] end
function roster.online() return Causeway.keysOf(sourceOf) end

--- Whether the framework confirms that the player plays this character now.
function roster.isPlaying(source, identifier)
  local ok, found = Causeway.try(whoIs, source)
  return ok and found == identifier
end

local function whenSaved(done)
  local isCounting = false
  local function count()
    if isCounting then return end
    isCounting = true
    SetTimeout(LEAVING_MS, done)
  end
  local function ask()
    if isCounting then return end
    Causeway.rows('SELECT 1', {}, count)
    SetTimeout(QUERY_AGAIN_MS, ask)
  end
  ask()
end

-- A player may also have left just before this resource started.
local isNew = true
whenSaved(function() isNew = false end)

--- Whether saves of players who left before this resource's start may still be on their way.
function roster.isNew() return isNew end

--- Whether a character or one of its owners left a moment ago: the framework's save may still be on its way.
function roster.isLeaving(identifier, owners)
  for _, owner in ipairs(owners or {}) do
    if leaving[owner] then return true end
  end
  return leaving[identifier] ~= nil
end

local function leftOf(key) return lefts[key] or before[key] or forgotten end

--- The number of the last departure of a character or of one of its owners; it changes after each departure. It may
--- occasionally change without a departure.
function roster.lefts(identifier, owners)
  local last = leftOf(identifier)
  for _, owner in ipairs(owners or {}) do last = math.max(last, leftOf(owner)) end
  return last
end

local function countLeft(keys)
  departures = departures + 1
  for _, key in ipairs(keys) do
    if not lefts[key] then known = known + 1 end
    lefts[key] = departures
  end
  if known < KNOWN then return end
  before, forgotten, newest = lefts, newest, departures
  lefts, known = {}, 0
end

local function rememberLeaving(keys)
  local mine = {}
  countLeft(keys)
  for _, key in ipairs(keys) do leaving[key] = mine end
  whenSaved(function()
    for _, key in ipairs(keys) do
      if leaving[key] == mine then leaving[key] = nil end
    end
  end)
end

--- The game has deleted a character.
function roster.remove(identifier) tell('removed', identifier) end

--- Calls `heard(kind, identifier)` for `changed`, for `left` while the player is still in the framework's memory, and for
--- `removed`.
function roster.watch(heard) listeners[#listeners + 1] = heard end

function roster.leave(source)
  local identifier = identifierOf[tonumber(source)]
  if not identifier then return end
  tell('left', identifier)
  local keys = Causeway.identifiersOf(source)
  keys[#keys + 1] = identifier
  rememberLeaving(keys)
  identifierOf[tonumber(source)] = nil
  if sourceOf[identifier] == tonumber(source) then sourceOf[identifier] = nil end
end

local isStopped = false

--- Whether the framework is stopped: it loads no characters then.
function roster.isStopped() return isStopped end

--- Follows the state of the framework's resource: while it is stopped, no player has a character.
function roster.follow(framework)
  AddEventHandler('onResourceStop', function(resource)
    if resource ~= framework then return end
    for _, identifier in ipairs(roster.online()) do roster.leave(sourceOf[identifier]) end
    isStopped = true
  end)
  AddEventHandler('onResourceStart', function(resource)
    if resource == framework then isStopped = false end
  end)
end

--- A framework that starts again has no exports until the next tick.
local function joinLater(source, looks)
  if looks >= LOOKS or isStopped or not DoesPlayerExist(source) then return end
  SetTimeout(LOOK_AGAIN_MS, function() roster.tryToJoin(source, looks + 1) end)
end

function roster.tryToJoin(source, looks)
  local ok, identifier = Causeway.try(whoIs, source)
  if not ok then return joinLater(source, looks) end
  if type(identifier) ~= 'string' then return end
  -- Frameworks finish loading a player who left meanwhile, and may save them.
  if not DoesPlayerExist(source) then return rememberLeaving({ identifier }) end
  if identifierOf[source] ~= identifier then roster.leave(source) end
  sourceOf[identifier], identifierOf[source] = source, identifier
  tell('changed', identifier)
end

--- A player now plays a character, or another one.
function roster.join(given)
  local source = tonumber(given)
  if source then roster.tryToJoin(source, 0) end
end

--- The server id of a command's player; nil if the player has silently changed to another character.
function roster.certain(identifier)
  local source = sourceOf[identifier]
  if not source then return nil end
  local ok, found = Causeway.try(whoIs, source)
  if ok and found == identifier then return source end
  if ok then
    roster.leave(source)
    roster.join(source)
  end
  return nil
end

--- A row of a player changed, also of an offline player.
function roster.touch(identifier) tell('changed', identifier) end

--- A player's data changed: money, inventory, job.
function roster.changed(source)
  local identifier = identifierOf[tonumber(source) or 0]
  if identifier then tell('changed', identifier) end
end

AddEventHandler('playerDropped', function()
  -- A loading player is not in the roster yet, but the framework may still save them.
  if not identifierOf[tonumber(source)] then return rememberLeaving(Causeway.identifiersOf(source)) end
  roster.leave(source)
end)
