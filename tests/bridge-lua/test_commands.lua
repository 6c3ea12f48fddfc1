local causeway = require 'causeway'
local limits = require 'causeway.limits'
local runner = require 'runner'
local stage = require 'stage'

local test, equal, contains = runner.test, runner.equal, runner.contains

local function code_of(result) return result.error and result.error.code or result.status end

test('commands: a payment is done once, with its balance and the sequence of its entry', function()
  local on = stage.open()
  on.greet()
  local order = on.payment(500)
  local result = on.run(order)
  equal({ result.status, result.data.account, result.data.before, result.data.after }, { 'done', 'bank', 1000, 1500 })
  equal(result.sequence, 2)
  equal(on.run(order), result)
  equal(#on.game.effects, 1)
end)

test('commands: `started` is durable before the effect, and the outcome before its result', function()
  local on
  local seen = {}
  on = stage.open {
    bridge = {
      commands = {
        money = function(_, context)
          seen[#seen + 1] = stage.read(on.path):find('"id":"' .. context.id .. '"', 1, true) ~= nil
          return causeway.done { account = 'bank', before = 1, after = 2 }
        end,
      },
    },
  }
  local line = on.greet()
  local order = on.payment(1)
  line.say(order)
  for _ = 1, 10 do
    on.hub.pass(on.bridge, 10)
    if line.result(order.id) then seen[#seen + 1] = on.journal.get(order.id).status break end
  end
  equal(seen, { true, 'done' })
end)

test('commands: items are checked before the game hears of them', function()
  local heard = {}
  local on = stage.open { bridge = { commands = { items = function(params)
    heard[#heard + 1] = params.item
    return causeway.done { item = params.item, before = 0, after = params.count }
  end } } }
  on.greet()
  local function ask(field, value)
    local params = { target = 'char1:ana', item = 'bread', count = 3, action = 'add', allowPartial = false }
    params[field or 'count'] = field and value or 3
    return on.run(on.hub.command('items', params))
  end
  equal(ask().data.after, 3)
  equal(ask('metadata', causeway.object { quality = 5 }).status, 'done')
  for _, count in ipairs { 0, -1, 1.5, 1000001, '3', causeway.null } do equal(code_of(ask('count', count)), 'invalid_params') end
  for _, item in ipairs { '', ('a'):rep(129), 5 } do equal(code_of(ask('item', item)), 'invalid_params') end
  equal(code_of(ask('action', 'give')), 'invalid_params')
  equal(code_of(ask('metadata', 5)), 'invalid_params')
  equal(#heard, 2)
end)

--- For each command of staff: parameters that fit, and single ones that do not.
local STAFF = {
  vehicles = { { action = 'give', model = 'adder', plate = 'A 1' }, { action = 'sell' }, { model = '' }, { plate = ('P'):rep(33) } },
  job = { { job = 'police', grade = 2 }, { job = '' }, { grade = -1 }, { grade = 1.5 } },
  message = { { message = 'hi' }, { message = '' }, { message = ('x'):rep(1025) } },
  revive = { {}, { reason = '' } },
  heal = { { reason = 'event' }, { reason = 5 } },
  freeze = { { frozen = true }, { frozen = 'yes' } },
  teleport = {
    { to = causeway.object { x = 1, y = 2.5, z = -3 } }, { to = causeway.object { x = 1, y = 2 } }, { to = causeway.object { player = 'a b' } },
    { to = causeway.object { player = 'char1:bo', x = 1 } }, { to = 5 },
  },
}

test('commands: those of staff are offered, checked, and answered with what their handler says', function()
  local heard, handlers = {}, {}
  for name in pairs(STAFF) do
    handlers[name] = function(params, context)
      heard[#heard + 1] = context.name .. ' ' .. params.target
      return causeway.done { confirmedBy = 'server', name = name }
    end
  end
  handlers.announce = function(params) return causeway.done { confirmedBy = 'server', players = #params.message } end
  local on = stage.open { bridge = { commands = handlers } }
  local line = on.greet()
  equal(line.frames[1].commands, {
    'vehicles@1', 'job@1', 'announce@1', 'message@1', 'revive@1', 'heal@1', 'freeze@1', 'teleport@1',
  })
  local expected = 0
  for name, cases in pairs(STAFF) do
    local function ask(change)
      local params = { target = 'char1:ana' }
      for key, value in pairs(cases[1]) do params[key] = value end
      for key, value in pairs(change or {}) do params[key] = value end
      return on.run(on.hub.command(name, params))
    end
    local result = ask()
    equal({ result.status, result.data.name, result.sequence ~= nil }, { 'done', name, name == 'vehicles' or name == 'job' })
    expected = expected + 1
    for nth = 2, #cases do equal(code_of(ask(cases[nth])), 'invalid_params', name .. ' ' .. nth) end
    equal(code_of(ask { target = 'a b' }), 'invalid_params')
  end
  equal(#heard, expected)
  equal(on.run(on.hub.command('announce', { message = 'hello' })).data.players, 5)
  equal(code_of(on.run(on.hub.command('vehicles', { target = 'char1:ana', action = 'take' }))), 'invalid_params')
  equal(code_of(on.run(on.hub.command('vehicles', { target = 'char1:ana', action = 'give', plate = 'A' }))), 'invalid_params')
  equal(code_of(on.run(on.hub.command('vehicles', { target = 'char1:ana', action = 'take', plate = 'A', model = 'b' }))), 'invalid_params')
end)

test('commands: an announcement to some players is for handlers that say they read targets', function()
  local function open(versions)
    local on = stage.open { bridge = { versions = versions, commands = {
      announce = function(params) return causeway.done { confirmedBy = 'server', players = params.targets and #params.targets or 9 } end,
    } } }
    local line = on.greet()
    return function(targets)
      return on.run(on.hub.command('announce', { message = 'hi', targets = targets }))
    end, line.frames[1].commands
  end
  local ask, tags = open { announce = 2 }
  equal(tags, { 'announce@1', 'announce@2' })
  equal(ask(nil).data.players, 9)
  equal(ask(causeway.array { 'char1:ana', 'char1:bo' }).data.players, 2)
  local many = causeway.array {}
  for nth = 1, 1000 do many[nth] = ('char1:%d'):format(nth) end
  equal(ask(many).data.players, 1000)
  many[1001] = 'char1:1001'
  for _, unfit in ipairs { many, causeway.array {}, causeway.array { 'a', 'a' }, causeway.array { 'a b' }, 'a' } do
    equal(code_of(ask(unfit)), 'invalid_params')
  end
  local old, declared = open(nil)
  equal(declared, { 'announce@1' })
  equal(code_of(old(causeway.array { 'char1:ana' })), 'unsupported')
  equal(old(nil).data.players, 9)
end)

test('commands: an action without a lasting effect runs once, and does not wait for payments', function()
  local count = 0
  local on = stage.open { bridge = { commands = {
    money = function() return causeway.later end,
    heal = function()
      count = count + 1
      return causeway.done { confirmedBy = 'server' }
    end,
  } } }
  on.greet()
  on.run(on.payment(5))
  local order = on.hub.command('heal', { target = 'char1:ana' })
  equal(on.run(order).status, 'done')
  equal(on.run(order).status, 'done')
  equal(count, 1)
  equal(on.journal.get(order.id), nil)
end)

test('commands: a vehicle that is given is reported with its player at once', function()
  local on = stage.open { bridge = { commands = { vehicles = function()
    return causeway.done { plate = 'A', model = 'adder', garage = causeway.null }
  end } } }
  local line = on.greet()
  on.run(on.hub.command('vehicles', { target = 'char1:ana', action = 'give', model = 'adder' }))
  equal(line.of('players.changed')[1].players[1].identifier, 'char1:ana')
end)

test('commands: what is refused has no effect', function()
  local on = stage.open { bridge = { accounts = { 'bank', 'cash' } } }
  on.greet()
  local function refusal(name, params, more) return code_of(on.run(on.hub.command(name, params, more))) end
  local good = { target = 'char1:ana', type = 'bank', amount = 5, action = 'add', allowNegative = false }
  local function with(field, value)
    local params = {}
    for key, one in pairs(good) do params[key] = one end
    params[field] = value
    return refusal('money', params)
  end
  equal(refusal('teleport', {}), 'unsupported')
  equal(refusal('custom:nothing', {}), 'unsupported')
  for _, amount in ipairs { 0, -1, 5.5, '5', 2 ^ 53, causeway.null } do equal(with('amount', amount), 'invalid_params') end
  for _, target in ipairs { '', 'a b', 'ana\n', ('a'):rep(129) } do equal(with('target', target), 'invalid_params') end
  equal(with('action', 'take'), 'invalid_params')
  equal(with('allowNegative', nil), 'invalid_params')
  equal(with('reason', ''), 'invalid_params')
  equal(with('reason', ('x'):rep(513)), 'invalid_params')
  equal(with('type', 'gold'), 'unknown_account')
  equal(with('action', 'remove') == 'done' and on.game.banks['char1:ana'], 995)
  equal(refusal('kick', { target = 'char1:ana' }), 'invalid_params')
  equal(on.run(on.hub.command('money', good, { expiresAt = on.hub.time + on.hub.offset })).status, 'voided')
  equal(#on.game.effects, 1)
end)

test('commands: 5, 5.0 and 5e0 are the same amount', function()
  local on = stage.open()
  local line = on.greet()
  for nth, amount in ipairs { '5', '5.0', '5e0' } do
    line.say(('{"type":"command","id":"n%d","name":"money","fingerprint":"f","attempt":1.0,"expiresAt":%d,"params":{"target":"char1:ana",'
      .. '"type":"bank","amount":%s,"action":"add","allowNegative":false}}'):format(nth, on.hub.time + on.hub.offset + 9000, amount))
    on.hub.pass(on.bridge, 100)
    equal(line.result('n' .. nth).data.after, 1000 + 5 * nth)
  end
  contains(stage.read(on.path), '"after":1015')
end)

test('commands: a known id with another fingerprint is refused, and its entry stays', function()
  local on = stage.open()
  on.greet()
  local order = on.payment(5)
  on.run(order)
  local other = on.payment(7, { id = order.id, fingerprint = 'another' })
  equal(code_of(on.run(other)), 'fingerprint_mismatch')
  equal(on.run(order).data.after, 1005)
  equal(#on.game.effects, 1)
end)

test('commands: an id that was acknowledged is answered with its status, and not run', function()
  local on = stage.open()
  local line = on.greet()
  local order = on.payment(5)
  on.run(order)
  line.say { type = 'ack', ids = { order.id, 'unknown' } }
  on.hub.pass(on.bridge, 50)
  local again = on.run(order)
  equal({ again.status, again.data, again.sequence }, { 'done', nil, 2 })
  equal(#on.game.effects, 1)
end)

test('commands: an ack is read in every form that JSON has, and one that is not JSON is refused', function()
  local on = stage.open()
  local line = on.greet()
  for nth, form in ipairs { '{"type":"ack","ids":["%s","x"]}', '{ "ids": [ "%s" ], "type": "ack" }' } do
    local order = on.payment(nth)
    on.run(order)
    line.say(form:format(order.id))
    on.hub.pass(on.bridge, 50)
    equal(on.journal.get(order.id).acknowledged, true, form)
  end
  local order = on.payment(3)
  on.run(order)
  for nth, form in ipairs { '["%s",]', '[,"%s"]', '["%s""x"]', '["%s",,"x"]', '["%s" "x"]', '["%s"x]' } do
    line.say('{"type":"ack","ids":' .. form:format(order.id) .. '}')
    on.hub.pass(on.bridge, 50)
    equal({ #line.of 'error', on.journal.get(order.id).acknowledged }, { nth, false }, form)
  end
end)

test('commands: a kick needs no journal, runs once, and its answer is remembered', function()
  local on = stage.open()
  on.greet()
  local fsyncs = on.hub.fsyncs
  local kick = on.hub.command('kick', { target = 'char1:bo', reason = 'a test' })
  equal({ on.run(kick).data.kicked, on.run(kick).sequence }, { true, nil })
  equal({ #on.game.effects, on.hub.fsyncs - fsyncs, on.journal.get(kick.id) }, { 1, 0, nil })
end)

test('commands: those of one player run one after the other, and a kick waits for none of them', function()
  local finish = {}
  local order = {}
  local on = stage.open {
    bridge = {
      commands = {
        money = function(_, context)
          order[#order + 1] = context.id
          finish[context.id] = context.finish
          return causeway.later
        end,
        kick = function() return causeway.done { kicked = true } end,
      },
    },
  }
  local line = on.greet()
  local first, second, other = on.payment(1), on.payment(2), on.payment(3)
  other.params.target = 'char1:bo'
  local kick = on.hub.command('kick', { target = 'char1:ana', reason = 'x' })
  for _, frame in ipairs { first, second, other, kick } do line.say(frame) end
  on.hub.pass(on.bridge, 100)
  equal(order, { first.id, other.id })
  equal(line.result(kick.id).status, 'done')
  local received = {}
  for _, frame in ipairs(line.of 'received') do
    for _, id in ipairs(frame.ids) do received[id] = true end
  end
  equal(received, { [first.id] = true, [second.id] = true, [other.id] = true })
  finish[first.id](causeway.done { account = 'bank', before = 0, after = 1 })
  finish[first.id](causeway.failed('internal_error', 'said twice'))
  on.hub.pass(on.bridge, 100)
  equal(order, { first.id, other.id, second.id })
  equal(line.result(first.id).status, 'done')
end)

test('commands: at most 32 run at once, and the 2049th is busy', function()
  local running = 0
  local on = stage.open { bridge = { commands = { money = function()
    running = running + 1
    return causeway.later
  end } } }
  local line = on.greet()
  for nth = 1, 2049 do
    local order = on.payment(1)
    order.params.target = 'p' .. nth
    line.say(order)
  end
  on.hub.pass(on.bridge, 500)
  equal(running, 32)
  equal(on.bridge:in_hand(), 2048)
  equal(line.of('error')[1].code, 'busy')
end)

test('commands: a handler that fails, or answers nonsense, leaves the outcome unknown', function()
  local answers = { function() error 'boom' end, function() return nil end, function() return { status = 'fine' } end }
  local nth = 0
  local on = stage.open { bridge = { commands = { money = function()
    nth = nth + 1
    return answers[nth]()
  end } } }
  on.greet()
  for _ = 1, 3 do equal(on.run(on.payment(1)).status, 'indeterminate') end
end)

test('commands: texts and data of a handler are cut to what the wire takes', function()
  local on = stage.open { bridge = { commands = {
    money = function()
      return causeway.done { account = 'bank', before = 1, after = 2, note = ('x'):rep(300000), [('k'):rep(65)] = 1 }
    end,
    kick = function() return causeway.rejected('refused', ('é'):rep(2000) .. '\255', { deep = ('y'):rep(200000) }) end,
  } } }
  on.greet()
  equal(on.run(on.payment(1)).data, { account = 'bank', before = 1, after = 2 })
  local kick = on.run(on.hub.command('kick', { target = 'char1:ana', reason = 'x' }))
  equal({ kick.error.message, kick.error.details }, { ('é'):rep(1024), nil })
end)

test('commands: a `void` of what is not known is remembered, also in the next process', function()
  local on = stage.open()
  local line = on.greet()
  local order = on.payment(5)
  line.say { type = 'void', id = order.id }
  on.hub.pass(on.bridge, 50)
  equal(line.result(order.id).status, 'voided')
  equal(on.run(order).status, 'voided')
  local next = on.restart()
  next.greet()
  equal(next.run(order).status, 'voided')
  equal(#on.game.effects, 0)
end)

test('commands: a `void` of one that waits ends it, of one that runs is answered with its end', function()
  local finish
  local on = stage.open { bridge = { commands = { money = function(_, context)
    finish = context.finish
    return causeway.later
  end } } }
  local line = on.greet()
  local runs, waits = on.payment(1), on.payment(2)
  line.say(runs)
  line.say(waits)
  on.hub.pass(on.bridge, 50)
  line.say { type = 'void', id = waits.id }
  line.say { type = 'void', id = runs.id }
  on.hub.pass(on.bridge, 50)
  equal({ line.result(waits.id).status, line.result(runs.id) }, { 'voided', nil })
  finish(causeway.done { account = 'bank', before = 0, after = 1 })
  on.hub.pass(on.bridge, 50)
  equal(line.result(runs.id).status, 'done')
end)

test('commands: one that waits until its time is over is voided', function()
  local finish
  local runs = 0
  local on = stage.open { bridge = { commands = { money = function(_, context)
    runs = runs + 1
    finish = context.finish
    return causeway.later
  end } } }
  local line = on.greet()
  local first = on.payment(1)
  local second = on.payment(2, { expiresAt = on.hub.time + on.hub.offset + 1000 })
  line.say(first)
  line.say(second)
  on.hub.pass(on.bridge, 1500)
  finish(causeway.done { account = 'bank', before = 0, after = 1 })
  on.hub.pass(on.bridge, 100)
  equal({ line.result(second.id).status, runs }, { 'voided', 1 })
end)

test('commands: what a crash left `started` is unknown, of a ledger it has failed, and it never runs again', function()
  for _, case in ipairs { { 'durable', nil, 'indeterminate', 'internal_error' }, { 'atomic', true, 'failed', 'server_restarting' } } do
    local commands = { money = function() return causeway.later end }
    local on = stage.open {
      journal = { path = stage.path(), class = case[1], ledger = case[2] }, bridge = { commands = commands },
    }
    on.greet()
    local order = on.payment(5)
    equal(on.run(order), nil)
    local next = on.restart()
    local line = next.greet()
    equal({ line.result(order.id).status, line.result(order.id).error.code }, { case[3], case[4] })
    equal(line.frames[1].journal.sequence, 1)
    equal(next.run(order).status, case[3])
  end
end)

test('commands: a custom command that a crash left `started` is unknown, of a ledger, too', function()
  local on = stage.open { journal = { path = stage.path(), ledger = true, class = 'atomic' } }
  on.bridge:register { name = 'wait', params = {}, run = function() return causeway.later end }
  on.greet()
  local order = on.hub.command('custom:wait', {})
  on.run(order)
  local next = on.restart()
  equal(next.greet().result(order.id).status, 'indeterminate')
end)

test('commands: money that goes past the ledger is not called atomic', function()
  local on = stage.open {
    journal = { path = stage.path(), ledger = true, class = 'atomic' },
    bridge = { commands = { money = function() return causeway.done { account = 'bank', before = 1, after = 2 } end } },
  }
  on.greet()
  equal(on.run(on.payment(1)).status, 'indeterminate')
end)

test('commands: a journal that takes no start refuses the command, which has no effect', function()
  local on = stage.open()
  on.greet()
  on.hub.is_fsync_broken = true
  local order = on.payment(5)
  equal(code_of(on.run(order)), 'journal_unavailable')
  equal(code_of(on.run(order)), 'journal_unavailable')
  equal(#on.game.effects, 0)
end)

test('commands: an outcome that cannot be written is not said before it is', function()
  local on
  on = stage.open { bridge = { commands = { money = function()
    on.hub.is_fsync_broken = true
    return causeway.done { account = 'bank', before = 1, after = 2 }
  end } } }
  on.greet()
  local order = on.payment(5)
  equal(on.run(order, 40000), nil)
  equal(on.bridge:in_hand(), 1)
  on.hub.is_fsync_broken = false
  on.hub.pass(on.bridge, 40000)
  equal(on.hub.last().result(order.id).status, 'done')
end)

test('commands: the bridge refuses money over a volatile journal unless it is told', function()
  for _, case in ipairs { { nil, 'journal_unavailable' }, { true, 'done' } } do
    local on = stage.open { journal = { class = 'volatile' }, bridge = { allow_volatile_money = case[1] } }
    on.greet()
    equal(code_of(on.run(on.payment(5))), case[2])
    equal(on.run(on.hub.command('kick', { target = 'char1:ana', reason = 'x' })).status, 'done')
  end
end)

test('commands: results that are not acknowledged go out after each welcome, oldest first, before the players', function()
  local on = stage.open()
  on.greet()
  local first, second, third = on.payment(1), on.payment(2), on.payment(3)
  for _, order in ipairs { first, second, third } do on.run(order) end
  on.hub.last().say { type = 'ack', ids = { second.id } }
  on.hub.pass(on.bridge, 50)
  on.hub.last().cut()
  on.hub.pass(on.bridge, 1000)
  local line = on.hub.last()
  local order = {}
  for _, frame in ipairs(line.frames) do order[#order + 1] = frame.id or frame.type end
  equal(order, { 'hello', first.id, third.id, 'status', 'players.snapshot' })
  equal(line.frames[1].open, { { id = first.id, status = 'done' }, { id = third.id, status = 'done' } })
end)

test('commands: a payment reports the new balance at once', function()
  local on = stage.open()
  local line = on.greet()
  on.run(on.payment(500))
  local changed = line.of('players.changed')[1]
  equal({ changed.revision, changed.players[1].accounts.bank }, { 2, 1500 })
end)

test('commands: the last answers of kicks are remembered, and not more', function()
  local answers = limits.answers
  equal(answers, 4096)
  limits.answers = 100
  local on = stage.open()
  local line = on.greet()
  local first
  for nth = 1, 101 do
    local kick = on.hub.command('kick', { target = 'p' .. nth, reason = 'x' })
    first = first or kick
    line.say(kick)
  end
  on.hub.pass(on.bridge, 100)
  equal(#on.game.effects, 101)
  on.run(first)
  equal(#on.game.effects, 102)
  limits.answers = answers
end)
