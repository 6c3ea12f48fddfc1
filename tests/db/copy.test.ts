import Sqlite from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyDatabase } from '../../db/copy.ts';
import type { Database } from '../../db/database.ts';
import { openDatabase } from '../../db/open.ts';
import { type CopyTarget, openCopyTarget } from '../../db/postgres/pool.ts';
import { createStore } from '../../db/store.ts';
import { partialRefundOf } from '../../server/shops/orders.ts';
import { batchOf, runOf, scheduleOf, webhookOf } from '../kit/batch-rows.ts';
import {
  commandOf,
  eventOf,
  newServerDatabase,
  playerOf,
  projectOf,
  serverOf,
  serverUrl,
  sessionOf,
} from '../kit/databases.ts';
import { newFile } from '../kit/folder.ts';

const PLAYERS = 1_200;
const COMMANDS = 700;

/** A running installation's data: more players and commands than fit into one chunk, and unusual values. */
const fill = async (database: Database): Promise<void> => {
  const {
    projects,
    apiKeys,
    servers,
    sessions,
    catalogues,
    batches,
    events,
    schedules,
    players,
    commands,
    strayResults,
    statistics,
    panelSessions,
    integrations,
    shopOrders,
    shopLines,
    webhooks,
  } = createStore(database);
  for (const id of ['p', 'q']) {
    await projects.create(projectOf(id, { name: 'Ünï "quoted" 🚓', maxAmount: Number.MAX_SAFE_INTEGER }));
    await servers.create(serverOf(id, 'main'));
    await sessions.open({ ...sessionOf(id, 'main'), at: 5 });
    const key = {
      id: `key_${id}`,
      projectId: id,
      name: 'k',
      scopes: ['players:read'],
      prefix: 'cw',
      hash: `hash ${id}`,
    };
    await apiKeys.create({ ...key, createdAt: 1, updatedAt: 1 });
  }
  const metadata = { z: 1, a: { y: [1.5, null], b: '\u{1f693}' }, '10': 'ten', '9': 'nine' };
  const list = Array.from({ length: PLAYERS }, (_, n) => playerOf(`char1:${n}`, { name: `Nº ${n} "\\%_"`, metadata }));
  for (let n = 0; n < PLAYERS; n += 100) await players.upsert('p', 'main', list.slice(n, n + 100), 1_000 + n);
  const inserts = Array.from({ length: COMMANDS }, (_, n) => commandOf(`cmd_${n}`, { idempotencyKey: `key ${n}` }));
  await Promise.all(inserts.map((row) => commands.insert(row, { durable: false })));
  const entries = [{ name: 'bread', label: 'Bread' }];
  await catalogues.put({ projectId: 'p', serverId: 'main', kind: 'items', hash: 'h', syncedAt: 5, entries, epoch: 1 });
  await strayResults.keep({
    projectId: 'p',
    serverId: 'main',
    commandId: 'c',
    status: 'done',
    payload: {},
    receivedAt: 1,
  });
  const counts = { online: 7, succeeded: 1, refused: 2, failed: 3, unknown: 4 };
  await statistics.add(['main', 'west'].map((serverId) => ({ projectId: 'p', serverId, at: 300_000, ...counts })));
  const ofShop = { projectId: 'p', integrationId: 'int_1', transaction: 't' };
  const shop = { id: 'int_1', projectId: 'p', kind: 'tebex', name: 'Shop', serverId: 'main', secrets: [] } as const;
  const maker = { keyId: 'key_p', name: 'k' };
  await integrations.create({ ...shop, secrets: [], packages: { 7: [] }, maker, createdAt: 1, updatedAt: 1 });
  await integrations.addDelivery({ ...ofShop, receivedAt: 1, type: 't', outcome: 'stored', detail: null });
  await shopOrders.pay({ ...ofShop, serverId: 'main', plan: [], paid: null, requestId: 'r', at: 1 });
  await shopLines.add([partialRefundOf({ ...ofShop, serverId: 'main' }, 'A part.', 1)]);
  const times = { createdAt: 1, lastUsedAt: 2 };
  await panelSessions.create({ hash: 'h', projectId: 'p', keyId: 'key_p', keyHash: 'hash p', ...times });
  await batches.insert(batchOf('bat_1'));
  await events.tell('p', [eventOf('evt_1')], []);
  await schedules.create(scheduleOf('sch_1'));
  await schedules.claim(runOf(1_000));
  await webhooks.create(webhookOf('whk_1'), 1);
  const sent = { projectId: 'p', webhookId: 'whk_1', eventId: 'evt_1', eventSeq: 1, type: 'command.settled', at: 1 };
  const answered = {
    state: 'delivered',
    attempts: 1,
    status: 200,
    detail: null,
    answer: '',
    tookMs: 1,
    dueAt: null,
    events: 3,
  } as const;
  const patch = {
    failures: 0,
    fault: 'The answer was 500.',
    failingSince: null,
    failedDay: null,
    failedDays: 0,
    restUntil: null,
    cursor: 0,
  };
  await webhooks.claim('whk_1', 'nod_1', 1_000);
  await webhooks.record({ id: 'whk_1', cursor: 0 }, 'nod_1', { patch, rows: [{ ...sent, ...answered }] });
};

const openSource = async (file = ':memory:'): Promise<Database> => {
  const source = await openDatabase({ url: `file:${file}` });
  onTestFinished(source.close);
  await source.migrate();
  await fill(source);
  return source;
};

const writtenIn = (done: Awaited<ReturnType<typeof copyDatabase>>): Record<string, number> =>
  Object.fromEntries(done.map(({ table, written }) => [table, written]));
const NAMES = [
  'projects',
  'apiKeys',
  'servers',
  'sessions',
  'catalogues',
  'strayResults',
  'commands',
  'batches',
  'schedules',
  'scheduleRuns',
  'scheduleLooks',
  'players',
] as const;
const LATER = [
  'statistics',
  'statisticsHours',
  'panelSessions',
  'integrations',
  'deliveries',
  'shopOrders',
  'shopLines',
  'events',
  'webhooks',
  'webhookAttempts',
] as const;
/** The rows after the players, as `fill` writes them. */
const OF_COMMANDS = { batches: 1, schedules: 1, scheduleRuns: 1, scheduleLooks: 0 };
const REST = {
  statistics: 2,
  statisticsHours: 2,
  panelSessions: 1,
  integrations: 1,
  deliveries: 1,
  shopOrders: 1,
  shopLines: 1,
  events: 1,
  webhooks: 1,
  webhookAttempts: 1,
};
const NOTHING = Object.fromEntries([...NAMES, ...LATER].map((name) => [name, 0]));

/** `.ci/run` names a PostgreSQL server. */
describe.runIf(serverUrl)('a copy of an SQLite file to a PostgreSQL server', () => {
  const openTarget = async (): Promise<CopyTarget> => {
    const { url, drop } = await newServerDatabase(serverUrl ?? '');
    const target = await openCopyTarget(url);
    onTestFinished(async () => {
      await target.database.close();
      await drop();
    });
    await target.database.migrate();
    return target;
  };

  it('has every row as it was, the second time nothing to do, and goes on with numbers of its own', async () => {
    const [source, { database: target, end }] = [await openSource(), await openTarget()];
    const done = await copyDatabase(source, target);
    const rows = {
      projects: 2,
      apiKeys: 2,
      servers: 2,
      sessions: 2,
      catalogues: 1,
      strayResults: 1,
      commands: COMMANDS,
      ...OF_COMMANDS,
      players: PLAYERS,
      ...REST,
    };
    expect(writtenIn(done)).toEqual(rows);
    for (const name of [...NAMES, ...LATER]) {
      const all = async ({ handle, tables, read }: Database): Promise<string[]> =>
        (await read(() => handle.select().from(tables[name] as Database['tables']['players'])))
          .map((row) => JSON.stringify(row))
          .sort();
      expect(await all(target)).toEqual(await all(source));
    }
    const again = await copyDatabase(source, target);
    expect(writtenIn(again)).toEqual(NOTHING);
    expect(again.map(({ sha256 }) => sha256)).toEqual(done.map(({ sha256 }) => sha256));
    await end();
    const store = createStore(target);
    await store.players.upsert('q', 'main', [playerOf('new')], 9_000);
    expect(await store.commands.insert(commandOf('cmd_new'), { durable: true })).toMatchObject({ isNew: true });
  });

  it('continues after an interruption, and takes over later changes, inserts and deletions', async () => {
    const [source, { database: target }] = [await openSource(), await openTarget()];
    const interrupt = new Error('interrupted');
    const interrupted = copyDatabase(source, target, ({ table }) => {
      if (table === 'commands') throw interrupt;
    });
    await expect(interrupted).rejects.toBe(interrupt);
    const { tables, handle, commit } = source;
    await commit(() => handle.delete(tables.commands).where(sql`${tables.commands.id} = 'cmd_3'`));
    await commit(() => handle.update(tables.commands).set({ status: 'succeeded' }).where(sql`id = 'cmd_600'`));
    await commit(() => handle.delete(tables.apiKeys).where(sql`project_id = 'q'`));
    await commit(() => handle.delete(tables.sessions).where(sql`project_id = 'q'`));
    await commit(() => handle.delete(tables.servers).where(sql`project_id = 'q'`));
    await commit(() => handle.delete(tables.projects).where(sql`id = 'q'`));
    await createStore(source).projects.create(projectOf('r', { slug: 'q' }));
    const done = await copyDatabase(source, target);
    expect(writtenIn(done)).toEqual({
      ...NOTHING,
      projects: 1,
      commands: 1,
      ...OF_COMMANDS,
      players: PLAYERS,
      ...REST,
    });
    expect(await createStore(target).commands.get('p', 'cmd_3')).toBeUndefined();
    expect(await createStore(target).commands.get('p', 'cmd_600')).toMatchObject({ status: 'succeeded' });
    expect((await createStore(target).projects.list()).map(({ id }) => id)).toEqual(['p', 'r']);
  });

  it('fails while another process writes to the source', async () => {
    const file = newFile('hub.db');
    const [source, { database: target }] = [await openSource(file), await openTarget()];
    const busy = copyDatabase(source, target, ({ table }) => {
      if (table !== 'players') return;
      const other = new Sqlite(file);
      other.exec('UPDATE players SET online = 0');
      other.close();
    });
    await expect(busy).rejects.toMatchObject({ code: 'changed', message: expect.stringContaining('stop the hub') });
  });

  it('holds a few catalogues at a time, however many and large they are', async () => {
    const [source, { database: target }] = [await openSource(), await openTarget()];
    const { catalogues } = createStore(source);
    const entries = Array.from({ length: 4_000 }, (_, n) => ({ name: `item_${n}`, label: 'x'.repeat(100) }));
    const bytes = JSON.stringify(entries).length;
    const address = { projectId: 'p', kind: 'items', hash: 'h', syncedAt: 5, epoch: 1 } as const;
    for (let n = 0; n < 22; n += 1) await catalogues.put({ ...address, serverId: `server_${n}`, entries });
    let largest = 0;
    const read: Database['read'] = async (query) => {
      const rows = await source.read(query);
      largest = Math.max(largest, JSON.stringify(rows).length);
      return rows;
    };
    const done = await copyDatabase({ ...source, read }, target);
    expect(writtenIn(done)).toMatchObject({ catalogues: 23 });
    expect(largest).toBeLessThan(5 * bytes);
    const copied = await createStore(target).catalogues.entries({ ...address, serverId: 'server_21' });
    expect(copied).toEqual({ hash: 'h', entries });
  });

  it('is marked until it is whole', async () => {
    const { isUnfinished, begin, end } = await openTarget();
    expect(await isUnfinished()).toBe(false);
    await begin();
    expect(await isUnfinished()).toBe(true);
    await end();
    expect(await isUnfinished()).toBe(false);
  });
});
