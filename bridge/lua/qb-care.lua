-- The dead and hurt players of QBCore, Qbox and RSG. Their resources also heal the players that they revive.

--- `core` as for the adapter.
function Causeway.qbCare(core)
  local care = core.care
  if not care then return nil end
  local revive = { resource = care.resource, send = care.send }
  function revive.isDead(source)
    local metadata = (core.data(source) or {}).metadata or {}
    return metadata.isdead == true or metadata.inlaststand == true
  end
  return { revive = revive, heal = care.mayHeal and revive or nil }
end
