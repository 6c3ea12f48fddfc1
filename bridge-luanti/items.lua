-- Inventories as lists of slots that fit the protocol. Names, labels and metadata of items come from other mods and
-- from players, so each has a bound.
local LABEL_BYTES = 128
local KEY_BYTES = 64
local VALUE_BYTES = 512
local KEYS = 16
local SLOTS = 1024
-- A record must fit into a frame of 256 KiB, or it is not sent at all. Past the first size, slots keep their name and
-- count only; past the second one, slots are left out. The rest is for everything that is not inventory.
local DETAILED_BYTES = 64 * 1024
local LISTED_BYTES = 210 * 1024
-- In JSON: what each slot has besides its texts, and what one with metadata has on top.
local SLOT_BYTES = 112
local METADATA_BYTES = 32
-- The lists of a player that are reported, and the number before their first slot.
local LISTS = { { name = 'main', from = 0 }, { name = 'craft', from = 2000 } }
local ARMOR_FROM = 4000

local items = {}

--- At most so many bytes of a text, without half a character at the end.
local function cut(text, bytes)
	if #text <= bytes then return text end
	local last = bytes
	while last > 0 and text:byte(last + 1) >= 0x80 and text:byte(last + 1) < 0xC0 do last = last - 1 end
	return text:sub(1, last)
end

--- A text for people: one line in English, without the escapes of the engine for colours and translations.
local function plain(text)
	local line = core.get_translated_string('en', text):match('^[^\n]*')
	line = line:gsub('\27%b()', ''):gsub('\27.', ''):gsub('%c', '')
	return cut(line, LABEL_BYTES)
end

--- How many bytes a text may take in JSON, where some characters become six.
local function size_of(text)
	local _, odd = text:gsub('[%c"\\\128-\255]', '')
	return #text + 5 * odd
end

local function metadata_of(stack, list, index)
	local metadata = { list = list, index = index }
	local size = 0
	if stack:get_wear() > 0 then metadata.wear = stack:get_wear() end
	local fields, count = {}, 0
	for key, value in pairs(stack:get_meta():to_table().fields) do
		count = count + 1
		if #key <= KEY_BYTES and #value <= VALUE_BYTES and count <= KEYS then
			fields[key] = value
			size = size + size_of(key) + size_of(value) + 6
		else
			metadata.omitted = true
		end
	end
	if next(fields) then metadata.fields = fields end
	return metadata, size
end

local function slot_of(stack, list, index)
	local metadata, size = metadata_of(stack, list, index)
	local slot = { name = cut(stack:get_name(), LABEL_BYTES), metadata = metadata }
	slot.label = plain(stack:get_short_description())
	if slot.label == '' then slot.label = slot.name end
	return slot, size + size_of(slot.name) + size_of(slot.label) + SLOT_BYTES + METADATA_BYTES
end

local function short_of(stack, list, index)
	local name = cut(stack:get_name(), LABEL_BYTES)
	local slot = { name = name, label = name, metadata = { list = list, index = index, omitted = true } }
	return slot, 2 * size_of(name) + SLOT_BYTES
end

--- `found`: `slots`, the `bytes` they take, and how many slots were `left_out`.
local function add_stack(found, stack, list, index, from)
	local slot, size
	if found.bytes < DETAILED_BYTES then slot, size = slot_of(stack, list, index) end
	if not slot or found.bytes + size > DETAILED_BYTES then slot, size = short_of(stack, list, index) end
	if #found.slots == SLOTS or found.bytes + size > LISTED_BYTES then
		found.left_out = found.left_out + 1
		return
	end
	found.bytes = found.bytes + size
	slot.slot, slot.count = from + index, stack:get_count()
	found.slots[#found.slots + 1] = slot
end

local function add_list(found, stacks, list, from)
	for index, stack in ipairs(stacks or {}) do
		if not stack:is_empty() then add_stack(found, stack, list, index, from) end
	end
end

--- The inventory that 3d_armor keeps for an online player, or nil.
local function armor_of(name)
	if not core.get_modpath('3d_armor') then return nil end
	return core.get_inventory({ type = 'detached', name = name .. '_armor' })
end

--- The slots of an online player: `main`, `craft`, and the armour of the mod 3d_armor. The second result says how many
--- slots found no room in the record.
function items.slots_of(player)
	local inventory, found = player:get_inventory(), { slots = {}, bytes = 0, left_out = 0 }
	for _, list in ipairs(LISTS) do add_list(found, inventory:get_list(list.name), list.name, list.from) end
	local armor = armor_of(player:get_player_name())
	if armor then add_list(found, armor:get_list('armor'), 'armor', ARMOR_FROM) end
	return found.slots, found.left_out
end

--- The items that players can have, sorted by their labels: one entry after the other.
function items.catalogue()
	local list = {}
	for name, definition in pairs(core.registered_items) do
		local is_hidden = (definition.groups or {}).not_in_creative_inventory or 0
		if name ~= '' and #name <= LABEL_BYTES and is_hidden == 0 then
			local label = plain(definition.short_description or definition.description or '')
			list[#list + 1] = { name = name, label = label ~= '' and label or name }
		end
	end
	table.sort(list, function(one, other)
		if one.label ~= other.label then return one.label < other.label end
		return one.name < other.name
	end)
	local nth = 0
	return function()
		nth = nth + 1
		return list[nth]
	end
end

--- A text that differs whenever the slots of an online player may differ.
function items.mark_of(player)
	local inventory, texts = player:get_inventory(), {}
	local function add(stacks)
		for _, stack in ipairs(stacks or {}) do texts[#texts + 1] = stack:to_string() end
		texts[#texts + 1] = ''
	end
	for _, list in ipairs(LISTS) do add(inventory:get_list(list.name)) end
	local armor = armor_of(player:get_player_name())
	if armor then add(armor:get_list('armor')) end
	return table.concat(texts, '\n')
end

return items
