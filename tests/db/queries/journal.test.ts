import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CommandListRequest } from '../../../db/queries/commands/read.ts';
import { InvalidCursor } from '../../../db/queries/cursor.ts';
import { commandOf, engines, useStore } from '../../kit/databases.ts';

const MAX = Number.MAX_SAFE_INTEGER;
/** Values that a JSON column must give back as they are. */
const AWKWARD = JSON.parse(`{
  "__proto__": {"polluted": true},
  "constructor": {"prototype": null},
  "toString": "no function",
  "": [],
  "emoji 🚓 \\"quoted\\" 'single' \\\\ back": "🇧🇷👨‍👩‍👧‍👦 İstanbul ﷺ \\u2028",
  "numbers": [${MAX}, -${MAX}, 0.1, -0.5, 1e21, 5e-324],
  "nested": {"a": [[{"b": null}], true, false, ""]}
}`) as Record<string, unknown>;

describe.each(engines)('the journal on $name', ({ open }) => {
  const db = useStore(open);
  type Changes = Parameters<typeof commandOf>[1];
  const insert = (id: string, changes: Changes = {}) =>
    db.store.commands.insert(commandOf(id, changes), { durable: false });
  const insertAll = async (...ids: string[]): Promise<void> => {
    for (const id of ids) await insert(id);
  };
  const listed = async (request: Partial<CommandListRequest> = {}): Promise<string[]> =>
    (await db.store.commands.list({ projectId: 'p', limit: 100, ...request })).rows.map(({ id }) => id);

  describe('takes a command', () => {
    it('as it was written', async () => {
      const row = commandOf('cmd_1');
      expect(await insert('cmd_1')).toStrictEqual({ row, isNew: true });
      expect(await db.store.commands.get('p', 'cmd_1')).toStrictEqual(row);
    });

    it('with the largest numbers, and JSON that is hard to keep', async () => {
      const numbers = { attempts: MAX, epoch: MAX, createdAt: -MAX, expiresAt: MAX, dispatchedAt: 0, settledAt: MAX };
      const actor = { keyId: 'key_"', name: AWKWARD['emoji 🚓 "quoted" \'single\' \\ back'] as string };
      const error = { code: 'x', message: "'; DROP TABLE commands; --", details: AWKWARD };
      const changes = { ...numbers, params: AWKWARD, result: AWKWARD, error, actor, voidRequested: true, target: null };
      await insert('cmd_1', changes);
      const stored = await db.store.commands.get('p', 'cmd_1');
      expect(stored).toMatchObject({ ...numbers, actor, voidRequested: true, target: null });
      // vitest does not compare members called __proto__.
      const { params, result, error: storedError } = stored ?? {};
      expect(isDeepStrictEqual([params, result, storedError], [AWKWARD, AWKWARD, error])).toBe(true);
      expect(Object.keys(params ?? {}).sort()).toEqual(Object.keys(AWKWARD).sort());
      expect('polluted' in {}).toBe(false);
    });

    it('with text no engine can keep as the replacement character', async () => {
      const broken = 'a\0b\ud800c';
      await insert('cmd_1', { target: broken, params: { [broken]: [broken], deep: { x: broken } } });
      expect(await db.store.commands.get('p', 'cmd_1')).toMatchObject({
        target: 'a\uFFFDb\uFFFDc',
        params: { 'a\uFFFDb\uFFFDc': ['a\uFFFDb\uFFFDc'], deep: { x: 'a\uFFFDb\uFFFDc' } },
      });
    });

    it('once per id, also when the key has been forgotten', async () => {
      await insert('derived', { idempotencyKey: 'k', status: 'succeeded', settledAt: 5 });
      await db.store.commands.forgetKeys(6, 10);
      const again = await insert('derived', { idempotencyKey: 'k', params: { amount: 1 } });
      expect(again).toMatchObject({
        isNew: false,
        row: { status: 'succeeded', params: { amount: 500 }, idempotencyKey: null },
      });
      expect(await listed()).toEqual(['derived']);
    });

    it('once per idempotency key and project, whatever its id', async () => {
      await insert('a', { idempotencyKey: 'k' });
      expect(await insert('b', { idempotencyKey: 'k' })).toMatchObject({ row: { id: 'a' }, isNew: false });
      expect(await insert('c', { idempotencyKey: 'k', projectId: 'q' })).toMatchObject({
        row: { id: 'c' },
        isNew: true,
      });
      expect(await insert('d', { idempotencyKey: 'K' })).toMatchObject({ row: { id: 'd' }, isNew: true });
      expect(await listed()).toEqual(['d', 'a']);
    });

    it('as often as asked without a key', async () => {
      await insertAll('a', 'b', 'c');
      expect(await listed()).toEqual(['c', 'b', 'a']);
    });

    it('and returns the command with the key if another command has the id', async () => {
      await insert('a', { idempotencyKey: 'k' });
      await insert('b');
      expect(await insert('b', { idempotencyKey: 'k' })).toMatchObject({ row: { id: 'a' }, isNew: false });
    });

    it('and never gives one of another project away', async () => {
      await insert('a', { projectId: 'q' });
      await expect(insert('a')).rejects.toThrow('another project');
    });

    it('once when many ask with the same key at the same time', async () => {
      const asked = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          db.store.commands.insert(commandOf(`cmd_${n}`, { idempotencyKey: 'k' }), { durable: n % 2 === 0 }),
        ),
      );
      const [first, ...others] = asked.flatMap(({ row, isNew }) => (isNew ? [row] : []));
      expect(others).toEqual([]);
      const existing = asked.flatMap(({ row, isNew }) => (isNew ? [] : [row]));
      expect(existing).toStrictEqual(Array.from({ length: 11 }, () => first));
    });
  });

  describe('finds a command', () => {
    it('by id and by key, inside its project only', async () => {
      await insert('a', { idempotencyKey: 'k' });
      await insert('b', { projectId: 'q', idempotencyKey: 'other' });
      expect(await db.store.commands.byIdempotencyKey('p', 'k')).toStrictEqual(await db.store.commands.get('p', 'a'));
      expect(await db.store.commands.get('p', 'b')).toBeUndefined();
      expect(await db.store.commands.byIdempotencyKey('p', 'other')).toBeUndefined();
    });

    it('not by text that no engine can keep', async () => {
      await insert('a');
      for (const broken of ['a\0', '\0', 'a\ud800']) {
        expect(await db.store.commands.get('p', broken)).toBeUndefined();
        expect(await db.store.commands.byIdempotencyKey('p', broken)).toBeUndefined();
        const filters = [{ target: broken }, { name: broken }, { actor: broken }, { servers: [broken] }];
        for (const filter of filters) expect(await listed(filter)).toEqual([]);
      }
    });
  });

  describe('lists commands', () => {
    const shop = { keyId: 'key_1', name: 'Shop' };
    const panel = { keyId: 'key_2', name: '"Panel" 🛠️' };

    it('newest first, inside their project only', async () => {
      await insertAll('c', 'a', 'b');
      await insert('d', { projectId: 'q' });
      expect(await listed()).toEqual(['b', 'a', 'c']);
      expect(await db.store.commands.list({ projectId: 'r', limit: 5 })).toEqual({ rows: [], next: null });
    });

    it('of servers, a target, a name, a status or an actor, and of all of these together', async () => {
      await insert('a', { actor: shop, target: 'char1:a' });
      await insert('b', { actor: panel, target: null, name: 'kick', serverId: 'other' });
      await insert('c', { actor: panel, target: 'char1:c', status: 'dispatched', batchId: 'bat_1' });
      const cases: [Partial<CommandListRequest>, string[]][] = [
        [{ servers: ['other', 'third'] }, ['b']],
        [{ servers: ['main', 'other'] }, ['c', 'b', 'a']],
        [{ servers: [] }, []],
        [{ target: 'char1:a' }, ['a']],
        [{ name: 'kick' }, ['b']],
        [{ statuses: ['dispatched'] }, ['c']],
        [{ statuses: ['expired'] }, []],
        [{ statuses: ['expired', 'dispatched', 'accepted'] }, ['c', 'b', 'a']],
        [{ batches: 'all' }, ['c', 'b', 'a']],
        [{ batches: 'none' }, ['b', 'a']],
        [{ batches: 'bat_1' }, ['c']],
        [{ actor: 'key_1' }, ['a']],
        [{ actor: panel.name }, ['c', 'b']],
        [{ actor: 'HOP' }, ['a']],
        [{ actor: 'h_p' }, []],
        [{ actor: 'KEY_1' }, []],
        [{ actor: panel.name, servers: ['main'], name: 'money', target: 'char1:c', statuses: ['dispatched'] }, ['c']],
        [{ actor: panel.name, servers: ['main'], name: 'kick' }, []],
      ];
      for (const [request, ids] of cases) expect(await listed(request), JSON.stringify(request)).toEqual(ids);
    });

    it('as sums of what was moved, by actor and account', async () => {
      const moved = (account: string, before: number, after: number, changes: Changes = {}): Changes => ({
        actor: shop,
        status: 'succeeded',
        result: { account, before, after },
        ...changes,
      });
      await insert('a', moved('bank', 100, 250));
      await insert('b', moved('bank', 250, 200.5, { createdAt: 9_000 }));
      await insert('c', moved('cash', 0, MAX));
      await insert('d', moved('cash', 0, MAX));
      await insert('e', moved('bank', 7, 8, { actor: panel, batchId: 'bat_1' }));
      await insert('f', moved('bank', 0, 5, { status: 'failed' }));
      await insert('g', moved('bank', 0, 5, { name: 'items' }));
      await insert('h', moved('bank', 0, 5, { projectId: 'q' }));
      const [ofShop, ofPanel] = [shop, panel].map((actor) => ({ actor, account: 'bank' }));
      expect(await db.store.commands.sums({ projectId: 'p' })).toEqual({
        sums: [
          { ...ofShop, account: 'cash', given: 2 * MAX, taken: 0, commands: 2 },
          { ...ofShop, given: 150, taken: 49.5, commands: 2 },
          { ...ofPanel, given: 1, taken: 0, commands: 1 },
        ],
        since: null,
      });
      expect(await db.store.commands.sums({ projectId: 'p', batches: 'none', since: 9_000 })).toMatchObject({
        sums: [{ ...ofShop, given: 0, taken: 49.5, commands: 1 }],
      });
      const action = (of: 'add' | 'remove'): Changes => ({ params: { action: of, amount: 1 } });
      await insert('i', moved('bank', 5, 3, { ...action('remove'), projectId: 'r' }));
      await insert('j', moved('bank', 3, 9, { ...action('add'), projectId: 'r' }));
      await insert('k', moved('bank', 3, 9, { ...action('add'), projectId: 'r', name: 'items' }));
      for (const [direction, given, taken] of [
        ['give', 6, 0],
        ['take', 0, 2],
      ] as const) {
        expect((await db.store.commands.sums({ projectId: 'r', direction })).sums).toEqual([
          { ...ofShop, given, taken, commands: 1 },
        ]);
      }
      expect(await listed({ projectId: 'r', direction: 'give' })).toEqual(['j']);
      const newest = await db.store.commands.sums({ projectId: 'p' }, 2);
      expect([newest.sums.map(({ commands }) => commands), newest.since]).toEqual([[1, 1], 1_000]);
      expect(await db.store.commands.sums({ projectId: 'none' })).toEqual({ sums: [], since: null });
    });

    it('page by page, while new ones arrive and old ones change', async () => {
      await insertAll('a', 'b', 'c', 'd', 'e');
      const page = (cursor?: string) =>
        db.store.commands.list({ projectId: 'p', limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      const first = await page();
      await insertAll('f', 'g');
      await db.store.commands.expire('c', MAX);
      const second = await page(first.next ?? '');
      const third = await page(second.next ?? '');
      expect([first, second, third].map(({ rows }) => rows.map(({ id }) => id))).toEqual([
        ['e', 'd'],
        ['c', 'b'],
        ['a'],
      ]);
      expect(third.next).toBeNull();
    });

    it('of a time, whatever the clock said before and after, in the order of the times and page by page', async () => {
      // A clock that was right, an hour slow, a day fast, right again; and one more command at a time that was before.
      const hour = 3_600_000;
      const times = [10, 11, 9, 9.5, 34, 35, 12, 13, 12].map((at) => at * hour);
      for (const [n, createdAt] of times.entries()) await insert(`n${n}`, { createdAt });
      await insert('foreign', { createdAt: 12 * hour, projectId: 'q' });
      const pages = async (request: Partial<CommandListRequest>): Promise<string[]> => {
        const ids: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await db.store.commands.list({
            projectId: 'p',
            limit: 2,
            ...request,
            ...(cursor && { cursor }),
          });
          ids.push(...page.rows.map(({ id }) => id));
          cursor = page.next ?? undefined;
        } while (cursor !== undefined);
        return ids;
      };
      expect(await pages({ since: 12 * hour })).toEqual(['n5', 'n4', 'n7', 'n8', 'n6']);
      expect(await pages({ until: 11 * hour })).toEqual(['n0', 'n3', 'n2']);
      expect(await pages({ since: 9.5 * hour, until: 12 * hour })).toEqual(['n1', 'n0', 'n3']);
      expect(await pages({ since: 36 * hour })).toEqual([]);
      expect(await pages({})).toEqual(['n8', 'n7', 'n6', 'n5', 'n4', 'n3', 'n2', 'n1', 'n0']);
    });

    it('without a next page where the last one is full', async () => {
      await insertAll('a', 'b');
      expect(await db.store.commands.list({ projectId: 'p', limit: 2 })).toMatchObject({ next: null });
    });

    it('not after a cursor that it did not give', async () => {
      const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const wrong = ['', 'x', encode(null), encode({ 0: 'commands' }), encode(['players', 1]), encode(['commands'])];
      const keys = ['1', null, 1.5, MAX + 1, [1], {}, true].map((key) => encode(['commands', key]));
      for (const cursor of [...wrong, ...keys, encode(['commands', 1, 2]), 'A'.repeat(5_000)]) {
        await expect(listed({ cursor }), cursor).rejects.toThrow(InvalidCursor);
      }
      expect(await listed({ cursor: encode(['commands', -MAX]) })).toEqual([]);
      // The cursor of a list with times is none of the list without, and the other way round.
      await expect(listed({ cursor: encode(['commands-by-time', 1, 2]) })).rejects.toThrow(InvalidCursor);
      await expect(listed({ since: 0, cursor: encode(['commands', 1]) })).rejects.toThrow(InvalidCursor);
    });
  });

  describe('tells', () => {
    it('accepted commands past their deadline, the earliest first, the deadline included', async () => {
      await insert('late', { expiresAt: 30 });
      await insert('later', { expiresAt: 31 });
      await insert('early', { expiresAt: 10, projectId: 'q' });
      await insert('sent', { expiresAt: 10, status: 'dispatched' });
      const due = async (now: number, limit: number) =>
        (await db.store.commands.dueAccepted(now, limit)).map(({ id }) => id);
      expect(await due(30, 10)).toEqual(['early', 'late']);
      expect(await due(30, 1)).toEqual(['early']);
      expect(await due(9, 10)).toEqual([]);
    });

    it('open commands of a server, in the order of the journal', async () => {
      for (const id of ['b', 'a', 'c']) await insert(id, { status: 'dispatched' });
      await insert('d', { status: 'dispatched', serverId: 'other' });
      await insert('e', { status: 'dispatched', projectId: 'q' });
      await insertAll('accepted');
      const open = await db.store.commands.openFor('p', 'main');
      expect(open.map(({ id }) => id)).toEqual(['b', 'a', 'c']);
    });

    it('commands that were dispatched long ago and never settled', async () => {
      for (const [id, dispatchedAt] of [
        ['b', 20],
        ['a', 10],
        ['c', 30],
      ] as const) {
        await insert(id, { status: 'dispatched', dispatchedAt });
      }
      await insert('d', { status: 'succeeded', dispatchedAt: 1 });
      const abandoned = async (at: number, limit: number) =>
        (await db.store.commands.abandonedBefore(at, limit)).map(({ id }) => id);
      expect(await abandoned(30, 10)).toEqual(['a', 'b']);
      expect(await abandoned(31, 2)).toEqual(['a', 'b']);
    });

    it('how many of a project wait for something', async () => {
      const statuses = [
        'accepted',
        'dispatched',
        'dispatched',
        'indeterminate',
        'succeeded',
        'resolved_applied',
      ] as const;
      for (const [n, status] of statuses.entries()) await insert(`n${n}`, { status });
      await insert('foreign', { projectId: 'q' });
      expect(await db.store.commands.counts('p')).toStrictEqual({
        waiting: 0,
        accepted: 1,
        dispatched: 2,
        indeterminate: 1,
      });
      expect(await db.store.commands.counts('r')).toStrictEqual({
        waiting: 0,
        accepted: 0,
        dispatched: 0,
        indeterminate: 0,
      });
    });
  });

  it('removes the keys of commands settled long ago, the oldest first, in batches', async () => {
    for (const [id, settledAt] of [
      ['a', 30],
      ['b', 10],
      ['c', 20],
      ['d', 40],
    ] as const) {
      await insert(id, { idempotencyKey: `key of ${id}`, status: 'succeeded', settledAt });
    }
    await insert('open', { idempotencyKey: 'key of open' });
    await insert('keyless', { status: 'succeeded', settledAt: 1 });
    const kept = async (): Promise<string[]> =>
      (await db.store.commands.list({ projectId: 'p', limit: 10 })).rows.flatMap((row) => row.idempotencyKey ?? []);
    expect(await db.store.commands.forgetKeys(40, 2)).toBe(2);
    expect(await kept()).toEqual(['key of open', 'key of d', 'key of a']);
    expect(await db.store.commands.forgetKeys(40, 2)).toBe(1);
    expect(await db.store.commands.forgetKeys(40, 2)).toBe(0);
    expect(await kept()).toEqual(['key of open', 'key of d']);
    expect(await insert('e', { idempotencyKey: 'key of a' })).toMatchObject({ row: { id: 'e' }, isNew: true });
  });
});
