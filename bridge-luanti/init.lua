-- The bridge of Causeway inside Luanti. This file connects its parts; docs/guides/luanti.md explains how to use it.
local insecure = core.request_insecure_environment()
local FOLDER = core.get_modpath(core.get_current_modname())
local DATA = core.get_worldpath() .. '/causeway'
local STEP_MS = 2
-- A step of the server is 90 ms long. Under load the bridge takes at most this, and one fsync, of it.
local BUSY_US = 12000
-- The library says goodbye within 6 seconds, or gives it up.
local GOODBYE_US = 7000000

-- LuaJIT must not compile the mod. causeway/init.lua says why.
local jit = rawget(_G, 'jit')
if jit then jit.off(true, true) end

local function part(name, ...)
	local chunk = assert(loadfile(('%s/%s.lua'):format(FOLDER, name)))
	if jit then jit.off(chunk, true) end
	return chunk(...)
end

local library = part('library', FOLDER, insecure and insecure.require)
local causeway = library.require('causeway')
local settings = part('settings')
local host, no_socket = part('network', library, settings.ca_file)
library.seal()

-- The figures that `/causeway` shows.
local view = { state = 'idle', since = core.get_us_time(), url = settings.url, is_draining = false,
	done = { kick = 0, money = 0, items = 0, other = 0 }, work = { last = 0, most = 0 } }
local tick_ms = 0
local bridge

local LEVELS = { debug = 'verbose', info = 'info', warn = 'warning', error = 'error' }
local function log(level, message)
	core.log(LEVELS[level] or 'action', '[causeway] ' .. message)
	if level == 'warn' or level == 'error' then view.detail = message end
end

--- An error of the bridge must not end the game server, which happens when a callback raises one.
local function safely(work, ...)
	local ok, result = pcall(work, ...)
	if ok then return result end
	log('error', tostring(result))
end

local currency = settings.currency and core.get_modpath('currency') and part('currency', causeway) or nil

--- The journal, in a folder that survives a power cut.
local function open_journal()
	core.mkdir(DATA)
	if host.fsync_folder then assert(host.fsync_folder(core.get_worldpath())) end
	return causeway.journal({
		path = DATA .. '/journal.jsonl',
		class = currency and 'volatile' or 'atomic',
		ledger = true,
		host = host,
		log = log,
	})
end

-- Opening may repair the file. Without trust, nothing keeps another process out, and nothing syncs the repair.
local journal = insecure and not no_socket and safely(open_journal) or nil
view.fault = settings.fault(insecure ~= nil, no_socket) or (not journal and view.detail) or nil
local bank = part('bank', causeway, journal, currency)
local items = part('items')
local players = part('players', items, core.get_mod_storage(), bank)
local kick = part('kick', causeway, players)
local give = part('give', causeway, players.is_known)
local announce = part('announce', causeway)

--- Counts outcomes for `/causeway`.
local function counted(name, handler)
	local function count(outcome)
		local key = outcome.status == 'done' and view.done[name] and name or 'other'
		view.done[key] = view.done[key] + 1
		return outcome
	end
	return function(params, context)
		local outcome = handler(params, {
			id = context.id, name = context.name, target = context.target,
			finish = function(late) context.finish(count(late)) end,
		})
		return outcome == causeway.later and outcome or count(outcome)
	end
end

local function status()
	local max = tonumber(core.settings:get('max_users')) or 15
	return { players = { online = #core.get_connected_players(), max = max }, tickMs = tick_ms }
end

local function on_state(state, detail)
	view.state, view.since, view.detail = state, core.get_us_time(), detail
	core.log('action', ('[causeway] %s%s'):format(state, detail and ': ' .. tostring(detail) or ''))
end

local function create_bridge()
	return causeway.bridge({
		url = settings.url,
		token = settings.token,
		host = host,
		journal = journal,
		software = { name = 'bridge-luanti', version = '1.0.0', game = 'luanti' },
		accounts = bank.names(),
		-- The operator has chosen the notes, and the hub still asks whether the project allows it.
		allow_volatile_money = currency ~= nil,
		commands = {
			kick = counted('kick', kick.run),
			money = counted('money', bank.handler(players.is_known)),
			items = counted('items', give.run),
			announce = counted('announce', announce.run),
		},
		versions = { announce = 2 },
		classes = { items = 'volatile' },
		players = { snapshot = players.snapshot, read = players.read, complete = players.complete },
		catalogues = { items = items.catalogue },
		status = status,
		on_state = on_state,
		log = log,
	})
end

if not view.fault then
	bridge = safely(create_bridge)
	if not bridge then view.fault = view.detail end
end

local commands = part('commands', causeway, function() return bridge end)
view.players, view.commands, view.accounts = players, commands.names, bank.names()
view.class = journal and journal.class or 'volatile'
part('admin').register(function() return view end, function(is_on)
	if not bridge then return false end
	view.is_draining = is_on
	bridge:draining(is_on)
	return true
end)
-- luacheck: globals causeway (other mods use it)
_G.causeway = commands.api(bank)

local function report(record)
	if bridge then bridge:changed({ players = { record } }) end
end

--- A payment waits for the disk twice, and the player's next one for both. So the bridge goes on while the journal has
--- something to write and writes it, as long as there is time.
local function work(from)
	local idle = 0
	repeat
		local syncs = journal.syncs()
		bridge:step(STEP_MS)
		idle = journal.syncs() == syncs and idle + 1 or 0
	until journal.is_idle() or idle == 2 or core.get_us_time() - from > BUSY_US
end

local function step(seconds)
	local from = core.get_us_time()
	tick_ms = seconds * 1000
	players.step(seconds)
	kick.step()
	if bridge then work(from) end
	view.work.last = core.get_us_time() - from
	view.work.most = math.max(view.work.most, view.work.last)
end

local function goodbye()
	players.keep_all()
	if bridge then
		-- No step of the game follows, so none of these can end by itself.
		kick.give_up()
		commands.give_up()
		-- A bridge that the hub has sent away is stopped already, and may still have outcomes to write.
		local is_over = false
		bridge:stop('The game server stops.', function() is_over = true end)
		local by = core.get_us_time() + GOODBYE_US
		while not is_over and core.get_us_time() < by do bridge:step(STEP_MS) end
	end
	if journal then journal.close() end
end

core.register_globalstep(function(seconds) safely(step, seconds) end)
-- Registered last, so that what other mods do with a player who joins or leaves is in the record.
core.register_on_mods_loaded(function()
	players.follow(report, kick.left)
	core.register_on_shutdown(function() safely(goodbye) end)
	if view.fault then core.log('error', '[causeway] ' .. view.fault) end
	if bridge then safely(bridge.start, bridge) end
end)
