import vm from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFxServer, type Resource } from '../fxserver/server.ts';

/**
 * What the imitated FXServer does as the real one. Each expectation was seen on FXServer's own scheduler.lua and main.js with
 * its msgpack and JSON libraries, and read in citizenfx/fivem at 06d4d348c.
 */
const lua = (name: string, code: string): Resource => ({ name, lua: [{ name: 'server.lua', code }] });
const js = (name: string, code: string): Resource => ({ name, js: [new vm.Script(code)] });

const open = () => {
  const server = createFxServer();
  onTestFinished(() => server.crash());
  const said = (): string[] => server.lines.splice(0);
  /** Runs Lua in a resource of its own, and returns what it prints. */
  const run = async (code: string): Promise<string[]> => {
    await server.start(lua('asker', code));
    return said();
  };
  return { server, said, run };
};

describe('exports of a resource that is restarted', () => {
  const shop = lua('shop', `exports('buy', function() return 'bought' end)`);
  const events = ['onResourceStop', 'onResourceStart', 'onServerResourceStop', 'onServerResourceStart'];

  it('reach the old runtime until the queued events have come, in Lua', async () => {
    const { server, said } = open();
    await server.start(shop);
    const handlers = events.map(
      (event) => `AddEventHandler('${event}', function(name) if name == 'shop' then tell('${event}') end end)`,
    );
    await server.start(
      lua(
        'asker',
        `function tell(event)
           local ok, said = pcall(function() return exports.shop:buy() end)
           print(event, ok and said or said:gsub('%s+', ' '))
         end
         tell('first') ${handlers.join(' ')}`,
      ),
    );
    server.tick();
    said();
    await server.restart('shop');
    const dead =
      '^5 An error occurred while calling export `buy` in resource `shop`: Execution of function reference in script host failed';
    expect(said()).toEqual(['[asker] onResourceStop bought', expect.stringContaining(dead)]);
    server.tick();
    // The event of the stop forgets the export, and both come in one tick.
    expect(said().at(-1)).toBe('[asker] onServerResourceStart bought');
  });

  it('reach the old runtime until the queued events have come, in JavaScript', async () => {
    const { server, said } = open();
    await server.start(shop);
    const handlers = events.map((event) => `on('${event}', (name) => { if (name === 'shop') tell('${event}') })`);
    await server.start(
      js(
        'asker',
        `const tell = (event) => {
           try { console.log(event + ' ' + exports.shop.buy()) } catch (error) { console.log(event + ' ' + error.message) }
         };
         tell('first'); ${handlers.join(';')}`,
      ),
    );
    server.tick();
    said();
    await server.restart('shop');
    expect(said()).toEqual([
      '[asker] onResourceStop bought',
      '[asker] onResourceStart An error occurred while calling export buy of resource shop - see above for details',
    ]);
    server.tick();
    expect(said()).toEqual(['[asker] onServerResourceStop bought', '[asker] onServerResourceStart bought']);
  });
});

describe('JSON of Lua', () => {
  it.each([
    ['3000000000.0', '3000000000.0'],
    ['1 / 3', '0.33333333333333'],
    ['0.5', '0.5'],
    ["{ [2] = 'b' }", '[null,"b"]'],
    ["{ ['1'] = 'a' }", '{"1":"a"}'],
    ["{ [40] = 'a' }", '{"40":"a"}'],
    ['0 / 0', 'NaN'],
    ['{}', '[]'],
    ["json.decode('{}')", '{}'],
    [`json.decode('{"a":[],"b":{},"c":1.0}').c`, '1.0'],
    [`json.decode('{"1":true}')['1']`, 'true'],
    ["'ä\\n'", '"ä\\n"'],
  ])('writes %s', async (value, text) => {
    const { run } = open();
    expect(await run(`print(json.encode(${value}))`)).toEqual([`[asker] ${text}`]);
  });

  it('raises for functions and for more than 32 levels', async () => {
    const { run } = open();
    const nested = `local function nested(levels)
        local value = {}
        for _ = 2, levels do value = { value } end
        return value
      end `;
    const said = await run(
      `${nested} print(#json.encode(nested(32))) print(pcall(json.encode, nested(33))) print(pcall(json.encode, print))`,
    );
    expect(said).toEqual([
      '[asker] 64',
      '[asker] false maximum table nesting depth exceeded',
      '[asker] false unsupported type',
    ]);
  });

  it('tells a bad text by nil, a position and a reason', async () => {
    const { run } = open();
    expect(await run(`print(select('#', json.decode('{')), (json.decode('{')))`)).toEqual(['[asker] 3 nil']);
  });
});

describe('values between runtimes', () => {
  it('lose what lies below 16 tables as arguments, and below 15 as results', async () => {
    const { server, run } = open();
    const depth =
      'function depth(value) local found = 0 while value do value, found = value.a, found + 1 end return found end ';
    const nested = 'function nested(n) local value for _ = 1, n do value = { a = value } end return value end ';
    await server.start(
      lua('far', `${depth} ${nested} exports('depth', depth) exports('nested', function(n) return nested(n) end)`),
    );
    const said = await run(
      `${depth} ${nested} print(exports.far:depth(nested(30))) print(depth(exports.far:nested(30)))`,
    );
    expect(said).toEqual(['[asker] 16', '[asker] 15']);
  });

  it('are Latin-1 in JavaScript if they are no UTF-8', async () => {
    const { server, run } = open();
    await server.start(js('far', `exports('say', (text) => console.log(text))`));
    const said = await run(`exports.far:say('caf\\xe9') exports.far:say('caf\\xc3\\xa9')`);
    expect(said).toEqual(['[far] café', '[far] café']);
  });

  it('are floats in Lua beyond 32 bits', async () => {
    const { server, run } = open();
    await server.start(js('far', `exports('large', () => [3000000000, 7])`));
    expect(await run('local all = exports.far:large() print(all[1], all[2])')).toEqual(['[asker] 3000000000.0 7']);
  });

  it('with a hole before the last result do not arrive in Lua, and are an object in JavaScript', async () => {
    const { server, run, said } = open();
    await server.start(lua('far', `exports('why', function() return nil, 'because' end)`));
    expect(await run(`print(select('#', exports.far:why()))`)).toEqual(['[asker] 0']);
    await server.start(js('near', 'console.log(JSON.stringify(exports.far.why()))'));
    expect(said()).toEqual(['[near] {"2":"because"}']);
  });

  it('reach only resources that registered their event', async () => {
    const { server, said } = open();
    await server.start(js('near', `on('mine', () => console.log('mine ' + source))`));
    server.emit('other', 3);
    server.emit('mine', 4);
    expect(said()).toEqual(['[near] mine 4']);
  });
});

describe('an error of an export', () => {
  const far = lua(
    'far',
    `exports('boom', function() error('no such table') end)
     exports('later', function() Wait(0) error('too late') end)
     exports('list', function() Wait(0) return 1, 'two' end)
     exports('no', function() Wait(0) return false end)`,
  );

  it('arrives in Lua with colours, line ends and nil in it, and with its text only after a wait', async () => {
    const { server, run, said } = open();
    await server.start(far);
    await run(
      `for _, name in ipairs({ 'boom', 'later' }) do
         CreateThread(function() print(select(2, pcall(function() exports.far[name](nil) end))) end)
       end
       CreateThread(function() print('list', exports.far:list()) print('no', exports.far:no()) end)`,
    );
    for (let turn = 0; turn < 5; turn += 1) server.tick();
    const lines = said();
    expect(lines[0]).toMatch(
      /^\[asker\] [^\n]*\n\^5 An error occurred while calling export `boom` in resource `far`:\n {2}nil\n\^5 ---$/,
    );
    expect(lines.find((line) => line.includes('`later`'))).toMatch(/\^1SCRIPT ERROR: .*too late\^7\n/);
    expect(lines).toContain('[asker] list 1 two');
    expect(lines).toContain('[asker] no false');
  });

  it('has no text in JavaScript, unless the export waited', async () => {
    const { server, said } = open();
    await server.start(far);
    await server.start(
      js(
        'near',
        `try { exports.far.boom() } catch (error) { console.log(error.message) }
         exports.far.later().catch((problem) => console.log(String(problem)));
         exports.far.list().then((all) => console.log(JSON.stringify(all)));`,
      ),
    );
    for (let turn = 0; turn < 3; turn += 1) {
      server.tick();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const lines = said();
    expect(lines[0]).toBe('[near] An error occurred while calling export boom of resource far - see above for details');
    expect(lines.find((line) => line.includes('too late'))).toContain('SCRIPT ERROR');
    expect(lines).toContain('[near] [1,"two"]');
  });
});

it('the source of an event is gone after an event inside of its handler', async () => {
  const { server, said } = open();
  await server.start(
    js('near', `on('inner', () => {}); on('outer', () => { emit('inner'); console.log(String(source)) })`),
  );
  server.emit('outer', 7);
  expect(said()).toEqual(['[near] null']);
});
