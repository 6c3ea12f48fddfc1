import { describe, expect, it } from 'vitest';
import { installOxInventory } from '../fxserver/frameworks/ox-inventory.ts';
import { createMysql } from '../fxserver/mysql.ts';
import type { FxServer } from '../fxserver/server.ts';
import { eventually } from '../support/stage.ts';
import { ESX, QBCORE, QBOX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const { ana, cy } = ESX;
const CARRIED = JSON.stringify([
  { slot: 1, name: 'bread', count: 3 },
  { slot: 2, name: 'money', count: 120 },
]);

/** ESX with ox_inventory: what is money in hand is an item. */
const open = async () => {
  const mysql = createMysql();
  let ox: ReturnType<typeof installOxInventory> | undefined;
  const world = await openWorld(
    {
      ...ESX,
      rows: `${ESX.rows} UPDATE users SET inventory = '${CARRIED}' WHERE identifier = '${ana}';`,
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

  it('is in doubt when the account moved and the item did not', async () => {
    const { ox, pay } = await open();
    ox.lock(true);
    expect(await pay({ target: ana, type: 'money' })).toMatchObject({ body: { code: 'indeterminate' } });
    expect(await pay({ target: ana })).toMatchObject({ status: 200 });
  });

  it('does not pay an item in the table, and the bank there as ever', async () => {
    const { pay, stored } = await open();
    expect(await pay({ target: cy, type: 'money' })).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    expect(await pay({ target: 'char1:d0d0', type: 'money' })).toMatchObject({ status: 404 });
    expect(await pay({ target: cy })).toMatchObject({ status: 200 });
    expect(await stored(cy)).toEqual({ bank: 950, money: 1, black_money: 0 });
  });
});

/** Qbox with ox_inventory: cash is an item, which follows the balance, and is followed by it. */
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

  it('is in doubt when the account moved and the item did not, which will take it back', async () => {
    const { ox, pay, look, cash } = await openQbox();
    ox.lock(true);
    expect(await pay(cash)).toMatchObject({ body: { code: 'indeterminate' } });
    expect(await pay({ target: QBOX.ana })).toMatchObject({ status: 200 });
    ox.lock(false);
    ox.swap(1, 'bread', 1);
    expect((await look(QBOX.ana)).accounts['cash']).toBe(120);
  });

  it('moves no cash of somebody whose inventory is not there yet, and will say what he had', async () => {
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
