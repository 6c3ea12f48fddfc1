-- The Lua half of the bridge: finds the framework, and answers the JavaScript half through one export.
local RESOURCE = GetCurrentResourceName()
local adapter, framework, accounts
-- The adapter that was made while its framework or its database is still waited for.
local made

--- Qbox answers for qb-core too, so the order in which frameworks are listed is that of looking.
local function find()
  local wanted = GetConvar('causeway_framework', '')
  if wanted == 'standalone' then return Causeway.standalone end
  for _, candidate in ipairs(Causeway.frameworks) do
    local isMeant = wanted == '' or wanted == candidate.name
    if isMeant and GetResourceState(candidate.resource) ~= 'missing' then return candidate end
  end
  return wanted == '' and Causeway.standalone or nil
end

local function isReady(found)
  if not found then return false end
  if found.resource and not Causeway.isStarted(found.resource) then return false end
  return found == Causeway.standalone or Causeway.isStarted('oxmysql')
end

local function begin(done)
  local found = find()
  if adapter or not isReady(found) then return done() end
  made = made or found.create()
  Causeway.prepareTables(made, function(isKnown)
    if not isKnown then return done() end
    made.accountNames(function(names)
      if not names then return done() end
      accounts, framework = Causeway.keysOf(names), found
      -- Events first: who comes or leaves in the middle is heard.
      made.listen()
      Causeway.roster.follow(found.resource)
      Causeway.joinAll(function()
        adapter = made
        done()
      end)
    end)
  end)
end

local methods = {}

function methods.describe(done)
  begin(function()
    if not adapter then return done(nil) end
    local version = framework.resource and GetResourceMetadata(framework.resource, 'version', 0)
    done({
      framework = framework.name, version = version or '', class = adapter.class, accounts = accounts,
      hasDatabase = adapter.offlineTable ~= nil,
    })
  end)
end

function methods.online(done) done(Causeway.roster.online()) end

function methods.source(done, identifier)
  local source = Causeway.roster.certain(identifier)
  done({ source = source and tostring(source) or nil })
end

--- The connection of a player, also of one whom the framework has forgotten while they play: only to throw them out.
function methods.connection(done, identifier)
  local source = Causeway.roster.certain(identifier) or (adapter.connection and adapter.connection(identifier))
  done({ source = source and tostring(source) or nil })
end

function methods.money(done, order)
  if adapter.money then return adapter.money(order, done) end
  done(Causeway.rejected('unsupported', 'This server keeps no money.'))
end

--- What became of an order that was cut off, where the player's own row or the framework's books tell; nothing
--- otherwise.
function methods.resolve(done, order)
  if adapter.resolve then return adapter.resolve(order, done) end
  done(nil)
end

--- With how long the thread was held at most since the last answer of this kind: this one is still under way.
local function withHeld(done)
  return function(answer, problem)
    if answer then answer.heldMs = Causeway.takeLongest() end
    done(answer, problem)
  end
end

function methods.records(done, identifiers, forMs)
  Causeway.recordsOf(adapter, identifiers, forMs, withHeld(done))
end
function methods.page(done, after, limit, forMs) Causeway.pageOf(adapter, after, limit, forMs, withHeld(done)) end

function methods.ping(done)
  Causeway.rows('SELECT 1', {}, function(rows, problem) done(rows and { up = true }, problem) end)
end

--- Tells once a tick who has changed and who has left: a payday is an event for everybody who plays.
local function watch(heard)
  local kinds
  local function tell()
    local changed, left = {}, {}
    for identifier, kind in pairs(kinds) do
      local list = kind == 'left' and left or changed
      list[#list + 1] = identifier
    end
    kinds = nil
    heard({ changed = changed, left = left })
  end
  Causeway.roster.watch(function(kind, identifier)
    if not kinds then
      kinds = {}
      SetTimeout(0, tell)
    end
    kinds[identifier] = kind
  end)
end

--- Other resources can call any export, so this one looks at who calls. Nobody is told more than that it is not theirs.
local function isOwn()
  local caller = GetInvokingResource()
  return caller == nil or caller == RESOURCE
end

-- What is made in one slice decides how much garbage is collected in it: as usual, all of this runtime. 1 is the least work
-- for what is made. It is too little for references to functions of other runtimes, whose finalizers count for more than
-- they take up, so from some size on it is 4 (there is nothing between them).
local MUCH_KB = 12288
local function collectLittle()
  collectgarbage('incremental', 0, collectgarbage('count') < MUCH_KB and 1 or 4)
end

exports('adapter', function(method, args, done)
  pcall(collectLittle)
  if not isOwn() then
    return print(('[causeway] %s tried to use the bridge and was refused'):format(tostring(GetInvokingResource())))
  end
  if method == 'watch' then return watch(done) end
  local function reply(answer, problem)
    if problem then return done({ ok = false, code = 'internal_error', message = tostring(problem) }) end
    done({ ok = true, answer = answer })
  end
  Causeway.timed(function()
    local ok, problem = Causeway.try(methods[method], reply, table.unpack(args))
    if not ok then done({ ok = false, code = 'internal_error', message = problem }) end
  end)
end)
