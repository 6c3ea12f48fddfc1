import { describe, expect, it } from 'vitest';
import { DatabaseError } from '../../../db/errors.ts';
import type { CommandRow } from '../../../db/queries/commands/read.ts';
import { untilKnown } from '../../../db/queries/commands/transitions.ts';
import { COMMAND_STATUSES, type CommandStatus } from '../../../db/schema/commands.ts';
import type { Store } from '../../../db/store.ts';
import { commandOf, engines, sessionOf, useStore } from '../../kit/databases.ts';

const EXPIRES_AT = 31_000;
const ACTOR = { keyId: 'key_9', name: 'Operator "O\'Neil"' };
const ERROR = { code: 'bridge_offline', message: 'Ausgefallen 🚒', details: { balance: -5 } };

type Ids = { id: string; projectId?: string; serverId?: string; sessionId?: string; at?: number; from?: number };
type Transition = {
  name: string;
  from: CommandStatus;
  /** Tries the transition; returns the changed row. */
  run: (store: Store, ids: Ids) => Promise<CommandRow | undefined>;
  /** The changed columns of the row. */
  changes: Partial<CommandRow>;
};

const outcome = (status: CommandStatus, result: CommandRow['result'], error: CommandRow['error']): Transition => ({
  name: `settle (${status})`,
  from: 'dispatched',
  run: (store, { id, projectId = 'p', serverId = 'main', at = 40_000 }) =>
    store.commands.settle({ projectId, serverId, id, status, result, error, settledAt: at }, { durable: true }),
  changes: { status, result, error, settledAt: 40_000 },
});

const resolution = (applied: boolean): Transition => ({
  name: `resolve (${applied ? 'applied' : 'not applied'})`,
  from: 'indeterminate',
  run: (store, { id, projectId = 'p' }) =>
    store.commands.resolve({ projectId, id, applied, note: 'checked', actor: ACTOR, at: 50_000 }),
  changes: {
    status: applied ? 'resolved_applied' : 'resolved_not_applied',
    resolution: { applied, note: 'checked', actor: ACTOR, at: 50_000 },
  },
});

const SEVENTH = { epoch: 7, sessionId: 'ses_7', journalId: 'j' };
const DISPATCH: Transition = {
  name: 'dispatch',
  from: 'accepted',
  run: (store, { id, projectId = 'p', serverId = 'main', at = EXPIRES_AT - 1 }) =>
    store.commands.dispatch({ projectId, serverId, id, ...SEVENTH, at, durable: true }),
  changes: { status: 'dispatched', ...SEVENTH, dispatchedAt: EXPIRES_AT - 1, attempts: 3 },
};
const EXPIRE: Transition = {
  name: 'expire',
  from: 'accepted',
  run: (store, { id, at = EXPIRES_AT }) => store.commands.expire(id, at),
  changes: { status: 'expired', settledAt: EXPIRES_AT },
};
const VOID_UNSENT: Transition = {
  name: 'voidUnsent',
  from: 'dispatched',
  run: (store, { id, sessionId = 'ses_1' }) => store.commands.voidUnsent({ id, sessionId, error: ERROR, at: 40_000 }),
  changes: { status: 'voided', error: ERROR, settledAt: 40_000 },
};
const INDETERMINATE: Transition = {
  name: 'indeterminate',
  from: 'dispatched',
  run: async (store, { id, projectId = 'p' }) =>
    (await store.commands.indeterminate({ projectId, ids: [id], error: ERROR, at: 40_000 }))[0],
  changes: { status: 'indeterminate', error: ERROR, settledAt: 40_000 },
};
const VOID_ACCEPTED: Transition = {
  name: 'voidAccepted',
  from: 'accepted',
  run: (store, { id, projectId = 'p' }) => store.commands.voidAccepted(projectId, id, 40_000),
  changes: { status: 'voided', voidRequested: true, settledAt: 40_000 },
};
const REQUEST_VOID: Transition = {
  name: 'requestVoid',
  from: 'dispatched',
  run: (store, { id, projectId = 'p' }) => store.commands.requestVoid(projectId, id),
  changes: { voidRequested: true },
};
const EIGHTH = { epoch: 8, sessionId: 'ses_8', journalId: 'j' };
const REDELIVER: Transition = {
  name: 'redeliver',
  from: 'dispatched',
  run: (store, { id, from = 1 }) => store.commands.redeliver({ id, from, ...EIGHTH }),
  changes: { ...EIGHTH, attempts: 3 },
};
const SETTLE = outcome('succeeded', { before: -500, after: Number.MAX_SAFE_INTEGER }, null);

const TRANSITIONS: readonly Transition[] = [
  DISPATCH,
  REDELIVER,
  SETTLE,
  outcome('failed', null, ERROR),
  outcome('rejected', {}, ERROR),
  outcome('voided', null, null),
  outcome('indeterminate', null, ERROR),
  EXPIRE,
  VOID_ACCEPTED,
  VOID_UNSENT,
  REQUEST_VOID,
  INDETERMINATE,
  resolution(true),
  resolution(false),
];

describe.each(engines)('a command on $name', ({ open }) => {
  const db = useStore(open);

  /** A command in this state, with something in every column that a transition may touch. */
  const commandIn = async (status: CommandStatus, id: string = status): Promise<CommandRow> => {
    const touched = { attempts: 2, epoch: 1, sessionId: 'ses_1', dispatchedAt: 2_000 };
    const row = commandOf(id, { status, expiresAt: EXPIRES_AT, ...touched });
    const { isNew } = await db.store.commands.insert(row, { durable: false });
    if (!isNew) throw new Error(`There is a command ${id} already.`);
    return row;
  };
  const stored = (id: string): Promise<CommandRow | undefined> => db.store.commands.get('p', id);

  it.each(TRANSITIONS)('goes through $name from $from, and only its columns change', async (transition) => {
    const before = await commandIn(transition.from);
    const bystander = await commandIn(transition.from, 'bystander');
    const after = await transition.run(db.store, { id: before.id });
    expect(after).toStrictEqual({ ...before, ...transition.changes });
    expect(await stored(before.id)).toStrictEqual(after);
    expect(await stored(bystander.id)).toStrictEqual(bystander);
  });

  it.each(TRANSITIONS)('is not moved by $name from any state but $from', async (transition) => {
    // Some also end a command that waits: tests of what waits have that.
    for (const status of COMMAND_STATUSES.filter((each) => each !== transition.from && each !== 'waiting')) {
      const before = await commandIn(status);
      expect(await transition.run(db.store, { id: before.id }), `from ${status}`).toBeUndefined();
      expect(await stored(before.id), `from ${status}`).toStrictEqual(before);
    }
  });

  it.each(TRANSITIONS)('that does not exist is not made by $name', async (transition) => {
    expect(await transition.run(db.store, { id: 'nothing' })).toBeUndefined();
    expect((await db.store.commands.list({ projectId: 'p', limit: 10 })).rows).toEqual([]);
  });

  it.each([DISPATCH, SETTLE, VOID_ACCEPTED, REQUEST_VOID, INDETERMINATE, resolution(true)])(
    'is not moved by $name of another project',
    async (transition) => {
      const before = await commandIn(transition.from);
      expect(await transition.run(db.store, { id: before.id, projectId: 'q' })).toBeUndefined();
      expect(await stored(before.id)).toStrictEqual(before);
    },
  );

  it('is not dispatched to another server of its project', async () => {
    const before = await commandIn('accepted');
    expect(await DISPATCH.run(db.store, { id: before.id, serverId: 'other' })).toBeUndefined();
    expect(await stored(before.id)).toStrictEqual(before);
  });

  it('is not settled by another server of its project', async () => {
    const before = await commandIn('dispatched');
    expect(await SETTLE.run(db.store, { id: before.id, serverId: 'other' })).toBeUndefined();
    expect(await stored(before.id)).toStrictEqual(before);
  });

  it('is not taken back by a session that does not own it any more', async () => {
    const { id } = await commandIn('dispatched');
    const taken = await REDELIVER.run(db.store, { id });
    expect(await VOID_UNSENT.run(db.store, { id, sessionId: 'ses_1' })).toBeUndefined();
    expect(await stored(id)).toStrictEqual(taken);
    expect(await VOID_UNSENT.run(db.store, { id, sessionId: 'ses_8' })).toMatchObject({ status: 'voided' });
  });

  it('is dispatched before its deadline and expires from it on, never both', async () => {
    const { id } = await commandIn('accepted');
    expect(await DISPATCH.run(db.store, { id, at: EXPIRES_AT })).toBeUndefined();
    expect(await EXPIRE.run(db.store, { id, at: EXPIRES_AT - 1 })).toBeUndefined();
    expect(await stored(id)).toMatchObject({ status: 'accepted', attempts: 2 });
    expect(await EXPIRE.run(db.store, { id, at: EXPIRES_AT })).toMatchObject({ status: 'expired' });
    expect(await DISPATCH.run(db.store, { id, at: EXPIRES_AT - 1 })).toBeUndefined();
  });

  it('counts its deliveries', async () => {
    const { id } = await commandIn('accepted');
    const deliveries = [() => DISPATCH.run(db.store, { id }), () => REDELIVER.run(db.store, { id, from: 7 })];
    const attempts: (number | undefined)[] = [];
    for (const deliver of deliveries) attempts.push((await deliver())?.attempts);
    expect(attempts).toEqual([3, 4]);
  });

  it.each([DISPATCH, REDELIVER])('is not moved by $name once a later session has come', async (transition) => {
    const before = await commandIn(transition.from);
    for (let epoch = 1; epoch <= 9; epoch += 1) await db.store.sessions.open(sessionOf('p', 'main'));
    expect(await transition.run(db.store, { id: before.id })).toBeUndefined();
    expect(await stored(before.id)).toStrictEqual(before);
  });

  it.each([DISPATCH, REDELIVER])('is moved by $name under the session that came last', async (transition) => {
    const before = await commandIn(transition.from);
    for (let epoch = 1; epoch <= 7; epoch += 1) await db.store.sessions.open(sessionOf('p', 'main'));
    for (let epoch = 1; epoch <= 9; epoch += 1) await db.store.sessions.open(sessionOf('p', 'other'));
    expect(await transition.run(db.store, { id: before.id })).toMatchObject({ status: 'dispatched' });
  });

  it('is redelivered once by two nodes that saw the same delivery', async () => {
    const { id } = await commandIn('dispatched');
    const tries = await Promise.all([REDELIVER.run(db.store, { id }), REDELIVER.run(db.store, { id })]);
    expect(tries.filter((row) => row !== undefined)).toHaveLength(1);
  });

  it('is redelivered to the journal that it was sent to, and to no other', async () => {
    const { id } = await commandIn('accepted');
    await DISPATCH.run(db.store, { id });
    const sent = await stored(id);
    expect(await db.store.commands.redeliver({ id, from: 7, ...EIGHTH, journalId: 'k' })).toBeUndefined();
    expect(await stored(id)).toStrictEqual(sent);
    expect(await REDELIVER.run(db.store, { id, from: 7 })).toMatchObject({ ...EIGHTH, status: 'dispatched' });
  });

  it('that its bridge reported as indeterminate is not settled by its journal', async () => {
    const { id } = await commandIn('accepted');
    const sent = await DISPATCH.run(db.store, { id });
    const end = { id, projectId: 'p', serverId: 'main', result: null, error: ERROR, settledAt: 2 };
    const indeterminate = { ...end, status: 'indeterminate' as const };
    const ended = await db.store.commands.settle(indeterminate, { durable: true }, sent);
    expect(await stored(id)).toStrictEqual(ended);
    const again = { ...end, status: 'failed' as const, journalId: SEVENTH.journalId };
    expect(await db.store.commands.settleGivenUp(again, { durable: true })).toBeUndefined();
  });

  it('is dispatched once by many concurrent attempts', async () => {
    const { id } = await commandIn('accepted');
    const tries = Array.from({ length: 12 }, (_, n) =>
      db.store.commands.dispatch({
        projectId: 'p',
        serverId: 'main',
        id,
        epoch: n,
        sessionId: `ses_${n}`,
        journalId: 'j',
        at: 5_000,
        durable: n % 2 === 0,
      }),
    );
    const won = (await Promise.all(tries)).filter((row) => row !== undefined);
    expect(won).toHaveLength(1);
    expect(won).toStrictEqual([await stored(id)]);
    expect(won[0]).toMatchObject({ attempts: 3 });
  });

  it.each([
    { from: 'accepted', rivals: [DISPATCH, EXPIRE, VOID_ACCEPTED] },
    { from: 'dispatched', rivals: [SETTLE, VOID_UNSENT, INDETERMINATE, outcome('failed', null, ERROR)] },
    { from: 'indeterminate', rivals: [resolution(true), resolution(false)] },
  ] as const)('that is $from obeys one of several different transitions at the same time', async ({ from, rivals }) => {
    for (const order of [rivals, rivals.toReversed()]) {
      const { id } = await commandIn(from, `${from}_${order[0]?.name}`);
      const tries = await Promise.all(order.map((transition) => transition.run(db.store, { id })));
      const won = tries.filter((row) => row !== undefined);
      expect(won).toHaveLength(1);
      expect(await stored(id)).toStrictEqual(won[0]);
    }
  });

  it('is discarded while it is accepted, in its project only, and its key is free then', async () => {
    for (const status of COMMAND_STATUSES.filter((each) => each !== 'accepted')) {
      const before = await commandIn(status);
      expect(await db.store.commands.discard('p', status), `from ${status}`).toBe(false);
      expect(await stored(status), `from ${status}`).toStrictEqual(before);
    }
    const row = commandOf('unsent', { status: 'accepted', idempotencyKey: 'again' });
    await db.store.commands.insert(row, { durable: false });
    expect(await db.store.commands.discard('q', row.id)).toBe(false);
    const tries = await Promise.all([1, 2].map(() => db.store.commands.discard('p', row.id)));
    expect(tries.filter((isDone) => isDone)).toHaveLength(1);
    expect(await db.store.commands.insert(row, { durable: false })).toEqual({ row, isNew: true });
  });

  it('that was given up is settled once, by the bridge of its server that has its journal', async () => {
    const { id } = await commandIn('dispatched');
    const error = { code: 'indeterminate', message: 'It was given up.' };
    await db.store.commands.indeterminate({ projectId: 'p', ids: [id], error, journalId: 'j', at: 1 });
    const settle = (changes: { projectId?: string; serverId?: string; journalId?: string }) => {
      const address = { projectId: 'p', serverId: 'main', journalId: 'j', ...changes };
      const end = { status: 'succeeded' as const, result: { before: 1 }, error: null, settledAt: 2 };
      return db.store.commands.settleGivenUp({ id, ...address, ...end }, { durable: true });
    };
    for (const other of [{ projectId: 'q' }, { serverId: 'other' }, { journalId: 'k' }]) {
      expect(await settle(other)).toBeUndefined();
    }
    const tries = (await Promise.all([settle({}), settle({})])).filter((row) => row !== undefined);
    const end = { status: 'succeeded', result: { before: 1 }, error: null, settledAt: 2, journalId: null };
    expect(tries).toMatchObject([end]);
    expect(await stored(id)).toStrictEqual(tries[0]);
  });

  it('that was given up without a journal, or was resolved, is not settled by a bridge', async () => {
    const error = { code: 'indeterminate', message: 'It was given up.' };
    const end = { projectId: 'p', serverId: 'main', journalId: 'j', result: null, error: null, settledAt: 2 };
    for (const journalId of [null, 'j']) {
      const { id } = await commandIn('dispatched', `of ${journalId}`);
      await db.store.commands.indeterminate({ projectId: 'p', ids: [id], error, journalId, at: 1 });
      if (journalId !== null) await resolution(true).run(db.store, { id });
      expect(
        await db.store.commands.settleGivenUp({ id, ...end, status: 'failed' }, { durable: true }),
      ).toBeUndefined();
    }
  });

  it('is withdrawn with all earlier accepted commands of its server, and no others', async () => {
    const make = async (id: string, changes: Partial<CommandRow>): Promise<void> => {
      await db.store.commands.insert(commandOf(id, { createdAt: 1_000, ...changes }), { durable: false });
    };
    await make('old', {});
    await make('new', { createdAt: 2_000 });
    await make('sent', { status: 'dispatched' });
    await make('elsewhere', { serverId: 'other' });
    await make('foreign', { projectId: 'q' });
    expect(await db.store.commands.openCounts('p', 'main')).toEqual({ waiting: 2, sent: 1 });
    const request = { projectId: 'p', serverId: 'main', createdBefore: 2_000, error: ERROR, at: 3_000 };
    const withdrawn = await db.store.commands.withdrawAll(request);
    expect(withdrawn).toMatchObject([{ id: 'old', status: 'voided', error: ERROR, settledAt: 3_000 }]);
    expect(await db.store.commands.withdrawAll(request)).toEqual([]);
    expect(await db.store.commands.openCounts('p', 'main')).toEqual({ waiting: 1, sent: 1 });
  });

  it('becomes indeterminate with all dispatched commands of its project, and no others', async () => {
    for (const id of ['a', 'b']) await commandIn('dispatched', id);
    await commandIn('succeeded', 'c');
    const foreign = commandOf('d', { projectId: 'q', status: 'dispatched' });
    await db.store.commands.insert(foreign, { durable: false });
    const ids = ['a', 'b', 'c', 'd', 'nothing', 'a'];
    const changed = await db.store.commands.indeterminate({ projectId: 'p', ids, error: ERROR, at: 1 });
    expect(changed.map(({ id }) => id).sort()).toEqual(['a', 'b']);
    expect(await db.store.commands.get('q', 'd')).toMatchObject({ status: 'dispatched' });
    expect(await db.store.commands.indeterminate({ projectId: 'p', ids: [], error: ERROR, at: 1 })).toEqual([]);
  });

  it('becomes indeterminate with as many as a bridge may have open', async () => {
    const { id } = await commandIn('dispatched');
    const ids = [...Array.from({ length: 2_047 }, (_, n) => `nothing_${n}`), id];
    const changed = await db.store.commands.indeterminate({ projectId: 'p', ids, error: ERROR, at: 1 });
    expect(changed.map((row) => row.id)).toEqual([id]);
  });
});

const isUnknown = new DatabaseError('unavailable', 'The connection broke.', { isUnknown: true });
const refused = new DatabaseError('failed', 'Client has encountered a connection error and is not queryable');

/** Fails with these, one after the other, then says that it is there. */
const failing = (...errors: Error[]) => {
  const left = [...errors];
  return async (): Promise<string> => {
    const error = left.shift();
    if (error !== undefined) throw error;
    return 'there';
  };
};

describe('a statement that may or may not have been executed', () => {
  it.each([
    ['a database that is not there', new DatabaseError('unavailable', 'It does not listen.')],
    ['a refusal', refused],
    ['a defect', new Error('a defect')],
  ])('stays unknown through %s, and is known in the end', async (_name, error) => {
    expect(await untilKnown(isUnknown, failing(error))).toBe('there');
  });

  it('rejects as unknown if the retries fail, too', async () => {
    await expect(untilKnown(isUnknown, failing(...Array<Error>(9).fill(refused)))).rejects.toBe(isUnknown);
  });

  it('is none where nothing can have happened', async () => {
    await expect(untilKnown(refused, failing())).rejects.toBe(refused);
  });
});
