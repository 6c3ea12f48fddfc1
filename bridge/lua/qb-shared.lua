-- The lists of QBCore, Qbox and RSG: their items, vehicles and jobs.

--- `shared(list, name)`: a list, or one of its entries. Since version 1.3 an export returns just that. Before, all lists
--- have to be copied at once, so the copy is kept until QBCore announces a change. `coreOf(name)` copies a part of it.
function Causeway.createQbShared(coreOf)
  local hasExport = Causeway.try(function() exports['qb-core']:GetShared('Jobs', 'unemployed') end)
  local kept
  AddEventHandler('QBCore:Server:UpdateObject', function() kept = nil end)
  AddEventHandler('onResourceStart', function(resource)
    if resource == 'qb-core' then kept = nil end
  end)
  return function(list, name)
    if hasExport then
      local found = exports['qb-core']:GetShared(list, name)
      -- Without an entry of this name it returns the whole list.
      if not name or type(found) == 'table' and found.grades then return found end
      return nil
    end
    kept = kept or coreOf('Shared').Shared or {}
    local all = kept[list] or {}
    if name then return all[name] end
    return all
  end
end

--- Catalogues from the frameworks' lists by name. `list(name)` is `Items`, `Vehicles` or `Jobs`; nil without such a list.
function Causeway.qbCatalogues(list, hasItems)
  local items = hasItems and Causeway.listSource(function() return list('Items') end) or nil
  return {
    items = Causeway.itemsSource(items),
    vehicles = Causeway.listSource(function() return list('Vehicles') end, function(model, vehicle)
      -- RSG has no brands, and says so with a question mark.
      local brand = (vehicle.brand or '?') ~= '?' and vehicle.brand .. ' ' or ''
      return model, brand .. (vehicle.name or model)
    end),
    jobs = Causeway.listSource(function() return list('Jobs') end, function(name, job)
      return name, job.label, job.grades
    end),
  }
end
