-- Who is online, by the framework's own identifier of the character. Adapters tell of loads and logouts; that somebody
-- left the server is heard here, because not every framework says so.
local sourceOf, identifierOf = {}, {}
-- Frameworks save who has left, and do not say when that is done.
local LEAVING_MS = 5000
local leaving = {}
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

--- Whether somebody left a moment ago: what the framework saves of him may be on its way. Another value each time that
--- he leaves, nil otherwise.
function roster.leaving(identifier) return leaving[identifier] end

local function rememberLeaving(identifier)
  local mine = {}
  leaving[identifier] = mine
  SetTimeout(LEAVING_MS, function()
    if leaving[identifier] == mine then leaving[identifier] = nil end
  end)
end

--- Calls `heard(kind, identifier)` for `changed`, and for `left` while the framework still has the player in memory.
function roster.watch(heard) listeners[#listeners + 1] = heard end

function roster.leave(source)
  local identifier = identifierOf[tonumber(source)]
  if not identifier then return end
  tell('left', identifier)
  rememberLeaving(identifier)
  identifierOf[tonumber(source)] = nil
  if sourceOf[identifier] == tonumber(source) then sourceOf[identifier] = nil end
end

--- Somebody plays a character now, or another one.
function roster.join(given)
  local source = tonumber(given)
  if not source then return end
  local ok, identifier = Causeway.try(whoIs, source)
  if not ok or type(identifier) ~= 'string' then return end
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

AddEventHandler('playerDropped', function() roster.leave(source) end)
