-- Jobs of ox_core: groups of the type `job`, of which a character has at most one. A character without one has the job
-- `unemployed` with grade 0. ox_core changes its tables at once, and a row has no place for a mark.
local roster = Causeway.roster
local NO_JOB = { job = 'unemployed', grade = 0 }
local GRADES = [[SELECT ox_groups.name AS name, grade FROM ox_groups JOIN ox_group_grades ON ox_group_grades.`group` = ox_groups.name
  WHERE ox_groups.name = ? AND type = 'job' ORDER BY grade]]
local HELD = [[SELECT characters.charId, stateId, ox_groups.name AS job, character_groups.grade AS grade FROM characters
  LEFT JOIN character_groups ON character_groups.charId = characters.charId
    AND character_groups.name IN (SELECT name FROM ox_groups WHERE type = 'job')
  LEFT JOIN ox_groups ON ox_groups.name = character_groups.name
  WHERE stateId = ? AND deleted IS NULL ORDER BY character_groups.isActive DESC, ox_groups.name LIMIT 1]]

-- Its own lists are not exported.
local ALL = [[SELECT ox_groups.name AS name, ox_groups.label AS label, grade, ox_group_grades.label AS gradeLabel FROM ox_groups
  JOIN ox_group_grades ON ox_group_grades.`group` = ox_groups.name WHERE type = 'job']]

--- The catalogue of jobs.
Causeway.oxJobSource = {
  page = function(_, done)
    Causeway.rows(ALL, {}, function(rows, problem)
      if not rows then return done(nil, problem) end
      local jobs = {}
      for _, row in ipairs(rows) do
        jobs[row.name] = jobs[row.name] or { label = row.label, grades = {} }
        jobs[row.name].grades[row.grade] = { label = row.gradeLabel }
      end
      done(jobs)
    end)
  end,
  entry = function(name, job) return name, job.label, job.grades end,
}

local function isSame(one, other) return one.job == other.job and one.grade == other.grade end

--- Reads the job of a character. `done(job, problem)`: both are nil when the character does not exist.
local function held(identifier, done)
  Causeway.rows(HELD, { identifier }, function(rows, problem)
    local row = rows and rows[1]
    if not Causeway.isExactly(row, 'stateId', identifier) then return done(nil, problem) end
    done(row.job and { job = row.job, grade = row.grade } or NO_JOB)
  end)
end

--- The refusal of a job or grade, from the tables of ox_core. `done(refusal)`.
local function refusal(order, done)
  if isSame(order, NO_JOB) then return done(nil) end
  Causeway.rows(GRADES, { order.job }, function(rows, problem)
    if not rows then return done(Causeway.failed(problem)) end
    local grades = {}
    for _, row in ipairs(rows) do
      local isMeant = Causeway.isExactly(row, 'name', order.job)
      if isMeant and row.grade == order.grade then return done(nil) end
      if isMeant then grades[#grades + 1] = row.grade end
    end
    done(Causeway.unknownJob(order, grades))
  end)
end

--- `ox` has the exports of ox_core.
function Causeway.createOxJobs(ox)
  -- Orders without an answer from ox_core: an ox_core that was stopped never answers.
  local unanswered = {}

  local function judge(order, before, said, done)
    local wanted = { job = order.job, grade = order.grade }
    held(order.target, function(after, problem)
      local data = { before = before, after = wanted }
      if after and isSame(after, wanted) then return done({ status = 'done', data = data }) end
      if after and isSame(after, before) then
        return done(Causeway.failed(Causeway.saying('ox_core did not set the job', said)))
      end
      local message = Causeway.saying('It is unknown which job the player has', problem or said)
      done(Causeway.indeterminate(message, { before = before, after = after }))
    end)
  end

  --- Two jobs at once are refused, so the former one is taken away first, and given back if the new one is refused.
  local function change(order, before, source)
    local function set(name, grade) return select(2, Causeway.try(ox.CallPlayer, ox, source, 'setGroup', name, grade)) end
    local isOther = before ~= NO_JOB and before.job ~= order.job
    if isOther then set(before.job, 0) end
    if isSame(order, NO_JOB) then return nil end
    local said = set(order.job, order.grade)
    if said ~= true and isOther then set(before.job, before.grade) end
    return said
  end

  local function carryOut(order, before, done)
    local source = roster.certain(order.target)
    if not source then return done(Causeway.offline(order.target)) end
    Causeway.written()
    unanswered[order.id] = Causeway.kept(function() judge(order, before, 'it was stopped', done) end)
    -- ox_core returns promises; only a thread can wait for them.
    Causeway.thread(function()
      local _, said = Causeway.try(change, order, before, source)
      if not unanswered[order.id] then return end
      unanswered[order.id] = nil
      roster.changed(source)
      judge(order, before, said, done)
    end)
  end

  AddEventHandler('onResourceStop', function(resource)
    local cutOff = resource == 'ox_core' and unanswered or {}
    if resource == 'ox_core' then unanswered = {} end
    for _, ask in pairs(cutOff) do ask() end
  end)

  local function run(order, done)
    order.grade = math.tointeger(order.grade)
    refusal(order, function(refused)
      if refused then return done(refused) end
      held(order.target, function(before, problem)
        if problem then return done(Causeway.failed(problem)) end
        if not before then return done(Causeway.unknown(order.target)) end
        if not isSame(before, order) then return carryOut(order, before, done) end
        if not roster.certain(order.target) then return done(Causeway.offline(order.target)) end
        done({ status = 'done', data = { before = before, after = before } })
      end)
    end)
  end
  return { class = 'durable', run = run }
end
