-- Gives and takes items: counts the stacks, calls the inventory, and counts again, in one slice that does not yield.
local MOST = 1000000
local roster = Causeway.roster

--- Whether two values of JSON are equal. An empty list and an empty object are the same in Lua.
local function isEqual(one, other)
  if type(one) ~= 'table' or type(other) ~= 'table' then return one == other end
  for key, value in pairs(one) do
    if not isEqual(value, other[key]) then return false end
  end
  for key in pairs(other) do
    if one[key] == nil then return false end
  end
  return true
end
Causeway.isEqual = isEqual

--- The number of items in these stacks; with `metadata` only in those that have equal ones.
function Causeway.countOf(stacks, metadata)
  local count = 0
  for _, stack in ipairs(stacks) do
    if not metadata or isEqual(stack.metadata, metadata) then count = count + stack.count end
  end
  return count
end

--- The stacks of one item: `{ slot, name, count, metadata }`. `items` is what an inventory holds, in any of its forms.
function Causeway.stacksOf(items, name)
  local stacks = {}
  for _, stack in ipairs(Causeway.inventoryOf(items)) do
    if stack.name == name then stacks[#stacks + 1] = stack end
  end
  return stacks
end

local function itemsMoved(order, before, after)
  local applied = math.abs(after - before)
  if applied == order.count then applied = nil end
  return { item = order.item, before = before, after = after, applied = applied }
end
Causeway.results.items = itemsMoved

local function isValid(order)
  order.count = math.tointeger(order.count)
  if type(order.target) ~= 'string' or type(order.item) ~= 'string' then return false end
  if order.action ~= 'add' and order.action ~= 'remove' then return false end
  if order.metadata ~= nil and type(order.metadata) ~= 'table' then return false end
  return order.count ~= nil and order.count >= 1 and order.count <= MOST
end

local function refusalOf(order, bag)
  if not isValid(order) then return Causeway.rejected('invalid_params', 'These are not parameters of items.') end
  local isKnown = bag.isItem(order.item)
  if isKnown == nil then return Causeway.rejected('inventory_locked', 'The inventory does not answer. Try again.') end
  if not isKnown then return Causeway.rejected('unknown_item', ('There is no item %s.'):format(order.item)) end
  local account = bag.accountOf(order.item)
  if account then
    local message = '%s is the item of the account %s. Use the command money.'
    return Causeway.rejected('invalid_params', message:format(order.item, account))
  end
  if not bag.hasMetadata and order.metadata and next(order.metadata) then
    return Causeway.rejected('invalid_params', 'This inventory keeps no metadata. Leave metadata out.')
  end
end

local function tooFew(order, most, code)
  local details = { [order.action == 'add' and 'fits' or 'count'] = most }
  local message = order.action == 'add' and '%d of %s fit.' or 'The player has %d of %s.'
  return Causeway.rejected(code, message:format(most, order.item), details)
end

--- The number of items to move, or nil and the refusal.
local function amountOf(order, bag, stacks, before)
  local most, code = before, 'not_enough_items'
  if order.action == 'add' then most, code = bag.fits(order.item, order.count, order.metadata, stacks) end
  if most >= order.count then return order.count end
  if order.allowPartial and most >= 1 then return most end
  return nil, tooFew(order, most, code)
end

local function bySlot(stacks)
  local counts = {}
  for _, stack in ipairs(stacks) do counts[stack.slot] = stack.count end
  return counts
end

--- Takes a change back, slot by slot. Returns whether the inventory holds the same stacks of the item again.
local function undo(bag, name, from, to)
  local had, has = bySlot(from), bySlot(to)
  for _, stack in ipairs(to) do
    local more = stack.count - (had[stack.slot] or 0)
    if more > 0 then Causeway.try(bag.take, name, more, nil, { stack }) end
  end
  for _, stack in ipairs(from) do
    local missing = stack.count - (has[stack.slot] or 0)
    if missing > 0 then Causeway.try(bag.add, name, missing, stack.metadata, from) end
  end
  local ok, stacks = Causeway.try(bag.stacks, name)
  if not ok or not stacks or Causeway.countOf(stacks) ~= Causeway.countOf(from) then return false end
  for _, stack in ipairs(from) do
    if Causeway.countOf(stacks, stack.metadata) ~= Causeway.countOf(from, stack.metadata) then return false end
  end
  return true
end

--- The refusal of a change that was taken back. `moved`: how many items moved.
local function undone(order, data, moved)
  if moved == math.abs(data.after - data.before) then
    return Causeway.rejected('invalid_params', 'The inventory gives this item other metadata. Leave metadata out.')
  end
  return tooFew(order, moved, order.action == 'add' and 'inventory_full' or 'not_enough_items')
end

--- The refusal of a change without an effect. `said` is the answer of the inventory.
local function unmoved(order, said)
  if said == 'inventory_full' then return tooFew(order, 0, said) end
  return Causeway.failed(Causeway.saying('The inventory did not change', said))
end

--- The outcome, judged by the counts alone, because return values of inventories are not reliable.
local function judged(order, bag, data, from, said)
  local ok, to = Causeway.try(bag.stacks, order.item)
  if not ok or not to then return Causeway.indeterminate('The inventory cannot be read any more.') end
  local wanted, sign = data.after - data.before, order.action == 'add' and 1 or -1
  local after = Causeway.countOf(to, order.metadata)
  local chosen, all = after - data.before, Causeway.countOf(to) - Causeway.countOf(from)
  if chosen == wanted and all == wanted then return { status = 'done', data = data } end
  if chosen == 0 and all == 0 then return unmoved(order, said) end
  local isPart = all * sign >= 1 and all * sign <= wanted * sign
  if order.allowPartial and isPart and chosen == all then
    return { status = 'done', data = itemsMoved(order, data.before, after) }
  end
  if isPart and undo(bag, order.item, from, to) then return undone(order, data, all * sign) end
  local details = { before = data.before, after = after }
  return Causeway.indeterminate('The count moved by another number: something else changed it, too.', details)
end

--- Checks and carries out an order on the inventory of an online player. `bag.isItem(name)`: whether the server has an
--- item with this name, nil while the inventory cannot be read; `accountOf(name)`: the account that it stands for;
--- `stacks(name)`: a copy of the stacks, nil while they cannot be read; `fits(name, count, metadata, stacks)`: how many
--- fit, and the code of the refusal; `add(name, count, metadata, stacks)` and `take(name, count, metadata, stacks)` call
--- the inventory; `hasMetadata`: whether stacks have metadata; `isStorable()`: whether the player can be written afterwards;
--- `metadata()` and `setMark(key, text)` as for a purse.
--- Returns an outcome; never yields.
function Causeway.moveItems(order, bag)
  local refusal = refusalOf(order, bag)
  if refusal then return refusal end
  local from = bag.stacks(order.item)
  if not from then return Causeway.rejected('inventory_locked', 'The inventory takes no changes now. Try again.') end
  local before = Causeway.countOf(from, order.metadata)
  local ok, amount, tooMany = Causeway.try(amountOf, order, bag, from, before)
  if not ok then return Causeway.failed(tostring(amount)) end
  if not amount then return tooMany end
  if not bag.isStorable() then return Causeway.failed(Causeway.UNREADABLE) end
  local data = itemsMoved(order, before, order.action == 'add' and before + amount or before - amount)
  local mark = { before = before, after = data.after, account = (order.item:gsub('[;\n]', ' ')) }
  -- The mark is set before the items move: a script that saves the player in between stores both.
  local isMarked, takeBack = Causeway.mark(bag, order.id, mark)
  if not isMarked then return Causeway.failed('The player could not be marked, so no item was moved.') end
  local _, said = Causeway.try(order.action == 'add' and bag.add or bag.take, order.item, amount, order.metadata, from)
  local outcome = judged(order, bag, data, from, said)
  if outcome.data ~= data then takeBack() end
  if outcome.status == 'done' and outcome.data ~= data then
    mark.after = outcome.data.after
    Causeway.mark(bag, order.id, mark)
  end
  return outcome
end

--- The command of an adapter, which stores the items of a player before it reports success. `of.book`: the row of a
--- player; `of.bagOf(source)`: the bag of an online player; `of.isHeld(identifier)`: whether the framework may undo a
--- change of this player; `of.store(order, outcome, done)` stores the player and calls `done(outcome)`;
--- `of.resolve(order, done)` as for an adapter.
function Causeway.createItemOrder(of)
  local function run(order, done)
    local source = roster.certain(order.target)
    if not source then return Causeway.refuseOffline(order, of.book, done) end
    if of.isHeld and of.isHeld(order.target) then return done(Causeway.offline(order.target)) end
    local bag = of.bagOf(source)
    function bag.isStorable() return of.book.loaded(order.target) ~= nil end
    local outcome = Causeway.moveItems(order, bag)
    -- Not every inventory has an event for a change by a script.
    roster.changed(source)
    if outcome.status ~= 'done' then return done(outcome) end
    of.store(order, outcome, done)
  end
  return { class = 'saved', run = run, resolve = of.resolve }
end
