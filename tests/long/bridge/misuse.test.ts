import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ESX, QBCORE, QBOX, RSG, type World } from '../../bridge/frameworks.ts';
import { openWorld } from '../../bridge/stage.ts';
import { luaFake } from '../../fxserver/game.ts';
import { eventually } from '../../kit/stage.ts';

const { ana, cy } = ESX;

describe('a server.cfg with a mistake in it', () => {
  const restarted = async (name: string, change: (value: string) => string): Promise<string> => {
    const { server, hub, restartBridge } = await openWorld(ESX);
    const known = server.convars.get(name) ?? '';
    const before = server.lines.length;
    server.convars.set(name, change(known));
    await restartBridge();
    const said = (): string => server.lines.slice(before).join('\n');
    await eventually(said).toMatch(
      /connected to the hub|could not start|contains invalid characters|stopped: (?!The game)|cannot be reached/,
    );
    expect(said()).not.toContain(hub.token);
    expect(server.errors).toEqual([]);
    return said();
  };

  it.each<[string, string, (value: string) => string, RegExp]>([
    ['a token with spaces around it', 'causeway_token', (token) => ` ${token} \t`, /connected to the hub/],
    ['an address with spaces around it', 'causeway_url', (url) => ` ${url} `, /connected to the hub/],
    [
      'quotes of a word processor',
      'causeway_token',
      (token) => `“${token}”`,
      /characters .*check causeway_token in server.cfg/,
    ],
    [
      'a token in two lines',
      'causeway_token',
      (token) => `${token.slice(0, 9)}\n${token.slice(9)}`,
      /characters .*check causeway_token in server.cfg/,
    ],
    ['an address of a web page', 'causeway_url', (url) => url.replace('ws:', 'http:'), /is not a ws: or wss: address/],
    ['no scheme', 'causeway_url', () => 'hub.example.com/bridge', /could not start: .*hub\.example\.com.* is not a ws/],
    ['another path', 'causeway_url', (url) => url.replace('/bridge', '/'), /HTTP 404|HTTP 426|HTTP 200/],
  ])('is told of: %s', async (_, name, change, told) => {
    expect(await restarted(name, change)).toMatch(told);
  });
});

it.each<[World, string]>([
  [ESX, 'es_extended'],
  [QBCORE, 'qb-core'],
  [QBOX, 'qbx_core'],
  [RSG, 'rsg-core'],
])('$0.name pays no money while it is stopped, and leaves no command indeterminate', async (world, resource) => {
  const { server, pay, stored } = await openWorld(world);
  await server.stop(resource);
  expect(await pay({ target: world.ana })).toMatchObject({
    status: 409,
    body: { code: 'player_offline', executed: 'no' },
  });
  expect(await stored(world.ana)).toMatchObject(world.money.ana);
});

describe('oxmysql', () => {
  it('is waited for, and so is the framework', async () => {
    const { server, mysql, restartBridge, pay } = await openWorld(ESX);
    await server.stop('oxmysql');
    await restartBridge();
    await eventually(() => server.lines.at(-1)).toContain('waiting for the framework');
    expect(await pay({ target: ana }, undefined, 1)).toMatchObject({ status: 503 });
    server.provide('oxmysql', mysql.exports);
    await eventually(async () => (await pay({ target: ana })).status).toBe(200);
  });

  it('that goes away in the middle loses nothing', async () => {
    const { server, mysql, pay, stored, hub } = await openWorld(ESX);
    await server.stop('oxmysql');
    const { body } = await pay({ target: ana }, 'in the middle', 1);
    expect(body).toMatchObject({ executed: 'unknown' });
    server.provide('oxmysql', mysql.exports);
    const command = async () => (await hub.request(`/api/v2/commands/${String(body['id'])}`)).body['status'];
    await eventually(command).toBe('succeeded');
    expect(await stored(ana)).toMatchObject({ bank: 5050 });
    expect((await pay({ target: ana }, 'in the middle')).body).toMatchObject({ result: { after: 5050 } });
  });
});

const OLD: World[] = [
  { ...ESX, name: 'an ESX without calls by name', install: luaFake('es_extended', 'esx.lua', '__old = true') },
  {
    ...QBCORE,
    name: 'a QBCore before 1.3',
    install: luaFake(
      'qb-core',
      'qbcore.lua',
      `__qb = { prefix = 'QBCore', types = { cash = 0, bank = 0 }, isOld = true }`,
    ),
  },
];
describe.each(OLD)('$name', (world) => {
  it('is read, paid and saved like one of today', async () => {
    const { pay, look, stored, recall, kick, server } = await openWorld(world);
    await eventually(async () => (await recall(world.cy))?.name).toBe('Cy Om');
    expect(await look(world.ana)).toMatchObject({ online: true, name: 'Ana Souza', accounts: world.money.ana });
    expect((await pay({ target: world.ana })).body['result']).toMatchObject({ before: 5000, after: 5050 });
    expect(await stored(world.ana)).toMatchObject({ bank: 5050 });
    expect(await pay({ target: world.cy })).toMatchObject({ status: 200 });
    expect((await pay({ target: world.bo, action: 'remove', amount: 101 })).body['code']).toBe('insufficient_funds');
    expect(await kick(world.bo)).toMatchObject({ status: 200 });
    expect(server.errors).toEqual([]);
  });
});

it('an ESX whose table has no metadata pays, and is indeterminate after a stop in the middle', async () => {
  const without = (sql: string): string => sql.replace(/ metadata LONGTEXT( NULL DEFAULT NULL)?,/, '');
  const old = { ...ESX, tables: without(ESX.tables), realTables: without(ESX.realTables) };
  const install: World['install'] = luaFake('es_extended', 'esx.lua', '__noMetadata = true');
  const { pay, mysql, stored, restartBridge, hub } = await openWorld({ ...old, install });
  expect(await pay({ target: ana })).toMatchObject({ status: 200 });
  expect(await pay({ target: cy })).toMatchObject({ status: 200 });
  expect(await stored(cy)).toMatchObject({ bank: 950 });
  mysql.hold(true);
  const paying = pay({ target: ana }, 'once').catch(() => undefined);
  await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
  await restartBridge();
  mysql.hold(false);
  await paying;
  const newest = async () => ((await hub.request('/api/v2/commands')).body['data'] as { status: string }[])[0]?.status;
  await eventually(newest).toBe('indeterminate');
});

it('a handler may return anything, and no player is harmed', async () => {
  const { hub, server } = await openWorld(ESX);
  const handlers: Record<string, string> = {
    endless: 'Infinity',
    notanumber: '({ n: NaN, list: [undefined, () => 1] })',
    deep: `(() => { let at = {}; for (let n = 0; n < 500; n += 1) at = { at }; return at; })()`,
    long: `({ text: 'x'.repeat(100000) })`,
    proto: `JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}')`,
    refuses: `({ refused: { toString: 1 } })`,
    codes: `({ refused: 'no', code: 'internal_error' })`,
  };
  const code = Object.entries(handlers)
    .map(([name, value]) => `exports.causeway.registerCommand('${name}', {}, () => ${value});`)
    .join('\n');
  await server.start({ name: 'odd', js: [new vm.Script(code)] });
  const actions = '/api/v2/bridge/main/actions';
  await eventually(async () => ((await hub.request(actions)).body['data'] as unknown[]).length).toBe(7);
  const told = await Promise.all(
    Object.keys(handlers).map(async (name) => [name, (await hub.request(`${actions}/${name}`, { json: {} })).status]),
  );
  expect(Object.fromEntries(told)).toEqual({
    endless: 200,
    notanumber: 200,
    deep: 200,
    long: 200,
    proto: 200,
    refuses: 409,
    codes: 502,
  });
  expect(await hub.request('/api/v2/servers/main')).toMatchObject({ status: 200 });
});

it('a journal that cannot be read is not guessed at: nothing is paid, and the console says so', async () => {
  const { server, kvp, restartBridge, pay, hub } = await openWorld(ESX);
  await server.stop('causeway');
  await eventually(() => hub.sizes().sessions).toBe(0);
  kvp.write('res:causeway:command:cmd_x', '{"id":"cmd_x"');
  kvp.flush();
  await restartBridge();
  await eventually(() => server.lines.at(-1)).toContain('could not start');
  expect(await pay({ target: ana }, undefined, 1)).toMatchObject({ status: 503, body: { executed: 'no' } });
});

describe('a framework that', () => {
  it('makes a balance with cents whole', async () => {
    const install: World['install'] = luaFake('es_extended', 'esx.lua', '__roundsBalances = true');
    const paid = async (balance: string, action: 'add' | 'remove') => {
      const { pay, stored } = await openWorld({ ...ESX, rows: ESX.rows.replace('5000', balance), install });
      const { body } = await pay({ target: ana, action }, 'rounded');
      return { executed: body['executed'], result: body['result'], stored: (await stored(ana))?.['bank'] };
    };
    const executed = 'yes';
    const result = { account: 'bank', before: 5000 };
    expect(await paid('5000.4', 'add')).toEqual({ executed, result: { ...result, after: 5050 }, stored: 5050 });
    const up = { ...result, after: 5051, applied: 51 };
    expect(await paid('5000.6', 'add')).toEqual({ executed, result: up, stored: 5051 });
    const down = { ...result, after: 4951, applied: 49 };
    expect(await paid('5000.6', 'remove')).toEqual({ executed, result: down, stored: 4951 });
  });
});
