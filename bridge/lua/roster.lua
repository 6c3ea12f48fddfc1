-- Who is online, by the framework's own identifier of the character. Adapters tell of loads and logouts; that somebody
-- left the server is heard here, because not every framework says so.
local sourceOf, identifierOf = {}, {}
-- Frameworks save who has left, and do not say when that is done: it may be on its way for so long, counted from when a
-- query has come back that was asked after it. One that never comes back is waited for no longer than this.
local LEAVING_MS, QUERY_MS = 5000, 60000
-- By identifiers of characters, and of whom they belong to: who is leaving.
local leaving = {}
-- The number of the time when one of them left last. It is known of so many and of as many before them; of who is in neither
-- it is that of the last who is forgotten, so that a number never comes back.
local KNOWN = 512
local lefts, known, departures = {}, 0, 0
local before, newest, forgotten = {}, 0, 0
local listeners = {}
local roster = {}
Causeway.roster = roster
-- Any resource may send any event, so none is believed who somebody is: the framework is asked.
local function whoIs() return nil end

--- What the adapter knows somebody by: `of(source)` asks the framework for the identifier of the character that he plays.
function roster.ask(of) whoIs = of end

local function tell(kind, identifier)
  for _, heard in ipairs(listeners) do heard(kind, identifier) end
end

function roster.source(identifier) return sourceOf[identifier] end
function roster.identifier(source) return identifierOf[tonumber(source)] end
function roster.online() return Causeway.keysOf(sourceOf) end

--- Whether the framework says that somebody plays this character now.
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
  Causeway.rows('SELECT 1', {}, count)
  SetTimeout(QUERY_MS, count)
end

-- Before this resource was started somebody may have left as well.
local isNew = true
whenSaved(function() isNew = false end)

--- Whether what the framework saves of people who left before this resource was started may be on its way.
function roster.isNew() return isNew end

--- Whether a character, or one of those whom it belongs to, left a moment ago: what the framework saves of him may be on
--- its way.
function roster.isLeaving(identifier, owners)
  for _, owner in ipairs(owners or {}) do
    if leaving[owner] then return true end
  end
  return leaving[identifier] ~= nil
end

local function leftOf(key) return lefts[key] or before[key] or forgotten end

--- When a character, or one of those whom it belongs to, left for the last time: another number after each time. It may be
--- another although nobody has left, now and then.
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

--- Calls `heard(kind, identifier)` for `changed`, and for `left` while the framework still has the player in memory.
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

--- Follows the framework's resource: while it is stopped, nobody plays a character.
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

--- Somebody plays a character now, or another one.
function roster.join(given)
  local source = tonumber(given)
  if not source then return end
  local ok, identifier = Causeway.try(whoIs, source)
  if not ok or type(identifier) ~= 'string' then return end
  -- Frameworks finish loading who has gone meanwhile, and may save him.
  if not DoesPlayerExist(source) then return rememberLeaving({ identifier }) end
  if identifierOf[source] ~= identifier then roster.leave(source) end
  sourceOf[identifier], identifierOf[source] = source, identifier
  tell('changed', identifier)
end

--- The server id of whom something is done to: not of somebody who plays another character meanwhile, untold.
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

--- Something about a player is not what it was: money, inventory, job.
function roster.changed(source)
  local identifier = identifierOf[tonumber(source) or 0]
  if identifier then tell('changed', identifier) end
end

AddEventHandler('playerDropped', function()
  -- Who is being loaded is nobody yet, and may be saved all the same.
  if not identifierOf[tonumber(source)] then return rememberLeaving(Causeway.identifiersOf(source)) end
  roster.leave(source)
end)
