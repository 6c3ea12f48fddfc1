import { describe, expect, it } from 'vitest';
import { installOxInventory } from '../fxserver/frameworks/ox-inventory.ts';
import { createMysql } from '../fxserver/mysql.ts';
import type { FxServer } from '../fxserver/server.ts';
import { eventually } from '../kit/stage.ts';
import { ESX, QBCORE, QBOX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const { ana, cy } = ESX;
const CARRIED = JSON.stringify([
  { slot: 1, name: 'bread', count: 3 },
  { slot: 2, name: 'money', count: 120 },
]);

/** A server with two accounts more. */
const MORE = (bank: number, money: number) => JSON.stringify({ bank, money, black_money: 0, chips: 7, tokens: 7 });

/** ESX with ox_inventory: cash is an item. */
const open = async () => {
  const mysql = createMysql();
  let ox: ReturnType<typeof installOxInventory> | undefined;
  const world = await openWorld(
    {
      ...ESX,
      rows: `${ESX.rows} UPDATE users SET inventory = '${CARRIED}' WHERE identifier = '${ana}';
        UPDATE users SET accounts = '${MORE(5000, 120)}' WHERE identifier = '${ana}';
        UPDATE users SET accounts = '${MORE(900, 1)}' WHERE identifier = '${cy}';`,
      install: async (server, database) => {
        await ESX.install(server, database);
        ox = installOxInventory(server);
      },
    },
    { mysql },
  );
  const inventory = async (): Promise<unknown> =>
    JSON.parse(String((await mysql.look('SELECT inventory FROM users WHERE identifier = ?', [ana]))?.['inventory']));
  return { ...world, ox: ox as NonNullable<typeof ox>, inventory };
};

describe('ESX with ox_inventory', () => {
  it('tells the hub when nothing but an inventory has changed', async () => {
    const { ox, recall } = await open();
    ox.swap(1, 'bread', 2);
    await eventually(async () => (await recall(ana))?.inventory).toMatchObject([{ name: 'bread', count: 5 }, {}]);
  });

  it('stores an account and the item of it together', async () => {
    const { pay, stored, inventory } = await open();
    expect(await pay({ target: ana, type: 'money' })).toMatchObject({ body: { result: { before: 120, after: 170 } } });
    expect((await stored(ana))['money']).toBe(170);
    expect(await inventory()).toMatchObject([{ name: 'bread' }, { name: 'money', count: 170 }]);
    expect((await pay({ target: ana, type: 'money', action: 'remove', amount: 171 })).body['code']).toBe(
      'insufficient_funds',
    );
  });

  it('is indeterminate when the account moved and the item did not', async () => {
    const { ox, pay } = await open();
    ox.lock(true);
    expect(await pay({ target: ana, type: 'money' })).toMatchObject({ body: { code: 'indeterminate' } });
    expect(await pay({ target: ana })).toMatchObject({ status: 200 });
  });

  it('does not change black_money in the table: at the next login the items set the account', async () => {
    const { pay, stored } = await open();
    for (const action of ['add', 'remove'] as const) {
      const dirty = { target: cy, type: 'black_money', action };
      expect(await pay(dirty)).toMatchObject({ status: 409, body: { code: 'player_offline', executed: 'no' } });
    }
    expect(await stored(cy)).toMatchObject({ bank: 900, money: 1, black_money: 0 });
  });

  it('refuses black_money that does not go into a full inventory, and pays it where there is room', async () => {
    const { ox, pay, stored, inventory, look } = await open();
    const dirty = { target: ana, type: 'black_money' };
    expect(await pay(dirty)).toMatchObject({ body: { result: { before: 0, after: 50 } } });
    expect(await inventory()).toMatchObject([{}, {}, { name: 'black_money', count: 50 }]);
    expect(await pay({ ...dirty, action: 'remove' })).toMatchObject({ body: { result: { before: 50, after: 0 } } });
    for (let item = 0; item < 50; item += 1) ox.swap(1, `item-${item}`, 1);
    expect(await pay(dirty)).toMatchObject({ status: 422, body: { executed: 'no' } });
    expect((await look(ana)).accounts['black_money']).toBe(0);
    expect((await stored(ana))['black_money']).toBe(0);
  });

  it('does not pay in the table to accounts that ox_inventory owns or has an item for', async () => {
    const { ox, pay, stored } = await open();
    const chips = { target: cy, type: 'chips', amount: 1 };
    const offline = { status: 409, body: { code: 'player_offline' } };
    expect(await pay({ ...chips, type: 'tokens' })).toMatchObject(offline);
    expect(await pay(chips)).toMatchObject({ status: 200 });
    ox.tell('money', 'black_money', 'chips');
    expect(await pay(chips)).toMatchObject(offline);
    expect(await pay({ ...chips, type: 'tokens' })).toMatchObject({ status: 200 });
    expect(await stored(cy)).toMatchObject({ chips: 8, tokens: 8 });
  });

  it('moves neither while ox_inventory is stopped', async () => {
    const { server, pay, stored } = await open();
    await server.stop('ox_inventory');
    expect(await pay({ target: cy, type: 'money' })).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    expect(await pay({ target: ana, type: 'black_money' })).toMatchObject({ body: { executed: 'no' } });
    expect(await stored(cy)).toMatchObject({ bank: 900, money: 1 });
  });

  it('does not pay an item in the table, and the bank there as ever', async () => {
    const { pay, stored } = await open();
    expect(await pay({ target: cy, type: 'money' })).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    expect(await pay({ target: 'char1:d0d0', type: 'money' })).toMatchObject({ status: 404 });
    expect(await pay({ target: cy })).toMatchObject({ status: 200 });
    expect(await stored(cy)).toMatchObject({ bank: 950, money: 1, black_money: 0 });
  });
});

/** Qbox with ox_inventory: cash is an item; item and balance are kept equal. */
const openQbox = async () => {
  let ox: ReturnType<typeof installOxInventory> | undefined;
  const install = async (server: FxServer): Promise<void> => {
    await QBOX.install(server, createMysql());
    ox = installOxInventory(server);
  };
  const world = await openWorld({ ...QBOX, install });
  return { ...world, ox: ox as NonNullable<typeof ox>, cash: { target: QBOX.ana, type: 'cash' } };
};

describe('Qbox with ox_inventory', () => {
  it('pays cash, and the item of it', async () => {
    const { ox, pay, look, cash } = await openQbox();
    expect(await pay(cash)).toMatchObject({ body: { result: { before: 120, after: 170 } } });
    expect(await pay({ ...cash, action: 'remove', amount: 20 })).toMatchObject({ status: 200 });
    ox.swap(1, 'bread', 1);
    expect((await look(QBOX.ana)).accounts['cash']).toBe(150);
  });

  it('is indeterminate when the account moved and the item, which will move it back, did not', async () => {
    const { ox, pay, look, cash } = await openQbox();
    ox.lock(true);
    expect(await pay(cash)).toMatchObject({ body: { code: 'indeterminate' } });
    expect(await pay({ target: QBOX.ana })).toMatchObject({ status: 200 });
    ox.lock(false);
    ox.swap(1, 'bread', 1);
    expect((await look(QBOX.ana)).accounts['cash']).toBe(120);
  });

  it('moves no cash before the player’s inventory is loaded, and reports the old balance', async () => {
    const { ox, pay, join, look } = await openQbox();
    ox.delay(true);
    await join(QBOX.cy);
    const cash = { target: QBOX.cy, type: 'cash' };
    for (const order of [{ ...cash }, { ...cash, action: 'remove' as const, amount: 1 }]) {
      expect(await pay(order)).toMatchObject({ body: { executed: 'no' } });
    }
    ox.delay(false);
    expect(await pay(cash)).toMatchObject({ body: { result: { before: 1, after: 51 } } });
    expect((await look(QBOX.cy)).accounts['cash']).toBe(51);
  });

  it('does not pay cash in the table, which a full inventory would not take at the next login', async () => {
    const { pay, stored } = await openQbox();
    const before = await stored(QBOX.cy);
    for (const action of ['add', 'remove'] as const) {
      const answer = await pay({ target: QBOX.cy, type: 'cash', action, amount: 1 });
      expect(answer).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    }
    expect(await stored(QBOX.cy)).toEqual(before);
    expect(await pay({ target: QBOX.cy })).toMatchObject({ status: 200 });
  });

  it('refuses cash that does not go into a full inventory', async () => {
    const { ox, pay, cash } = await openQbox();
    expect(await pay({ ...cash, action: 'remove', amount: 120 })).toMatchObject({ status: 200 });
    for (let item = 0; item < 50; item += 1) ox.swap(1, `item-${item}`, 1);
    expect(await pay(cash)).toMatchObject({ body: { executed: 'no' } });
    expect(await pay({ target: QBOX.ana })).toMatchObject({ status: 200 });
  });
});

it.each([QBCORE, QBOX])('$name tells the hub when nothing but an inventory has changed', async (world) => {
  const { server, recall } = await openWorld(world);
  server.emit('fake:carry', '', 1, 'bread', 7);
  await eventually(async () => (await recall(world.ana))?.inventory).toMatchObject([{ name: 'bread', count: 7 }]);
});
