import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite, { type Database as Client } from 'better-sqlite3';
import type { Player } from '../bridge-protocol/wire/player.ts';
import type { Database } from '../db/database.ts';
import { searchFields, searchText } from '../db/schema/text.ts';
import { createStore } from '../db/store.ts';
import { inventName } from '../simulator/names.ts';
import { inventPlayer } from '../simulator/people.ts';
import { createRandom } from '../simulator/random.ts';
import { makeTenant, makeTenantAt, type Tenant } from '../tests/kit/make-tenant.ts';
import { temporaryFolder } from './folders.ts';

const SEED = 20_261_121;
const HEX = '0123456789abcdef';
const DIGITS = '0123456789';
/** Items, vehicles and other parts are reused: generating them for every player takes longer than storing them. */
const BELONGINGS = 1_000;
const HEAVY_BYTES = 2_048;
const NOTES_BYTES = ',"notes":""'.length;
const BATCH = 100;
const BATCHES_AT_ONCE = 20;
const ROWS_PER_COMMIT = 20_000;
/** The interval between the last-seen times of two batches, so that the order by time is defined. */
const STEP_MS = 60_000;

/** A database with a project of many players, all offline, and their number. */
export type Population = Tenant & { url: string; players: number };

export const POPULATION_SERVERS = ['s0', 's1', 's2', 's3', 's4'] as const;
/** A server without players. */
export const EMPTY_SERVER = 'empty';
const SERVERS = [...POPULATION_SERVERS, EMPTY_SERVER];

const serverOf = (index: number, players: number): string =>
  POPULATION_SERVERS[Math.floor((index * POPULATION_SERVERS.length) / players)] ?? POPULATION_SERVERS[0];

/** The identifier of player `index`; every third one is a person's second character. */
export const identifierOf = (index: number): string =>
  `char${index % 3 === 0 ? 2 : 1}:${createRandom(SEED, index).text(HEX, 40)}`;

const inhabitant = (index: number, belongings: readonly Player[]): Player => {
  const random = createRandom(SEED + 1, index);
  const identifier = identifierOf(index);
  const linked = [`license:${identifier.slice('char1:'.length)}`, `discord:1${random.text(DIGITS, 17)}`];
  const { accounts = {}, inventory = [], vehicles = [], metadata = {} } = belongings[index % belongings.length] ?? {};
  const name = inventName(random, index);
  return { identifier, name, online: false, identifiers: linked, accounts, inventory, vehicles, metadata };
};

/** Player `index` of a world whose records are 2 KB of JSON each, online as in the simulator. */
export const heavyPlayer = (index: number): Player => {
  const player = inventPlayer(SEED, index);
  const missing = HEAVY_BYTES - JSON.stringify(player).length - NOTES_BYTES;
  return { ...player, metadata: { ...player.metadata, notes: 'n'.repeat(Math.max(0, missing)) } };
};

/** The last-seen time of player `index`; all are in the past. */
const seenAt = (index: number, players: number, now: number): number =>
  now - (players / BATCH - Math.floor(index / BATCH)) * STEP_MS;

const inventBelongings = (): Player[] => Array.from({ length: BELONGINGS }, (_, index) => inventPlayer(SEED, index));

/** Fills a database, new or empty, with a project and its players, as a hub does. */
export const populate = async (database: Database, players: number): Promise<Tenant> => {
  await database.migrate();
  const store = createStore(database);
  const tenant = await makeTenant(store, 'bench', { servers: SERVERS });
  const belongings = inventBelongings();
  const now = Date.now();
  const batch = (first: number): Promise<void> => {
    const list = Array.from({ length: Math.min(BATCH, players - first) }, (_, n) => inhabitant(first + n, belongings));
    return store.players.upsert(
      tenant.project.id,
      serverOf(first, players),
      list,
      Math.floor(seenAt(first, players, now)),
    );
  };
  for (let first = 0; first < players; first += BATCH * BATCHES_AT_ONCE) {
    const until = Math.min(players, first + BATCH * BATCHES_AT_ONCE);
    const firsts = Array.from({ length: Math.ceil((until - first) / BATCH) }, (_, n) => first + n * BATCH);
    await Promise.all(firsts.map(batch));
  }
  return tenant;
};

/** Writes the rows of all players, without derived tables. */
const writeRows = async (client: Client, projectId: string, players: number): Promise<void> => {
  const belongings = inventBelongings();
  const texts = belongings.map(({ accounts, inventory, vehicles, metadata }) =>
    [accounts, inventory, vehicles, metadata].map((value) => JSON.stringify(value)),
  );
  const insert = client.prepare(
    `INSERT INTO players (project_id, server_id, identifier, name, search_text, online, first_seen_at, last_seen_at,
      synced_at, identifiers, search_marks, search_plates, accounts, inventory, vehicles, metadata)
      VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const now = Date.now();
  const writeSome = client.transaction((first: number): void => {
    for (let index = first; index < Math.min(players, first + ROWS_PER_COMMIT); index += 1) {
      const player = inhabitant(index, belongings);
      const { identifier, name, identifiers } = player;
      const { searchMarks, searchPlates } = searchFields(player);
      const at = Math.floor(seenAt(index, players, now));
      const key = [projectId, serverOf(index, players), identifier, name, searchText(name, identifier)];
      const searched = [JSON.stringify(identifiers), searchMarks, searchPlates];
      insert.run(...key, at, at, at, ...searched, ...(texts[index % BELONGINGS] ?? []));
    }
  });
  for (let first = 0; first < players; first += ROWS_PER_COMMIT) {
    writeSome(first);
    await nextTurn();
  }
};

/** Runs work on a table without its indexes and triggers, and then builds them from all rows at once. */
const withoutIndexes = async (client: Client, table: string, work: () => Promise<void>): Promise<void> => {
  const kept = client
    .prepare<[string], { type: string; name: string; sql: string }>(
      "SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = ? AND type IN ('index', 'trigger') AND sql IS NOT NULL",
    )
    .all(table);
  for (const { type, name } of kept) client.exec(`DROP ${type} "${name}"`);
  await work();
  for (const { sql } of kept) {
    client.exec(sql);
    await nextTurn();
  }
};

/** Lets signals be handled between its steps, which take seconds. */
const writeFile = async (file: string, projectId: string, players: number): Promise<void> => {
  const client = new Sqlite(file);
  try {
    client.pragma('journal_mode = OFF');
    client.pragma('synchronous = OFF');
    client.pragma('cache_size = -524288');
    await withoutIndexes(client, 'players', () => writeRows(client, projectId, players));
    const index = client.prepare('UPDATE player_indexed SET last_id = ?');
    for (let last = 0; last < players; ) {
      last = Math.min(players, last + ROWS_PER_COMMIT);
      index.run(last);
      await nextTurn();
    }
    client.exec(
      'INSERT INTO player_totals SELECT project_id, server_id, online, count(*) FROM players GROUP BY 1, 2, 3',
    );
    client.pragma('journal_mode = WAL');
  } finally {
    client.close();
  }
};

/** Row by row, the hub's own statements would take many minutes. */
const populateFile = async (file: string, players: number): Promise<Population> => {
  const url = `file:${file}`;
  const tenant = await makeTenantAt(url, 'bench', { servers: SERVERS });
  await writeFile(file, tenant.project.id, players);
  return { ...tenant, url, players };
};

const made = new Map<number, Promise<Population>>();

/** This many players in an SQLite file that is made once per run, and removed when the bench ends. */
export const population = (players: number): Promise<Population> => {
  const known = made.get(players);
  if (known !== undefined) return known;
  const making = populateFile(join(temporaryFolder(), 'hub.db'), players);
  made.set(players, making);
  return making;
};
