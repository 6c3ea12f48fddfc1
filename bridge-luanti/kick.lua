-- Kicks, each confirmed when the player has left.
local causeway, players = ...

-- The engine removes a kicked player within its next steps.
local PATIENCE_US = 5000000

local kick = {}
-- By name: the kicks that wait until this player has left.
local waiting = {}

local function finish(name, outcome)
	local kicks = waiting[name]
	waiting[name] = nil
	for _, each in ipairs(kicks or {}) do each.finish(outcome) end
end

--- The handler of the command `kick`.
function kick.run(params, context)
	local name = params.target
	if not players.is_known(name) then
		return causeway.rejected('player_not_found', ('This server has never seen a player %s.'):format(name))
	end
	if not core.get_player_by_name(name) then
		return causeway.rejected('player_offline', ('%s is not online.'):format(name))
	end
	waiting[name] = waiting[name] or {}
	table.insert(waiting[name], { finish = context.finish, by = core.get_us_time() + PATIENCE_US })
	if not core.kick_player(name, params.reason) then
		table.remove(waiting[name])
		return causeway.rejected('player_offline', ('%s is not online.'):format(name))
	end
	return causeway.later
end

--- Confirms the kicks of a player who has left.
function kick.left(name)
	if waiting[name] then finish(name, causeway.done({ kicked = true })) end
end

--- Ends all kicks that wait, before the server stops.
function kick.give_up()
	for name in pairs(waiting) do
		finish(name, causeway.indeterminate('The game server stopped before the player had left.'))
	end
end

--- Gives up kicks after which the player stays. The engine has taken them, so the player may still go.
function kick.step()
	for name, kicks in pairs(waiting) do
		if kicks[1] and kicks[1].by < core.get_us_time() then
			finish(name, causeway.indeterminate('The game took the kick, and the player has not left within 5 seconds.'))
		end
	end
end

return kick
