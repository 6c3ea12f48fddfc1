-- The account `minegeld`: the notes of the mod "currency" in the list `main` of a player. Coins are not counted.
-- The notes are items, which the engine saves later, so a crash can undo what was reported as done.
local causeway = ...

-- Each value divides the one before it, so the largest notes first always give the exact amount.
local NOTES = {
	{ name = 'currency:minegeld_100', value = 100 },
	{ name = 'currency:minegeld_50', value = 50 },
	{ name = 'currency:minegeld_10', value = 10 },
	{ name = 'currency:minegeld_5', value = 5 },
	{ name = 'currency:minegeld', value = 1 },
}
local LIST = 'main'

local currency = { account = 'minegeld' }

local VALUES = {}
for _, note in ipairs(NOTES) do VALUES[note.name] = note.value end

local function worth_of(stacks)
	local sum = 0
	for _, stack in ipairs(stacks) do sum = sum + (VALUES[stack:get_name()] or 0) * stack:get_count() end
	return sum
end

--- The notes of an online player, as a sum.
function currency.balance(player)
	return worth_of(player:get_inventory():get_list(LIST) or {})
end

--- Puts notes into a copy of the list; returns the amount that found no room.
local function put(stacks, amount)
	for _, note in ipairs(NOTES) do
		local count = math.floor(amount / note.value)
		for index, stack in ipairs(stacks) do
			if count < 1 then break end
			if stack:is_empty() or stack:get_name() == note.name then
				local before = stack:get_count()
				stack:add_item(ItemStack({ name = note.name, count = math.min(count, 65535) }))
				stacks[index] = stack
				local added = stack:get_count() - before
				count, amount = count - added, amount - added * note.value
			end
		end
	end
	return amount
end

local function smallest_above(stacks, amount)
	local found
	for index, stack in ipairs(stacks) do
		local value = VALUES[stack:get_name()] or 0
		if value > amount and (not found or value < VALUES[stacks[found]:get_name()]) then found = index end
	end
	return found
end

--- Takes notes out of a copy of the list, which holds enough; returns the change that is due.
local function take(stacks, amount)
	for _, note in ipairs(NOTES) do
		for _, stack in ipairs(stacks) do
			if stack:get_name() == note.name then
				local count = math.min(stack:get_count(), math.floor(amount / note.value))
				stack:take_item(count)
				amount = amount - count * note.value
			end
		end
	end
	if amount == 0 then return 0 end
	local index = smallest_above(stacks, amount)
	local value = VALUES[stacks[index]:get_name()]
	stacks[index]:take_item(1)
	return value - amount
end

local function refused(message)
	return causeway.rejected('refused', message)
end

--- The handler of the command `money` for this account; `is_known(name)` says whether the mod has seen a player.
function currency.handler(is_known)
	return function(params)
		local name = params.target
		local player = core.get_player_by_name(name)
		if not player then
			if is_known(name) then return causeway.rejected('player_offline', ('%s is not online.'):format(name)) end
			return causeway.rejected('player_not_found', ('This server has never seen a player %s.'):format(name))
		end
		local inventory = player:get_inventory()
		local stacks = inventory:get_list(LIST) or {}
		local before = worth_of(stacks)
		local delta = params.action == 'add' and params.amount or -params.amount
		if before + delta < 0 then
			return causeway.rejected('insufficient_funds', ('%s holds %d in notes.'):format(name, before), { balance = before })
		end
		local rest = delta < 0 and take(stacks, -delta) or delta
		if put(stacks, rest) > 0 then return refused(('The inventory of %s has no room for the notes.'):format(name)) end
		inventory:set_list(LIST, stacks)
		local after = currency.balance(player)
		if after ~= before + delta then
			return causeway.indeterminate(('The notes of %s are worth %d instead of %d.'):format(name, after, before + delta))
		end
		return causeway.done({ account = currency.account, before = before, after = after })
	end
end

return currency
