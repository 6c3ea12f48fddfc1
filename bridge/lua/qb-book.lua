-- The row of QBCore, Qbox and RSG, and the disconnected players that they hold in memory. They finish loading a player
-- who left meanwhile, and save that copy whenever a script asks, until they stop.
local roster = Causeway.roster

local function ghostOf(core, identifier)
  if roster.source(identifier) then return nil end
  local ok, data = Causeway.try(core.find, identifier)
  return ok and data and not DoesPlayerExist(data.source) and data or nil
end

--- The book, whether the framework holds a disconnected player: `holds(identifier)`, and the book with the job. `core`
--- as for the adapter.
function Causeway.createQbBook(core)
  local of = {
    table = 'players', key = 'citizenid', license = 'license',
    columns = { money = 'money', metadata = 'metadata', inventory = 'inventory' },
    owners = function(row) return { row.license } end,
    memory = function(source)
      local data = core.data(source)
      if not data then return nil end
      return {
        money = json.encode(data.money), metadata = json.encode(data.metadata),
        inventory = core.inventory and core.inventory(data),
      }
    end,
    mayOwe = core.mayOwe,
    proves = function(order) return not core.isItem(order.type) end,
    agrees = function(identifier, id, isIn)
      local ghost = ghostOf(core, identifier)
      return not ghost or (Causeway.markIn(ghost.metadata, id) ~= nil) == isIn
    end,
  }
  local withJob = Causeway.withJob(of, { job = 'job' }, function(source)
    local data = core.data(source)
    return data and { job = json.encode(data.job) }
  end)
  withJob.proves = function() return not core.jobs.waits end
  local book, jobBook = Causeway.createBook(of), Causeway.createBook(withJob)
  book.hasMarks, jobBook.hasMarks = true, true
  return book, function(identifier) return ghostOf(core, identifier) ~= nil end, jobBook
end
