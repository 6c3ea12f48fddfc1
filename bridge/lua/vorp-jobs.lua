-- Jobs of VORP. It has no list of jobs: every name and every grade is one. A row has no place for a mark.

-- The columns of `characters`.
local LONGEST, HIGHEST = 50, 2 ^ 31 - 1

local function textOf(row) return ('%d %s'):format(tonumber(row.grade) or 0, row.job or '') end

--- `character(source)` is the chosen character; `charIdOf(identifier)` is the number of one.
local function createBook(character, charIdOf)
  local book = { hasMarks = false, proves = function() return false end }
  book.loaded = Causeway.loader(function(source)
    local found = character(source)
    return found and { money = textOf({ job = found.job, grade = found.jobGrade }) }
  end)
  function book.write(identifier, has, done)
    local grade, job = has.money:match('^(%-?%d+) (.*)$')
    local sql = 'UPDATE characters SET job = ?, jobgrade = ? WHERE charidentifier = ?'
    Causeway.update(sql, { job, tonumber(grade), charIdOf(identifier) }, done)
  end
  function book.row(identifier, done)
    local sql = 'SELECT job, jobgrade AS grade FROM characters WHERE charidentifier = ?'
    Causeway.rows(sql, { charIdOf(identifier) }, function(rows, problem)
      done(rows and rows[1] and { money = textOf(rows[1]) }, problem)
    end)
  end
  return book
end

--- `offline(order, done)` answers for an absent player.
function Causeway.createVorpJobs(character, charIdOf, offline)
  local of = { class = 'saved', offline = offline, knows = function() return true end }
  function of.held(source)
    local found = character(source) or {}
    return found.job, found.jobGrade
  end
  function of.set(source, name, grade)
    local found = character(source)
    -- The label belongs to a job, and VORP knows no label for it.
    if found.job ~= name and found.setJobLabel then found.setJobLabel(name) end
    found.setJob(name)
    found.setJobGrade(grade)
  end
  function of.refuse(order)
    if (utf8.len(order.job) or #order.job) <= LONGEST and order.grade <= HIGHEST then return nil end
    local message = 'VORP stores names of jobs of at most %d letters and grades up to %d.'
    return Causeway.rejected('invalid_params', message:format(LONGEST, HIGHEST))
  end
  local book = createBook(character, charIdOf)
  local order = Causeway.createJobs(of, book, Causeway.createSaver(book))
  return { class = order.class, run = order.run }
end
