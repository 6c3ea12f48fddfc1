-- Items of ESX: its own inventory, which has one count for each item, or ox_inventory. ESX stores money, mark and
-- inventory in one statement, and so does the bridge.

--- The inventory of ESX itself. Its calls return nothing, ignore the names of unknown items, and check no weight.
local function ownBag(call, source)
  local bag = { accountOf = function() return nil end }
  local function entryOf(name) return call(source, 'getInventoryItem', name) end

  function bag.isItem(name)
    local ok, found = Causeway.try(entryOf, name)
    if not ok then return nil end
    return type(found) == 'table' and found.name == name
  end
  function bag.stacks(name)
    local ok, found = Causeway.try(entryOf, name)
    if not ok or type(found) ~= 'table' then return nil end
    return Causeway.stacksOf({ { name = found.name, count = found.count, slot = 1 } }, name)
  end
  function bag.fits(name, count)
    local weight = tonumber(entryOf(name).weight) or 0
    if weight <= 0 then return count end
    local free = (tonumber(call(source, 'getMaxWeight')) or 0) - (tonumber(call(source, 'getWeight')) or 0)
    return math.max(0, math.min(count, Causeway.whole(free / weight))), 'too_heavy'
  end
  function bag.add(name, count) return call(source, 'addInventoryItem', name, count) end
  function bag.take(name, count) return call(source, 'removeInventoryItem', name, count) end
  return bag
end

--- Whether the bridge knows the inventory that ESX is configured for: its own or ox_inventory.
local function isKnown(config)
  if config.CustomInventory == 'ox' or config.OxInventory then return Causeway.oxItems.isUsable() end
  return not config.CustomInventory
end

--- The book of the money, whose state has the inventory in any case. A payment stores it only with ox_inventory.
local function withItems(call, book)
  local itemBook = setmetatable({ proves = function() return true end }, { __index = book })
  function itemBook.loaded(identifier)
    local has, source = book.loaded(identifier)
    if has and not has.inventory then
      local ok, items = Causeway.try(call, source, 'getInventory', true)
      if not ok or type(items) ~= 'table' then return nil end
      has.inventory = json.encode(items)
    end
    return has, source
  end
  return itemBook
end

--- The order; nil for an inventory that the bridge does not know. `call(source, method, ...)` calls a method of a
--- player; `accountsOf(source)` are the balances by name; `money` has the book, and says which players ESX holds.
function Causeway.createEsxItems(config, call, accountsOf, money)
  if not isKnown(config) then return nil end
  local usesOx, book = config.CustomInventory == 'ox' or config.OxInventory, withItems(call, money.book)

  local function bagOf(source)
    local function accountOf(name)
      local isAccount = accountsOf(source)[name] ~= nil and Causeway.isOxAccount(name, 'black_money')
      return isAccount and name or nil
    end
    local bag = usesOx and Causeway.oxItems.bagOf(source, accountOf) or ownBag(call, source)
    if book.hasMarks then
      function bag.metadata() return call(source, 'getMeta') end
      function bag.setMark(key, text) call(source, 'setMeta', key, text) end
    end
    return bag
  end

  local saver = Causeway.createSaver(book)
  return Causeway.createItemOrder({
    book = book, bagOf = bagOf, isHeld = money.isHeld,
    store = function(order, outcome, done)
      saver.save(order.target, order.id, function(verdict)
        done(Causeway.verdictOn(book, order, outcome, verdict))
      end)
    end,
    resolve = function(order, done) Causeway.resolve(book, saver, order, done) end,
  })
end
