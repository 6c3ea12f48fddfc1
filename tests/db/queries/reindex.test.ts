import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../../db/database.ts';
import { knownMigrations, MIGRATIONS_TABLE } from '../../../db/migrations/migrations.ts';
import { openDatabase } from '../../../db/open.ts';
import { postgresDatabase } from '../../../db/postgres/database.ts';
import { createStore } from '../../../db/store.ts';
import { makeFolder, newServerDriver, playerOf, serverUrl } from '../../kit/databases.ts';

const PLAYERS = 150;
/** The last migration before players were found by linked identifiers and without accents. */
const BEFORE = 8;

/** Players as a hub of that time wrote them. */
const oldRow = (n: number): string => {
  const vehicles = JSON.stringify([{ plate: `PL ${n}` }]);
  const identifiers = JSON.stringify([`license:l${n}x`]);
  return `('p', 'main', 'id${n}', 'João ${n}', 'joão ${n}\nid${n}', ${n % 2 === 0}, ${n}, ${n}, ${n}, '${identifiers}',
    '{}', '[]', '${vehicles}', '{}')`;
};
const OLD_ROWS = `INSERT INTO players (project_id, server_id, identifier, name, search_text, online, first_seen_at,
  last_seen_at, synced_at, identifiers, accounts, inventory, vehicles, metadata)
  VALUES ${Array.from({ length: PLAYERS }, (_, n) => oldRow(n)).join(', ')}`;

const openOldSqlite = async (): Promise<Database> => {
  const { path, dispose } = await makeFolder();
  onTestFinished(dispose);
  const file = join(path, 'hub.db');
  const client = new Sqlite(file);
  client.exec(`CREATE TABLE ${MIGRATIONS_TABLE} (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, created_at NUMERIC)`);
  const insert = client.prepare(`INSERT INTO ${MIGRATIONS_TABLE} (hash, created_at) VALUES (?, ?)`);
  for (const migration of knownMigrations('sqlite').slice(0, BEFORE)) {
    for (const statement of migration.sql) client.exec(statement);
    insert.run(migration.hash, migration.folderMillis);
  }
  client.exec(OLD_ROWS);
  client.exec(`UPDATE player_indexed SET last_id = ${PLAYERS - 10}`);
  client.close();
  return openDatabase({ url: `file:${file}` });
};

const openOldPostgres = async (): Promise<Database> => {
  const driver = await newServerDriver();
  await driver.query(
    `CREATE TABLE ${MIGRATIONS_TABLE} (id bigserial PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
  );
  for (const migration of knownMigrations('postgres').slice(0, BEFORE)) {
    for (const statement of migration.sql) await driver.query(statement);
    await driver.query(`INSERT INTO ${MIGRATIONS_TABLE} (hash, created_at) VALUES ($1, $2)`, [
      migration.hash,
      migration.folderMillis,
    ]);
  }
  await driver.query(OLD_ROWS);
  return postgresDatabase({ driver, target: 'The test database' });
};

const engines = [
  { name: 'SQLite', open: openOldSqlite },
  ...(serverUrl === undefined ? [] : [{ name: 'a PostgreSQL server', open: openOldPostgres }]),
];

it.each(engines)(
  'players that an older version wrote are searched like new ones after a re-index: $name',
  async ({ open }) => {
    const database = await open();
    onTestFinished(database.close);
    await database.migrate();
    const { players } = createStore(database);
    const found = async (search: string): Promise<string[]> =>
      (await players.list({ projectId: 'p', search, plates: true, limit: 200 })).rows.map((row) => row.identifier);
    expect(await found('id77')).toEqual(['id77']);
    expect(await found(' 149')).toEqual(['id149']);

    const first = await players.reindex(0);
    // A bridge reports a player, one is new, and one goes, between two steps.
    const [renee, joao] = [playerOf('id100', { name: 'Renée' }), playerOf('new', { name: 'Joào' })];
    await players.upsert('p', 'main', [{ ...renee, identifiers: ['license:other'] }, joao], 1_000);
    await players.remove('p', 'main', ['id120', 'id3']);
    let steps = 1;
    for (let after = first; after !== undefined; steps += 1) after = await players.reindex(after);
    expect(steps).toBeGreaterThan(3);

    expect(await found('joao')).toHaveLength(PLAYERS - 2);
    expect(await found('joao 1')).toEqual(await found('JOÃO 1'));
    expect(await found('license:l77x')).toEqual(['id77']);
    expect(await found('l7x')).toEqual(['id7']);
    expect(await found('pl 77')).toEqual(['id77']);
    expect([await found('renee'), await found('l100x'), await found('pl 100')]).toEqual([['id100'], [], []]);
    expect([await found('l120x'), await found('l3x')]).toEqual([[], []]);
    expect(await players.reindex(0)).toBe(undefined);
  },
);
