-- The command `items`: gives and takes items of the list `main` of an online player. The engine saves inventories some
-- seconds later, so a crash can undo what was reported as done: its class is `volatile`.
local causeway, is_known = ...

local LIST = 'main'

local give = {}

--- The name that the game has for an item, or nil.
local function resolved(name)
	local own = core.registered_aliases[name] or name
	return own ~= '' and core.registered_items[own] and own or nil
end

--- Whether a stack has neither wear nor fields of its own.
local function is_plain(stack) return stack:get_wear() == 0 and next(stack:get_meta():to_table().fields) == nil end

--- How many items there are; with `only_plain` only those without wear and fields.
local function count_of(stacks, name, only_plain)
	local sum = 0
	for _, stack in ipairs(stacks) do
		if stack:get_name() == name and (not only_plain or is_plain(stack)) then sum = sum + stack:get_count() end
	end
	return sum
end

--- Puts items into a copy of the list; returns how many found room.
local function put(stacks, name, count)
	local left, most = count, ItemStack(name):get_stack_max()
	for index, stack in ipairs(stacks) do
		if left < 1 then break end
		-- The engine puts any number into an empty place.
		local room = stack:is_empty() and most or stack:get_name() == name and most - stack:get_count() or 0
		if room > 0 then
			local before = stack:get_count()
			stack:add_item(ItemStack({ name = name, count = math.min(left, room) }))
			stacks[index] = stack
			left = left - (stack:get_count() - before)
		end
	end
	return count - left
end

--- Takes items out of a copy of the list: plain stacks first, and the last slots first; returns how many there were.
local function take(stacks, name, count, only_plain)
	local left = count
	for _, plain in ipairs(only_plain and { true } or { true, false }) do
		for index = #stacks, 1, -1 do
			local stack = stacks[index]
			if stack:get_name() == name and is_plain(stack) == plain then
				local taken = math.min(left, stack:get_count())
				stack:take_item(taken)
				stacks[index] = stack
				left = left - taken
			end
		end
	end
	return count - left
end

--- The refusal of a command of which only `possible` items could be moved.
local function refusal(params, name, possible, before)
	if params.action == 'add' then
		return causeway.rejected('inventory_full', ('%d of %s fit.'):format(possible, name), { fits = possible })
	end
	return causeway.rejected('not_enough_items', ('The player has %d of %s.'):format(before, name), { count = before })
end

--- Moves items of a player who is online.
local function move(player, params, name)
	local inventory = player:get_inventory()
	local stacks = inventory:get_list(LIST) or {}
	-- Here the metadata are empty or absent.
	local only_plain = params.metadata ~= nil
	local before = count_of(stacks, name, only_plain)
	local moved = (params.action == 'add' and put or take)(stacks, name, params.count, only_plain)
	if moved == 0 or (moved < params.count and not params.allowPartial) then return refusal(params, name, moved, before) end
	inventory:set_list(LIST, stacks)
	local after = count_of(inventory:get_list(LIST), name, only_plain)
	if after ~= before + (params.action == 'add' and moved or -moved) then
		return causeway.indeterminate(('%s has %d of %s after the command, and had %d before.'):format(
			params.target, after, name, before))
	end
	return causeway.done({
		item = params.item, before = before, after = after, applied = moved < params.count and moved or nil,
	})
end

--- The handler of the command `items`.
function give.run(params)
	local target, name = params.target, resolved(params.item)
	local player = core.get_player_by_name(target)
	if not player then
		if is_known(target) then return causeway.rejected('player_offline', ('%s is not online.'):format(target)) end
		return causeway.rejected('player_not_found', ('This server has never seen a player %s.'):format(target))
	end
	if not name then return causeway.rejected('unknown_item', ('This game has no item %s.'):format(params.item)) end
	if params.metadata and next(params.metadata) ~= nil then
		return causeway.rejected('refused', 'This game server does not choose items by their metadata.')
	end
	return move(player, params, name)
end

return give
