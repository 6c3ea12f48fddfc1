-- Jobs of Qbox. A player may have several jobs and plays one of them, the primary job. The command sets the primary job,
-- as `SetJob` of Qbox does: by default it replaces the one before, and the other jobs stay.

--- A job that does not fit makes `SetJob` stop in the middle, with the former job already taken away.
local function refuse(order)
  local data = (exports.qbx_core:GetPlayerByCitizenId(order.target) or {}).PlayerData or {}
  local count, held = 0, data.jobs or {}
  if order.job == 'unemployed' or held[order.job] then return nil end
  for _ in pairs(held) do count = count + 1 end
  local primary = (data.job or {}).name
  if GetConvar('qbx:setjob_replaces', 'true') == 'true' and held[primary] then count = count - 1 end
  local most = GetConvarInt('qbx:max_jobs_per_player', 1)
  if count < most then return nil end
  return Causeway.rejected('refused', ('The player has the most jobs that Qbox allows: %d.'):format(most))
end

function Causeway.createQboxJobs()
  local qbx = exports.qbx_core
  local hasFind = Causeway.try(function() qbx:GetJob('unemployed') end)
  return {
    waits = true, refuse = refuse,
    find = function(name)
      if hasFind then return qbx:GetJob(name) end
      return qbx:GetJobs()[name]
    end,
    set = function(source, name, grade) return qbx:SetJob(source, name, grade) end,
  }
end
