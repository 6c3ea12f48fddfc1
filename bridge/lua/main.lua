-- The Lua half of the bridge: detects the framework, and answers the JavaScript half through one export.
local RESOURCE = GetCurrentResourceName()
local adapter, framework, accounts
-- The adapter, made while its framework or database is not ready yet.
local made

--- Qbox also answers as qb-core, so the frameworks are tried in this order.
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
  if not made then
    made = found.create()
    Causeway.addActions(made)
  end
  Causeway.prepareTables(made, function(isKnown)
    if not isKnown then return done() end
    made.accountNames(function(names)
      if not names then return done() end
      accounts, framework = Causeway.keysOf(names), found
      -- Subscribes to events first, so that players who join or leave during the start are noticed.
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
    -- An empty Lua table arrives as a list, which has no commands either.
    local classes = {}
    for name, order in pairs(adapter.orders or {}) do classes[name] = order.class or 'none' end
    local version = framework.resource and GetResourceMetadata(framework.resource, 'version', 0)
    done({
      framework = framework.name, version = version or '', class = adapter.class, orders = classes,
      catalogues = Causeway.keysOf(adapter.catalogues or {}), accounts = accounts,
      hasDatabase = adapter.offlineTable ~= nil,
    })
  end)
end

function methods.online(done) done(Causeway.roster.online()) end

function methods.source(done, identifier)
  local source = Causeway.roster.certain(identifier)
  done({ source = source and tostring(source) or nil })
end

--- The connection of a player, also of one that the framework has lost while they play: only for kicks.
function methods.connection(done, identifier)
  local source = Causeway.roster.certain(identifier) or (adapter.connection and adapter.connection(identifier))
  done({ source = source and tostring(source) or nil })
end

--- Carries out a command: `order` has its parameters, `id` and `name`. After an error in it or in one of its callbacks, the
--- JavaScript half asks for the outcome; without an effect before the error the command has failed.
function methods.order(done, order)
  local known = (adapter.orders or {})[order.name]
  if known then return known.run(order, done) end
  done(Causeway.rejected('unsupported', ('This server does not carry out %s.'):format(order.name)))
end

--- The outcome of an interrupted order, if the player's own row or the framework's tables show it; otherwise nil.
function methods.resolve(done, order)
  local known = (adapter.orders or {})[order.name]
  if known and known.resolve then return known.resolve(order, done) end
  done(nil)
end

--- Adds the longest time that the thread was held since the last answer of this kind; this answer is not finished yet.
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

function methods.catalogue(done, kind, isFirst, forMs)
  Causeway.catalogueOf(adapter, kind, isFirst, forMs, withHeld(done))
end

function methods.ping(done)
  Causeway.rows('SELECT 1', {}, function(rows, problem) done(rows and { up = true }, problem) end)
end

--- Reports changed, departed and deleted players once a tick, because a payday changes every online player.
local function watch(heard)
  local kinds
  local function tell()
    local news = { changed = {}, left = {}, removed = {} }
    for identifier, kind in pairs(kinds) do table.insert(news[kind], identifier) end
    kinds = nil
    heard(news)
  end
  Causeway.roster.watch(function(kind, identifier)
    if not kinds then
      kinds = {}
      SetTimeout(0, tell)
    end
    kinds[identifier] = kind
  end)
end

--- Any resource can call an export, so this one checks the caller. Other resources only get a refusal.
local function isOwn()
  local caller = GetInvokingResource()
  return caller == nil or caller == RESOURCE
end

-- The allocations of a slice decide how much garbage Lua collects in it; by default it collects the whole runtime at
-- once. 1 is the smallest step. It is too small for references to functions of other runtimes, because their finalizers
-- cost more than their size suggests. From some memory size on it is therefore 4 (no value lies between).
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
  if method == 'watchCatalogues' then return Causeway.watchCatalogues(done) end
  local function reply(answer, problem)
    if problem then return done({ ok = false, code = 'internal_error', message = tostring(problem) }) end
    done({ ok = true, answer = answer })
  end
  Causeway.timed(function()
    Causeway.guarded(function(problem, hasWritten)
      if method == 'order' and not hasWritten then return reply(Causeway.failed(problem)) end
      reply(nil, problem)
    end, methods[method], reply, table.unpack(args))
  end)
end)
