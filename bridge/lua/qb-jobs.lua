-- Jobs of QBCore, Qbox and RSG. QBCore and RSG give grade 0 to a player whose grade they do not have.

local GHOST = 'The framework holds an old copy of this player and may undo the change.'

local function gradeIn(job, grade)
  local grades = type(job) == 'table' and type(job.grades) == 'table' and job.grades or {}
  if grades[grade] ~= nil then return grades[grade] end
  return grades[tostring(grade)]
end

--- A job as `SetJob` of QBCore and RSG makes it.
local function made(job, name, grade)
  local info = gradeIn(job, grade)
  local isBoss = info.isboss or false
  return {
    name = name, label = job.label, onduty = job.defaultDuty, type = job.type or 'none', isboss = isBoss,
    grade = { name = info.name, level = grade, payment = info.payment, isboss = isBoss },
  }
end

local function heldOf(job) return job.name, type(job.grade) == 'table' and job.grade.level or 0 end

--- `core` as for the adapter; `book` is the book with the job; `holds(identifier)`: whether the framework holds a
--- disconnected player.
function Causeway.createQbJobs(core, book, class, holds)
  local of = {
    -- Qbox changes several tables one after the other.
    class = core.jobs.waits and 'saved' or class,
    waits = core.jobs.waits, set = core.jobs.set,
    offline = core.jobs.waits and function(order, done) Causeway.refuseOffline(order, book, done) end or nil,
    grades = function(name) return (core.jobs.find(name) or {}).grades end,
    held = function(source) return heldOf((core.data(source) or {}).job or {}) end,
    heldIn = function(row) return heldOf(Causeway.decode(row.job)) end,
    partsOf = function(name, grade) return { job = json.encode(made(core.jobs.find(name), name, grade)) } end,
    metadata = function(source) return (core.data(source) or {}).metadata end,
    setMark = core.setMark,
  }
  function of.knows(name, grade) return gradeIn(core.jobs.find(name), grade) ~= nil end
  function of.refuse(order)
    if holds(order.target) then return Causeway.rejected('player_offline', GHOST) end
    return core.jobs.refuse and core.jobs.refuse(order)
  end
  return Causeway.createJobs(of, book, Causeway.createSaver(book))
end
