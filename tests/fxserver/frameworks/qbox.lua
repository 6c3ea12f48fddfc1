-- Players, money and jobs as in Qbox 1.23, with its bugs (jobs and groups: qbx_core at 959b77b).
local players = {}

local function gradesOf(count)
  local grades = {}
  for grade = 0, count - 1 do grades[grade] = { name = 'Grade ' .. grade, payment = 10 * grade } end
  return grades
end
local jobs = {
  unemployed = { label = 'Civilian', defaultDuty = true, grades = gradesOf(1) },
  police = { label = 'Police', type = 'leo', defaultDuty = true, grades = gradesOf(5) },
  taxi = { label = 'Taxi', defaultDuty = true, grades = gradesOf(1) },
}
local function await(sql, values)
  local answer = promise.new()
  -- With the flag of `MySQL.query.await`, which throws what the database says.
  exports.oxmysql:query(sql, values, function(rows, problem)
    if problem then return answer:reject(problem) end
    answer:resolve(rows)
  end, 'qbx_core', true)
  return Citizen.Await(answer)
end

local function emit(name, ...) TriggerEvent('QBCore:Server:' .. name, ...) end
local function isClosed(name) return name == 'cash' or name == 'crypto' end

-- In a later tick, with the player's data of that time.
local function save(data)
  CreateThread(function()
    exports.oxmysql:update('UPDATE players SET name = ?, money = ?, job = ?, metadata = ? WHERE citizenid = ?', {
      data.name, json.encode(data.money), json.encode(data.job), json.encode(data.metadata), data.citizenid,
    })
  end)
end

local function playerJob(name, grade)
  local job = jobs[name]
  return {
    name = name, label = job.label, type = job.type, onduty = job.defaultDuty or false,
    payment = job.grades[grade].payment, grade = { name = job.grades[grade].name, level = grade },
  }
end

--- A job that is gone keeps its name, with the grade 0 of the unemployed.
local function loadedJob(stored)
  local known = jobs[stored.name] or jobs.unemployed
  local level = jobs[stored.name] and known.grades[stored.grade.level] and stored.grade.level or 0
  return { name = stored.name, label = known.label, grade = { name = known.grades[level].name, level = level } }
end

local function createPlayer(source, row, groups)
  -- Two handlers for each player, offline ones too; they are never removed.
  AddEventHandler('qbx_core:leak', function() end)
  AddEventHandler('qbx_core:leak', function() end)
  local items = {}
  for _, item in ipairs(json.decode(row.inventory or '') or {}) do
    items[item.slot] = { name = item.name, amount = item.amount, label = item.name, slot = item.slot }
  end
  return { Offline = source == nil, PlayerData = {
    source = source, citizenid = row.citizenid, license = row.license, name = row.name, money = json.decode(row.money),
    charinfo = json.decode(row.charinfo), job = loadedJob(json.decode(row.job)), gang = json.decode(row.gang),
    items = items, jobs = groups,
    metadata = json.decode(row.metadata or '') or {},
  } }
end

local function find(identifier)
  if type(identifier) == 'string' and not tonumber(identifier) then
    error('offline lookups leave handlers behind')
  end
  return players[tonumber(identifier)]
end

local function amountOf(amount)
  amount = tonumber(amount)
  if not amount or amount ~= amount or math.abs(amount) == math.huge then return nil end
  return math.floor(amount + 0.5)
end

local function change(identifier, name, amount, action, reason)
  local player, rounded = find(identifier), amountOf(amount)
  if not player or not rounded or rounded < 0 then return false end
  local money = player.PlayerData.money
  if not money[name] then return false end
  local after = action == 'add' and money[name] + rounded or money[name] - rounded
  if action == 'remove' and isClosed(name) and after < 0 then return false end
  money[name] = after
  if name == 'cash' and GetResourceState('ox_inventory') == 'started' then
    exports.ox_inventory:SetItem(player.PlayerData.source, 'money', after) -- the result is ignored
  end
  emit('OnMoneyChange', player.PlayerData.source, name, rounded, action, reason or 'unknown')
  return true
end

exports('GetPlayer', find)
exports('GetPlayerByCitizenId', function(citizenid)
  for _, player in pairs(players) do
    if player.PlayerData.citizenid == citizenid then return player end
  end
end)
-- All of them when there is none of that name.
exports('GetVehiclesByName', function(name)
  local vehicles = { adder = { model = 'adder', name = 'Adder', brand = 'Truffade', category = 'super', price = 86065 } }
  return vehicles[name] or vehicles
end)
exports('GetMoney', function(identifier, name)
  local player = find(identifier)
  return player and player.PlayerData.money[name] or false
end)
exports('SetMetadata', function(identifier, key, value)
  local player = find(identifier)
  if player then player.PlayerData.metadata[key] = value end
end)
exports('AddMoney', function(identifier, name, amount, reason) return change(identifier, name, amount, 'add', reason) end)
exports('RemoveMoney', function(identifier, name, amount, reason)
  return change(identifier, name, amount, 'remove', reason)
end)

exports('GetJobs', function() return jobs end)
exports('GetJob', function(name) return jobs[name] end)

local function removeFromJob(data, name)
  if not data.jobs[name] then return end
  await("DELETE FROM player_groups WHERE citizenid = ? AND type = 'job' AND `group` = ?", { data.citizenid, name })
  data.jobs[name] = nil
  data.job = playerJob('unemployed', 0)
  save(data)
  TriggerEvent('qbx_core:server:onGroupUpdate', data.source, name)
end

local function addToJob(data, name, grade)
  if data.jobs[name] == grade then return true end
  local count = 0
  for _ in pairs(data.jobs) do count = count + 1 end
  if count >= GetConvarInt('qbx:max_jobs_per_player', 1) and not data.jobs[name] then return false end
  await([[INSERT INTO player_groups (citizenid, type, `group`, grade) VALUES (?, 'job', ?, ?)
    ON DUPLICATE KEY UPDATE grade = VALUES(grade)]], { data.citizenid, name, grade })
  data.jobs[name] = grade
  TriggerEvent('qbx_core:server:onGroupUpdate', data.source, name, grade)
  return true
end

-- It changes the player's groups and then the primary job, and waits for the database in between.
exports('SetJob', function(identifier, name, grade)
  name, grade = name:lower(), tonumber(grade) or 0
  local player = find(identifier)
  if not jobs[name] or not jobs[name].grades[grade] or not player then return false end
  local data = player.PlayerData
  if GetConvar('qbx:setjob_replaces', 'true') == 'true' and data.job.name ~= 'unemployed' then
    removeFromJob(data, data.job.name)
  end
  if name ~= 'unemployed' and not addToJob(data, name, grade) then return false, { code = 'max_jobs' } end
  data.job = playerJob(name, grade)
  save(data)
  emit('OnJobUpdate', data.source, data.job)
  return true
end)
-- A medical resource keeps what the player's game tells it.
AddEventHandler('fake:meta', function(source, key, value) players[source].PlayerData.metadata[key] = value end)
AddEventHandler('fake:jobs', function(name, grades)
  jobs[name] = grades > 0 and { label = name, defaultDuty = true, grades = gradesOf(grades) } or nil
  TriggerEvent('qbx_core:server:onJobUpdate', name, jobs[name])
end)

-- Qbox answers for qb-core as well.
AddEventHandler('__cfx_export_qb-core_GetCoreObject', function(give) give(function() return {} end) end)

local isSlow = false
AddEventHandler('fake:slow', function(on) isSlow = on end)

--- A client that has left sends no answer.
local function whenAnswered(source, done)
  if isSlow then return SetTimeout(0, function() whenAnswered(source, done) end) end
  if DoesPlayerExist(source) then done() end
end

-- A player who left during the first query is loaded all the same, and never removed. The player exists before the
-- event: the framework waits for an answer of the client in between.
AddEventHandler('fake:load', function(source, identifier)
  exports.oxmysql:query('SELECT * FROM players WHERE citizenid = ?', { identifier }, function(rows)
    rows[1].name = GetPlayerName(source)
    local sql = "SELECT `group`, grade FROM player_groups WHERE citizenid = ? AND type = 'job'"
    exports.oxmysql:query(sql, { identifier }, function(groups)
      local held = {}
      for _, group in ipairs(groups) do held[group.group] = group.grade end
      players[source] = createPlayer(source, rows[1], held)
      whenAnswered(source, function() emit('PlayerLoaded', players[source]) end)
    end)
  end)
end)
AddEventHandler('fake:save', function()
  for _, player in pairs(players) do save(player.PlayerData) end
end)
-- After each change, ox_inventory reports the player's numbers of the items that are accounts.
AddEventHandler('fake:sync', function(source, money) players[source].PlayerData.money.cash = money.money end)
AddEventHandler('fake:carry', function(source, name, amount)
  local data = players[source].PlayerData
  for _, item in pairs(data.items) do
    if item.name == name then item.amount = amount end
  end
  TriggerEvent('QBCore:Player:SetPlayerData', data)
end)
AddEventHandler('fake:call', function(source, method, name, amount, reason)
  change(source, name, amount, method == 'AddMoney' and 'add' or 'remove', reason)
end)
AddEventHandler('playerDropped', function()
  -- No OnPlayerUnload here.
  if players[source] then save(players[source].PlayerData) end
  players[source] = nil
end)
