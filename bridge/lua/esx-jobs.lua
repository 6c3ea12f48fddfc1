-- Jobs of ESX. Its call returns nothing, and ignores a job or grade that ESX does not have.

--- `esx()` is its shared object; `call(source, method, ...)` calls a method of a player; `money` as for the adapter.
function Causeway.createEsxJobs(esx, call, money)
  local book = money.jobBook
  local saver = Causeway.createSaver(book)
  local jobs = {
    class = 'saved', refuse = money.refuse,
    -- All jobs with their grades are much larger than this answer.
    knows = function(name, grade) return esx().DoesJobExist(name, grade) end,
    grades = function(name) return (esx().GetJobs()[name] or {}).grades end,
    held = function(source)
      local job = call(source, 'getJob') or {}
      return job.name, job.grade
    end,
    set = function(source, name, grade) return call(source, 'setJob', name, grade) end,
    metadata = function(source) return call(source, 'getMeta') end,
    heldIn = function(row) return row.job, row.grade end,
    partsOf = function(name, grade) return { job = name, grade = grade } end,
  }
  local function setMark(source, key, text) call(source, 'setMeta', key, text) end
  local order = Causeway.createJobs(jobs, book, saver)
  local run = order.run
  --- Whether there is metadata is known only when the adapter is ready.
  function order.run(...)
    jobs.setMark = book.hasMarks and setMark or nil
    run(...)
  end
  return order
end
