-- Tells the tests what happens inside the game, and runs the Lua that they send.
local WISHES = core.get_worldpath() .. '/wishes.lua'
local nth, steps, works = 0, nil, nil

local function say(kind, ...)
	core.log('action', ('WITNESS %s %s'):format(kind, core.write_json({ ... })))
end

--- As text: JSON would hold a large number as 5e10 and lose its end.
local function now()
	return ('%.0f'):format(core.get_us_time())
end

core.register_on_joinplayer(function(player)
	say('join', player:get_player_name(), now())
end)
core.register_on_leaveplayer(function(player)
	say('leave', player:get_player_name(), now())
end)

local function obey(text)
	nth = nth + 1
	local ok, answer = pcall(function() return assert(loadstring(text))() end)
	say('answer', nth, ok, answer)
end

-- The tests append Lua to the file, each piece ended by a line of its own.
local at = 0
core.register_globalstep(function(seconds)
	if steps then steps[#steps + 1] = seconds end
	local file = io.open(WISHES, 'rb')
	if not file then return end
	file:seek('set', at)
	local text = file:read('*a')
	file:close()
	for piece, last in text:gmatch('(.-)\n%-%-%-\n()') do
		at = at + #piece + 5
		obey(piece, last)
	end
end)

--- Measures the part of the bridge in each step.
local function measured(callback)
	return function(...)
		local from = core.get_us_time()
		callback(...)
		if works then works[#works + 1] = (core.get_us_time() - from) / 1e6 end
	end
end
core.register_on_mods_loaded(function()
	for index, callback in ipairs(core.registered_globalsteps) do
		local origin = core.callback_origins[callback]
		if origin and origin.mod == 'causeway' then
			local instead = measured(callback)
			core.callback_origins[instead] = origin
			core.registered_globalsteps[index] = instead
		end
	end
end)

witness = {
	--- Counts the lengths of steps from now on.
	watch = function() steps, works = {}, {} end,
	--- How many steps were counted so far.
	count = function() return #steps end,
	--- In seconds, shortest first: the lengths of the counted steps, and the part of the bridge in each.
	watched = function()
		local counted, worked = steps or {}, works or {}
		steps, works = nil, nil
		table.sort(counted)
		table.sort(worked)
		return { steps = counted, works = worked }
	end,
}
if core.global_exists('causeway') then
	causeway.register_command({
		name = 'give_badge',
		description = 'Puts an apple into the inventory of a player',
		params = {
			type = 'object',
			properties = { target = { type = 'string' }, count = { type = 'integer', minimum = 1, maximum = 10 } },
			required = { 'target', 'count' },
			additionalProperties = false,
		},
		run = function(params)
			local player = core.get_player_by_name(params.target)
			if not player then return causeway.rejected('player_offline', params.target .. ' is not online.') end
			player:get_inventory():add_item('main', ItemStack({ name = 'default:apple', count = params.count }))
			return causeway.done({ given = params.count })
		end,
	})
	-- It takes some steps, so a crash can come between its start and its outcome.
	causeway.register_command({
		name = 'ring_bell',
		description = 'Rings a bell for a quarter of a second',
		params = {
			type = 'object',
			properties = { tune = { type = 'string', minLength = 2, maxLength = 23 } },
			required = { 'tune' },
			additionalProperties = false,
		},
		run = function(params, context)
			core.after(0.25, function() context.finish(causeway.done({ rang = params.tune })) end)
			return causeway.later
		end,
	})
end
say('start', now())
