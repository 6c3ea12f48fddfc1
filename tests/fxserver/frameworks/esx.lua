-- Players, money and jobs as in ESX Legacy 1.13, with its bugs (jobs: esx_core at c0260923). A test acts as the client with the events `fake:*`.
ESX = { Players = {} }
local Core = { byIdentifier = {} }
local ACCOUNTS = { { 'bank', 'Bank' }, { 'money', 'Cash' }, { 'black_money', 'Dirty' } }
local Config = { Accounts = { bank = { label = 'Bank', round = true }, money = { label = 'Cash', round = true },
  black_money = { label = 'Dirty', round = true } }, Identifier = GetConvar('esx:identifier', 'license'),
  CustomInventory = GetResourceState('ox_inventory') ~= 'missing' and 'ox' or false, MaxWeight = 24 }
-- The rows of its table `items`.
local ITEMS = { { 'anvil', 10 }, { 'bread', 1 }, { 'feather', 0 }, { 'water', 1 } }

--- Forks of ESX round the balance as well.
local function balance(value) return __roundsBalances and math.floor(value + 0.5) or value end
local function round(value) return value == value and math.abs(value) ~= math.huge and math.floor(value + 0.5) or value end
local function usesOx() return GetResourceState('ox_inventory') == 'started' end

local function gradesOf(job, count)
  local grades = {}
  for grade = 0, count - 1 do
    grades[tostring(grade)] = {
      job_name = job, grade = grade, name = 'grade' .. grade, label = 'Grade ' .. grade, salary = 10 * grade,
    }
  end
  return grades
end
ESX.Jobs = {
  unemployed = { name = 'unemployed', label = 'Unemployed', grades = gradesOf('unemployed', 1) },
  police = { name = 'police', label = 'Police', grades = gradesOf('police', 5) },
  taxi = { name = 'taxi', label = 'Taxi', grades = gradesOf('taxi', 1) },
}

local function jobOf(name, grade)
  local job = ESX.Jobs[name]
  return { name = name, label = job.label, grade = tonumber(grade), grade_label = job.grades[tostring(grade)].label }
end

local function CreateExtendedPlayer(source, identifier, row)
  if not ESX.DoesJobExist(row.job, row.job_grade) then row.job, row.job_grade = 'unemployed', 0 end
  local stored = json.decode(row.accounts) or {}
  local self = {
    source = source, playerId = source, identifier = identifier, group = row.group or 'user', spawned = false,
    job = jobOf(row.job, row.job_grade),
    accounts = {}, inventory = {}, metadata = json.decode(row.metadata or '') or {},
    name = ('%s %s'):format(row.firstname or '', row.lastname or ''),
  }
  for index, account in ipairs(ACCOUNTS) do
    self.accounts[index] = { name = account[1], label = account[2], money = stored[account[1]] or 0, round = true, index = index }
  end
  self.weight, self.maxWeight = 0, Config.MaxWeight
  local held = json.decode(row.inventory or '') or {}
  -- Its own inventory has every item that there is; others are dropped. Compared with es_extended 1.13.5.
  for _, item in ipairs(not Config.CustomInventory and ITEMS or {}) do
    local name, weight, count = item[1], item[2], tonumber(held[item[1]]) or 0
    table.insert(self.inventory, { name = name, count = count, weight = weight, label = name:gsub('^%l', string.upper) })
    self.weight = self.weight + count * weight
  end
  for _, item in pairs(held) do
    if type(item) == 'table' then table.insert(self.inventory, item) end -- as ox_inventory has it
  end

  function self.getIdentifier() return self.identifier end
  function self.getName() return self.name end
  function self.getGroup() return self.group end
  function self.getJob() return self.job end
  function self.getInventory(minimal)
    if not minimal then return self.inventory end
    local result = {}
    for _, item in pairs(self.inventory) do
      if item.count > 0 and not usesOx() then result[item.name] = item.count end
      if usesOx() then
        local metadata = item.metadata and next(item.metadata) and item.metadata or nil
        table.insert(result, { name = item.name, count = item.count, slot = item.slot, metadata = metadata })
      end
    end
    return result
  end
  function self.getMeta(index)
    if index then return self.metadata[index] end
    return self.metadata
  end
  function self.setMeta(index, value)
    if value == nil then error('xPlayer.setMeta value is missing!') end
    self.metadata[index] = value
  end
  function self.getAccount(name)
    for _, account in ipairs(self.accounts) do
      if account.name == string.lower(name) then return account end
    end
  end
  function self.getAccounts(minimal)
    if not minimal then return self.accounts end
    local minimalAccounts = {}
    for _, account in ipairs(self.accounts) do minimalAccounts[account.name] = account.money end
    return minimalAccounts
  end

  local function toItem(name, method, amount)
    if usesOx() and (name == 'money' or name == 'black_money') then
      exports.ox_inventory[method](nil, source, name, amount) -- the result is ignored
    end
  end
  function self.setAccountMoney(name, money, reason)
    local account = self.getAccount(name) or error(('Tried To Set Invalid Account %s'):format(name))
    account.money = round(money)
    TriggerEvent('esx:setAccountMoney', source, name, money, reason or 'unknown')
  end
  function self.addAccountMoney(name, money, reason)
    if not (money > 0) then error('Tried To Add an Invalid Number') end
    local account = self.getAccount(name) or error(('Tried To Set Add To Invalid Account %s'):format(name))
    account.money = balance(account.money + round(money))
    toItem(name, 'AddItem', money)
    TriggerEvent('esx:addAccountMoney', source, name, round(money), reason or 'Unknown')
  end
  function self.removeAccountMoney(name, money, reason)
    if not (money > 0) then error('Tried To Remove an Invalid Number') end
    local account = self.getAccount(name) or error(('Tried To Set Add To Invalid Account %s'):format(name))
    if account.money - money > account.money then error('Tried To Underflow Account') end -- never true
    account.money = balance(account.money - round(money))
    toItem(name, 'RemoveItem', money)
    TriggerEvent('esx:removeAccountMoney', source, name, round(money), reason or 'Unknown')
  end
  function self.setJob(name, grade)
    grade = tostring(grade)
    if not ESX.DoesJobExist(name, grade) then return print(('[WARNING] invalid job %s'):format(name)) end
    local lastJob = self.job
    self.job = jobOf(name, grade)
    self.metadata.jobDuty = name ~= 'unemployed'
    TriggerEvent('esx:setJob', source, self.job, lastJob)
  end
  function self.getWeight() return self.weight end
  function self.getMaxWeight() return self.maxWeight end
  function self.getInventoryItem(name)
    for _, item in ipairs(self.inventory) do
      if item.name == name then return item end
    end
  end
  -- Neither an unknown item nor one that is too heavy is refused, and nothing is returned.
  function self.addInventoryItem(name, count)
    local item = self.getInventoryItem(name)
    if not item then return end
    count = __halvesItems and count // 2 or round(count)
    item.count, self.weight = item.count + count, self.weight + item.weight * count
    TriggerEvent('esx:onAddInventoryItem', source, name, item.count)
  end
  -- More than there is are not removed, without a word.
  function self.removeInventoryItem(name, count)
    local item = self.getInventoryItem(name)
    if not item or item.count < count then return end
    item.count, self.weight = item.count - round(count), self.weight - item.weight * round(count)
    TriggerEvent('esx:onRemoveInventoryItem', source, name, item.count)
  end
  return self
end

local function store(player, done)
  if __noMetadata then
    return exports.oxmysql:prepare('UPDATE users SET accounts = ?, job = ?, job_grade = ?, inventory = ? WHERE identifier = ?', {
      json.encode(player.getAccounts(true)), player.job.name, player.job.grade, json.encode(player.getInventory(true)),
      player.identifier,
    }, function() if done then done() end end)
  end
  local sql = 'UPDATE users SET accounts = ?, job = ?, job_grade = ?, metadata = ?, inventory = ? WHERE identifier = ?'
  exports.oxmysql:prepare(sql, {
    json.encode(player.getAccounts(true)), player.job.name, player.job.grade, json.encode(player.getMeta()),
    json.encode(player.getInventory(true)), player.identifier,
  }, function(rows)
    if rows == 1 then TriggerEvent('esx:playerSaved', player.playerId, player) end
    if done then done() end
  end)
end
function Core.SavePlayer(player, done)
  if not player.spawned then return done and done() end
  store(player, done)
end

function ESX.GetPlayerFromId(source) return ESX.Players[tonumber(source)] end
function ESX.GetPlayerFromIdentifier(identifier) return Core.byIdentifier[identifier] end
function ESX.DoesJobExist(name, grade)
  return name ~= nil and ESX.Jobs[name] ~= nil and ESX.Jobs[name].grades[tostring(grade)] ~= nil
end
function ESX.GetJobs() return ESX.Jobs end
function ESX.GetConfig() return Config end

exports('getSharedObject', function() return ESX end)
-- Versions before 1.11 have no such export.
if not __old then exports('RunStaticPlayerMethod', function(source, method, ...)
  local player = ESX.Players[tonumber(source)]
  if not player then return nil end
  if type(player[method]) ~= 'function' then error(('no such method %s'):format(method)) end
  return player[method](...)
end) end

-- A player who left during the query is loaded all the same, and never removed; 1.14 checks whether they are online.
AddEventHandler('fake:load', function(source, identifier)
  exports.oxmysql:query('SELECT * FROM users WHERE identifier = ?', { identifier }, function(rows)
    local player = CreateExtendedPlayer(source, identifier, rows[1])
    ESX.Players[source], Core.byIdentifier[identifier] = player, player
    TriggerEvent('esx:playerLoaded', source, player, false)
  end)
end)
-- Some scripts let players change characters without an event.
AddEventHandler('fake:switch', function(source, identifier)
  exports.oxmysql:query('SELECT * FROM users WHERE identifier = ?', { identifier }, function(rows)
    ESX.Players[source] = CreateExtendedPlayer(source, identifier, rows[1])
  end)
end)
-- An operator changes the list of jobs. Players keep their jobs.
AddEventHandler('fake:jobs', function(name, grades)
  ESX.Jobs[name] = grades > 0 and { name = name, label = name, grades = gradesOf(name, grades) } or nil
  TriggerEvent('esx:jobsRefreshed')
end)
AddEventHandler('fake:spawn', function(source) ESX.Players[source].spawned = true end)
-- All players, spawned or not.
AddEventHandler('fake:save', function()
  for _, player in pairs(ESX.Players) do store(player) end
end)
-- After each change, ox_inventory reports the items, and the player's numbers of those that are accounts.
AddEventHandler('fake:sync', function(source, money, items)
  ESX.Players[source].inventory = items
  for name, amount in pairs(money) do ESX.Players[source].getAccount(name).money = amount end
end)
AddEventHandler('fake:call', function(source, method, ...) ESX.Players[source][method](...) end)

AddEventHandler('playerDropped', function(reason)
  local id = source
  local player = ESX.Players[id]
  if not player then return end
  TriggerEvent('esx:playerDropped', id, reason)
  Core.SavePlayer(player, function() ESX.Players[id], Core.byIdentifier[player.identifier] = nil, nil end)
end)
