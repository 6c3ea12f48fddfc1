-- The command `items` on QBCore, Qbox and RSG. Their inventories are stored by another statement than money and marks.
local ROW = 'SELECT citizenid, license, metadata, inventory FROM players WHERE citizenid = ?'

--- The row with its inventory. The state of a player has the items, and a player whose items cannot be read is not
--- loaded. `textOf(source)`: the stored text of the items.
local function withItems(book, textOf)
  local itemBook = setmetatable({}, { __index = book })
  function itemBook.loaded(identifier)
    local has, source = book.loaded(identifier)
    if not has then return nil end
    local ok, text = Causeway.try(textOf, source)
    if not ok or not text then return nil end
    has.inventory = text
    return has, source
  end
  function itemBook.row(identifier, done)
    Causeway.rows(ROW, { identifier }, function(rows, problem)
      local row = rows and rows[1]
      if not Causeway.isExactly(row, 'citizenid', identifier) then return done(nil, problem) end
      done({ metadata = row.metadata, inventory = row.inventory, owners = { row.license } })
    end)
  end
  return itemBook
end

--- Whether the inventory of the framework is there, running or not, in this major version or a newer one.
local function isThere(resource, version)
  if GetResourceState(resource) == 'missing' then return false end
  local text = GetResourceMetadata(resource, 'version', 0) or ''
  return (tonumber(text:match('^%d+')) or 0) >= version
end

--- The parts of an adapter with qb-inventory or rsg-inventory, where that is there.
local function ownParts(core, of)
  if not isThere(of.resource, of.version) then return nil end
  local function dataOf(source) return core.data(source) or {} end
  local parts = setmetatable({
    setMark = core.setMark,
    metadata = function(source) return dataOf(source).metadata end,
    itemsOf = function(source) return dataOf(source).items end,
  }, { __index = of })
  return function(source) return Causeway.qbBag(parts, source) end, function(source)
    return Causeway.qbItemsText(parts.itemsOf(source))
  end
end

--- The parts of an adapter with ox_inventory, where that is there.
local function oxParts(core)
  if not Causeway.oxItems.isUsable() then return nil end
  local function bagOf(source)
    local function accountOf(name)
      for account in pairs((core.data(source) or {}).money or {}) do
        if core.itemOf(account) == name then return account end
      end
    end
    local bag = Causeway.oxItems.bagOf(source, accountOf)
    function bag.metadata() return (core.data(source) or {}).metadata end
    function bag.setMark(key, text) core.setMark(source, key, text) end
    return bag
  end
  return bagOf, Causeway.oxItems.textOf
end

--- The order, nil for an inventory that the bridge does not know. `core` as for the adapter, `book` is that of the money.
function Causeway.createQbItemOrder(core, book)
  local bagOf, textOf
  if core.items then bagOf, textOf = ownParts(core, core.items) end
  if not core.items and core.itemOf then bagOf, textOf = oxParts(core) end
  if not bagOf then return nil end
  local itemBook = withItems(book, textOf)
  local store = Causeway.createItemStore(itemBook)
  return Causeway.createItemOrder({
    book = itemBook, bagOf = bagOf, store = store.store, resolve = store.resolve,
  })
end

--- The items in QBCore's list by their name. Since version 1.3 an export returns one; before, all lists have to be copied
--- at once, so the copy is kept until QBCore announces a change. `coreOf(part)` copies a part of the core object.
function Causeway.createQbItemList(coreOf)
  local kept
  AddEventHandler('QBCore:Server:UpdateObject', function() kept = nil end)
  return function(name)
    -- For an unknown name it returns the whole list.
    local ok, found = Causeway.try(function() return exports['qb-core']:GetShared('Items', name) end)
    if ok then return type(found) == 'table' and found.name == name and found or nil end
    kept = kept or (coreOf('Shared').Shared or {}).Items or {}
    return kept[name]
  end
end
