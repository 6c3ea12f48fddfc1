import { describe, expect, it } from 'vitest';
import { fill } from '../fxserver/game.ts';
import { createMysql } from '../fxserver/mysql.ts';
import { eventually } from '../kit/stage.ts';
import { REAL_OX_CORE_ITEMS } from './built-worlds.ts';
import { REAL, REAL_OX, REAL_REDM } from './checkouts.ts';
import { ESX, OX, QBCORE, QBOX, RSG, WORLDS, type World } from './frameworks.ts';
import { openWorld } from './stage.ts';

type Entry = { name: string; label: string; grades?: { grade: number; label: string }[] };

const open = async (world: World, options: Parameters<typeof openWorld>[1] = {}) => {
  const opened = await openWorld(world, options);
  const list = async (kind: string, query = ''): Promise<Entry[]> =>
    (await opened.hub.request(`/api/v2/servers/main/${kind}?limit=200${query}`)).body['data'] as Entry[];
  /** All entries, over as many pages as they need. */
  const all = async (kind: string): Promise<Entry[]> => {
    const entries: Entry[] = [];
    for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; ) {
      const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await opened.hub.request(`/api/v2/servers/main/${kind}?limit=200${after}`);
      entries.push(...(body['data'] as Entry[]));
      cursor = (body['pagination'] as { next: string | null }).next;
    }
    return entries;
  };
  return { ...opened, list, all };
};
const namesOf = (entries: Entry[]): string[] => entries.map(({ name }) => name);

const BREAD = [
  { name: 'bread', label: 'Bread' },
  { name: 'water', label: 'Water' },
];
const SHARED = [
  { name: 'anvil', label: 'Anvil' },
  { name: 'apple', label: 'Apple' },
  { name: 'bread', label: 'Bread' },
  { name: 'dollar', label: 'Dollars' },
  { name: 'feather', label: 'Feather' },
  { name: 'phone', label: 'Phone' },
  { name: 'water', label: 'Water' },
];
const ADDER = [{ name: 'adder', label: 'Truffade Adder' }];
const KINDS: Record<string, { items: Entry[]; vehicles: Entry[]; jobs: string[] }> = {
  esx: { items: BREAD, vehicles: [], jobs: ['police', 'taxi', 'unemployed'] },
  qbcore: { items: SHARED, vehicles: ADDER, jobs: ['unemployed', 'police', 'taxi'] },
  qbox: { items: [], vehicles: ADDER, jobs: ['unemployed', 'police', 'taxi'] },
  ox_core: { items: [], vehicles: ADDER, jobs: ['police', 'taxi'] },
  vorp: { items: BREAD, vehicles: [], jobs: [] },
  rsg: { items: SHARED, vehicles: ADDER, jobs: ['unemployed', 'police', 'taxi'] },
};

describe.each(WORLDS)('the catalogues of $name', (world) => {
  it('have the items, vehicle models and jobs of the framework, by label', async () => {
    const { list, server } = await open(world);
    const { items, vehicles, jobs } = KINDS[world.name] ?? { items: [], vehicles: [], jobs: [] };
    await eventually(() => list('items')).toEqual(items);
    await eventually(() => list('vehicles')).toEqual(vehicles);
    await eventually(async () => namesOf(await list('jobs'))).toEqual(jobs);
    expect(server.lines.filter((line) => line.includes('catalogue'))).toEqual([]);
    expect(server.errors).toEqual([]);
  });

  it('have the grades of each job in order', async () => {
    const { list } = await open(world);
    // VORP has no list of jobs.
    if (world.name === 'vorp') return expect(await list('jobs')).toEqual([]);
    await eventually(async () => namesOf(await list('jobs'))).toContain('police');
    const police = (await list('jobs')).find(({ name }) => name === 'police');
    const grades = world.name === 'ox_core' ? [1, 2, 3] : [0, 1, 2, 3, 4];
    expect(police?.grades?.map(({ grade }) => grade)).toEqual(grades);
    expect(police?.grades?.every(({ label }) => label.length > 1)).toBe(true);
  });
});

/** ox_inventory does not load the items that Ana has in other worlds. */
const WITH_OX: readonly World[] = [
  ...REAL_OX.map((world) => ({ ...world, rows: world.rows + world.carry(world.ana, []) })),
  ...REAL_OX_CORE_ITEMS,
];

describe.each([...REAL, ...REAL_REDM, ...WITH_OX])('the catalogues of $name', (world) => {
  it('have what the code of the framework has', async () => {
    const { all } = await open(world);
    const [framework = ''] = world.name.replace('real-', '').split(' ');
    const { items, vehicles, jobs } = KINDS[framework] ?? { items: [], vehicles: [], jobs: [] };
    const hasItems = items.length > 0 || WITH_OX.includes(world);
    await eventually(async () => (await all('items')).length > 0).toBe(hasItems);
    await eventually(async () => (await all('vehicles')).length > 0).toBe(vehicles.length > 0);
    if (jobs.length === 0) return expect(await all('jobs')).toEqual([]);
    await eventually(async () => namesOf(await all('jobs'))).toContain('police');
    const police = (await all('jobs')).find(({ name }) => name === 'police');
    expect(police?.grades).toContainEqual(expect.objectContaining({ grade: 2 }));
  });
});

describe.each([ESX, QBCORE, QBOX, RSG])('a job that is added to $name', (world) => {
  it('is in the catalogue a moment later', async () => {
    const { list, server } = await open(world);
    server.emit('fake:jobs', '', 'baker', 2);
    await eventually(async () => namesOf(await list('jobs'))).toContain('baker');
    server.emit('fake:jobs', '', 'baker', 0);
    await eventually(async () => namesOf(await list('jobs'))).not.toContain('baker');
  });
});

const ITEMS = {
  bread: { name: 'bread', label: 'Fresh  bread\n', weight: 1 },
  nameless: { name: 'nameless', label: '' },
  odd: 7,
  '': { label: 'no name' },
  ['x'.repeat(129)]: { label: 'too long' },
  long: { label: '😀'.repeat(100) },
};

describe('catalogues', () => {
  it.each([ESX, QBCORE, QBOX, OX])(
    'have the items of ox_inventory in $name if it runs, cut to the limits',
    async (world) => {
      const { list } = await open({
        ...world,
        install: async (server, mysql) => {
          server.provide('ox_inventory', {
            Items: () => ITEMS,
            GetInventoryItems: () => [],
            GetItemCount: () => 0,
            registerHook: () => 1,
          });
          await world.install(server, mysql);
        },
      });
      await eventually(() => list('items')).toEqual([
        { name: 'bread', label: 'Fresh bread' },
        { name: 'nameless', label: 'nameless' },
        { name: 'long', label: '😀'.repeat(64) },
      ]);
    },
  );

  it('have the models of esx_vehicleshop if its table exists', async () => {
    const table =
      'CREATE TABLE IF NOT EXISTS vehicles (name VARCHAR(60) NOT NULL, model VARCHAR(60) NOT NULL PRIMARY KEY);';
    const rows = `${ESX.rows} INSERT IGNORE INTO vehicles (name, model) VALUES ('Adder', 'adder'), ('Blista', 'blista');`;
    const { list } = await open({ ...ESX, tables: ESX.tables + table, realTables: ESX.realTables + table, rows });
    await eventually(() => list('vehicles')).toEqual([
      { name: 'adder', label: 'Adder' },
      { name: 'blista', label: 'Blista' },
    ]);
  });

  it('of 3,000 items are read in small pages and slices, and are whole', async () => {
    const mysql = createMysql();
    await fill(mysql, ESX);
    for (let from = 0; from < 3_000; from += 500) {
      const rows = Array.from({ length: 500 }, (_, nth) => `('i${from + nth}', 'Thing ${from + nth}', 1, 0, 1)`);
      await mysql.run(`INSERT INTO items (name, label, weight, rare, can_remove) VALUES ${rows.join(', ')}`);
    }
    const { list, all } = await open(ESX, { mysql });
    await eventually(async () => new Set(namesOf(await all('items'))).size).toBe(3_002);
    expect((await list('items', '&search=thing%202999')).map(({ name }) => name)).toEqual(['i2999']);
    const pages = mysql.statements().filter((sql) => /FROM items/.test(sql));
    expect(pages.length).toBeGreaterThanOrEqual(7);
  });

  it('are whole although each slice has time for one entry only', async () => {
    const more = Array.from({ length: 30 }, (_, nth) => `('i${nth}', 'Thing ${nth}', 1, 0, 1)`);
    const rows = `${ESX.rows} INSERT IGNORE INTO items (name, label, weight, rare, can_remove) VALUES ${more.join(', ')};`;
    const { list } = await open({ ...ESX, rows }, { slowness: 1e6 });
    await eventually(async () => (await list('items')).length).toBe(32);
    const labels = (await list('items')).map(({ label }) => label);
    expect(labels).toEqual(labels.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1)));
  });

  it('that cannot be read keep neither the players nor the other catalogues back', async () => {
    const without = (sql: string): string => sql.replace(/(EXISTS|INTO) items/g, '$1 others');
    const { tables, realTables, rows } = ESX;
    const world = { ...ESX, tables: without(tables), realTables: without(realTables), rows: without(rows) };
    const { list, look, server } = await open(world);
    expect((await look(ESX.ana)).online).toBe(true);
    await eventually(async () => namesOf(await list('jobs'))).toContain('police');
    expect(server.lines.join('\n')).toContain('The catalogue of items could not be read');
    expect(server.errors).toEqual([]);
  });
});
