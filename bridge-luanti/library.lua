-- Loads the Lua library of the bridge. Its files run in an environment of their own, which finds LuaSocket and LuaJIT's ffi
-- only while the mod loads. So another mod that reaches this environment gains nothing by it.
local folder, native = ...
local NATIVE = { ['socket'] = true, ['ssl'] = true, ['ffi'] = true, ['bit'] = true }
-- LuaSec wraps sockets and makes none. The library asks for it when it first needs it.
local SAFE = { ['ssl'] = true }

local loaded, is_sealed = {}, false
-- Each file of the library asks for `jit`. Luanti warns when a global is read that is not there.
local environment = setmetatable({ jit = rawget(_G, 'jit') or false }, { __index = _G })

--- Modules of LuaSocket call the global `require`, which mod security has replaced; it is swapped while they load.
local function load_native(name)
	if is_sealed or not native or not NATIVE[name] then error(('the module %s is not available'):format(name), 0) end
	local replaced = rawget(_G, 'require')
	rawset(_G, 'require', native)
	local ok, module = pcall(native, name)
	rawset(_G, 'require', replaced)
	if not ok then error(module, 0) end
	return module
end

local function read(path)
	local file = io.open(path, 'rb')
	if not file then return nil end
	local text = file:read('*a')
	file:close()
	return text
end

local function load_own(name)
	local path = folder .. '/' .. name:gsub('%.', '/')
	for _, file in ipairs({ path .. '.lua', path .. '/init.lua' }) do
		local text = read(file)
		if text then
			local chunk, fault = loadstring(text, '@' .. file)
			if not chunk then error(fault, 0) end
			return setfenv(chunk, environment)(name)
		end
	end
	error(('the file %s.lua is missing; install the whole folder of the mod'):format(path), 0)
end

function environment.require(name)
	local is_own = name:match('^causeway') ~= nil
	if is_sealed and not is_own and not SAFE[name] then error(('the module %s is no longer available'):format(name), 0) end
	if loaded[name] == nil then
		local module
		if is_own then module = load_own(name) else module = load_native(name) end
		loaded[name] = module == nil or module
	end
	return loaded[name]
end

return {
	require = environment.require,
	--- From now on no native module can be asked for.
	seal = function() is_sealed = true end,
}
