-- The command `items` on ox_core. Its characters have no place for a mark, so a crash leaves a command in doubt.
local ROW = [[SELECT characters.charId AS charId, stateId, inventory,
    (SELECT license2 FROM users WHERE users.userId = characters.userId) AS license2
  FROM characters LEFT JOIN character_inventory ON character_inventory.charId = characters.charId
  WHERE stateId = ? AND deleted IS NULL]]
local STORE = [[INSERT INTO character_inventory (charId, inventory) VALUES (?, ?)
  ON DUPLICATE KEY UPDATE inventory = VALUES(inventory)]]

local function createBook(ox)
  local book = { hasMarks = false, agrees = function() return true end }
  book.loaded = Causeway.loader(function(source)
    local text, player = Causeway.oxItems.textOf(source), ox:GetPlayer(source)
    return text and player and { inventory = text, charId = player.charId } or nil
  end)
  function book.write(_, has, done) Causeway.update(STORE, { has.charId, has.inventory }, done) end
  function book.row(identifier, done)
    Causeway.rows(ROW, { identifier }, function(rows, problem)
      local row = rows and rows[1]
      if not Causeway.isExactly(row, 'stateId', identifier) then return done(nil, problem) end
      done({ inventory = row.inventory, owners = { row.license2 and 'license2:' .. row.license2 } })
    end)
  end
  return book
end

--- The order; nil without a usable ox_inventory. Cash is only an item here, so no item stands for an account.
function Causeway.createOxCoreItems(ox)
  if not Causeway.oxItems.isUsable() then return nil end
  local book = createBook(ox)
  return Causeway.createItemOrder({
    book = book, store = Causeway.createItemStore(book).store,
    bagOf = function(source) return Causeway.oxItems.bagOf(source, function() return nil end) end,
  })
end
