import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresDatabase } from '../../../db/postgres/database.ts';
import type { CommandRow } from '../../../db/queries/commands/read.ts';
import { createStore } from '../../../db/store.ts';
import { commandOf, newServerDriver, serverUrl } from '../../kit/databases.ts';

const DURABLE = { durable: true };

/** A database that counts its statements, and may lose its connection. */
const open = async () => {
  const driver = await newServerDriver();
  const counts = new Map<string, number>();
  let fault: (() => Error) | undefined;
  const query: typeof driver.query = (text, values, name = '') => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return fault === undefined || name === '' ? driver.query(text, values, name) : Promise.reject(fault());
  };
  const database = await postgresDatabase({ driver: { ...driver, query }, target: 'The test database' });
  onTestFinished(database.close);
  await database.migrate();
  const { commands } = createStore(database);
  const insert = (id: string, changes: Partial<CommandRow> = {}) => commands.insert(commandOf(id, changes), DURABLE);
  const settle = (row: CommandRow, result: Record<string, unknown>) =>
    commands.settle({ ...row, status: 'succeeded', result, error: null, settledAt: 5 }, DURABLE, row);
  return {
    commands,
    insert,
    settle,
    counts,
    breakWith: (broken: typeof fault) => {
      fault = broken;
    },
  };
};

const ids = (many: number): string[] => Array.from({ length: many }, (_, n) => `cmd_${n}`);

describe.skipIf(serverUrl === undefined)('commands of one turn on PostgreSQL', () => {
  it('are written together and settled together, each with its own values', async () => {
    const { commands, insert, settle, counts } = await open();
    const written = await Promise.all(ids(150).map((id, n) => insert(id, { status: 'dispatched', params: { n } })));
    expect(written.filter(({ isNew }) => isNew)).toHaveLength(150);
    expect(counts.get('commands.insert many')).toBe(2);
    await Promise.all(written.map(({ row }, n) => settle(row, { n })));
    expect(counts.get('commands.settleKnown many')).toBe(2);
    for (const [n, id] of ids(150).entries()) {
      expect(await commands.get('p', id)).toMatchObject({ params: { n }, status: 'succeeded', result: { n } });
    }
  });

  it('with the same id or key are written once, and all but one are told so', async () => {
    const { insert } = await open();
    const same = await Promise.all(Array.from({ length: 20 }, (_, n) => insert('cmd_1', { requestId: `req_${n}` })));
    expect(same.filter(({ isNew }) => isNew)).toHaveLength(1);
    const keyed = await Promise.all(ids(20).map((id) => insert(`${id}_of_key`, { idempotencyKey: 'k' })));
    expect(keyed.filter(({ isNew }) => isNew)).toHaveLength(1);
    const first = keyed.find(({ isNew }) => isNew)?.row.id;
    for (const { row } of keyed) expect(row.id).toBe(first);
  });

  it('with the same id are settled once, and the second one is told so', async () => {
    const { commands, insert, settle } = await open();
    await insert('cmd_1', { status: 'dispatched' });
    const row = (await commands.get('p', 'cmd_1')) ?? commandOf('cmd_1');
    const settled = await Promise.all([settle(row, { by: 1 }), settle(row, { by: 2 }), settle(row, { by: 3 })]);
    const told = settled.flatMap((each, n) => (each === undefined ? [] : n + 1));
    // On a busy machine, they are not all in one statement, and any of them can be the first.
    expect(told).toHaveLength(1);
    expect(await commands.get('p', 'cmd_1')).toMatchObject({ result: { by: told[0] } });
    expect(await settle({ ...row, projectId: 'q' }, {})).toBeUndefined();
  });

  it('do not suffer from one among them that is refused', async () => {
    const { commands, insert } = await open();
    const written = await Promise.allSettled(
      ids(9).map((id, n) => insert(id, n === 4 ? { fingerprint: null as unknown as string } : {})),
    );
    expect(written.map(({ status }) => status)).toEqual(ids(9).map((_, n) => (n === 4 ? 'rejected' : 'fulfilled')));
    for (const [n, id] of ids(9).entries()) expect((await commands.get('p', id)) === undefined).toBe(n === 4);
  });

  it('have all an unknown result when the connection broke, and none is tried alone', async () => {
    const { insert, settle, counts, breakWith } = await open();
    const [first] = await Promise.all(ids(5).map((id) => insert(id, { status: 'dispatched' })));
    const row = first?.isNew === true ? first.row : commandOf('none');
    breakWith(() => Object.assign(new Error('terminating connection'), { code: '57P01' }));
    const settled = await Promise.allSettled(ids(5).map((id) => settle({ ...row, id }, {})));
    for (const each of settled) expect(each).toMatchObject({ reason: { code: 'unavailable', isUnknown: true } });
    expect(counts.get('commands.settleKnown many')).toBe(1);
    breakWith(undefined);
    expect(await settle(row, {})).toMatchObject({ status: 'succeeded' });
  });
});

describe.skipIf(serverUrl === undefined)('a statement that PostgreSQL has ended because of a deadlock', () => {
  it('is repeated, so that commands of one turn are all written', async () => {
    const { commands, insert, breakWith } = await open();
    let deadlocks = 0;
    breakWith(() => {
      deadlocks += 1;
      breakWith(undefined);
      return Object.assign(new Error('deadlock detected'), { code: '40P01' });
    });
    const written = await Promise.all(ids(3).map((id) => insert(id)));
    expect([deadlocks, written.filter(({ isNew }) => isNew)]).toEqual([1, written]);
    expect(await commands.get('p', 'cmd_2')).toMatchObject({ id: 'cmd_2' });
  });
});
