-- Announcements in the chat, to all players or to some.
local causeway = ...

local announce = {}

--- The handler of the command `announce`. Players of `targets` who are not online are skipped.
function announce.run(params)
	local names = params.targets
	if not names then
		names = {}
		for index, player in ipairs(core.get_connected_players()) do names[index] = player:get_player_name() end
	end
	local count = 0
	for _, name in ipairs(names) do
		if core.get_player_by_name(name) then
			core.chat_send_player(name, params.message)
			count = count + 1
		end
	end
	return causeway.done({ confirmedBy = 'server', players = count })
end

return announce
