-- A server without a framework: its players are who is connected, they have no money, and can be kicked.
local roster = Causeway.roster

local function createAdapter()
  local adapter = {}

  local function join(source)
    local identifier = GetPlayerIdentifierByType(source, 'license:')
    if identifier then roster.join(source, identifier) end
  end

  function adapter.record(identifier, source)
    return {
      identifier = identifier, name = GetPlayerName(source), online = true,
      identifiers = Causeway.identifiersOf(source), metadata = { serverId = source },
    }
  end

  function adapter.accountNames(done) done({}) end

  function adapter.listen()
    for _, source in ipairs(GetPlayers()) do join(source) end
    AddEventHandler('playerJoining', function() join(source) end)
  end
  return adapter
end

Causeway.standalone = { name = 'standalone', create = createAdapter }
