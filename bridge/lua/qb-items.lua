-- Cash that is also an item. Qbox sets the item to the balance and does not check the result. When an inventory
-- changes, ox_inventory sets the balance to the item count.

--- `isInStep(source, name)`: whether a balance equals the item count; it does not before the inventory is loaded.
--- `problem(source, order)`: the refusal of an order that would be undone, otherwise nil. `core` as for the adapter.
function Causeway.createQbItems(core)
  local items = {}

  function items.isInStep(source, name)
    if not core.carried then return true end
    local ok, count = Causeway.try(core.carried, source, name)
    return not ok or not count or count == Causeway.whole(tonumber(core.balance(source, name)) or 0)
  end

  function items.problem(source, order)
    if not items.isInStep(source, order.type) then
      return Causeway.failed('The item count differs from the balance.')
    end
    if not core.mayCarry or order.action ~= 'add' then return nil end
    local ok, mayCarry = Causeway.try(core.mayCarry, source, order.type, order.amount)
    if ok and not mayCarry then return Causeway.rejected('invalid_params', 'The inventory is full.') end
  end
  return items
end
