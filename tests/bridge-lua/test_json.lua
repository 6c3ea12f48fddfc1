local json = require 'causeway.json'
local runner = require 'runner'

local test, equal = runner.test, runner.equal

local function rewritten(text) return json.encode(json.decode(text)) end

test('JSON: whole numbers are written without a fraction, however they were read', function()
  for _, text in ipairs { '5', '5.0', '5e0', '50e-1', '0.5e1' } do equal(rewritten(text), '5', text) end
  equal(rewritten '-0', '0')
  equal(rewritten '-0.0', '0')
  equal(json.encode(5.0), '5')
  equal(json.encode(2 ^ 53 - 1), '9007199254740991')
  equal(json.encode(-(2 ^ 53 - 1)), '-9007199254740991')
  equal(json.encode(1e15), '1000000000000000')
end)

test('JSON: a sum beyond 2^53 is no whole number of the protocol', function()
  equal(json.is_whole(2 ^ 53 - 1), true)
  equal(json.is_whole(2 ^ 53), false)
  equal(json.is_whole(-(2 ^ 53)), false)
  equal(json.is_whole(json.decode '9007199254740992'), false)
  equal(json.is_whole(json.decode '9223372036854775807'), false)
  equal(json.is_whole(json.decode '1e999'), false)
  equal(json.is_whole(0 / 0), false)
  equal(json.is_whole '5', false)
end)

test('JSON: fractions are read back as the same number', function()
  for _, value in ipairs { 0.1, 1 / 3, 1e300, 5e-324, 123456789.125, -2.5 } do equal(json.decode(json.encode(value)), value) end
end)

test('JSON: what JSON has not is no text', function()
  for _, value in ipairs { 1 / 0, -1 / 0, 0 / 0, print, { [{}] = 1 } } do equal((json.encode(value)), nil) end
end)

test('JSON: null, true and false stay what they are', function()
  local read = json.decode '{"a":null,"b":[null,true,false]}'
  equal(read.a == json.null, true)
  equal(read.b[1] == json.null, true)
  equal(json.encode(read), '{"a":null,"b":[null,true,false]}')
end)

test('JSON: empty lists and empty objects differ', function()
  equal(rewritten '{"a":[],"b":{}}', '{"a":[],"b":{}}')
  equal(json.encode(json.array {}), '[]')
  equal(json.encode(json.object {}), '{}')
  equal(json.encode {}, '{}')
  equal(json.encode_object {}, '{}')
  equal(json.encode_object(json.array {}), '{}')
  equal((json.encode_object(json.array { 1 })), nil)
end)

test('JSON: keys that are numbers make a list only without gaps', function()
  equal(json.encode { 'a', 'b' }, '["a","b"]')
  equal(json.encode { [1] = 'a', [3] = 'c' }, '{"1":"a","3":"c"}')
  equal(json.encode(json.object { 'a' }), '{"1":"a"}')
  equal(json.encode { [1.5] = 'x' }, '{"1.5":"x"}')
  equal(json.encode { [2] = 'number', ['2'] = 'text' }, '{"2":"text"}')
end)

test('JSON: bytes that are not UTF-8 are written as U+FFFD', function()
  equal(json.encode 'a\255b', '"a\239\191\189b"')
  equal(json.encode '\192\128', '"\239\191\189\239\191\189"')
  equal(json.encode '\237\160\128', '"\239\191\189\239\191\189\239\191\189"')
  equal(json.encode '\240\159\152\128', '"\240\159\152\128"')
  equal((json.decode '"a\255b"'), nil)
end)

test('JSON: NUL and lone surrogates are read as U+FFFD, pairs as one character', function()
  equal(json.decode '"a\\u0000b"', 'a\239\191\189b')
  equal(json.decode '"\\ud800"', '\239\191\189')
  equal(json.decode '"\\udc00x"', '\239\191\189x')
  equal(json.decode '"\\ud800\\u0041"', '\239\191\189A')
  equal(json.decode '"\\ud83d\\ude00"', '\240\159\152\128')
  equal(json.decode '{"\\u0000":1}', { ['\239\191\189'] = 1 })
  equal(json.encode '\0', '"\\u0000"')
end)

test('JSON: all escapes are written and read', function()
  local text = '"\\\b\f\n\r\t/\127\1'
  equal(json.decode(json.encode(text)), text)
  equal(json.decode '"\\/\\u00e9"', '/\195\169')
end)

test('JSON: 64 levels are read and written, 65 are not, and 100000 overflow no stack', function()
  local function nested(depth) return ('['):rep(depth) .. (']'):rep(depth) end
  equal(rewritten(nested(64)), nested(64))
  equal({ json.decode(nested(65)) }, { nil, 'too_deep' })
  equal({ json.decode(('['):rep(100000)) }, { nil, 'too_deep' })
  equal({ json.decode(('{"a":'):rep(100000)) }, { nil, 'too_deep' })
  local deep = {}
  for _ = 1, 1000 do deep = { deep } end
  equal((json.encode(deep)), nil)
  local circle = {}
  circle[1] = circle
  equal((json.encode(circle)), nil)
end)

test('JSON: of duplicate keys the last counts', function() equal(json.decode '{"a":1,"a":2}', { a = 2 }) end)

test('JSON: what is no JSON is refused', function()
  local bad = {
    '', ' ', '{', '}', '[', '[1', '[1,]', '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', "'a'", '"a', '"\n"', '"\\x41"', '"\\u12"', '01', '-',
    '+1', '1.', '.5', '1e', '0x10', 'nul', 'nulll', 'True', '1 2', '[1 2]', '\239\187\191{}', '"\\', '--1', '1e5.5', 'Infinity', 'NaN',
    '[1]]', '{"a":1}}', '\0', '"\1"',
  }
  for _, text in ipairs(bad) do equal({ json.decode(text) }, { nil, 'invalid_json' }, text) end
end)

test('JSON: a value is the same whatever the order of its keys', function()
  equal(json.encode { b = 1, a = 2, c = 3 }, '{"a":2,"b":1,"c":3}')
  equal(json.equal(json.decode '{"a":[1,{"b":null}]}', json.decode '{"a":[1.0,{"b":null}]}'), true)
  equal(json.equal(json.decode '[]', json.decode '{}'), false)
  equal(json.equal(json.decode '[1,2]', json.decode '[1]'), false)
end)
