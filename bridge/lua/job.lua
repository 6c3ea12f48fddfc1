-- The command `job`. The framework's own call sets the job. The job that the player holds before and after that call
-- decides the outcome, because return values of frameworks are not reliable.
local roster = Causeway.roster
-- A row without a usable job; the protocol needs a name.
local NONE = 'none'
-- A framework that waits for its database gets so long.
local ANSWER_MS = 60000

--- A job in the form of the result.
local function jobOf(name, grade)
  local level = math.tointeger(math.floor(tonumber(grade) or 0)) or 0
  return { job = type(name) == 'string' and name ~= '' and name or NONE, grade = math.max(0, level) }
end

local function isSame(one, other) return one.job == other.job and one.grade == other.grade end

-- A mark has two numbers and a text: here the grades, and the former job.
local function markOf(data)
  local name = data.before.job:gsub('[%%;%c]', function(char) return ('%%%02x'):format(char:byte()) end)
  return { before = data.before.grade, after = data.after.grade, account = '=' .. name }
end

function Causeway.results.job(order, before, after, text)
  local name = text:sub(2):gsub('%%(%x%x)', function(code) return string.char(tonumber(code, 16)) end)
  return { before = { job = name, grade = before }, after = { job = order.job, grade = after } }
end

--- The refusal of an unknown job, or of an unknown grade if the job has these ones.
function Causeway.unknownJob(order, grades)
  if #grades == 0 then
    return Causeway.rejected('unknown_job', ('This server has no job "%s".'):format(order.job))
  end
  table.sort(grades)
  local list = table.concat(grades, ', ')
  local message = ('The job "%s" has no grade %d. Its grades: %s.'):format(order.job, order.grade, list)
  return Causeway.rejected('unknown_grade', message, { grades = grades })
end

local function refusal(of, order, grade)
  if of.knows(order.job, grade) then return nil end
  local grades = {}
  for level in pairs(of.grades(order.job) or {}) do grades[#grades + 1] = math.tointeger(tonumber(level)) end
  return Causeway.unknownJob(order, grades)
end

--- The outcome, judged by the job that the player holds now.
local function judged(data, after, said)
  if not after then return Causeway.indeterminate('The job cannot be read any more.', { before = data.before }) end
  if isSame(after, data.after) then return { status = 'done', data = data } end
  if isSame(after, data.before) then
    return Causeway.failed(Causeway.saying('The framework did not set the job', said))
  end
  local message = 'The player has another job now: something else changed it, too.'
  return Causeway.indeterminate(message, { before = data.before, after = after })
end

local function purseOf(of, source)
  if not of.setMark then return {} end
  return {
    metadata = function() return of.metadata(source) end,
    setMark = function(key, text) of.setMark(source, key, text) end,
  }
end

--- Sets the job of an online player in memory, and marks the player. Returns an outcome.
local function setInMemory(of, order, grade, source)
  local data = { before = jobOf(of.held(source)), after = { job = order.job, grade = grade } }
  local purse, isHeld = purseOf(of, source), isSame(data.before, data.after)
  local isMarked, takeBack = true, function() end
  -- The mark is set before the job: a script that saves the player in between stores both. A framework that waits in
  -- the middle would store the mark with an unfinished change.
  if not of.waits then isMarked, takeBack = Causeway.mark(purse, order.id, markOf(data)) end
  if not isMarked then return Causeway.failed('The player could not be marked, so the job was not set.') end
  local said
  if not isHeld then said = select(2, Causeway.try(of.set, source, order.job, grade)) end
  local isThere = not of.waits or roster.isPlaying(source, order.target)
  local read, name, level = Causeway.try(of.held, source)
  local outcome = judged(data, isThere and read and jobOf(name, level) or nil, said)
  if outcome.status ~= 'done' then takeBack() end
  if of.waits and outcome.status == 'done' and not Causeway.mark(purse, order.id, markOf(data)) then
    return Causeway.indeterminate('The job was set, but the player could not be marked.', data)
  end
  return outcome
end

--- Sets the job of an offline player in the framework's own table.
local function setInTable(of, order, grade, book, saver, done)
  Causeway.changeOffline(order, book, saver, function(row, metadata)
    local data = { before = jobOf(of.heldIn(row)), after = { job = order.job, grade = grade } }
    local purse = metadata and {
      metadata = function() return metadata end,
      setMark = function(key, text) metadata[key] = text end,
    } or {}
    Causeway.mark(purse, order.id, markOf(data))
    return { status = 'done', data = data }, of.partsOf(order.job, grade)
  end, done)
end

--- The command for a framework that keeps jobs in memory. `of` has `class`; `knows(name, grade)`; `grades(name)`, by
--- grade; `held(source)`: name and grade; `set(source, name, grade)`: the framework's own call; `refuse(order)`: a
--- refusal before the change, if there is one. `waits`: its call waits for the database. `metadata(source)` and
--- `setMark(source, key, text)` exist if a player can be marked. `offline(order, done)` refuses an absent player; without
--- it their row is changed: `heldIn(row)` is their job, and `partsOf(name, grade)` are the new parts of the row.
function Causeway.createJobs(of, book, saver)
  -- `isInTime` hears that the framework has answered: the save has its own patience.
  local function carryOut(order, grade, source, done, isInTime)
    local outcome = setInMemory(of, order, grade, source)
    if isInTime and not isInTime() then return end
    if outcome.status ~= 'done' then return done(outcome) end
    saver.save(order.target, order.id, function(verdict) done(Causeway.verdictOn(book, order, outcome, verdict)) end)
  end

  local function run(order, done)
    local grade = math.tointeger(order.grade)
    local ok, problem = Causeway.try(refusal, of, order, grade)
    if not ok then return done(Causeway.failed(problem)) end
    if problem then return done(problem) end
    local source = roster.certain(order.target)
    if not source and of.offline then return of.offline(order, done) end
    local refused = of.refuse and of.refuse(order)
    if refused then return done(refused) end
    if not source then return setInTable(of, order, grade, book, saver, done) end
    if not book.loaded(order.target) then return done(Causeway.failed(Causeway.UNREADABLE)) end
    if not of.waits then return carryOut(order, grade, source, done) end
    local isBack, isOver = false, false
    Causeway.after(ANSWER_MS, function()
      if isBack then return end
      isOver = true
      done(Causeway.indeterminate('The framework has not answered for a minute.'))
    end)
    Causeway.thread(function()
      local isRun, failure = Causeway.try(carryOut, order, grade, source, done, function()
        isBack = true
        return not isOver
      end)
      if isRun or isOver then return end
      isBack = true
      done(Causeway.indeterminate(failure))
    end)
  end

  local function resolve(order, done) Causeway.resolve(book, saver, order, done) end
  return { class = of.class, run = run, resolve = resolve }
end
