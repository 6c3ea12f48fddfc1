--- Carries commands out: each id at most once, per player in the order in which they came, and each answer from the
--- journal where the command needs one. It knows no connection: `send` may lose a frame.
if jit then jit.off(true, true) end
local commands = require 'causeway.commands'
local lanes_of = require 'causeway.lanes'
local ledger = require 'causeway.ledger'
local limits = require 'causeway.limits'
local outcomes = require 'causeway.outcomes'

local executor = {}

--- Whether an id is that of a round of a command that waited.
local function is_round(id) return id:find '%.%d+$' ~= nil end

--- The last answers that are in no journal, so that a frame which comes twice is answered and not run again.
local function create_recent()
  local answers, order = {}, lanes_of.queue()
  return {
    get = function(id) return answers[id] end,
    put = function(id, answer)
      if not answers[id] then order.push(id) end
      answers[id] = answer
      if order.size() > limits.answers then answers[order.pop()] = nil end
    end,
  }
end

--- `options`: `journal`, `handlers`, `clock` (of the hub), `received` (with `add` and `remove`), `send(text)`, `log`, and
--- `on_done(call)`, which is called when a command's effect is durable.
function executor.create(options)
  local journal, handlers, clock = options.journal, options.handlers, options.clock
  local received, send, log = options.received, options.send, options.log
  local tasks, size = {}, 0
  local recent = create_recent()
  local runnable, urgent = lanes_of.queue(), lanes_of.queue()
  local lanes
  local is_draining = false
  local self = {}

  local function answer(id, outcome, sequence)
    received.remove(id)
    send(outcomes.frame(id, outcome, sequence))
  end

  local function answer_from(entry)
    answer(entry.id, entry.outcome or { status = entry.status }, entry.sequence)
  end

  local function add(task)
    tasks[task.id] = task
    size = size + 1
    return task
  end

  --- `ending`: its outcome is certain and on its way into the journal.
  local function add_ending(id, fingerprint)
    return add { id = id, fingerprint = fingerprint or '', urgent = false, phase = 'ending' }
  end

  local function forget(task)
    if tasks[task.id] ~= task then return end
    tasks[task.id] = nil
    size = size - 1
    lanes.done(task)
  end

  local function end_in_memory(task, outcome)
    recent.put(task.id, { fingerprint = task.fingerprint, outcome = outcome })
    forget(task)
    answer(task.id, outcome)
  end

  --- Ends a task whose outcome must not be lost.
  local function finish(task, outcome)
    task.phase = 'ending'
    if task.urgent then return end_in_memory(task, outcome) end
    journal.settle(task.id, outcome, task.fingerprint, true, function(entry, problem)
      forget(task)
      if entry then
        answer_from(entry)
        if entry.status == 'done' and task.call then options.on_done(task.call) end
        return
      end
      log('error', ('The outcome of %s is not in the journal: %s'):format(task.id, tostring(problem)))
    end)
  end

  --- Ends a task that never began; durably if that is possible, so that a late copy is answered alike. The refusal of a
  --- round waits for the journal: a restored hub may send that round again, and it must not be carried out then.
  local function refuse(task, outcome)
    if is_round(task.id) then return finish(task, outcome) end
    task.phase = 'ending'
    if task.urgent then return end_in_memory(task, outcome) end
    journal.settle(task.id, outcome, task.fingerprint, false, function(entry, problem)
      if not entry then
        log('error', ('The refusal of %s is not in the journal: %s'):format(task.id, tostring(problem)))
        return end_in_memory(task, outcome)
      end
      forget(task)
      answer_from(entry)
    end)
  end

  --- Ends a task that an earlier process started; it never runs again.
  local function end_left_over(entry)
    -- The class that counts is the one of the process that started it.
    local is_covered = entry.atomic == true and entry.name == 'money'
    finish(add_ending(entry.id, entry.fingerprint), outcomes.left_over(is_covered))
  end

  local function unfinished(task)
    local is_covered = journal.class == 'atomic' and task.name == 'money'
    return outcomes.unfinished(is_covered, ('The handler of %s failed.'):format(task.name))
  end

  --- The fault in the balance of a payment; nil if the journal may take it.
  local function balance_fault(task, given, outcome)
    if task.name ~= 'money' or outcome.status ~= 'done' or not journal.ledger then return nil end
    if outcome.ledger == nil then return journal.class == 'atomic' and 'The balance is not in the journal.' or nil end
    if ledger.is_ordered(outcome.ledger, task.call.params, given.data) then return nil end
    return 'The balance for the journal is not that of the order.'
  end

  local function conclude(task, given)
    local outcome = outcomes.fit(task.name, given)
    if not outcome then
      log('error', ('The handler of %s did not answer with an outcome for %s.'):format(task.name, task.id))
      return finish(task, unfinished(task))
    end
    local fault = balance_fault(task, given, outcome)
    if fault then
      log('error', ('The outcome of %s is not known: %s'):format(task.id, fault))
      outcome = outcomes.fit('money', outcomes.indeterminate(fault))
    end
    finish(task, outcome)
  end

  local function call(task)
    local is_waiting, is_finished, early = false, false, nil
    local context = { id = task.id, name = task.call.name, target = task.call.target, fingerprint = task.fingerprint }
    function context.finish(outcome)
      if is_finished then return end
      is_finished, early = true, outcome
      if is_waiting then conclude(task, outcome) end
    end
    local fits, given = pcall(task.call.run, task.call.params, context)
    if not fits then
      is_finished = true
      log('error', ('The handler of %s failed for %s: %s'):format(task.name, task.id, tostring(given)))
      return finish(task, unfinished(task))
    end
    if given ~= outcomes.later then
      is_finished = true
      return conclude(task, given)
    end
    if is_finished then return conclude(task, early) end
    is_waiting = true
  end

  local function run(task)
    -- It may have waited for a step: it has had no effect yet.
    if task.expires <= clock.now() then return finish(task, outcomes.VOIDED) end
    task.phase = 'running'
    received.add(task.id)
    call(task)
  end

  --- The turn of a task has come.
  local function begin(task)
    if task.phase ~= 'queued' then return lanes.done(task) end
    if task.urgent then
      task.phase = 'starting'
      return urgent.push(task)
    end
    if task.expires <= clock.now() then return refuse(task, outcomes.VOIDED) end
    task.phase = 'starting'
    journal.start(task.id, task.fingerprint, task.call.name, function(entry, problem)
      if entry then return runnable.push(task) end
      log('error', ('The journal does not take %s: %s'):format(task.id, tostring(problem)))
      local outcome = outcomes.refusal('journal_unavailable', 'The journal of the bridge takes no writes.')
      if is_round(task.id) then return finish(task, outcome) end
      end_in_memory(task, outcome)
    end)
  end

  lanes = lanes_of.create(limits.in_flight, function(task)
    if tasks[task.id] == task then begin(task) else lanes.done(task) end
  end)

  --- Answers a command whose id is known, without running anything. False when it is new.
  local function answer_known(frame)
    local id = frame.id
    local task, remembered, entry = tasks[id], recent.get(id), journal.get(id)
    local known = task or remembered or entry
    if not known then return false end
    if known.fingerprint ~= '' and known.fingerprint ~= frame.fingerprint then
      answer(id, outcomes.refusal('fingerprint_mismatch', 'The id belongs to another command.'))
    elseif task then received.add(id)
    elseif remembered then answer(id, remembered.outcome)
    elseif entry.status == 'started' then end_left_over(entry)
    else answer_from(entry) end
    return true
  end

  local function take(frame)
    local prepared, refusal = handlers.prepare(frame.name, frame.params)
    if not prepared then
      local task = add_ending(frame.id, frame.fingerprint)
      task.urgent = commands.EPHEMERAL[frame.name] == true
      return refuse(task, refusal)
    end
    local task = add {
      id = frame.id, fingerprint = frame.fingerprint, expires = frame.expiresAt, name = prepared.name, call = prepared,
      lane = commands.lane(prepared.name, prepared.target), urgent = commands.EPHEMERAL[prepared.name] == true, phase = 'queued',
    }
    if task.expires <= clock.now() then return refuse(task, outcomes.VOIDED) end
    if is_draining then return refuse(task, outcomes.refusal('server_restarting', 'The game server is about to restart.')) end
    -- A command that starts at once is reported when its start is in the journal.
    if lanes.is_busy(task.lane) then received.add(task.id) end
    lanes.add(task)
  end

  --- Takes a frame `command`.
  function self.command(frame)
    if answer_known(frame) then return true end
    if size >= limits.open_commands then return false end
    take(frame)
    return true
  end

  --- Takes a command back if it has not started; one that runs is answered when it ends.
  function self.void(id)
    local task, remembered, entry = tasks[id], recent.get(id), journal.get(id)
    if task and task.phase == 'queued' then finish(task, outcomes.VOIDED)
    elseif task then received.add(id)
    elseif remembered then answer(id, remembered.outcome)
    elseif not entry then finish(add_ending(id), outcomes.VOIDED)
    elseif entry.status == 'started' then end_left_over(entry)
    else answer_from(entry) end
  end

  --- Settles commands that an earlier process started and did not finish.
  function self.recover()
    for _, entry in ipairs(journal.open()) do
      if entry.status == 'started' then end_left_over(entry) end
    end
  end

  --- Commits, then runs what is durable until the time is over, kicks first.
  function self.step(is_over)
    if not journal.is_idle() then journal.commit() end
    repeat
      local task = urgent.pop() or runnable.pop()
      if not task then return end
      run(task)
    until is_over()
  end

  function self.draining(on) is_draining = on end
  function self.is_draining() return is_draining end
  --- Commands that came and have not ended.
  function self.size() return size end

  return self
end

return executor
