import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createKvp } from '../fxserver/kvp.ts';
import type { Answer } from '../kit/hub.ts';
import { eventually } from '../kit/stage.ts';
import { ESX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const { ana, cy } = ESX;
const EXAMPLE = readFileSync(join(import.meta.dirname, '../../bridge/examples/causeway_commands/server.lua'), 'utf8');
const lua = (name: string, code: string) => ({ name, lua: [{ name: 'server.lua', code }] });
const js = (name: string, code: string) => ({ name, js: [new vm.Script(code)] });
/** A Lua handler as the body of a function of `params` and `context`. */
const offers = (name: string, body: string, schema = '{}'): string =>
  `print(tostring(exports.causeway:registerCommand('${name}', ${schema}, function(params, context) ${body} end)))`;

const openServer = async (options: Parameters<typeof openWorld>[1] = {}) => {
  const world = await openWorld(ESX, options);
  const { hub, server } = world;
  const path = '/api/v2/bridge/main/actions';
  const run = (name: string, json: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    hub.request(`${path}/${name}`, { json, headers });
  const names = async (): Promise<string[]> =>
    ((await hub.request(path)).body['data'] as { name: string }[]).map(({ name }) => name).sort();
  /** Starts a resource and waits until the hub knows what it offers. */
  const start = async (resource: Parameters<typeof server.start>[0], ...offered: string[]): Promise<void> => {
    await server.start(resource);
    await eventually(async () => (await hub.request(path)).body['data']).toEqual(
      expect.arrayContaining(offered.map((name) => expect.objectContaining({ name }))),
    );
  };
  return { ...world, run, names, start };
};

describe('a resource', () => {
  it('offers commands from Lua, and reports their outcomes', async () => {
    const { run, start, server } = await openServer();
    await start(
      lua(
        'shop',
        `${offers('sum', 'return { sum = params.one + params.other, id = context.id }', `{ properties = { one = { type = 'integer' } } }`)}
         ${offers('nothing', '')}
         ${offers('empty', 'return {}')}
         ${offers('list', 'return { 1, 2 }')}
         ${offers('word', "return 'done'")}
         ${offers('later', 'Wait(0) return { later = true }')}`,
      ),
      ...['sum', 'nothing', 'empty', 'list', 'word', 'later'],
    );
    const { status, body } = await run('sum', { one: 1, other: 2 });
    expect([status, body['result']]).toEqual([200, { sum: 3, id: body.id }]);
    const results = await Promise.all(['nothing', 'empty', 'list', 'word', 'later'].map((name) => run(name)));
    expect(results.map((answer) => answer.body['result'])).toEqual([
      {},
      {},
      { value: [1, 2] },
      { value: 'done' },
      { later: true },
    ]);
    expect((await run('sum', { one: 'x' })).body['errors']).toEqual([{ pointer: '/one', detail: 'must be integer' }]);
    expect(server.errors).toEqual([]);
  });

  it('offers commands from JavaScript', async () => {
    const { run, start } = await openServer();
    const schema = `{ type: 'object', description: 'Twice a number', properties: { n: { type: 'number' } }, required: ['n'] }`;
    await start(
      js('maths', `exports.causeway.registerCommand('twice', ${schema}, async ({ n }) => ({ n: n * 2 }))`),
      'twice',
    );
    expect((await run('twice', { n: 21 })).body).toMatchObject({ status: 'succeeded', result: { n: 42 } });
    expect((await run('twice')).body['errors']).toEqual([{ pointer: '/n', detail: 'is required' }]);
  });

  it('is given the target, and whether they are online', async () => {
    const { run, start } = await openServer();
    await start(lua('who', offers('who', 'return { source = context.source, target = context.target }')), 'who');
    expect((await run('who', { target: ana })).body).toMatchObject({ target: ana, result: { source: 1, target: ana } });
    expect((await run('who', { target: cy })).body['result']).toEqual({ target: cy });
    expect((await run('who', { target: 'not an identifier' })).body).toMatchObject({ target: null, result: {} });
  });

  it('refuses in its own words, and with a code that callers know', async () => {
    const { run, start } = await openServer();
    await start(
      lua(
        'strict',
        `${offers('no', "return { refused = 'Not on a Sunday.' }")}
         ${offers('away', "return { refused = 'Gone.', code = 'player_offline' }")}
         ${offers('odd', "return { refused = 'Odd.', code = 'no_such_code' }")}`,
      ),
      ...['no', 'away', 'odd'],
    );
    const answers = await Promise.all(['no', 'away', 'odd'].map((name) => run(name)));
    expect(answers.map(({ status, body }) => [status, body.code, body['executed']])).toEqual([
      [409, 'refused', 'no'],
      [409, 'player_offline', 'no'],
      [409, 'refused', 'no'],
    ]);
    expect(answers[0]?.body['detail']).toContain('Not on a Sunday.');
  });

  it('that fails is indeterminate, and its error is in the console', async () => {
    const { run, start, server } = await openServer();
    const failing = `${offers('boom', "error('no such table')")} ${offers('slowly', "Wait(0) error('too late')")}`;
    await start(lua('broken', failing), 'boom', 'slowly');
    await start(
      js('brokenjs', `exports.causeway.registerCommand('throws', {}, () => { throw new Error('oops') })`),
      'throws',
    );
    for (const name of ['boom', 'slowly', 'throws']) {
      const { status, body } = await run(name);
      expect([name, status, body]).toMatchObject([name, 409, { code: 'indeterminate', executed: 'unknown' }]);
    }
    expect(server.errors.join()).toMatch(/no such table.*oops/s);
    const said = server.lines.join('\n');
    expect(said).toContain('"boom" of broken failed with an error: its effect is unknown');
    expect(said).toMatch(/"slowly" of broken failed .*too late/);
  });

  it('that does not answer is given up after 30 seconds', async () => {
    const { run, start } = await openServer({ speed: 100 });
    await start(js('mute', `exports.causeway.registerCommand('mute', {}, () => new Promise(() => {}))`), 'mute');
    const { status, body } = await run('mute');
    expect([status, body]).toMatchObject([409, { code: 'indeterminate' }]);
    expect(body['detail']).toContain('"mute" in mute did not answer within 30 s');
  });

  it('that stops takes its commands along, and the running one becomes indeterminate', async () => {
    const { run, start, names, server } = await openServer();
    await start(js('other', `exports.causeway.registerCommand('stay', {}, () => 1)`), 'stay');
    const slow = `exports.causeway.registerCommand('slow', {}, () => { console.log('begun'); return new Promise(() => {}) })`;
    await start(js('going', slow), 'slow');
    const running = run('slow');
    await eventually(() => server.lines.join()).toContain('begun');
    const waiting = run('slow');
    await eventually(() => names()).toContain('slow');
    await server.stop('going');
    expect((await running).body).toMatchObject({ code: 'indeterminate', executed: 'unknown' });
    expect((await waiting).body).toMatchObject({ code: 'action_not_found', executed: 'no' });
    await eventually(names).toEqual(['stay']);
    await eventually(async () => (await run('slow')).body['code']).toBe('action_not_found');
  });

  it('cannot replace a command of another resource, but may replace its own', async () => {
    const { run, start, server, names } = await openServer();
    await start(lua('first', offers('greet', "return { by = 'first' }")), 'greet');
    await server.start(lua('second', offers('greet', "return { by = 'second' }")));
    expect(server.lines).toContain('[second] false');
    expect(server.lines.join('\n')).toContain('second cannot offer the command "greet": first offers it already');
    expect((await run('greet')).body['result']).toEqual({ by: 'first' });
    await server.stop('first');
    await eventually(names).toEqual([]);
    await start(lua('third', `${offers('greet', 'return 1')} ${offers('greet', "return { by = 'third' }")}`), 'greet');
    expect((await run('greet')).body['result']).toEqual({ by: 'third' });
  });

  it.each([
    ['Greet!', '{}', 'function() end', 'a name is up to 48 of a-z 0-9 _ -'],
    ['greet', `{ properties = { a = { pattern = '^a$' } } }`, 'function() end', 'pattern cannot be used here'],
    ['greet', `{ ['$ref'] = 'http://evil.example/' }`, 'function() end', '$ref cannot be used here'],
    ['greet', `'text'`, 'function() end', 'its schema or roles cannot be used'],
    ['greet', 'nil', 'function() end', 'its schema or roles cannot be used'],
    ['greet', '{}', `'text'`, 'there is no function that carries it out'],
  ])('is told in the console what is wrong with a command: %s %s', async (name, schema, handler, why) => {
    const { server, names } = await openServer();
    await server.start(
      lua('shop', `print(tostring(exports.causeway:registerCommand('${name}', ${schema}, ${handler})))`),
    );
    expect(server.lines).toContain('[shop] false');
    expect(server.lines.join('\n')).toContain(`shop cannot offer the command "${name}": `);
    expect(server.lines.join('\n')).toContain(why);
    expect(await names().catch(() => [])).toEqual([]);
  });

  it('may read how the bridge is, and learns no secret', async () => {
    const { hub, start, server } = await openServer();
    await start(js('look', `exports.causeway.registerCommand('see', {}, () => exports.causeway.getState())`), 'see');
    const { body } = await hub.request('/api/v2/bridge/main/actions/see', { json: {} });
    expect(body['result']).toEqual({
      version: expect.any(String),
      connected: true,
      state: 'welcomed',
      hub: `127.0.0.1:${hub.port}`,
      serverId: 'main',
      session: expect.stringMatching(/^ses_/),
      inHand: 1,
      commands: ['see'],
    });
    expect(JSON.stringify(body)).not.toContain(hub.token);
    server.convars.set('causeway_url', 'wss://user:password@hub.example.com/bridge?token=secret');
    const after = await hub.request('/api/v2/bridge/main/actions/see', { json: {} });
    expect(after.body['result']).toMatchObject({ hub: 'hub.example.com' });
  });

  it('moves no money: the bridge’s own command is not for others, by whatever name', async () => {
    const { names, server, hub } = await openServer();
    await server.start(lua('thief', `${offers('money', 'return 1')} ${offers('custom:money', 'return 1')}`));
    await eventually(names).toEqual(['money']);
    const { body } = await hub.request('/api/v2/bridge/main/actions/money', { json: { target: ana } });
    expect(body).toMatchObject({ name: 'custom:money', result: { value: 1 } });
    const paid = { target: ana, type: 'bank', amount: 1, action: 'add' };
    const { body: real } = await hub.request('/api/v2/bridge/main/money', { json: paid });
    expect(real['result']).toMatchObject({ account: 'bank', before: 5000, after: 5001 });
  });
});

describe('when the server goes down', () => {
  it('a command runs once, and one that was cut off becomes indeterminate', async () => {
    const kvp = createKvp();
    const { run, start, server, hub, restartBridge, names } = await openServer({ kvp });
    const counter = lua(
      'counter',
      `local count = 0
       local function offer()
         ${offers('count', 'count = count + 1 return { count = count }')}
         ${offers('hang', 'Citizen.Await(promise.new())')}
       end
       offer()
       AddEventHandler('causeway:ready', offer)`,
    );
    await start(counter, 'count', 'hang');
    const key = { 'Idempotency-Key': 'once' };
    expect((await run('count', {}, key)).body['result']).toEqual({ count: 1 });
    expect((await run('count', {}, key)).body['result']).toEqual({ count: 1 });
    const hanging = run('hang', {}, { Prefer: 'wait=1' });
    const { body } = await hanging;
    expect(body).toMatchObject({ code: 'in_doubt' });
    await restartBridge();
    await eventually(async () => (await hub.request(`/api/v2/commands/${body.id}`)).body['status']).toBe(
      'indeterminate',
    );
    await eventually(() => names().catch(() => [])).toEqual(['count', 'hang']);
    expect((await run('count')).body['result']).toEqual({ count: 2 });
    expect(server.lines.join('\n')).toContain(`${body.id} was interrupted by the last stop`);
  });
});

describe('the example', () => {
  const open = async () => {
    const opened = await openServer();
    const { server, start } = opened;
    const seen: unknown[][] = [];
    server.hear('fake:client', (...args: unknown[]) => seen.push(args));
    const inventory = `exports('AddItem', function(source, item, count)
      if item == 'anvil' then return false, 'inventory_full' end
      print(('%d gets %d %s'):format(source, count, item)) return true, {} end)`;
    await start(lua('causeway_commands', EXAMPLE), 'announce', 'revive', 'give_item', 'set_job');
    return { ...opened, seen, startInventory: () => server.start(lua('ox_inventory', inventory)) };
  };

  it('announces', async () => {
    const { run, seen } = await open();
    expect((await run('announce', { message: 'Hello' })).body['result']).toEqual({ players: 2 });
    expect(seen).toEqual([['chat:addMessage', -1, { args: ['Server', 'Hello'] }]]);
    expect((await run('announce', { message: '' })).body['errors']).toEqual([
      { pointer: '/message', detail: 'must have at least 1 characters' },
    ]);
  });

  it('revives an online player', async () => {
    const { run, seen } = await open();
    expect((await run('revive', { target: ana })).body).toMatchObject({ target: ana, result: { told: 1 } });
    expect(seen).toEqual([
      ['esx_ambulancejob:revive', 1],
      ['hospital:client:Revive', 1],
    ]);
    expect((await run('revive', { target: cy })).body).toMatchObject({ code: 'player_offline', executed: 'no' });
  });

  it('gives items', async () => {
    const { run, server, startInventory } = await open();
    const bread = { target: ana, item: 'bread', count: 2 };
    expect((await run('give_item', bread)).body['detail']).toContain('neither ox_inventory nor qb-inventory');
    await startInventory();
    expect((await run('give_item', bread)).body).toMatchObject({
      result: { item: 'bread', count: 2 },
      roles: { player: 'target', item: 'item', amount: 'count', reason: 'reason' },
    });
    expect(server.lines).toContain('[ox_inventory] 1 gets 2 bread');
    expect((await run('give_item', { ...bread, item: 'bread;' })).body).toMatchObject({
      code: 'refused',
      detail: expect.stringContaining('letters, digits'),
    });
    const heavy = await run('give_item', { ...bread, item: 'anvil' });
    expect(heavy.body).toMatchObject({ code: 'refused', detail: expect.stringContaining('inventory_full') });
  });

  it('sets jobs', async () => {
    const { run, server } = await open();
    const heard: unknown[][] = [];
    server.hear('esx:setJob', (...args: unknown[]) => heard.push(args));
    const { body } = await run('set_job', { target: ana, job: 'taxi', grade: 0 });
    expect(body['result']).toEqual({ job: 'taxi', grade: 0 });
    expect(heard).toMatchObject([[1, { name: 'taxi', grade: 0 }, { name: 'police', grade: 2 }]]);
    expect((await run('set_job', { target: ana, job: 'king', grade: 0 })).body).toMatchObject({
      code: 'refused',
      detail: expect.stringContaining('There is no job king with grade 0.'),
    });
  });

  it('is offered again after a restart of the bridge, and of itself', async () => {
    const { restartBridge, names, server, run } = await open();
    const all = ['announce', 'give_item', 'revive', 'set_job'];
    await restartBridge();
    await eventually(() => names().catch(() => [])).toEqual(all);
    await server.stop('causeway_commands');
    await eventually(names).toEqual([]);
    await server.start(lua('causeway_commands', EXAMPLE));
    await eventually(names).toEqual(all);
    expect((await run('announce', { message: 'Hello' })).status).toBe(200);
  });
});
