-- Custom commands that other mods add with `causeway.register_command`.
local library, bridge_of = ...

local commands = {}
-- By name: the definition that is registered now.
local registered = {}
-- By id: `finish` of the commands whose handler answered `causeway.later`.
local waiting = {}

--- Outcomes for handlers of other mods. They are wrapped, so that no function of the library leaves this mod.
local outcomes = {
	done = function(data) return library.done(data) end,
	rejected = function(code, message, details) return library.rejected(code, message, details) end,
	failed = function(code, message) return library.failed(code, message) end,
	indeterminate = function(message) return library.indeterminate(message) end,
}

local function run_of(definition)
	return function(params, context)
		-- An error of the mod must not say that nothing happened: the library makes it indeterminate.
		local is_over = false
		local outcome = definition.run(params, {
			id = context.id,
			name = context.name,
			target = context.target,
			finish = function(late)
				is_over, waiting[context.id] = true, nil
				return context.finish(late)
			end,
		})
		if outcome == library.later and not is_over then waiting[context.id] = context.finish end
		return outcome == nil and library.done({}) or outcome
	end
end

local function check(definition)
	if type(definition) ~= 'table' then error('causeway.register_command needs a table', 3) end
	if type(definition.name) ~= 'string' or not definition.name:match('^[a-z][a-z0-9_-]*$') or #definition.name > 48 then
		error('causeway.register_command: "name" must begin with a-z and have at most 48 of a-z 0-9 _ -', 3)
	end
	if type(definition.run) ~= 'function' then error('causeway.register_command: "run" must be a function', 3) end
end

local function announce(definition)
	local bridge = bridge_of()
	if not bridge then return end
	bridge:unregister(definition.name)
	bridge:register({
		name = definition.name,
		title = definition.title,
		description = definition.description,
		params = definition.params or { type = 'object' },
		roles = definition.roles,
		run = run_of(definition),
	})
end

--- Adds a command, or replaces the one of the same name. @error if a field does not fit
local function register(definition)
	check(definition)
	registered[definition.name] = definition
	announce(definition)
end

local function unregister(name)
	if not registered[name] then return end
	registered[name] = nil
	local bridge = bridge_of()
	if bridge then bridge:unregister(name) end
end

--- Ends all commands that wait, before the server stops.
function commands.give_up()
	for id, finish in pairs(waiting) do
		waiting[id] = nil
		finish(library.indeterminate('The game server stopped while this command was running.'))
	end
end

--- The names of all custom commands, in order.
function commands.names()
	local names = {}
	for name in pairs(registered) do names[#names + 1] = name end
	table.sort(names)
	return names
end

--- The functions that other mods may use.
function commands.api(bank)
	return {
		balance = function(name) return bank.balance(name) end,
		register_command = register,
		unregister_command = unregister,
		later = library.later,
		done = outcomes.done,
		rejected = outcomes.rejected,
		failed = outcomes.failed,
		indeterminate = outcomes.indeterminate,
	}
end

return commands
