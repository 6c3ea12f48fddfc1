-- The players that the mod has seen: those online as the game has them, the others as they were when they left.
local items, storage, accounts = ...

local KEY = 'player:'
-- Every online player is looked at about once a second, a few in each step.
local LOOKS_PER_SECOND = 1
local PRIVILEGES = 100

local players = {}
-- The names of all players that the mod has ever seen.
local seen = {}
-- By name of the online players: the mark of what was last reported.
local online = {}
local turn, due = nil, 0
local report = function() end

for key in pairs(storage:to_table().fields) do
	local name = key:match('^' .. KEY .. '(.+)$')
	if name then seen[name] = true end
end
-- The engine saves the storage later: after a crash, only the bank may know a player.
for _, name in ipairs(accounts.holders()) do seen[name] = true end

local function privileges_of(name)
	local granted = {}
	for privilege in pairs(core.get_player_privs(name)) do granted[#granted + 1] = privilege:sub(1, 64) end
	table.sort(granted)
	for index = PRIVILEGES + 1, #granted do granted[index] = nil end
	return granted[1] and granted or nil
end

--- No position: it changes in every step, and callers need not know where a player stands.
local function metadata_of(player)
	local name = player:get_player_name()
	local information = core.get_player_information(name) or {}
	local language = information.lang_code
	return {
		hp = player:get_hp(),
		breath = player:get_breath(),
		language = language ~= '' and language or nil,
		privileges = privileges_of(name),
	}
end

local function record_of(player)
	local name = player:get_player_name()
	local slots, left_out = items.slots_of(player)
	local metadata = metadata_of(player)
	if left_out > 0 then metadata.slotsLeftOut = left_out end
	return {
		identifier = name,
		name = name,
		online = true,
		accounts = accounts.of(name, player),
		inventory = slots,
		metadata = metadata,
	}
end

local function mark_of(player)
	local metadata = metadata_of(player)
	return ('%s\n%d %d %s %s'):format(items.mark_of(player), metadata.hp, metadata.breath,
		metadata.language or '', table.concat(metadata.privileges or {}, ' '))
end

local function keep(player)
	local record = record_of(player)
	local kept = { inventory = record.inventory, metadata = record.metadata, accounts = record.accounts }
	storage:set_string(KEY .. record.name, core.serialize(kept))
	seen[record.name] = true
end

local function kept_of(name)
	local kept = core.deserialize(storage:get_string(KEY .. name), true)
	return type(kept) == 'table' and kept or {}
end

--- Whether the mod has seen this player.
function players.is_known(name)
	return seen[name] == true
end

-- A crash may come before the engine saves a new player: of one that only the bank knows, the engine cannot tell.
local function is_deleted(name)
	return core.player_exists and not online[name] and storage:contains(KEY .. name) and not core.player_exists(name)
end

--- The record of a player as it is now, or nil if the mod does not know the name or the game has deleted the player.
function players.read(name)
	local player = core.get_player_by_name(name)
	if player and online[name] then return record_of(player) end
	if not players.is_known(name) or is_deleted(name) then return nil end
	local kept = kept_of(name)
	local balances = kept.accounts or {}
	for account, balance in pairs(accounts.of(name)) do balances[account] = balance end
	return {
		identifier = name,
		name = name,
		online = false,
		accounts = balances,
		inventory = kept.inventory,
		metadata = kept.metadata,
	}
end

--- Whether the engine has deleted each player that the mod does not report. Older engines do not tell.
function players.complete()
	return core.player_exists ~= nil
end

--- Every player that the mod knows and the game still has, one after the other.
function players.snapshot()
	local names, nth = {}, 0
	for name in pairs(seen) do names[#names + 1] = name end
	return function()
		repeat nth = nth + 1 until not (names[nth] and is_deleted(names[nth]))
		return names[nth] and players.read(names[nth])
	end
end

--- How many players are online, and how many the mod knows.
function players.counts()
	local absent, present = 0, 0
	for _ in pairs(seen) do absent = absent + 1 end
	for _ in pairs(online) do present = present + 1 end
	return present, absent
end

local function joined(player)
	local name = player:get_player_name()
	online[name] = mark_of(player)
	keep(player)
	report(record_of(player))
end

local function left(player)
	local name = player:get_player_name()
	keep(player)
	online[name] = nil
	report(players.read(name))
end

local function look_at(name)
	local player = core.get_player_by_name(name)
	if not player then return end
	local mark = mark_of(player)
	if mark == online[name] then return end
	online[name] = mark
	report(record_of(player))
end

--- Looks for changes in some of the online players: other mods change inventories without an event.
function players.step(seconds)
	local count = #core.get_connected_players()
	due = math.min(due + seconds * LOOKS_PER_SECOND * count, count)
	while due >= 1 do
		due = due - 1
		if turn and online[turn] == nil then turn = nil end
		turn = next(online, turn) or next(online)
		if turn then look_at(turn) end
	end
end

--- Keeps the record of every player who is online, because the engine calls no leave callback at a shutdown.
function players.keep_all()
	for _, player in ipairs(core.get_connected_players()) do
		if online[player:get_player_name()] then keep(player) end
	end
end

--- Begins to follow the game; `listener(record)` is told of every change. `later(name)` hears of who has left.
function players.follow(listener, later)
	report = listener
	core.register_on_joinplayer(joined)
	core.register_on_leaveplayer(function(player)
		left(player)
		later(player:get_player_name())
	end)
end

return players
