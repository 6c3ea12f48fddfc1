import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Player } from '../bridge-protocol/player.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { createStore } from '../db/store.ts';
import { inventName } from '../simulator/names.ts';
import { inventPlayer } from '../simulator/people.ts';
import { createRandom } from '../simulator/random.ts';
import { type Provisioned, provision } from './contestants.ts';

const SEED = 20_261_121;
const HEX = '0123456789abcdef';
const DIGITS = '0123456789';
/** Goods, cars and the rest are handed out again and again: to invent them for everybody takes longer than to store. */
const BELONGINGS = 1_000;
const HEAVY_BYTES = 2_048;
const NOTES_BYTES = ',"notes":""'.length;
const BATCH = 100;
const BATCHES_AT_ONCE = 20;
/** Batches are seen this far apart, so that the order by time is an order. */
const STEP_MS = 60_000;

/** A database with a project of many players, all offline, and their number. */
export type Population = Provisioned & { url: string; players: number };

export const POPULATION_SERVERS = ['s0', 's1', 's2', 's3', 's4'] as const;

const serverOf = (index: number, players: number): string =>
  POPULATION_SERVERS[Math.floor((index * POPULATION_SERVERS.length) / players)] ?? POPULATION_SERVERS[0];

/** The identifier of player `index`; every third is somebody's second character. */
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

/** Player `index` of a world whose records are 2 KB of JSON each, online as the simulator has it. */
export const heavyPlayer = (index: number): Player => {
  const player = inventPlayer(SEED, index);
  const missing = HEAVY_BYTES - JSON.stringify(player).length - NOTES_BYTES;
  return { ...player, metadata: { ...player.metadata, notes: 'n'.repeat(Math.max(0, missing)) } };
};

const settle = async (database: Database, projectId: string, players: number): Promise<void> => {
  const store = createStore(database);
  const belongings = Array.from({ length: BELONGINGS }, (_, index) => inventPlayer(SEED, index));
  const since = Date.now() - (players / BATCH) * STEP_MS;
  const batch = (first: number): Promise<void> => {
    const list = Array.from({ length: Math.min(BATCH, players - first) }, (_, n) => inhabitant(first + n, belongings));
    return store.players.upsert(projectId, serverOf(first, players), list, since + (first / BATCH) * STEP_MS);
  };
  for (let first = 0; first < players; first += BATCH * BATCHES_AT_ONCE) {
    const until = Math.min(players, first + BATCH * BATCHES_AT_ONCE);
    const firsts = Array.from({ length: Math.ceil((until - first) / BATCH) }, (_, n) => first + n * BATCH);
    await Promise.all(firsts.map(batch));
  }
};

/** Fills a database, new or empty, with a project and its players. */
export const populate = async (database: Database, players: number): Promise<Provisioned> => {
  const provisioned = await provision(database, POPULATION_SERVERS);
  await settle(database, provisioned.projectId, players);
  return provisioned;
};

/** Built in memory and copied to the file: every commit to a file would write pages all over its indexes. */
const populateFile = async (file: string, players: number): Promise<Population> => {
  const database = await openDatabase({ url: 'file::memory:' });
  try {
    const provisioned = await populate(database, players);
    await database.backup(file);
    return { ...provisioned, url: `file:${file}`, players };
  } finally {
    await database.close();
  }
};

const made = new Map<number, Promise<Population>>();

/** So many players in an SQLite file that is made once in a run, and removed when the bench ends. */
export const population = (players: number): Promise<Population> => {
  const known = made.get(players);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const making = populateFile(join(folder, 'hub.db'), players);
  made.set(players, making);
  return making;
};
