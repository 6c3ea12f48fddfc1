-- Actions without a lasting effect. Each is sent at most once. The bridge reads the state back: it answers when the state
-- is as asked, and leaves the action in doubt when that does not happen within a few seconds.
local roster = Causeway.roster
local LOOK_EVERY_MS, LOOKS = 100, 60
-- A player who has arrived is this close. They may fall, or stand higher than the point.
local NEAR, BELOW = 3, 30

local function refused(message) return Causeway.rejected('refused', message) end

--- Looks until `isSo()` returns something, which is the rest of the result. `done(outcome)`.
local function confirm(witness, isSo, done, doubt)
  local looks = 0
  local function look()
    looks = looks + 1
    local ok, result = Causeway.try(isSo)
    if ok and result then
      result.confirmedBy = witness
      return done({ status = 'done', data = result })
    end
    if looks >= LOOKS then return done(Causeway.indeterminate(doubt)) end
    Causeway.after(LOOK_EVERY_MS, look)
  end
  Causeway.after(LOOK_EVERY_MS, look)
end

local function hasChat() return Causeway.isStarted('chat') end
local NO_CHAT = 'The resource chat is not started, so players would see nothing.'

local actions = {}

function actions.announce(order, done)
  if not hasChat() then return done(refused(NO_CHAT)) end
  local function show(source) TriggerClientEvent('chat:addMessage', source, { args = { order.message } }) end
  local players = 0
  for _, target in ipairs(order.targets or {}) do
    local source = roster.certain(target)
    if source then
      show(source)
      players = players + 1
    end
  end
  if not order.targets then
    show(-1)
    players = GetNumPlayerIndices()
  end
  done({ status = 'done', data = { confirmedBy = 'server', players = players } })
end

function actions.message(order, done, offline)
  local source = roster.certain(order.target)
  if not source then return offline(order.target, done) end
  if not hasChat() then return done(refused(NO_CHAT)) end
  TriggerClientEvent('chat:addMessage', source, { args = { order.message } })
  done({ status = 'done', data = { confirmedBy = 'server' } })
end

--- The body of a player in the game; nil without OneSync, and while it is not there yet.
local function bodyOf(source)
  local ped = source and GetPlayerPed(source)
  return ped and ped ~= 0 and ped or nil
end

--- Calls `act(source, ped)` with the body of an online player.
local function withBody(act)
  return function(order, done, offline)
    local source = roster.certain(order.target)
    if not source then return offline(order.target, done) end
    local ok, ped = Causeway.try(bodyOf, source)
    if not ok or not ped then return done(refused('The game server does not know the body of this player (OneSync).')) end
    act(order, source, ped, done, offline)
  end
end

local function isTrue(value) return value == true or value == 1 end

actions.freeze = withBody(function(order, source, ped, done)
  FreezeEntityPosition(ped, order.frozen)
  confirm('server', function()
    return isTrue(IsEntityPositionFrozen(bodyOf(source))) == order.frozen and { frozen = order.frozen } or nil
  end, done, 'The player was told, and the game server does not see the effect.')
end)

local function positionOf(ped)
  local at = GetEntityCoords(ped)
  return { x = at.x, y = at.y, z = at.z }
end

local function isThere(at, to)
  local dx, dy = at.x - to.x, at.y - to.y
  return dx * dx + dy * dy <= NEAR * NEAR and math.abs(at.z - to.z) <= BELOW
end

actions.teleport = withBody(function(order, source, ped, done, offline)
  local to = order.to
  if to.player then
    local other = bodyOf(roster.certain(to.player))
    if not other then return offline(to.player, done) end
    to = positionOf(other)
  end
  SetEntityCoords(ped, to.x + 0.0, to.y + 0.0, to.z + 0.0, false, false, false, false)
  confirm('server', function()
    local at = positionOf(bodyOf(source))
    return isThere(at, to) and { position = at } or nil
  end, done, 'The player was told, and has not arrived.')
end)

--- Makes an action of a care: `resource` has to run; `isDead(source)`: what the framework knows; `send(source)` tells
--- the player's game. A revived player is alive afterwards, according to their game; a healed one has full health.
local function careOf(name, care)
  local function act(order, source, done)
    local isDead = care.isDead(source)
    if name == 'revive' and not isDead then return done(refused('The player is not dead.')) end
    if name == 'heal' and isDead then return done(refused('The player is dead: revive them.')) end
    care.send(source)
    local doubt = 'The player was told, and the game server does not see the effect.'
    if name == 'revive' then
      return confirm('client', function() return not care.isDead(source) and {} or nil end, done, doubt)
    end
    confirm('server', function()
      local ped = bodyOf(source)
      return GetEntityHealth(ped) >= GetEntityMaxHealth(ped) and {} or nil
    end, done, doubt)
  end
  return function(order, done, offline)
    local source = roster.certain(order.target)
    if not source then return offline(order.target, done) end
    if not Causeway.isStarted(care.resource) then
      return done(refused(('The resource %s is not started.'):format(care.resource)))
    end
    act(order, source, done)
  end
end

--- RedM clients do not carry out the natives of a server, and its server knows no health and no frozen players.
local function isRedM() return GetConvar('gamename', 'gta5') == 'rdr3' end

--- Adds the actions to the orders of an adapter. Its `care`, by `revive` and `heal`, is as above.
function Causeway.addActions(adapter)
  adapter.orders = adapter.orders or {}
  local function offline(identifier, done)
    Causeway.recordsOf(adapter, { identifier }, math.huge, function(answer, problem)
      if not answer then return done(Causeway.failed(problem)) end
      done(answer.players[1] and Causeway.offline(identifier) or Causeway.unknown(identifier))
    end)
  end
  local function add(name, run)
    adapter.orders[name] = {
      run = function(order, done)
        Causeway.written()
        run(order, done, offline)
      end,
    }
  end
  add('announce', actions.announce)
  add('message', actions.message)
  if not isRedM() then
    add('freeze', actions.freeze)
    add('teleport', actions.teleport)
  end
  for name, care in pairs(adapter.care or {}) do add(name, careOf(name, care)) end
end
