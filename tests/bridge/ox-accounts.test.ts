import { describe, expect, it } from 'vitest';
import { installOxInventory } from '../fxserver/frameworks/ox-inventory.ts';
import { eventually } from '../kit/stage.ts';
import { carryIn, type OxWorld, REAL_OX } from './checkouts.ts';
import { ESX } from './frameworks.ts';
import { openWorld } from './stage.ts';

const SLOTS = 50;
const money = (count: number): object => ({ slot: 1, name: 'money', count });
/** Things in every slot but the first, no two of a kind. */
const THINGS = Array.from({ length: SLOTS - 1 }, (_, index) => ({
  slot: index + 2,
  name: 'burger',
  count: 1,
  metadata: { number: index },
}));

const STAND_IN: OxWorld = {
  ...ESX,
  name: 'esx with ox_inventory',
  dirty: ['black_money', 'money'],
  itemOf: (account) => account,
  carry: carryIn('users', 'identifier'),
  install: async (server, mysql) => {
    await ESX.install(server, mysql);
    installOxInventory(server);
  },
};

describe.each([STAND_IN, ...REAL_OX])('$name', (world) => {
  const { ana, cy, dirty, carry } = world;

  /** Ana carries money and items, Cy carries money; Cy's account has the same balance. */
  const open = async (things: object[] = []) => {
    const opened = await openWorld({
      ...world,
      rows: world.rows + carry(ana, [money(120), ...things]) + carry(cy, [money(1)]),
    });
    const { look, recall, join, server, mysql, stored } = opened;
    const countOf = async (identifier: string, name: string): Promise<number> =>
      (await look(identifier)).inventory.reduce((sum, item) => (item.name === name ? sum + item.count : sum), 0);
    await eventually(() => countOf(ana, 'money')).toBe(120);
    return {
      ...opened,
      countOf,
      /** The player joins, stays until the inventory is loaded, and leaves. Returns the player's row. */
      visit: async (identifier: string): Promise<Record<string, number>> => {
        const source = await join(identifier);
        await eventually(async () => (await look(identifier)).online).toBe(true);
        await mysql.quiet();
        server.drop(source, 'done');
        await eventually(async () => (await recall(identifier))?.online).toBe(false);
        await mysql.quiet();
        return stored(identifier);
      },
    };
  };

  it('changes no item of an offline player, and the player’s visit changes no row', async () => {
    const { pay, stored, visit } = await open();
    const before = await stored(cy);
    for (const type of dirty) {
      for (const action of ['add', 'remove'] as const) {
        const answer = await pay({ target: cy, type, action, amount: 1 });
        expect(answer).toMatchObject({ status: 409, body: { code: 'player_offline', executed: 'no' } });
      }
    }
    expect(await stored(cy)).toEqual(before);
    expect(await visit(cy)).toMatchObject(before);
  });

  it('pays a player an item that fits into the inventory, and it stays', async () => {
    const { pay, stored, countOf, server, recall, mysql, join } = await open();
    for (const type of dirty) {
      const had = (await stored(ana))[type] ?? 0;
      const item = world.itemOf(type);
      expect((await pay({ target: ana, type, amount: 50 })).body['result']).toMatchObject({
        before: had,
        after: had + 50,
      });
      expect(await countOf(ana, item)).toBe(had + 50);
      expect((await pay({ target: ana, type, action: 'remove', amount: 20 })).body['result']).toMatchObject({
        before: had + 50,
        after: had + 30,
      });
      expect((await stored(ana))[type]).toBe(had + 30);
    }
    const balances = await stored(ana);
    server.drop(1, 'done');
    await eventually(async () => (await recall(ana))?.online).toBe(false);
    await mysql.quiet();
    expect(await stored(ana)).toEqual(balances);
    await join(ana);
    for (const type of dirty) await eventually(() => countOf(ana, world.itemOf(type))).toBe(balances[type]);
  });

  it('refuses an item that does not fit into a full inventory', async () => {
    const { pay, stored, look, countOf } = await open(THINGS);
    const before = await stored(ana);
    const accounts = dirty.filter((type) => world.itemOf(type) !== 'money');
    for (const type of accounts) {
      expect(await pay({ target: ana, type, amount: 50 })).toMatchObject({ status: 422, body: { executed: 'no' } });
      expect((await look(ana)).accounts[type]).toBe(before[type] ?? 0);
      expect(await countOf(ana, world.itemOf(type))).toBe(before[type] ?? 0);
    }
    expect(await pay({ target: ana, amount: 5 })).toMatchObject({ status: 200 });
    expect(await stored(ana)).toMatchObject(Object.fromEntries(accounts.map((type) => [type, before[type] ?? 0])));
  });
});
