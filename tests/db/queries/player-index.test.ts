import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { createStore } from '../../../db/store.ts';
import { playerOf } from '../../kit/databases.ts';
import { newFile } from '../../kit/folder.ts';

const CHECKS = ['player_search', 'player_links'].map(
  (index) => `INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`,
);

const openFile = async () => {
  const file = newFile('hub.db');
  const open = async () => {
    const database = await openDatabase({ url: `file:${file}` });
    onTestFinished(database.close);
    await database.migrate();
    return { ...createStore(database).players, close: database.close };
  };
  const client = new Sqlite(file);
  onTestFinished(() => void client.close());
  return {
    open,
    /** How many players wait for the index. */
    late: () =>
      client.prepare('SELECT count(*) FROM players WHERE id > (SELECT last_id FROM player_indexed)').pluck().get(),
    check: () => {
      for (const statement of CHECKS) client.exec(statement);
    },
  };
};
const listOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, n) =>
    playerOf(`id${first + n}`, { name: `Name ${first + n}`, identifiers: [`license:${first + n}`] }),
  );
const part = { isPart: true };

it('the search index takes many players of a snapshot at once, and all of them with the last part', async () => {
  const { open, late, check } = await openFile();
  const players = await open();
  const waiting: unknown[] = [];
  for (let first = 0; first < 1_100; first += 100) {
    await players.upsert('p', 'main', listOf(first, 100), 1, part);
    waiting.push(late());
  }
  expect(waiting).toEqual([100, 200, 300, 400, 500, 0, 100, 200, 300, 400, 500]);
  await players.upsert('p', 'main', listOf(1_100, 1), 1);
  expect(late()).toBe(0);
  expect(check).not.toThrow();
});

it('a player outside of the index is found, renamed and removed like all others, also after a restart', async () => {
  const { open, late, check } = await openFile();
  const first = await open();
  await first.upsert('p', 'main', listOf(0, 10), 1);
  await first.upsert('p', 'main', listOf(10, 10), 1, part);
  await first.close();
  const players = await open();
  const found = async (search: string) =>
    (await players.list({ projectId: 'p', search, limit: 50 })).rows.map(({ identifier }) => identifier).sort();
  const linked = async (identifier: string) => (await players.find({ projectId: 'p', identifier }))?.player.identifier;
  expect(await found('name 1')).toEqual(['id1', ...Array.from({ length: 10 }, (_, n) => `id${10 + n}`)]);
  expect(await linked('license:3')).toBe('id3');
  expect(await linked('license:13')).toBe('id13');

  const renamed = ['id3', 'id13'].map((id) => playerOf(id, { name: 'Zoë', identifiers: [`license:new-${id}`] }));
  await players.upsert('p', 'main', renamed, 2, part);
  await players.remove('p', 'main', ['id4', 'id14']);
  expect(late()).toBe(9);
  const says = async () => [await found('zoë'), await found('name 3'), await found('me 14'), await found('5')];
  const expected = [['id13', 'id3'], [], [], ['id15', 'id5']];
  expect(await says()).toEqual(expected);
  expect([await linked('license:3'), await linked('license:13'), await linked('license:14')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect([await linked('license:new-id3'), await linked('license:new-id13')]).toEqual(['id3', 'id13']);

  await players.upsert('p', 'main', [playerOf('last')], 3);
  expect(late()).toBe(0);
  expect(await says()).toEqual(expected);
  expect(await linked('license:new-id13')).toBe('id13');
  expect(check).not.toThrow();
});

it('the search index fits the rows of players who are gone, came back, changed and were deleted', async () => {
  const { open, check } = await openFile();
  const players = await open();
  await players.upsert('p', 'main', listOf(0, 6), 1);
  await players.setGone('p', 'main', ['id0', 'id1', 'id2', 'id3'], 2);
  check();
  await players.upsert('p', 'main', listOf(0, 1), 3);
  await players.upsert('p', 'main', [playerOf('id1', { name: 'Another', identifiers: ['license:z'] })], 3);
  await players.remove('p', 'main', ['id2', 'id5']);
  check();
  await players.upsert('p', 'main', listOf(10, 2), 4, part);
  await players.setGone('p', 'main', ['id10'], 5);
  await players.upsert('p', 'main', listOf(12, 1), 6);
  check();
  await players.upsert('p', 'main', listOf(10, 1), 7);
  check();
});
