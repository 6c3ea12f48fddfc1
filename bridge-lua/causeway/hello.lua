--- The first frame of each connection: it says which game server this is.
if jit then jit.off(true, true) end
local commands = require 'causeway.commands'
local json = require 'causeway.json'
local limits = require 'causeway.limits'
local messages = require 'causeway.messages'
local unicode = require 'causeway.unicode'

local hello = {}

local SOFTWARE = { 'name', 'version', 'game', 'framework', 'frameworkVersion' }

local function software_of(given)
  if type(given) ~= 'table' then error('software: a table with name and version', 0) end
  local software = json.object {}
  for nth, field in ipairs(SOFTWARE) do
    local value = given[field]
    if type(value) ~= 'string' and (value ~= nil or nth <= 2) then error(('software.%s: must be a text'):format(field), 0) end
    if value and unicode.units(unicode.clean(value)) > 64 then error(('software.%s: at most 64 characters'):format(field), 0) end
    software[field] = value
  end
  return software
end

local function accounts_of(given)
  local accounts = json.array {}
  for nth, account in ipairs(given or {}) do
    if not messages.is_account(account) then error(('accounts[%d]: letters, digits, _ . -; at most 64'):format(nth), 0) end
    accounts[nth] = account
  end
  if #accounts > 64 then error('accounts: at most 64', 0) end
  return accounts
end

local STRENGTH = { volatile = 1, saved = 2, durable = 3, atomic = 4 }

--- The classes of commands whose effect is saved less safely than the journal promises; nil if there are none.
local function classes_of(given, journal_class)
  local classes
  for _, command in ipairs(commands.TAGS) do
    local class = given and given[command[1]]
    if class and not STRENGTH[class] then error(('classes.%s: atomic, durable, saved or volatile'):format(command[1]), 0) end
    if class and STRENGTH[class] < STRENGTH[journal_class] then
      classes = classes or json.object {}
      classes[command[2]] = class
    end
  end
  return classes
end

--- The frame with the list of open entries. Each entry has its text, which begins with a comma.
local function with_open(frame, journal)
  local texts, count = { frame:sub(1, -2) .. ',"open":[' }, 1
  journal.each_open(function(_, text)
    if count > limits.open_commands then return false end
    count = count + 1
    texts[count] = count == 2 and text:sub(2) or text
    return true
  end)
  texts[count + 1] = ']}'
  return table.concat(texts)
end

--- Answers a function that writes the frame; the journal is read anew for every connection.
function hello.create(options, tags, instance)
  local software, accounts, journal = software_of(options.software), accounts_of(options.accounts), options.journal
  local classes = classes_of(options.classes, journal.class)
  return function()
    local frame = assert(json.encode(json.object {
      type = 'hello', protocol = 1, instance = instance, software = software, commands = json.array(tags), accounts = accounts,
      journal = json.object { class = journal.class, id = journal.id, sequence = journal.opened_at },
      classes = classes, limits = json.object { inFlight = limits.in_flight },
    }))
    return with_open(frame, journal)
  end
end

return hello
