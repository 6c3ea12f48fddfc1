-- Players, money and jobs as in QBCore 1.3, with its bugs (jobs and lists: qb-core at 37d3b84, rsg-core at 3cd0487). RSG is the same under other names.
local NAMES = __qb or { resource = 'qb-core', prefix = 'QBCore', types = { cash = 500, bank = 5000, crypto = 0 } }
local Core = { Players = {}, Functions = {}, Config = { Money = {
  MoneyTypes = NAMES.types, DontAllowMinus = { 'cash', 'crypto' }, MinusLimit = -5000,
} } }

-- In RSG, cash may be the dollar items of a player: their sum is the balance at each change, and at each login but the
-- first of a character since the server began.
local hasItems = NAMES.hasMoneyItems
Core.Config.Money.EnableMoneyItems = hasItems
local known = {}

local function gradesOf(count)
  local grades = {}
  for grade = 0, count - 1 do grades[tostring(grade)] = { name = 'Grade ' .. grade, payment = 10 * grade } end
  return grades
end
Core.Shared = { Jobs = {
  unemployed = { label = 'Civilian', defaultDuty = true, grades = gradesOf(1) },
  police = { label = 'Police', type = 'leo', defaultDuty = true, grades = gradesOf(5) },
  taxi = { label = 'Taxi', defaultDuty = true, grades = gradesOf(1) },
}, Items = {
  bread = { name = 'bread', label = 'Bread', weight = 200 }, water = { name = 'water', label = 'Water', weight = 500 },
}, Vehicles = {
  adder = { name = 'Adder', brand = 'Truffade', model = 'adder', category = 'super', price = 86065 },
} }

local function emit(name, ...) TriggerEvent(NAMES.prefix .. ':Server:' .. name, ...) end
local function isClosed(name) return name == 'cash' or name == 'crypto' end

local function save(data, items)
  exports.oxmysql:insert([[INSERT INTO players (citizenid, license, name, money, charinfo, job, gang, metadata)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE money = VALUES(money), job = VALUES(job),
    metadata = VALUES(metadata)]],
    { data.citizenid, data.license, data.name, json.encode(data.money), json.encode(data.charinfo),
      json.encode(data.job), json.encode(data.gang), json.encode(data.metadata) })
  -- By a second statement, as SaveInventory of qb-inventory 2.0.0 and rsg-inventory 2.8.5.
  local list = {}
  for slot, item in pairs(items) do
    list[#list + 1] = { name = item.name, amount = item.amount, info = item.info, type = item.type, slot = slot }
  end
  exports.oxmysql:prepare('UPDATE players SET inventory = ? WHERE citizenid = ?', { json.encode(list), data.citizenid })
  print(data.name .. ' PLAYER SAVED!') -- throws for a player without a name
end

local function itemsOf(row)
  local items = {}
  for _, item in ipairs(json.decode(row.inventory or '') or {}) do
    items[item.slot] = { name = item.name, amount = item.amount, label = item.name, slot = item.slot, info = item.info }
  end
  return items
end

local function dollarsOf(data)
  for _, item in pairs(data.items) do
    if item.name == 'dollar' then return item end
  end
  data.items[#data.items + 1] = { name = 'dollar', amount = 0, label = 'dollar', slot = #data.items + 1, info = '' }
  return data.items[#data.items]
end

local function carry(data, name, amount)
  if not hasItems or name ~= 'cash' then return end
  local dollars = dollarsOf(data)
  dollars.amount = dollars.amount + amount
  data.money.cash = dollars.amount
end

local function makeItems(data)
  if not hasItems then return end
  if not known[data.citizenid] then dollarsOf(data).amount = data.money.cash end
  known[data.citizenid] = true
  carry(data, 'cash', 0)
end

local function CreatePlayer(source, row)
  local self = { Functions = {}, Offline = source == nil, PlayerData = {
    source = source, citizenid = row.citizenid, license = row.license, name = row.name, money = json.decode(row.money),
    charinfo = json.decode(row.charinfo), job = json.decode(row.job), gang = json.decode(row.gang),
    metadata = json.decode(row.metadata or '') or {},
    -- Items are loaded for online players only.
    items = source and itemsOf(row) or {},
  } }
  local money, F, job = self.PlayerData.money, self.Functions, self.PlayerData.job
  local known = job and Core.Shared.Jobs[job.name]
  -- A job or grade that is gone is replaced at the next login.
  if not known or not known.grades[tostring(job.grade.level)] then
    self.PlayerData.job = { name = 'unemployed', label = 'Civilian', grade = { name = 'Freelancer', level = 0 } }
  end

  function F.GetMoney(name)
    if not name then return false end
    return money[name:lower()]
  end
  function F.AddMoney(name, amount, reason)
    name, amount = name:lower(), tonumber(amount)
    if amount < 0 then return end
    if not money[name] then return false end
    money[name] = money[name] + amount
    carry(self.PlayerData, name, amount)
    if not self.Offline then emit('OnMoneyChange', source, name, amount, 'add', reason or 'unknown') end
    return true
  end
  function F.RemoveMoney(name, amount, reason)
    name, amount = name:lower(), tonumber(amount)
    if amount < 0 then return end
    if not money[name] then return false end
    if isClosed(name) and money[name] - amount < 0 then return false end
    if money[name] - amount < Core.Config.Money.MinusLimit then return false end
    money[name] = money[name] - amount
    carry(self.PlayerData, name, -amount)
    if not self.Offline then emit('OnMoneyChange', source, name, amount, 'remove', reason or 'unknown') end
    return true
  end
  function F.SetPlayerData(key, value)
    self.PlayerData[key] = value
    emit('OnPlayerUpdated', source, key, value)
  end
  function F.SetJob(job, grade)
    job = job:lower()
    local known = Core.Shared.Jobs[job]
    if not known then return false end
    local data = self.PlayerData
    data.job = {
      name = job, label = known.label, onduty = known.defaultDuty, type = known.type or 'none',
      grade = { name = 'No Grades', level = 0, payment = 30, isboss = false },
    }
    local info = known.grades[tostring(grade or '0')]
    if info then data.job.grade = { name = info.name, level = tonumber(grade), payment = info.payment, isboss = false } end
    emit('OnPlayerUpdated', source, 'job', data.job)
    emit('OnJobUpdate', source, data.job)
    return true
  end
  function F.SetMetaData(key, value) self.PlayerData.metadata[key] = value end
  function F.Save() save(self.PlayerData, self.PlayerData.items) end -- of the offline player: an empty inventory
  return self
end

function Core.Functions.GetPlayer(source) return Core.Players[tonumber(source)] end
function Core.Functions.GetPlayerByCitizenId(citizenid)
  for _, player in pairs(Core.Players) do
    if player.PlayerData.citizenid == citizenid then return player end
  end
end

-- By the name in lower case. Weights are in grams, as in qb-core 1.3.0.
Core.Shared = Core.Shared or {}
Core.Shared.Items = {
  anvil = { name = 'anvil', label = 'Anvil', weight = 50000, type = 'item' },
  bread = { name = 'bread', label = 'Bread', weight = 100, type = 'item' },
  feather = { name = 'feather', label = 'Feather', weight = 0, type = 'item' },
  phone = { name = 'phone', label = 'Phone', weight = 700, type = 'item', unique = true },
  water = { name = 'water', label = 'Water', weight = 500, type = 'item' },
  dollar = { name = 'dollar', label = 'Dollars', weight = 1, type = 'item' },
  apple = { name = 'apple', label = 'Apple', weight = 100, type = 'item', decay = NAMES.prefix == 'RSGCore' },
}

exports('GetCoreObject', function() return Core end)
-- Its functions beside its data, unlike the player that the core itself gives. Versions before 1.3 have no such export.
if not NAMES.isOld then exports('GetPlayer', function(source)
  local player = Core.Players[tonumber(source)]
  if not player then return nil end
  local interface = { PlayerData = player.PlayerData }
  for name, fn in pairs(player.Functions) do interface[name] = fn end
  return interface
end) end
if not NAMES.isOld then exports('GetPlayerByCitizenId', Core.Functions.GetPlayerByCitizenId) end
-- Without an entry of this name it gives the whole list.
if not NAMES.isOld then exports('GetShared', function(list, name)
  local all = Core.Shared[list]
  return name and all[name] or all
end) end
exports('GetOfflinePlayerByCitizenId', function(citizenid)
  error('the offline path of ' .. citizenid .. ' empties inventories')
end)

-- A player who left during the first query is loaded all the same, saved, and never removed.
AddEventHandler('fake:load', function(source, identifier)
  exports.oxmysql:query('SELECT * FROM players WHERE citizenid = ?', { identifier }, function(rows)
    rows[1].name = GetPlayerName(source)
    exports.oxmysql:query('SELECT inventory FROM players WHERE citizenid = ?', { identifier }, function(items)
      rows[1].inventory = items[1].inventory
      Core.Players[source] = CreatePlayer(source, rows[1])
      Core.Players[source].Functions.Save()
      makeItems(Core.Players[source].PlayerData)
      emit('PlayerLoaded', Core.Players[source])
    end)
  end)
end)
-- Some scripts let players change characters without an event.
AddEventHandler('fake:switch', function(source, identifier)
  exports.oxmysql:query('SELECT * FROM players WHERE citizenid = ?', { identifier }, function(rows)
    Core.Players[source] = CreatePlayer(source, rows[1])
  end)
end)
-- A medical resource keeps what the player's game tells it.
AddEventHandler('fake:meta', function(source, key, value) Core.Players[source].PlayerData.metadata[key] = value end)
AddEventHandler('fake:jobs', function(name, grades)
  Core.Shared.Jobs[name] = grades > 0 and { label = name, defaultDuty = true, grades = gradesOf(grades) } or nil
  emit('UpdateObject')
end)
AddEventHandler('fake:save', function()
  for _, player in pairs(Core.Players) do player.Functions.Save() end
end)
-- An inventory sets the items of a player.
AddEventHandler('fake:carry', function(source, name, amount)
  local data = Core.Players[source].PlayerData
  for _, item in pairs(data.items) do
    if item.name == name then item.amount = amount end
  end
  TriggerEvent(NAMES.prefix .. ':Player:SetPlayerData', data)
end)
AddEventHandler('fake:call', function(source, method, ...) Core.Players[source].Functions[method](...) end)
AddEventHandler('playerDropped', function()
  local player = Core.Players[source]
  if not player then return end
  player.Functions.Save()
  emit('PlayerDropped', source)
  emit('OnPlayerUnload', source)
  Core.Players[source] = nil
end)
