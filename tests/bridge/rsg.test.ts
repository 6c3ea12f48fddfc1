import { describe, expect, it } from 'vitest';
import { eventually } from '../kit/stage.ts';
import { REAL_RSG } from './checkouts.ts';
import { RSG, RSG_ITEMS } from './frameworks.ts';
import { openWorld } from './stage.ts';

const { ana, cy } = RSG;

describe('RSG', () => {
  it('shows horses and wagons, and which of them are out', async () => {
    const out = `INSERT INTO player_horses (id, stable, citizenid, horseid, name, horse, gender, active)
      VALUES (2, 'rhodes', '${ana}', 'OUT001', 'Roach', 'a_c_horse_arabian', 'male', 1);
      INSERT INTO rsg_wagons (id, citizenid, wagon, custom, animals, active)
      VALUES (7, '${ana}', 'cart01', '{"name":"Old Cart","livery":1}', '[]', 0),
        (8, '${ana}', 'huntercart01', '{"name":"Hunter"}', '[]', 1);`;
    const { look } = await openWorld({ ...RSG, rows: RSG.rows + out });
    expect((await look(ana)).vehicles).toEqual([
      expect.objectContaining({ plate: 'ABC 123', label: 'Bess', model: 'a_c_horse_turkoman', stored: true }),
      expect.objectContaining({ plate: 'OUT001', garage: 'rhodes', stored: false, metadata: { gender: 'male' } }),
      { plate: '7', label: 'Old Cart', model: 'cart01', stored: true, garage: null, metadata: {} },
      { plate: '8', label: 'Hunter', model: 'huntercart01', stored: false, garage: null, metadata: {} },
    ]);
  });

  it('is shown without horses and wagons if they are not installed, and logs that', async () => {
    const rows = RSG.rows.slice(0, RSG.rows.indexOf('INSERT IGNORE INTO player_horses'));
    const tables = RSG.tables.slice(0, RSG.tables.indexOf('CREATE TABLE IF NOT EXISTS player_horses'));
    const realTables = RSG.realTables.slice(0, RSG.realTables.indexOf('CREATE TABLE IF NOT EXISTS player_horses'));
    const { look, pay, recall, server } = await openWorld({ ...RSG, tables, realTables, rows });
    await eventually(async () => (await recall(cy))?.name).toBe('Cy Om');
    expect((await look(ana)).vehicles).toEqual([]);
    expect(await pay({ target: ana })).toMatchObject({ status: 200 });
    for (const table of ['player_horses', 'rsg_wagons'])
      expect(server.lines.filter((line) => line.includes(`the table ${table}`))).toHaveLength(1);
  });
});

describe('RSG with dollars that are carried', () => {
  const dollars = (items: unknown): unknown =>
    (items as { name: string; amount: number }[]).find(({ name }) => name === 'dollar');

  it('stores a balance and its items together', async () => {
    const { pay, mysql } = await openWorld(RSG_ITEMS);
    expect((await pay({ target: ana })).body['result']).toMatchObject({ before: 120, after: 170 });
    const row = await mysql.look('SELECT money, inventory FROM players WHERE citizenid = ?', [ana]);
    expect(JSON.parse(String(row?.['money']))).toMatchObject({ cash: 170 });
    const items = JSON.parse(String(row?.['inventory']));
    expect(dollars(items)).toMatchObject({ amount: 170 });
    expect(items).toContainEqual(expect.objectContaining({ name: 'bread', amount: 3, slot: 4 }));
  });

  it('keeps a payment when the player returns to the same server', async () => {
    const { pay, kick, join, look } = await openWorld(RSG_ITEMS);
    expect(await pay({ target: ana })).toMatchObject({ status: 200 });
    expect(await kick(ana)).toMatchObject({ status: 200 });
    await join(ana);
    await eventually(async () => (await look(ana)).online).toBe(true);
    expect((await look(ana)).accounts['cash']).toBe(170);
  });

  it('pays no cash to an offline player: the dollar items would undo it at the next join', async () => {
    const { pay, stored } = await openWorld(RSG_ITEMS);
    expect(await pay({ target: cy })).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    expect(await pay({ target: RSG.nobody })).toMatchObject({ status: 404 });
    expect(await pay({ target: cy, type: 'bank' })).toMatchObject({ status: 200 });
    expect(await stored(cy)).toMatchObject({ cash: 1, bank: 950 });
  });
});

describe.each(REAL_RSG)('$name', (world) => {
  const carried = (items: { name: string; count: number }[]): number =>
    items.find(({ name }) => name === 'dollar')?.count ?? 0;

  it('says that cash was not taken while rsg-core cannot take it, and takes it after a save', async () => {
    const { pay, look, stored, server } = await openWorld(world);
    const dollars = async (): Promise<number> => carried((await look(ana)).inventory);
    await eventually(dollars).toBe(120);
    const order = { target: ana, action: 'remove', amount: 20 } as const;
    const refused = await pay(order);
    expect(refused).toMatchObject({ status: 502, body: { executed: 'no' } });
    expect((await look(ana)).accounts['cash']).toBe(120);
    expect(await dollars()).toBe(120);
    expect(await stored(ana)).toMatchObject({ cash: 120 });
    // RSG creates this function when it saves the first player.
    server.emit('fake:save', '');
    await eventually(async () => (await pay(order)).body['result']).toMatchObject({ before: 120, after: 100 });
    expect(await dollars()).toBe(100);
    expect((await pay({ ...order, action: 'add' })).body['result']).toMatchObject({ before: 100, after: 120 });
    expect(await dollars()).toBe(120);
  });
});
