-- A server without a framework: its players are the connected ones. They have no money and can be kicked.
local roster = Causeway.roster

local function createAdapter()
  local adapter = {}

  function adapter.record(identifier, source)
    return {
      identifier = identifier, name = GetPlayerName(source), online = true, gameId = source,
      identifiers = Causeway.identifiersOf(source),
    }
  end

  function adapter.accountNames(done) done({}) end

  function adapter.listen()
    roster.ask(function(source) return GetPlayerIdentifierByType(source, 'license:') end)
    AddEventHandler('playerJoining', function() roster.join(source) end)
  end
  return adapter
end

Causeway.standalone = { name = 'standalone', create = createAdapter }
