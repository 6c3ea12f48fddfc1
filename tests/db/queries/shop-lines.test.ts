import { describe, expect, it } from 'vitest';
import { engines, useStore } from '../../kit/databases.ts';
import { lineOf } from '../../kit/shop-rows.ts';

describe.each(engines)('lines of shop orders on $name', ({ open }) => {
  const db = useStore(open);

  it('whose buyer is unknown wait for a player and for the staff, and go to the first of them', async () => {
    await db.store.shopLines.add([
      lineOf('a', { unbound: 'fivem:1', dueAt: 9_000 }),
      lineOf('b', { number: 2, unbound: 'fivem:2', dueAt: 9_000 }),
      lineOf('c', { number: 3, dueAt: 9_000 }),
      lineOf('d', { number: 4, serverId: 'other', unbound: 'fivem:1', dueAt: 9_000, integrationId: 'int_2' }),
    ]);
    const { shopLines } = db.store;
    const main = { projectId: 'p', serverId: 'main' };
    expect(await shopLines.hasUnknown(main)).toBe(true);
    expect(await shopLines.hasUnknown({ ...main, projectId: 'q' })).toBe(false);
    const onList = async () => (await shopLines.staffPage('int_1', { limit: 9 })).rows.map(({ id }) => id);
    expect(await onList()).toEqual(['a', 'b']);
    expect(await shopLines.staffCounts(['int_1', 'int_2'])).toEqual(
      new Map([
        ['int_1', 2],
        ['int_2', 1],
      ]),
    );
    const dueAt = async (at: number) => (await shopLines.due('int_1', at, 9)).map(({ id }) => id);
    await shopLines.wake('p', 'main', 2_000);
    expect(await dueAt(2_000)).toEqual(['c']);
    expect(await shopLines.serversThatWait(1_000)).toEqual([main]);
    expect(await shopLines.wakeUnknown(main, ['x', 'fivem:1'], 2_001)).toEqual(['int_1']);
    expect(await shopLines.wakeUnknown(main, ['x'], 2_001)).toEqual([]);
    expect(await dueAt(2_001)).toEqual(['c', 'a']);
    await shopLines.wakeAllUnknown('int_1', 2_002);
    expect(await dueAt(2_002)).toEqual(['c', 'a', 'b']);

    const line = await shopLines.get('int_1', 'a');
    if (line === undefined) throw new Error('the line is gone');
    const bind = (target: string) => shopLines.change(line, { target, unbound: null }, 3_000);
    expect((await Promise.all(['x', 'y'].map(bind))).filter((changed) => changed !== undefined)).toHaveLength(1);
    expect(await onList()).toEqual(['b']);
  });

  it('that the staff has decided are listed from the latest on, in pages, and only those since a time', async () => {
    const decided = (id: string, number: number, decidedAt: number | null, integrationId = 'int_1') =>
      lineOf(id, { number, integrationId, state: 'dismissed', decidedAt });
    await db.store.shopLines.add([
      decided('a', 1, 5_000),
      decided('b', 2, 7_000),
      decided('c', 3, 5_000),
      decided('d', 4, 4_999),
      decided('e', 5, null),
      decided('f', 6, 6_000, 'int_2'),
    ]);
    const { shopLines } = db.store;
    const ids: string[][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await shopLines.decidedPage('int_1', 5_000, { limit: 2, cursor });
      ids.push(page.rows.map(({ id }) => id));
      cursor = page.next;
    }
    expect(ids).toEqual([['b', 'c'], ['a']]);
    expect((await shopLines.byIds('int_1', ['a', 'f', 'x', 'e'])).map(({ id }) => id).toSorted()).toEqual(['a', 'e']);
  });

  it('that set a job of a player are found, and those woken that it kept for another line', async () => {
    const job = { name: 'job', params: { job: 'vip', grade: 1 }, target: 'ana' };
    await db.store.shopLines.add([
      lineOf('a', { ...job, state: 'delivered' }),
      lineOf('b', { ...job, number: 2, state: 'placed' }),
      lineOf('c', { ...job, number: 3, state: 'reversed' }),
      lineOf('d', { ...job, number: 4, state: 'delivered', target: 'bob' }),
      lineOf('e', { ...job, number: 5, state: 'delivered', serverId: 'other' }),
      lineOf('f', { number: 6, state: 'delivered', target: 'ana' }),
      lineOf('g', { ...job, number: 7, state: 'owed', reason: 'still_claimed' }),
      lineOf('h', { ...job, number: 8, state: 'owed', reason: 'no_opposite' }),
    ]);
    const found = await db.store.shopLines.jobsOf({ projectId: 'p', serverId: 'main', target: 'ana' });
    expect(found.map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c', 'g', 'h']);
    const [line] = found;
    if (line === undefined) throw new Error('there is no line');
    await db.store.shopLines.wakeClaimed(line, 5);
    const due = await db.store.shopLines.due('int_1', 5, 10);
    expect(due.map(({ id }) => id)).toEqual(['g']);
  });
});
