import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../../db/database.ts';
import { sqliteDatabase } from '../../../db/sqlite/database.ts';
import { createStore, type Store } from '../../../db/store.ts';
import { commandOf, playerOf, projectOf } from '../../kit/databases.ts';
import { newFile } from '../../kit/folder.ts';

type Arena = { client: Sqlite.Database; other: Sqlite.Database; database: Database; store: Store };

/** A database with its own client, and another connection to the same file that sees committed rows only. */
const openArena = async (): Promise<Arena> => {
  const file = newFile('hub.db');
  const client = new Sqlite(file, { timeout: 20 });
  client.pragma('journal_mode = WAL');
  const database = sqliteDatabase({ client, file });
  await database.migrate();
  const other = new Sqlite(file, { timeout: 20 });
  onTestFinished(async () => {
    await database.close();
    other.close();
  });
  return { client, other, database, store: createStore(database) };
};
const committed = ({ other }: Arena): unknown[] => other.prepare('SELECT id FROM projects ORDER BY id').pluck().all();
const outcomesOf = async (work: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(work)).map((outcome) =>
    outcome.status === 'fulfilled' ? 'done' : String((outcome.reason as { code: unknown }).code),
  );
const createAll = ({ store }: Arena, ...ids: string[]): Promise<unknown>[] =>
  ids.map((id) => store.projects.create(projectOf(id)));
const orphan = {
  id: 'key',
  projectId: 'nobody',
  name: '',
  scopes: [],
  prefix: '',
  hash: 'h',
  createdAt: 1,
  updatedAt: 1,
};

describe('statements of one turn', () => {
  it('are one transaction, and are told about after its commit', async () => {
    const arena = await openArena();
    const seen: unknown[] = [];
    const works = createAll(arena, 'a', 'b').map((work) => work.then(() => seen.push(committed(arena))));
    expect(committed(arena)).toEqual([]);
    await Promise.all(works);
    expect(seen).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('run in the order they were given', async () => {
    const arena = await openArena();
    const { players } = arena.store;
    await players.upsert('p', 'main', [playerOf('a')], 1);
    // Each of them changes a row only if the one before it has.
    await Promise.all([2, 3, 4, 5].map((at) => players.setOnline('p', 'main', ['a'], { online: at % 2 === 1, at })));
    const found = await players.find({ projectId: 'p', identifier: 'a' });
    expect(found?.player).toMatchObject({ online: true, lastSeenAt: 5 });
  });

  it('fail alone where one is refused', async () => {
    const arena = await openArena();
    const works = [...createAll(arena, 'a'), arena.store.apiKeys.create(orphan), ...createAll(arena, 'b')];
    expect(await outcomesOf(works)).toEqual(['done', 'failed', 'done']);
    expect(committed(arena)).toEqual(['a', 'b']);
  });

  it('fail alone where one is no statement', async () => {
    const arena = await openArena();
    const { database, store } = arena;
    const works = [
      ...createAll(arena, 'a'),
      database.commit(async () => 'not a statement'),
      database.commit(() => {
        throw new Error('before the statement');
      }),
      ...createAll(arena, 'b'),
    ];
    expect(await outcomesOf(works)).toEqual(['done', 'failed', 'failed', 'done']);
    expect(await outcomesOf([database.read(async () => 'not a statement'), store.projects.list()])).toEqual([
      'failed',
      'done',
    ]);
  });

  it('are all refused where the commit fails, and none of them stays', async () => {
    const arena = await openArena();
    const { client, database } = arena;
    const late = () => {
      // Only the commit will find that this key has no project.
      client.pragma('defer_foreign_keys = ON');
      return database.handle.insert(database.tables.apiKeys).values(orphan);
    };
    const works = [...createAll(arena, 'a'), database.commit(late), ...createAll(arena, 'b')];
    expect(await outcomesOf(works)).toEqual(['failed', 'failed', 'failed']);
    expect(committed(arena)).toEqual([]);
    expect(await outcomesOf(createAll(arena, 'a'))).toEqual(['done']);
    expect(committed(arena)).toEqual(['a']);
  });

  it('are all refused while another process writes, and the same works later', async () => {
    const arena = await openArena();
    arena.other.exec('BEGIN IMMEDIATE');
    expect(await outcomesOf(createAll(arena, 'a', 'b'))).toEqual(['unavailable', 'unavailable']);
    expect(await arena.store.projects.list()).toEqual([]);
    arena.other.exec('COMMIT');
    expect(await outcomesOf(createAll(arena, 'a', 'b'))).toEqual(['done', 'done']);
  });

  it('fail alone where the disk has no room for one, and the same works later', async () => {
    const arena = await openArena();
    const { client } = arena;
    await Promise.all(createAll(arena, 'before'));
    const limit = client.pragma('max_page_count', { simple: true });
    client.pragma(`max_page_count = ${client.pragma('page_count', { simple: true })}`);
    const large = arena.store.projects.create(projectOf('large', { name: 'x'.repeat(100_000) }));
    const outcomes = await outcomesOf([...createAll(arena, 'a'), large, ...createAll(arena, 'b')]);
    expect(outcomes).toEqual(['done', 'unavailable', 'done']);
    expect(committed(arena)).toEqual(['a', 'b', 'before']);
    client.pragma(`max_page_count = ${limit}`);
    await Promise.all(createAll(arena, 'large'));
    expect(committed(arena)).toEqual(['a', 'b', 'before', 'large']);
    expect(arena.other.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('are all refused where SQLite gives up the transaction, as it does on a broken disk', async () => {
    const arena = await openArena();
    const broken = () => {
      arena.client.exec('ROLLBACK');
      throw new Error('disk I/O error');
    };
    const works = [...createAll(arena, 'a'), arena.database.commit(broken), ...createAll(arena, 'b')];
    expect(await outcomesOf(works)).toEqual(['unavailable', 'unavailable', 'unavailable']);
    expect(committed(arena)).toEqual([]);
    expect(await outcomesOf(createAll(arena, 'a', 'b'))).toEqual(['done', 'done']);
  });

  it('may be more than one transaction takes', async () => {
    const { store } = await openArena();
    const ids = Array.from({ length: 1_300 }, (_, n) => `cmd_${n}`);
    const stored = await Promise.all(ids.map((id) => store.commands.insert(commandOf(id), { durable: false })));
    expect(stored.map(({ row, isNew }) => isNew && row.id)).toEqual(ids);
  });

  it('reach the disk before they are told about, where one must be durable', async () => {
    const arena = await openArena();
    const modeAfter = async (durable: boolean[]): Promise<unknown> => {
      const seq = arena.client.prepare('SELECT count(*) FROM commands').pluck().get();
      const rows = durable.map((_, n) => commandOf(`cmd_${seq}_${n}`));
      await Promise.all(rows.map((row, n) => arena.store.commands.insert(row, { durable: durable[n] ?? false })));
      return arena.client.pragma('synchronous', { simple: true });
    };
    const [normal, full] = [1, 2];
    expect(await modeAfter([false, false])).toBe(normal);
    expect(await modeAfter([false, true, false])).toBe(full);
    expect(await modeAfter([false])).toBe(normal);
  });
});

describe('close', () => {
  it('finishes all started statements, and refuses later ones', async () => {
    const arena = await openArena();
    const ids = Array.from({ length: 1_300 }, (_, n) => `p${n}`);
    const works = createAll(arena, ...ids);
    const closed = arena.database.close();
    const late = outcomesOf(createAll(arena, 'late'));
    expect(new Set(await outcomesOf(works))).toEqual(new Set(['done']));
    await closed;
    expect(await late).toEqual(['closed']);
    expect(committed(arena)).toHaveLength(ids.length);
    await arena.database.close();
  });
});

it('the search index agrees with the table after any change', async () => {
  const { client, store } = await openArena();
  const names = ['Ana', 'ana souza', '🚓 Müller', '', 'x', 'ΣΑΣ'];
  for (let round = 0; round < 30; round += 1) {
    const players = Array.from({ length: 10 }, (_, n) =>
      playerOf(`id${(round * 7 + n) % 40}`, { name: `${names[(round + n) % names.length]}`, online: n % 2 === 0 }),
    );
    await Promise.all([
      store.players.upsert('p', `s${round % 2}`, players, round),
      store.players.remove('p', 's0', [`id${round}`]),
      store.players.allOffline('p', 's1', { limit: 3, at: round }),
    ]);
  }
  for (const index of ['player_search', 'player_links']) {
    const check = `INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`;
    expect(() => client.exec(check), index).not.toThrow();
  }
  expect(client.pragma('foreign_key_check')).toEqual([]);
});
