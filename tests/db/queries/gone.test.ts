import { describe, expect, it } from 'vitest';
import { engines, playerOf, useStore } from '../../kit/databases.ts';

describe.each(engines)('players who are gone on $name', ({ open }) => {
  const db = useStore(open);
  const people = (...names: string[]) =>
    names.map((name) => playerOf(`char1:${name}`, { name, online: false, identifiers: [`discord:${name}`] }));
  const report = (names: string[], changes: object = {}) =>
    db.store.players.upsert(
      'p',
      'main',
      people(...names).map((player) => ({ ...player, ...changes })),
      1_000,
    );
  const seen = async (request: object = {}) => {
    const { rows, total } = await db.store.players.list({ projectId: 'p', limit: 50, sort: 'name', ...request });
    return [rows.map(({ name }) => name), total];
  };
  const gone = (...names: string[]) =>
    db.store.players.setGone(
      'p',
      'main',
      names.map((name) => `char1:${name}`),
      2_000,
    );

  it('are in no list, total or search, also after a change of them and their end', async () => {
    await report(['ana', 'anja', 'bob']);
    await gone('ana', 'bob');
    expect(await seen()).toEqual([['anja'], 1]);
    expect(await seen({ online: false })).toEqual([['anja'], 1]);
    expect(await seen({ search: 'an' })).toEqual([['anja'], 1]);
    expect(await seen({ search: 'ana' })).toEqual([[], 0]);
    expect(await seen({ search: 'discord:ana' })).toEqual([[], 0]);
    expect(await db.store.players.known('p', 'main')).toBe(1);
    expect(await db.store.players.meant('p', 'main', 'discord:ana')).toEqual([]);
    expect((await db.store.players.find({ projectId: 'p', identifier: 'char1:ana' }))?.player.goneAt).toBe(2_000);
    expect(await db.store.players.find({ projectId: 'p', identifier: 'discord:ana' })).toBeUndefined();
    // Another person takes an identifier of one who is gone.
    const online = { identifiers: ['license:x', 'discord:ana'], online: true };
    await db.store.players.upsert('p', 'main', [playerOf('char1:eve', { name: 'eve', ...online })], 3_000);
    await db.store.players.remove('p', 'main', ['char1:bob']);
    expect(await seen()).toEqual([['anja', 'eve'], 2]);
    expect(await seen({ search: 'discord:ana' })).toEqual([['eve'], 1]);
  });

  it('are back with their next report, under another name, too', async () => {
    await report(['ana', 'bob']);
    await gone('ana', 'bob');
    await db.store.players.upsert('p', 'main', people('bob'), 3_000, { isSnapshot: true });
    expect(await seen()).toEqual([['bob'], 1]);
    await report(['ana'], { name: 'anna' });
    expect(await seen()).toEqual([['anna', 'bob'], 2]);
    expect(await seen({ search: 'anna' })).toEqual([['anna'], 1]);
    expect(await seen({ search: 'discord:ana' })).toEqual([['anna'], 1]);
    await gone('ana');
    await report(['ana'], { name: 'anne', identifiers: ['discord:new'] });
    expect(await seen({ search: 'discord:new' })).toEqual([['anne'], 1]);
    await db.store.players.remove('p', 'main', ['char1:ana']);
    expect(await seen()).toEqual([['bob'], 1]);
  });

  it('are not indexed late, if a snapshot is still under way', async () => {
    const part = { isPart: true };
    await db.store.players.upsert('p', 'main', people('ana', 'bob'), 1_000, part);
    await gone('ana');
    expect(await seen({ search: 'ana' })).toEqual([[], 0]);
    await db.store.players.upsert('p', 'main', people('cat'), 1_000);
    expect(await seen({ search: 'ana' })).toEqual([[], 0]);
    await report(['ana']);
    expect(await seen({ search: 'ana' })).toEqual([['ana'], 1]);
  });
});
