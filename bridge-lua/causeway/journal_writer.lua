--- The one writer of a journal file. What is written between two commits shares one write and one fsync. After a write
--- that failed, the file may hold half a line: nothing is appended to it any more, and a new file takes its place. A new
--- file is written in slices, while the old one goes on being appended to.
if jit then jit.off(true, true) end
local json = require 'causeway.json'

local journal_writer = {}

local FIRST_RETRY_MS, LAST_RETRY_MS = 100, 30000
local IDS_PER_LINE = 512

function journal_writer.create(options)
  local file, index, log = options.file, options.index, options.log
  local batch, lines = {}, options.lines
  local is_damaged, is_unsettled = false, false
  local rewrite, retry_at, retry_ms = nil, nil, FIRST_RETRY_MS
  local complaint
  local syncs = 0
  local self = {}

  --- Calls back. An error in one callback must not cost the others their answer.
  local function tell(callback, problem)
    if not callback then return end
    local fits, reason = pcall(callback, problem)
    if not fits then log('error', ('A callback of the journal failed: %s'):format(tostring(reason))) end
  end

  --- Fails what does not wait for better times.
  local function give_up(problem)
    local waiting = batch
    batch = {}
    for _, item in ipairs(waiting) do
      if item.is_patient then batch[#batch + 1] = item else tell(item.failed, problem) end
    end
  end

  --- Delays the next try. The same complaint is logged once.
  local function postpone(problem, now)
    retry_at = now + retry_ms
    retry_ms = math.min(retry_ms * 2, LAST_RETRY_MS)
    problem = tostring(problem)
    if problem ~= complaint then log('error', ('The journal cannot be written: %s. It is tried again and again.'):format(problem)) end
    complaint = problem
    give_up(problem)
  end

  local function recovered() retry_at, retry_ms, complaint = nil, FIRST_RETRY_MS, nil end

  local function damage(problem, now)
    is_damaged, rewrite = true, nil
    if file then file.discard() end
    postpone(problem, now)
  end

  --- A new file that cannot be written leaves a sound old one as it is.
  local function abandon(problem, now)
    if is_damaged then return damage(problem, now) end
    rewrite, retry_at = nil, now + LAST_RETRY_MS
    file.discard()
    log('error', ('The journal cannot be compacted: %s'):format(tostring(problem)))
  end

  --- `since`: lines that became durable after the new file was begun.
  local function begin()
    local begun, problem = file.begin()
    if begun then begun, problem = file.add(options.header()) end
    rewrite = { part = 1, lines = 1, since = {}, at = 1 }
    return begun, problem
  end

  --- Writes one part of the new file. Nil and an error, or true.
  local function advance()
    if rewrite.part <= index.buckets then
      local text, count = index.lines(rewrite.part)
      rewrite.part, rewrite.lines = rewrite.part + 1, rewrite.lines + count
      if text == '' then return true end
      return file.add(text)
    end
    local line = rewrite.since[rewrite.at]
    rewrite.at, rewrite.lines = rewrite.at + 1, rewrite.lines + 1
    return file.add(line)
  end

  local function is_complete() return rewrite.part > index.buckets and rewrite.at > #rewrite.since end

  local function replace()
    syncs = syncs + 1
    local replaced, problem = file.replace()
    if not replaced then return nil, problem end
    lines, rewrite, is_damaged, is_unsettled = rewrite.lines, nil, false, true
    recovered()
    return true
  end

  local function written(items)
    for _, item in ipairs(items) do
      if rewrite then rewrite.since[#rewrite.since + 1] = item.line end
      tell(item.written)
    end
  end

  local function append(now)
    local items, texts, is_durable = batch, {}, false
    for nth, item in ipairs(items) do
      texts[nth] = item.line
      -- So a reader can tell damage of what was durable from what a power cut leaves of a batch.
      if file and item.is_durable and not is_durable then
        texts[nth] = item.line:sub(1, -3) .. (',"synced":%.0f}\n'):format(file.synced)
      end
      is_durable = is_durable or item.is_durable
    end
    if file then
      if is_durable then syncs = syncs + 1 end
      local done, problem = file.append(table.concat(texts), is_durable)
      if not done then return damage(problem, now) end
      lines = lines + #items
    end
    batch = {}
    written(items)
  end

  --- Collects a line: `line`, `is_durable`, `is_patient`, `written()`, `failed(problem)`.
  function self.write(item) batch[#batch + 1] = item end

  function self.acknowledged(ids)
    for from = 1, #ids, IDS_PER_LINE do
      local some = {}
      for nth = from, math.min(from + IDS_PER_LINE - 1, #ids) do some[#some + 1] = ids[nth] end
      batch[#batch + 1] = { line = '{"op":"acknowledged","ids":' .. json.encode(json.array(some)) .. '}\n' }
    end
  end

  --- At most one fsync: of a new file, of its folder, or of what was appended.
  function self.commit(now)
    if is_unsettled then
      if retry_at and now < retry_at then return give_up(complaint) end
      syncs = syncs + 1
      local settled, problem = file.settle()
      if not settled then return postpone(problem, now) end
      is_unsettled = false
      recovered()
    elseif rewrite and is_complete() then
      local replaced, problem = replace()
      if not replaced then abandon(problem, now) end
    elseif is_damaged and not rewrite then
      give_up 'the journal takes no writes'
    elseif not is_damaged and #batch > 0 then
      append(now)
    end
  end

  --- Whether a rewrite is due: of a damaged file, or of one that is mostly out of date.
  local function is_due(now)
    if retry_at and now < retry_at then return false end
    if is_damaged then return true end
    return lines - index.size > options.compact_after and lines > 2 * index.size
  end

  --- Writes a new file until the time is over, at least one part of it.
  function self.work(is_over, now)
    if not file or is_unsettled then return end
    if not rewrite then
      if not is_due(now) then return end
      local begun, problem = begin()
      if not begun then return abandon(problem, now) end
    end
    while not is_complete() do
      local added, problem = advance()
      if not added then return abandon(problem, now) end
      if is_over() then return end
    end
  end

  --- Writes the whole file anew, and waits for that.
  function self.rewrite_now()
    local done, problem = begin()
    while done and not is_complete() do done, problem = advance() end
    if done then done, problem = replace() end
    if done then done, problem = file.settle() end
    if not done then file.discard() end
    is_unsettled = false
    return done, problem
  end

  function self.is_idle() return #batch == 0 and not rewrite and not is_unsettled and not is_damaged end
  --- How many times something was synced.
  function self.syncs() return syncs end

  return self
end

return journal_writer
