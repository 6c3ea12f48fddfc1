-- ESX removes a player from memory after the save that follows their departure. If that save fails, or the player left
-- while loading, ESX keeps the old copy. It saves this copy again and again until it stops: later payments are undone,
-- and lost changes come back.
local PRUNE_AFTER_MS = 5000
local roster = Causeway.roster

--- `call(source, method)` calls a method of a player. `isHeld(identifier)`: whether ESX holds a player who is not
--- connected. `agree(identifier, id, isIn)`: whether all held copies of this identifier have the command's mark, or
--- none has it. `look(source)` finds a held player from before this resource's start, or one who left while loading.
function Causeway.createGhosts(call)
  local ghosts, sourcesOf = {}, {}

  local function each(identifier, visit)
    local sources = sourcesOf[identifier] or {}
    for source in pairs(sources) do
      local ok, found = Causeway.try(call, source, 'getIdentifier')
      if ok and found == identifier and not DoesPlayerExist(source) then visit(source) else sources[source] = nil end
    end
    if not next(sources) then sourcesOf[identifier] = nil end
  end
  local function add(identifier, source)
    sourcesOf[identifier] = sourcesOf[identifier] or {}
    sourcesOf[identifier][source] = true
    SetTimeout(PRUNE_AFTER_MS, function() ghosts.isHeld(identifier) end)
  end

  function ghosts.isHeld(identifier)
    local isHeld = false
    each(identifier, function() isHeld = true end)
    return isHeld
  end

  function ghosts.agree(identifier, id, isIn)
    local doAgree = true
    each(identifier, function(source)
      local ok, metadata = Causeway.try(call, source, 'getMeta')
      if not ok or (Causeway.markIn(metadata, id) ~= nil) ~= isIn then doAgree = false end
    end)
    return doAgree
  end

  function ghosts.look(given)
    local source = tonumber(given)
    if not source or DoesPlayerExist(source) then return end
    local ok, identifier = Causeway.try(call, source, 'getIdentifier')
    if ok and type(identifier) == 'string' then add(identifier, source) end
  end

  roster.watch(function(kind, identifier)
    if kind == 'left' then add(identifier, roster.source(identifier)) end
  end)
  return ghosts
end
