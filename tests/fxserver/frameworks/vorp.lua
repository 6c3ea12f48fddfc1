-- Characters, money and jobs as in VORP (vorp-core-lua at dbfa4b1): it has no list of jobs, and changes balances without a check, an answer or an event.
-- By the identifier of the user: a player who returns within six seconds is deleted together with their old user.
local users = {}
local FORGOTTEN_AFTER_MS = 6000
local function ownerOf(source) return GetPlayerIdentifierByType(source, 'steam:') end
local FIELDS = { [0] = 'money', [1] = 'gold', [2] = 'rol' }

local function createUser(source, row)
  local character = {
    identifier = row.identifier, charIdentifier = row.charidentifier, money = row.money, gold = row.gold, rol = row.rol,
    firstname = row.firstname, lastname = row.lastname, job = row.job, jobGrade = row.jobgrade, group = row.group,
    inventory = row.inventory, source = source, isdead = row.isdead,
  }
  function character.addCurrency(currency, amount)
    character[FIELDS[currency]] = character[FIELDS[currency]] + amount
  end
  function character.removeCurrency(currency, amount)
    character[FIELDS[currency]] = character[FIELDS[currency]] - amount
  end
  function character.setJob(job)
    TriggerEvent('vorp:playerJobChange', source, job, character.job)
    character.job = job
  end
  function character.setJobGrade(grade)
    TriggerEvent('vorp:playerJobGradeChange', source, grade, character.jobGrade)
    character.jobGrade = grade
  end
  function character.setJobLabel(label) character.jobLabel = label end
  return { source = source, getUsedCharacter = character }
end

local function save(user)
  local character = user.getUsedCharacter
  local sql = 'UPDATE characters SET money = ?, gold = ?, rol = ?, job = ?, jobgrade = ? WHERE charidentifier = ?'
  exports.oxmysql:update(sql, {
    character.money, character.gold, character.rol, character.job, character.jobGrade, character.charIdentifier,
  })
end

exports('GetCore', function()
  return {
    getUser = function(source) return users[ownerOf(source) or ''] end,
    Player = { Revive = function(source) TriggerClientEvent('vorp_core:Client:OnPlayerRevive', source) end },
  }
end)

AddEventHandler('fake:load', function(source, identifier)
  local id = tonumber(identifier:match(':(%d+)$'))
  exports.oxmysql:query('SELECT * FROM characters WHERE charidentifier = ?', { id }, function(rows)
    users[rows[1].identifier] = createUser(source, rows[1])
    TriggerEvent('vorp:SelectedCharacter', source, users[rows[1].identifier].getUsedCharacter)
  end)
end)
-- The player's game tells whether they are dead.
AddEventHandler('fake:dead', function(source, isDead) users[ownerOf(source)].getUsedCharacter.isdead = isDead end)
AddEventHandler('fake:call', function(source, method, ...) users[ownerOf(source)].getUsedCharacter[method](...) end)
AddEventHandler('playerDropped', function()
  local owner = ownerOf(source) or ''
  if not users[owner] then return end
  save(users[owner])
  SetTimeout(FORGOTTEN_AFTER_MS, function() users[owner] = nil end)
end)
