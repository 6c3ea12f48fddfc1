-- Vehicles that the bridge is about to delete: they are remembered on the disk first, because a deleted row has no mark.
local PREFIX = 'taken:'
-- From the answer on, the journal needs a moment.
local KEPT_MS = 600000
local taken = {}
Causeway.taken = taken

--- Remembers a vehicle under the id of a command. Returns whether the disk has it.
function taken.keep(id, vehicle)
  local text = json.encode(vehicle)
  SetResourceKvp(PREFIX .. id, text)
  return GetResourceKvpString(PREFIX .. id) == text
end

--- The vehicle of an interrupted command; nil if its deletion was never begun.
function taken.read(id)
  local text = GetResourceKvpString(PREFIX .. id)
  return text and json.decode(text)
end

--- Forgets the vehicle of a command some time after its answer.
function taken.forget(id)
  SetTimeout(KEPT_MS, function() DeleteResourceKvpNoSync(PREFIX .. id) end)
end

--- Forgets the vehicles of earlier starts, once their commands have been resolved.
function taken.forgetAll()
  local search = StartFindKvp(PREFIX)
  local key = FindKvp(search)
  while key do
    taken.forget(key:sub(#PREFIX + 1))
    key = FindKvp(search)
  end
  EndFindKvp(search)
end
