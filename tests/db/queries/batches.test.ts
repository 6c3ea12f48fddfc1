import { describe, expect, it } from 'vitest';
import type { CommandStatus } from '../../../db/schema/commands.ts';
import { batchOf } from '../../kit/batch-rows.ts';
import { commandOf, engines, useStore } from '../../kit/databases.ts';

const ID = 'bat_1';
const WRITING = { status: 'writing', written: 0 } as const;

const commandIn = (status: CommandStatus, id: string) =>
  commandOf(id, { status, batchId: ID, deliver: 'now', deliverUntil: 31_000, round: 0 });

describe.each(engines)('batches on $name', ({ open }) => {
  const db = useStore(open);

  it('are stored once for each key of a project', async () => {
    const { batches } = db.store;
    const { targets: _, ...stored } = batchOf(ID);
    expect(await batches.insert(batchOf(ID))).toEqual({ inserted: stored });
    expect(await batches.insert(batchOf('bat_2', { idempotencyKey: ID }))).toEqual({ existing: stored });
    const other = batchOf(ID, { requestId: 'req_other', fingerprint: 'of other contents' });
    expect(await batches.insert(other)).toEqual({ existing: stored });
    expect(await batches.insert(batchOf('bat_3', { idempotencyKey: ID, projectId: 'q' }))).toMatchObject({
      inserted: { id: 'bat_3' },
    });
    expect(await batches.whole(ID)).toEqual(batchOf(ID));
  });

  it('run when all their commands are stored, and settle once', async () => {
    const { batches } = db.store;
    await batches.insert(batchOf(ID, WRITING));
    expect(await batches.advance(ID, 1, 2_000)).toMatchObject({ written: 1, touchedAt: 2_000 });
    // Another node was further.
    expect(await batches.advance(ID, 1, 2_000)).toBeUndefined();
    expect(await batches.finishWriting(ID, 2_000)).toBeUndefined();
    expect(await batches.settle(ID, 2_000)).toBeUndefined();
    await batches.advance(ID, 2, 2_000);
    expect(await batches.finishWriting(ID, 3_000)).toMatchObject({ status: 'running' });
    expect(await batches.settle(ID, 4_000)).toMatchObject({ status: 'settled', settledAt: 4_000 });
    expect(await batches.settle(ID, 5_000)).toBeUndefined();
    expect(await batches.end(ID, 'voided', 5_000)).toBeUndefined();
  });

  it('that are ended run once their writer has stopped', async () => {
    const { batches } = db.store;
    await batches.insert(batchOf(ID, WRITING));
    expect(await batches.end(ID, 'voided', 2_000)).toMatchObject({ status: 'writing', endedBy: 'voided' });
    expect(await batches.end(ID, 'aborted', 2_000)).toBeUndefined();
    expect(await batches.settle(ID, 2_000)).toBeUndefined();
    expect(await batches.finishWriting(ID, 2_000)).toMatchObject({ status: 'running', endedBy: 'voided' });
  });

  it('count while they are open, with the commands that are yet to be stored', async () => {
    const { batches } = db.store;
    expect(await batches.openOf('p')).toMatchObject({ open: 0, atWork: 0, unwritten: 0 });
    await batches.insert(batchOf(ID, { ...WRITING, total: 500, written: 200 }));
    await batches.insert(batchOf('bat_2', { ...WRITING, total: 50, endedBy: 'voided' }));
    await batches.insert(batchOf('bat_3', { status: 'settled' }));
    await batches.insert(batchOf('bat_4', { ...WRITING, projectId: 'q' }));
    expect(await batches.openOf('p')).toMatchObject({ open: 2, atWork: 2, unwritten: 300 });
  });

  it('are at work while they are stored, while a command is on its way, and with `now` until they end', async () => {
    const { batches, commands } = db.store;
    await batches.insert(batchOf(ID));
    await batches.insert(batchOf('bat_2'));
    await batches.insert(batchOf('bat_3', { deliver: 'now' }));
    await batches.insert(batchOf('bat_4', { deliver: 'now', status: 'settled' }));
    expect(await batches.openOf('p')).toMatchObject({ open: 3, atWork: 1, unwritten: 0 });
    for (const status of ['waiting', 'succeeded'] as const)
      await commands.insert(commandIn(status, `cmd_${status}`), { durable: false });
    expect(await batches.openOf('p')).toMatchObject({ atWork: 1 });
    for (const [n, status] of (['accepted', 'dispatched'] as const).entries()) {
      await commands.insert(
        { ...commandIn(status, `cmd_${status}`), target: status, batchId: `bat_${n + 1}` },
        { durable: false },
      );
      expect(await batches.openOf('p')).toMatchObject({ open: 3, atWork: n + 2 });
    }
  });

  it('that are being stored are found by the time of the last stored commands, whatever else is done', async () => {
    const { batches } = db.store;
    await batches.insert(batchOf(ID, { ...WRITING, createdAt: 1_000, touchedAt: 1_000 }));
    const found = async (before: number) => (await batches.unwritten(before)).map(({ id }) => id);
    expect([await found(1_000), await found(1_001)]).toEqual([[], [ID]]);
    await batches.touch(ID, 9_000);
    expect(await found(1_001)).toEqual([ID]);
    await batches.advance(ID, 1, 2_000);
    expect([await found(2_000), await found(2_001)]).toEqual([[], [ID]]);
    expect(await batches.forgotten(10_000)).toEqual([]);
    await batches.end(ID, 'voided', 2_000);
    await batches.finishWriting(ID, 3_000);
    expect(await found(10_000)).toEqual([]);
  });

  it('count their commands by status, and take back those that were not sent', async () => {
    const { store } = db;
    await store.batches.insert(batchOf(ID));
    const statuses = ['waiting', 'waiting', 'accepted', 'succeeded'] as const;
    for (const [n, status] of statuses.entries())
      await store.commands.insert(commandIn(status, `cmd_${n}`), { durable: false });
    expect(await store.batches.counts(ID)).toEqual({ waiting: 2, accepted: 1, succeeded: 1 });
    expect((await store.commands.voidBatch(ID, 2_000)).toSorted()).toEqual(['cmd_0', 'cmd_1', 'cmd_2']);
    expect(await store.batches.counts(ID)).toEqual({ voided: 3, succeeded: 1 });
    expect(await store.batches.countsOfEach(['bat_none', ID])).toEqual([{}, { voided: 3, succeeded: 1 }]);
    expect(await store.batches.countsOfEach([])).toEqual([]);
    const { rows, next } = await store.batches.commands(ID, { limit: 3 });
    expect(rows.map(({ id }) => id)).toEqual(['cmd_0', 'cmd_1', 'cmd_2']);
    const rest = await store.batches.commands(ID, { limit: 3, cursor: next ?? '' });
    expect(rest).toMatchObject({ rows: [{ id: 'cmd_3' }], next: null });
  });

  it('are listed from the newest on, and found when no node has worked on them', async () => {
    const { batches } = db.store;
    for (const n of [1, 2, 3]) await batches.insert(batchOf(`bat_${n}`, { createdAt: n, touchedAt: n }));
    await batches.insert(batchOf('bat_4', { createdAt: 4, touchedAt: 0, status: 'settled' }));
    const { rows, next } = await batches.list('p', { limit: 2 });
    expect(rows.map(({ id }) => id)).toEqual(['bat_4', 'bat_3']);
    const rest = await batches.list('p', { limit: 2, cursor: next ?? '' });
    expect(rest.rows.map(({ id }) => id)).toEqual(['bat_2', 'bat_1']);
    expect((await batches.forgotten(3)).map(({ id }) => id)).toEqual(['bat_1', 'bat_2']);
    await batches.touch('bat_1', 9);
    expect((await batches.forgotten(3)).map(({ id }) => id)).toEqual(['bat_2']);
  });
});
