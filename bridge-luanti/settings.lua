-- The settings of the operator. A variable of the environment comes before the setting of the same meaning.
local function text(variable, setting)
	local value = os.getenv(variable) or core.settings:get(setting) or ''
	value = value:match('^%s*(.-)%s*$')
	return value ~= '' and value or nil
end

local settings = {
	url = text('CAUSEWAY_URL', 'causeway.url'),
	token = text('CAUSEWAY_TOKEN', 'causeway.token'),
	ca_file = text('CAUSEWAY_CA_FILE', 'causeway.ca_file') or '/etc/ssl/certs/ca-certificates.crt',
	currency = core.settings:get_bool('causeway.currency', false),
}

--- The reason why the bridge cannot connect, as a sentence with the remedy; nil if it can.
function settings.fault(is_trusted, no_socket)
	if not is_trusted then
		return 'The mod may not open sockets. Add "causeway" to secure.trusted_mods in minetest.conf, and restart.'
	end
	if no_socket then
		return ('LuaSocket is missing (%s). Install Debian\'s package lua-socket, and restart.'):format(no_socket:match('^[^\n]*'))
	end
	if not settings.url then return 'causeway.url is not set in minetest.conf, such as wss://hub.example.com/bridge.' end
	if not settings.url:match('^wss?://[^/]') then
		return 'causeway.url must begin with ws:// or wss://, such as wss://hub.example.com/bridge.'
	end
	if not settings.token then return 'causeway.token is not set in minetest.conf. The hub shows it once, when a server is added.' end
	return nil
end

return settings
