-- ESX forgets who has left when it has saved him. Where the database did not take that it keeps him, and saves him as he
-- was for as long as it runs: whatever is paid meanwhile would be undone.
local PRUNE_AFTER_MS = 5000

--- `call(source, method)` calls a method of a player. Answers a function that says of an identifier whether ESX holds
--- somebody under it who is not connected.
function Causeway.createGhosts(ESX, call)
  local roster = Causeway.roster
  local sourcesOf = {}

  local function isHeld(identifier)
    for source in pairs(sourcesOf[identifier] or {}) do
      local ok, found = Causeway.try(call, source, 'getIdentifier')
      if ok and found == identifier and not DoesPlayerExist(source) then return true end
      sourcesOf[identifier][source] = nil
    end
    sourcesOf[identifier] = nil
    return false
  end
  local function add(identifier, source)
    sourcesOf[identifier] = sourcesOf[identifier] or {}
    sourcesOf[identifier][source] = true
    SetTimeout(PRUNE_AFTER_MS, function() isHeld(identifier) end)
  end

  roster.watch(function(kind, identifier)
    if kind == 'left' then add(identifier, roster.source(identifier)) end
  end)
  for source, player in pairs(ESX.Players or {}) do
    if not DoesPlayerExist(source) then add(player.identifier, source) end
  end
  return isHeld
end
