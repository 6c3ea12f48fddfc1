import { describe, expect, it } from 'vitest';
import { luaFake } from '../fxserver/game.ts';
import { createMysql } from '../fxserver/mysql.ts';
import { ESX, OX, QBCORE, QBOX } from './frameworks.ts';
import { openItems } from './item-stage.ts';
import { ITEM_WORLDS } from './item-worlds.ts';
import { openWorld } from './stage.ts';

/** Metadata with this many levels; FXServer's JSON raises beyond 32. */
const nested = (levels: number): object => {
  let value: object = { a: 1 };
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
};

describe.each([ESX, QBCORE, QBOX])('in $name', (world) => {
  const [table, key] = world === ESX ? ['users', 'identifier'] : ['players', 'citizenid'];

  it('a row whose metadata cannot be written refuses a payment, and blocks no other', async () => {
    const mysql = createMysql();
    const { pay, stored } = await openWorld(world, { mysql });
    const write = (metadata: object): Promise<unknown> =>
      mysql.run(`UPDATE ${table} SET metadata = ? WHERE ${key} = ?`, [JSON.stringify(metadata), world.cy]);
    await write(nested(33));
    const refused = await pay({ target: world.cy });
    expect(refused.body).toMatchObject({ executed: 'no', detail: expect.stringContaining('nesting depth exceeded') });
    expect(await stored(world.cy)).toMatchObject({ bank: 900 });
    await write(nested(32));
    expect((await pay({ target: world.cy })).body).toMatchObject({ status: 'succeeded' });
    expect(await stored(world.cy)).toMatchObject({ bank: 950 });
  });
});

it('an online player whose state cannot be read gets nothing, and is paid when that is over', async () => {
  // ESX stores the items of ox_inventory together with the money.
  const items = `exports('registerHook', function() return 1 end) exports('GetInventoryItems', function() return {} end)
    exports('Items', function() return nil end)`;
  const breaks = `AddEventHandler('fake:break', function(isBroken)
    local player = ESX.Players[1]
    player.getInventory = isBroken and function() error('no inventory') end or function() return {} end
  end)`;
  const install: typeof ESX.install = async (server, mysql) => {
    await luaFake('es_extended', 'esx.lua', breaks)(server);
    await server.start({ name: 'ox_inventory', lua: [{ name: 'server.lua', code: items }] });
    await mysql.quiet();
  };
  const { pay, server, look, stored } = await openWorld({ ...ESX, install });
  server.emit('fake:break', '', true);
  expect((await pay({ target: ESX.ana })).body).toMatchObject({ executed: 'no' });
  expect((await look(ESX.ana)).accounts['bank']).toBe(5000);
  server.emit('fake:break', '', false);
  expect((await pay({ target: ESX.ana })).body).toMatchObject({ status: 'succeeded' });
  expect((await look(ESX.ana)).accounts['bank']).toBe(5050);
  expect(await stored(ESX.ana)).toMatchObject({ bank: 5050 });
});

describe('an error in a callback of the database', () => {
  it('ends a command that has written nothing as failed', async () => {
    const mysql = createMysql();
    const { pay, stored, server } = await openWorld(OX, { mysql });
    await mysql.run('UPDATE accounts SET balance = NULL WHERE id = 103', []);
    expect((await pay({ target: OX.cy })).body).toMatchObject({ executed: 'no' });
    await mysql.run('UPDATE accounts SET balance = 900 WHERE id = 103', []);
    expect((await pay({ target: OX.cy })).body).toMatchObject({ status: 'succeeded' });
    expect(await stored(OX.cy)).toEqual({ bank: 950 });
    expect(server.errors).toEqual([]);
  });
});

describe('metadata of items', () => {
  it('deeper than nine levels are refused for their own reason, and nine arrive whole', async () => {
    const world = ITEM_WORLDS.find(({ name }) => name.startsWith('qbcore'));
    if (world === undefined) throw new Error('There is no such world.');
    const { items, look } = await openItems(world);
    expect(await items({ metadata: nested(10) })).toMatchObject({
      status: 422,
      body: { executed: 'no', errors: [{ pointer: '/metadata', detail: expect.stringContaining('9 levels') }] },
    });
    expect((await look(world.ana)).inventory).toHaveLength(1);
    expect(await items({ metadata: nested(9) })).toMatchObject({ body: { status: 'succeeded' } });
    expect((await look(world.ana)).inventory).toContainEqual(
      expect.objectContaining({ name: 'bread', count: 1, metadata: JSON.parse(JSON.stringify(nested(9))) }),
    );
  });
});

describe('the text of an error', () => {
  it('of a framework is one line without colours, nil and traces', async () => {
    const breaks = `AddEventHandler('fake:break', function() math.floor = function() error('no such table') end end)`;
    const { pay, server } = await openWorld({ ...ESX, install: luaFake('es_extended', 'esx.lua', breaks) });
    server.emit('fake:break', '');
    const { body } = await pay({ target: ESX.ana });
    expect(body).toMatchObject({ executed: 'no' });
    const detail = String(body['detail']);
    expect(detail).toContain(
      'An error occurred while calling export `RunStaticPlayerMethod` in resource `es_extended`',
    );
    expect(detail).not.toMatch(/\^\d|\n|\bnil\b|---/);
  });
});
