-- The chat command `/causeway`: whether the bridge is connected, and what it does.
local admin = {}

local function seconds_since(at)
	return math.floor((core.get_us_time() - at) / 1e6)
end

local function lines_of(view)
	local present, known = view.players.counts()
	local names = table.concat(view.commands(), ', ')
	local lines = {
		('Causeway: %s, for %d s'):format(view.state, seconds_since(view.since)),
		('Hub: %s'):format(view.url or 'not set'),
		('Players: %d online, %d known'):format(present, known),
		('Commands done: %d kicks, %d payments, %d gifts; refused or failed: %d'):format(
			view.done.kick, view.done.money, view.done.items, view.done.other),
		('Custom commands: %s'):format(names ~= '' and names or 'none'),
		('Journal: class %s, accounts %s'):format(view.class, table.concat(view.accounts, ', ')),
		('Work in a step: %.2f ms last, %.2f ms at most'):format(view.work.last / 1000, view.work.most / 1000),
	}
	if view.detail then lines[#lines + 1] = ('Last message: %s'):format(view.detail) end
	if view.fault then lines[#lines + 1] = view.fault end
	if view.is_draining then lines[#lines + 1] = 'New commands are refused, because a restart is near.' end
	return lines
end

--- Adds the command. `look()` gives what is to be shown, `drain(is_on)` refuses new commands or takes that back.
function admin.register(look, drain)
	core.register_chatcommand('causeway', {
		params = '[drain on | drain off]',
		description = 'Shows the bridge to the hub. "drain on" refuses new commands before a restart.',
		privs = { server = true },
		func = function(_, param)
			local wish = param:match('^%s*(.-)%s*$')
			if wish == 'drain on' or wish == 'drain off' then
				if not drain(wish == 'drain on') then return false, 'The bridge is not running.' end
			elseif wish ~= '' then
				return false, 'Write /causeway, /causeway drain on, or /causeway drain off.'
			end
			return true, table.concat(lines_of(look()), '\n')
		end,
	})
end

return admin
