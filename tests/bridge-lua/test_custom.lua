local causeway = require 'causeway'
local json = require 'causeway.json'
local params = require 'causeway.params'
local runner = require 'runner'
local schema = require 'causeway.schema'
local stage = require 'stage'

local test, equal, contains = runner.test, runner.equal, runner.contains

local function fits(given, text)
  local read, problem = schema.read(given)
  assert(read, problem)
  return params.fault(read, json.decode(text)) == nil
end

test('schemas: each keyword is checked', function()
  local cases = {
    { { properties = { a = { type = 'integer' } } }, '{"a":5.0}', '{"a":5.5}' },
    { { properties = { a = { type = 'number' } } }, '{"a":5.5}', '{"a":"5"}' },
    { { properties = { a = { type = { 'string', 'null' } } } }, '{"a":null}', '{"a":false}' },
    { { properties = { a = { type = 'object' } } }, '{"a":{}}', '{"a":[]}' },
    { { properties = { a = { type = 'array' } } }, '{"a":[]}', '{"a":{}}' },
    { { properties = { a = { type = 'boolean' } } }, '{"a":false}', '{"a":0}' },
    { { properties = { a = { enum = { 'x', { b = 1 } } } } }, '{"a":{"b":1.0}}', '{"a":{"b":2}}' },
    { { properties = { a = { const = causeway.null } } }, '{"a":null}', '{"a":0}' },
    { { required = { 'a' } }, '{"a":null}', '{}' },
    { { additionalProperties = false }, '{}', '{"x":1}' },
    { { additionalProperties = { type = 'integer' } }, '{"x":1}', '{"x":"1"}' },
    { { minProperties = 1, maxProperties = 1 }, '{"a":1}', '{"a":1,"b":2}' },
    { { properties = { a = { items = { type = 'integer' }, minItems = 1, maxItems = 2 } } }, '{"a":[1,2]}', '{"a":[1,"2"]}' },
    { { properties = { a = { minItems = 1 } } }, '{"a":[1]}', '{"a":[]}' },
    { { properties = { a = { minLength = 2, maxLength = 2 } } }, '{"a":"\240\159\152\128é"}', '{"a":"\240\159\152\128"}' },
    { { properties = { a = { minimum = 1, maximum = 2 } } }, '{"a":2}', '{"a":2.1}' },
    { { properties = { a = { exclusiveMinimum = 1, exclusiveMaximum = 2 } } }, '{"a":1.5}', '{"a":2}' },
    { { properties = { a = { multipleOf = 5 } } }, '{"a":10}', '{"a":11}' },
    { { properties = { a = { anyOf = { { type = 'null' }, { type = 'integer' } } } } }, '{"a":1}', '{"a":"1"}' },
    { { properties = { a = { oneOf = { { minimum = 1 }, { maximum = 5 } } } } }, '{"a":9}', '{"a":3}' },
    { { properties = { a = { allOf = { { minimum = 1 }, { maximum = 5 } } } } }, '{"a":3}', '{"a":9}' },
    { { properties = { a = { ['not'] = { type = 'null' } } } }, '{"a":1}', '{"a":null}' },
  }
  for nth, case in ipairs(cases) do equal({ fits(case[1], case[2]), fits(case[1], case[3]) }, { true, false }, 'schema ' .. nth) end
end)

test('schemas: what the hub would not take is refused with its place', function()
  local deep = {}
  for _ = 1, 40 do deep = { ['not'] = deep } end
  for _, case in ipairs {
    { { type = 'string' }, '/type' }, { { types = 'object' }, 'types cannot be used' }, { { ['$ref'] = 'x' }, '$ref' },
    { { properties = { a = { minimum = '1' } } }, '/properties/a/minimum' }, { { properties = { a = { enum = {} } } }, '/properties/a/enum' },
    { { properties = { a = { pattern = '^x$' } } }, '/properties/a: pattern cannot be used here' }, { { required = 'a' }, '/required' },
    { { properties = { a = { multipleOf = 0 } } }, 'multipleOf' }, { { description = ('x'):rep(4096) }, '4096' }, { deep, '32 deep' },
    { { properties = { a = { minLength = -1 } } }, 'minLength' }, { 5, 'table' }, { { anyOf = {} }, '/anyOf' },
  } do
    local read, problem = schema.read(case[1])
    equal(read, nil)
    contains(problem, case[2])
  end
end)

test('schemas: empty tables are written as what each keyword is', function()
  equal(schema.read({}).text, '{"type":"object"}')
  equal(schema.read(json.array {}).text, '{"type":"object"}')
  equal(schema.read({ properties = {}, required = {} }).text, '{"type":"object","properties":{},"required":[]}')
end)

test('parameters: the bounds that all have are checked first', function()
  local any = schema.read {}
  equal(params.fault(any, json.decode('{"a":' .. ('['):rep(32) .. (']'):rep(32) .. '}')).detail, 'parameters are nested at most 32 deep')
  equal(params.fault(any, json.decode('{"a":[' .. ('1,'):rep(999) .. '1]}')).detail, 'parameters have at most 1000 values')
  equal(params.fault(any, json.decode('{"a":"' .. ('x'):rep(16384) .. '"}')).detail, 'parameters have at most 16384 bytes')
  equal(params.fault(any, json.decode '{"a":1e999}').pointer, '/a')
  equal(params.fault(any, json.decode '{"__proto__":1}').pointer, '/__proto__')
end)

local GIVE = {
  name = 'give_item', title = 'Give', description = 'Puts items into an inventory',
  params = {
    properties = { target = { type = 'string' }, count = { type = 'integer', minimum = 1 } }, required = { 'target' }, additionalProperties = false,
  },
}

local function give(run)
  local command = {}
  for key, value in pairs(GIVE) do command[key] = value end
  command.run = run
  return command
end

test('custom commands: they are announced after each welcome before the snapshot, and at each change', function()
  local on = stage.open()
  on.bridge:register(give(function() return causeway.done() end))
  local line = on.greet()
  equal({ line.frames[2].type, line.frames[2].commands[1].name, line.frames[2].commands[1].description },
    { 'commands.custom', 'give_item', 'Give: Puts items into an inventory' })
  on.bridge:register { name = 'revive', params = {}, run = function() return causeway.done() end }
  on.bridge:unregister 'give_item'
  on.hub.pass(on.bridge, 20)
  local said = line.of 'commands.custom'
  equal({ #said, #said[2].commands, said[2].commands[1].name }, { 2, 1, 'revive' })
  on.bridge:unregister 'revive'
  on.hub.pass(on.bridge, 20)
  equal(#line.of('commands.custom')[3].commands, 0)
end)

test('custom commands: registrations that cannot be are refused with a reason', function()
  local on = stage.open()
  local function run() return causeway.done() end
  for _, case in ipairs {
    { { name = 'Give', params = {}, run = run }, 'name:' }, { { name = ('a'):rep(49), params = {}, run = run }, 'name:' },
    { { name = 'a', params = {} }, 'run:' }, { { name = 'a', params = { type = 'string' }, run = run }, 'params:' },
    { { name = 'a', params = {}, description = ('x'):rep(257), run = run }, '256' },
  } do
    runner.raises(case[2], function() on.bridge:register(case[1]) end)
  end
  for nth = 1, 50 do on.bridge:register { name = 'c' .. nth, run = run } end
  runner.raises('of this name', function() on.bridge:register { name = 'c1', run = run } end)
  on.bridge:unregister 'c1'
  on.bridge:register { name = 'c51', run = run }
  runner.raises('50 custom commands', function() on.bridge:register { name = 'c52', run = run } end)
end)

local BONUS = {
  properties = {
    victim = { type = 'string' }, item = { enum = { 'bread' } }, count = { type = 'integer' }, note = { type = 'string' },
  },
}

test('custom commands: roles are announced, and the one of the player names the target', function()
  local on, seen = stage.open(), {}
  on.bridge:register {
    name = 'bonus', params = BONUS, roles = { player = 'victim', item = 'item', amount = 'count', reason = 'note', reasonRequired = true },
    run = function(_, context)
      seen[#seen + 1] = context.target
      return causeway.done()
    end,
  }
  on.bridge:register { name = 'plain', params = BONUS, roles = {}, run = function() return causeway.done() end }
  local line = on.greet()
  local commands = line.of('commands.custom')[1].commands
  equal(commands[1].roles, { player = 'victim', item = 'item', amount = 'count', reason = 'note', reasonRequired = true })
  equal(commands[2].roles, nil)
  on.run(on.hub.command('custom:bonus', { victim = 'char1:bo', target = 'char1:ana', note = 'x' }))
  equal(seen, { 'char1:bo' })
end)

test('custom commands: wrong roles are refused by their name', function()
  local on = stage.open()
  for _, case in ipairs {
    { { amount = 'coins' }, '/roles/amount: the schema has no property "coins"' }, { { ammount = 'count' }, 'no role "ammount"' },
    { { item = 5 }, '/roles/item: must be the name' }, { { amount = 'note' }, '/roles/amount: the parameter "note" must be a number' },
    { { player = 'count' }, 'must be a string' }, { { item = 'note', reason = 'note' }, '/roles/reason: the parameter has the role item' },
    { { reasonRequired = true }, '/roles/reasonRequired: no parameter' }, { { reason = 'note', reasonRequired = 1 }, 'true or false' },
    { 'amount', '/roles: must be a table' },
  } do
    runner.raises(case[2], function()
      on.bridge:register { name = 'a', params = BONUS, roles = case[1], run = function() return causeway.done() end }
    end)
  end
  local long = ('x'):rep(4000)
  local wide = { properties = { [long] = { type = 'string' } } }
  runner.raises('/roles: with the schema over 4096 bytes', function()
    on.bridge:register { name = 'a', params = wide, roles = { item = long }, run = function() return causeway.done() end }
  end)
end)

test('custom commands: one is replaced in its place, and a mistake in the new one leaves the old one', function()
  local on = stage.open()
  on.bridge:register { name = 'ring', run = function() return causeway.done { bell = 'old' } end }
  on.bridge:register { name = 'other', run = function() return causeway.done() end }
  local line = on.greet()
  local broken = { name = 'ring', replace = true, params = { properties = 5 }, run = function() return causeway.done() end }
  runner.raises('custom command ring: params', function() on.bridge:register(broken) end)
  equal(on.run(on.hub.command('custom:ring', {})).data.bell, 'old')
  on.bridge:register { name = 'ring', replace = true, description = 'New', run = function() return causeway.done { bell = 'new' } end }
  equal(on.run(on.hub.command('custom:ring', {})).data.bell, 'new')
  local announced = line.of 'commands.custom'
  equal({ #announced, announced[2].commands[1].description, announced[2].commands[2].name }, { 2, 'New', 'other' })
end)

test('custom commands: they get their target, run once, and wait for the player\'s other commands', function()
  local seen = {}
  local on = stage.open { bridge = { commands = { money = function() return causeway.later end } } }
  on.bridge:register(give(function(given, context)
    seen[#seen + 1] = { given.count, context.target, context.name }
    return causeway.done { given = given.count }
  end))
  on.greet()
  local order = on.hub.command('custom:give_item', { target = 'char1:bo', count = 2 })
  equal({ on.run(order).status, on.run(order).data.given, #seen }, { 'done', 2, 1 })
  equal(seen[1], { 2, 'char1:bo', 'custom:give_item' })
  on.run(on.payment(1))
  equal(on.run(on.hub.command('custom:give_item', { target = 'char1:ana', count = 2 })), nil)
  equal(#seen, 1)
end)

test('custom commands: parameters that do not fit are refused with their place, and a command that goes while one waits is gone', function()
  local finish
  local on = stage.open()
  on.bridge:register(give(function(_, context)
    finish = context.finish
    return causeway.later
  end))
  local line = on.greet()
  local refusal = on.run(on.hub.command('custom:give_item', { target = 'char1:bo', count = 0 }))
  equal({ refusal.error.code, refusal.error.details.pointer }, { 'invalid_params', '/count' })
  local first = on.hub.command('custom:give_item', { target = 'char1:bo' })
  local second = on.hub.command('custom:give_item', { target = 'char1:bo' })
  line.say(first)
  line.say(second)
  on.hub.pass(on.bridge, 50)
  on.bridge:unregister 'give_item'
  finish(causeway.done())
  on.hub.pass(on.bridge, 50)
  equal({ line.result(first.id).status, line.result(second.id).error.code }, { 'done', 'unsupported' })
end)

test('custom commands: data of more than 16384 bytes are omitted', function()
  local on = stage.open()
  on.bridge:register { name = 'much', run = function() return causeway.done { text = ('x'):rep(16384) } end }
  on.greet()
  equal(on.run(on.hub.command('custom:much', {})).data, { omitted = true })
end)
