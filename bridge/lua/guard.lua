-- An error in a callback is lost: its request would never be answered, and its player would be blocked. So the callbacks of
-- a request belong to its scope, and an error in one of them ends the request. FXServer runs each call from outside in a
-- coroutine of its own; the scope of a request belongs to the coroutine that works on it.
local scopes = setmetatable({}, { __mode = 'k' })

local function settle(scope)
  if scope.problem and scope.pending == 0 and not scope.isOver then
    scope.isOver = true
    scope.failed(scope.problem, scope.hasWritten)
  end
end

local function run(scope, fn, ...)
  local thread = coroutine.running()
  local before = scopes[thread]
  scopes[thread] = scope
  local ok, problem = Causeway.try(fn, ...)
  scopes[thread] = before
  if not ok then scope.problem = scope.problem or problem end
  settle(scope)
end

--- Calls a function. `failed(problem, hasWritten)` is called once if the function or one of its callbacks throws, as soon as
--- no statement of it is on its way any more.
function Causeway.guarded(failed, fn, ...) run({ failed = failed, pending = 0, hasWritten = false }, fn, ...) end

--- From now on the current request may have had an effect.
function Causeway.written()
  local scope = scopes[coroutine.running()]
  if scope then scope.hasWritten = true end
end

--- A callback that belongs to the current request.
function Causeway.kept(fn)
  local scope = scopes[coroutine.running()]
  if not scope then return fn end
  return function(...) run(scope, fn, ...) end
end

--- The callback of a statement that is about to be sent; it is called exactly once.
function Causeway.awaited(fn)
  local scope = scopes[coroutine.running()]
  if not scope then return fn end
  scope.pending = scope.pending + 1
  return function(...)
    scope.pending = scope.pending - 1
    run(scope, fn, ...)
  end
end

--- `SetTimeout` and `CreateThread` of the current request.
function Causeway.after(ms, fn) SetTimeout(ms, Causeway.kept(fn)) end
function Causeway.thread(fn) CreateThread(Causeway.kept(fn)) end
