import { describe, expect, it } from 'vitest';
import { asAsked } from '../../../db/queries/commands/ends.ts';
import type { CommandRow } from '../../../db/queries/commands/read.ts';
import type { Lane } from '../../../db/queries/commands/waiting.ts';
import { COMMAND_STATUSES, type CommandStatus } from '../../../db/schema/commands.ts';
import type { Store } from '../../../db/store.ts';
import { batchOf } from '../../kit/batch-rows.ts';
import { commandOf, engines, playerOf, sessionOf, useStore } from '../../kit/databases.ts';

const UNTIL = 100_000;
const ROUND_ENDS = 31_000;
const ERROR = { code: 'unsupported', message: 'The server has no items.' };
const MAIN = { projectId: 'p', serverId: 'main' };
const BACK = { status: 'waiting', expiresAt: UNTIL, epoch: null, sessionId: null, dispatchedAt: null } as const;

type Options = { id: string; at?: number; round?: number; sessionId?: string };
type Transition = {
  name: string;
  from: CommandStatus;
  run: (store: Store, options: Options) => Promise<CommandRow | undefined>;
  changes: Partial<CommandRow>;
  /** The first moment at which it does nothing. */
  endsAt?: number;
};

const RELEASE: Transition = {
  name: 'release',
  from: 'waiting',
  run: (store, { id, at = 5_000 }) => store.commands.release({ id, expiresAt: 35_000, at }),
  changes: { status: 'accepted', expiresAt: 35_000, round: 3 },
  endsAt: UNTIL,
};
/** A round that never left gives its number back. */
const UNSENT = { ...BACK, round: 1 };
const POSTPONE: Transition = {
  name: 'postpone',
  from: 'dispatched',
  run: (store, { id, at = 5_000, round = 2 }) => store.commands.postpone({ id, round, at }),
  changes: BACK,
  endsAt: UNTIL,
};
const POSTPONE_UNSENT: Transition = {
  name: 'postponeUnsent',
  from: 'dispatched',
  run: (store, { id, at = 5_000, sessionId = 'ses_1' }) => store.commands.postponeUnsent({ id, sessionId, at }),
  changes: UNSENT,
  endsAt: UNTIL,
};
const POSTPONE_LATE: Transition = {
  name: 'postponeLate',
  from: 'accepted',
  run: (store, { id, at = ROUND_ENDS }) => store.commands.postponeLate(id, at),
  changes: UNSENT,
  endsAt: UNTIL,
};
const REFUSE: Transition = {
  name: 'refuseWaiting',
  from: 'waiting',
  run: (store, { id, at = 40_000 }) => store.commands.refuseWaiting({ id, error: ERROR, at }),
  changes: { status: 'rejected', error: ERROR, settledAt: 40_000 },
};
const VOID: Transition = {
  name: 'voidAccepted',
  from: 'waiting',
  run: (store, { id }) => store.commands.voidAccepted('p', id, 40_000),
  changes: { status: 'voided', voidRequested: true, settledAt: 40_000 },
};
const TRANSITIONS = [RELEASE, POSTPONE, POSTPONE_UNSENT, POSTPONE_LATE, REFUSE, VOID];

describe.each(engines)('a command that may wait on $name', ({ open }) => {
  const db = useStore(open);

  const commandIn = async (status: CommandStatus, id: string, changes: Partial<CommandRow> = {}) => {
    const touched = { attempts: 2, epoch: 1, sessionId: 'ses_1', dispatchedAt: 2_000, expiresAt: ROUND_ENDS };
    const waits = { deliver: 'when_online', deliverUntil: UNTIL, round: 2 } as const;
    const row = commandOf(id, { status, target: id, ...touched, ...waits, ...changes });
    await db.store.commands.insert(row, { durable: false });
    return row;
  };
  const stored = (id: string) => db.store.commands.get('p', id);

  it.each(TRANSITIONS)('goes through $name from $from, and only its columns change', async (transition) => {
    const before = await commandIn(transition.from, 'one');
    const bystander = await commandIn(transition.from, 'bystander');
    const after = await transition.run(db.store, { id: 'one' });
    expect(after).toStrictEqual({ ...before, ...transition.changes });
    expect(await stored('one')).toStrictEqual(after);
    expect(await stored('bystander')).toStrictEqual(bystander);
  });

  it.each(TRANSITIONS)('is not moved by $name from another state', async (transition) => {
    const others = COMMAND_STATUSES.filter((each) => each !== transition.from);
    for (const status of others.filter((each) => transition !== VOID || each !== 'accepted')) {
      const before = await commandIn(status, status);
      expect(await transition.run(db.store, { id: status }), `from ${status}`).toBeUndefined();
      expect(await stored(status), `from ${status}`).toStrictEqual(before);
    }
  });

  it.each(TRANSITIONS.filter(({ endsAt }) => endsAt !== undefined))(
    'is not moved by $name once its time is over',
    async (transition) => {
      const before = await commandIn(transition.from, 'one');
      expect(await transition.run(db.store, { id: 'one', at: UNTIL })).toBeUndefined();
      expect(await stored('one')).toStrictEqual(before);
      expect(await transition.run(db.store, { id: 'one', at: UNTIL - 1 })).toMatchObject(transition.changes);
    },
  );

  it('does not wait again for the answer to an earlier round, or after it was taken back', async () => {
    await commandIn('dispatched', 'later');
    expect(await POSTPONE.run(db.store, { id: 'later', round: 1 })).toBeUndefined();
    await commandIn('dispatched', 'taken back', { voidRequested: true });
    expect(await POSTPONE.run(db.store, { id: 'taken back' })).toBeUndefined();
  });

  it('does not expire with its round, but with its own time', async () => {
    await commandIn('accepted', 'one');
    expect(await db.store.commands.expire('one', ROUND_ENDS)).toBeUndefined();
    expect(await db.store.commands.expire('one', UNTIL)).toMatchObject({ status: 'expired' });
  });

  it('expires while it waits, a few at a time', async () => {
    for (const n of [1, 2, 3]) await commandIn('waiting', `late ${n}`, { expiresAt: UNTIL });
    await commandIn('waiting', 'in time', { expiresAt: UNTIL + 1 });
    expect(await db.store.commands.expireWaiting(UNTIL, 2)).toHaveLength(2);
    expect(await db.store.commands.expireWaiting(UNTIL, 2)).toMatchObject([{ status: 'expired', settledAt: UNTIL }]);
    expect(await db.store.commands.expireWaiting(UNTIL, 2)).toEqual([]);
    expect(await stored('in time')).toMatchObject({ status: 'waiting' });
  });

  const first = async (target: string | null, deliver: Lane['deliver']) =>
    (await db.store.commands.firstWaiting(MAIN, { target, deliver }))?.row.id;

  it('is found by its lane, the oldest first', async () => {
    await commandIn('waiting', 'b1', { target: 'b' });
    await commandIn('waiting', 'b2', { target: 'b' });
    await commandIn('waiting', 'b3', { target: 'b', deliver: 'when_connected' });
    await commandIn('waiting', 'none', { target: null, deliver: 'when_connected' });
    expect(await first('b', 'when_online')).toBe('b1');
    expect(await first('b', 'when_connected')).toBe('b3');
    expect(await first(null, 'when_connected')).toBe('none');
    expect(await first(null, 'when_online')).toBeUndefined();
  });

  it('is found after an older one of its lane whose batch has ended', async () => {
    await db.store.batches.insert(batchOf('ended'));
    await commandIn('waiting', 'of the batch', { batchId: 'ended', target: 'a' });
    await commandIn('waiting', 'behind it', { target: 'a' });
    expect(await first('a', 'when_online')).toBe('of the batch');
    await db.store.batches.end('ended', 'voided', 1);
    expect(await first('a', 'when_online')).toBe('behind it');
  });

  const pages = async (limit: number): Promise<string[]> => {
    const found: string[] = [];
    let page: Lane[] = [];
    do {
      page = await db.store.commands.lanesAfter(MAIN, page.at(-1), limit);
      found.push(...page.map(({ target, deliver }) => `${target} ${deliver}`));
    } while (page.length === limit);
    return found;
  };

  it('is found with its server if none of its lane is in a round, and its player is online', async () => {
    await db.store.players.upsert('p', 'main', [playerOf('a'), playerOf('b', { online: false }), playerOf('c')], 1);
    await db.store.players.upsert('p', 'other', [playerOf('d')], 1);
    for (const target of ['a', 'b', 'c', 'd']) {
      await commandIn('waiting', `${target}1`, { target });
      await commandIn('waiting', `${target}2`, { target });
      await commandIn('waiting', `${target}3`, { target, deliver: 'when_connected' });
    }
    await commandIn('waiting', 'e', { target: 'e', deliver: 'now' });
    await commandIn('waiting', 'none', { target: null, deliver: 'when_connected' });
    await commandIn('waiting', 'other', { target: 'f', deliver: 'now', serverId: 'other' });
    await commandIn('dispatched', 'c0', { target: 'c' });
    await commandIn('accepted', 'd0', { target: 'd', deliver: 'when_connected' });
    const all = ['a when_connected', 'a when_online', 'b when_connected', 'c when_connected', 'e now'];
    for (const limit of [1, 2, 100]) expect(await pages(limit), `pages of ${limit}`).toEqual(all);
  });

  it('is found with its player, among those who were reported', async () => {
    await commandIn('waiting', 'a1', { target: 'a' });
    await commandIn('waiting', 'a2', { target: 'a' });
    await commandIn('waiting', 'b', { target: 'b', deliver: 'when_connected' });
    await commandIn('dispatched', 'c', { target: 'c' });
    expect(await db.store.commands.waitingAmong(MAIN, ['a', 'b', 'c', 'd'])).toEqual(['a']);
  });

  it.each([
    ['of a player', 'char1:a'],
    ['of none', null],
  ])('is released while no other one is in a round: %s', async (_name, target) => {
    await commandIn('waiting', 'one', { target });
    for (const status of ['accepted', 'dispatched'] as const) {
      await commandIn(status, status, { target });
      expect(await RELEASE.run(db.store, { id: 'one' }), status).toBeUndefined();
      await db.store.commands.voidAccepted('p', status, 1);
      await db.store.commands.indeterminate({ projectId: 'p', ids: [status], error: ERROR, at: 1 });
    }
    await commandIn('dispatched', 'of another kind', { target, deliver: 'when_connected' });
    await commandIn('dispatched', 'of another player', { target: 'char1:b' });
    await commandIn('dispatched', 'of another server', { target, serverId: 'other' });
    await commandIn('dispatched', 'that did not wait', { target, deliver: null });
    await commandIn('dispatched', 'that is asked about', { target, error: { code: 'asking', message: '' } });
    expect(await RELEASE.run(db.store, { id: 'one' })).toMatchObject({ status: 'accepted' });
  });

  it.each(['char1:a', null])('is released by one of many nodes at the same time: of %s', async (target) => {
    const ids = Array.from({ length: 12 }, (_, n) => `c${n}`);
    for (const id of ids) await commandIn('waiting', id, { target });
    const released = await Promise.all(ids.map((id) => RELEASE.run(db.store, { id })));
    expect(released.filter((row) => row !== undefined)).toHaveLength(1);
  });

  it('is asked about beside others of its player', async () => {
    const target = 'a';
    for (const n of [1, 2]) await commandIn('waiting', `late ${n}`, { target, restoredAt: 1, expiresAt: 1 });
    await commandIn('dispatched', 'in a round', { target });
    expect(await db.store.commands.askOverdue(2, 10)).toHaveLength(2);
    const asked = asAsked(commandOf('forgotten', { status: 'rejected', target, deliver: 'when_online', round: 0 }));
    expect(await db.store.commands.insert(asked, { durable: true })).toEqual({ row: asked, isNew: true });
  });

  it('is not released once its batch has ended', async () => {
    await db.store.batches.insert(batchOf('ended'));
    await commandIn('waiting', 'one', { batchId: 'ended' });
    await db.store.batches.end('ended', 'voided', 1);
    expect(await RELEASE.run(db.store, { id: 'one' })).toBeUndefined();
  });

  it('waits ten seconds after its third round without an effect, and those behind it wait too', async () => {
    const roundEnds = async (round: number) => {
      await commandIn('dispatched', `after ${round}`, { target: `t${round}`, round });
      await db.store.commands.postpone({ id: `after ${round}`, round, at: 5_000 });
      return db.store.commands.firstWaiting(MAIN, { target: `t${round}`, deliver: 'when_online' });
    };
    expect(await roundEnds(2)).toMatchObject({ row: { id: 'after 2' }, notBefore: null });
    expect(await roundEnds(3)).toMatchObject({ row: { id: 'after 3' }, notBefore: 15_000 });
    await commandIn('waiting', 'behind', { target: 't3' });
    expect(await first('t3', 'when_online')).toBe('after 3');
    expect(await RELEASE.run(db.store, { id: 'after 3', at: 14_999 })).toBeUndefined();
    expect(await RELEASE.run(db.store, { id: 'after 3', at: 15_000 })).toMatchObject({ round: 4 });
  });

  it('is counted up to a bound', async () => {
    for (const n of [1, 2, 3]) await commandIn('waiting', `a${n}`, { target: 'a' });
    await commandIn('waiting', 'b', { target: 'b', serverId: 'other' });
    const most = { player: 10, server: 2, project: 10 };
    expect(await db.store.commands.waitingCounts(MAIN, 'a', most)).toMatchObject({ player: 3, server: 2, project: 4 });
  });

  it('is counted with the bytes of its parameters, as UTF-8', async () => {
    const params = { reason: 'für Ana' };
    await commandIn('waiting', 'a', { params });
    await commandIn('waiting', 'b', { params, serverId: 'other' });
    await commandIn('accepted', 'left', { params });
    const most = { player: 1, server: 1, project: 10 };
    const { bytes } = await db.store.commands.waitingCounts(MAIN, 'a', most);
    expect(bytes).toBe(2 * Buffer.byteLength('{"reason":"für Ana"}'));
  });

  it('is told to the node that holds its bridge', async () => {
    await commandIn('waiting', 'one');
    expect(await db.store.commands.serversThatWait('node-1')).toEqual([]);
    await db.store.sessions.open(sessionOf('p', 'main', { node: 'node-1' }));
    await db.store.sessions.open(sessionOf('p', 'idle', { node: 'node-1' }));
    expect(await db.store.commands.serversThatWait('node-1')).toEqual([MAIN]);
  });

  it('ends with its server', async () => {
    await commandIn('waiting', 'one');
    const ended = await db.store.commands.withdrawAll({ ...MAIN, createdBefore: 9e15, error: ERROR, at: 40_000 });
    expect(ended).toMatchObject([{ id: 'one', status: 'voided' }]);
  });
});
