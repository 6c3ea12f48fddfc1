import { describe, expect, it } from 'vitest';
import type { BatchRow } from '../../../db/queries/commands/batches.ts';
import { undoBatchKey } from '../../../server/commands/undo.ts';
import {
  aboutOf,
  eventsOfBatch,
  eventsOfCommand,
  eventsOfSession,
  MAX_BODY_BYTES,
} from '../../../server/events/bodies.ts';
import { commandOf } from '../../kit/databases.ts';

const NOW = 1_795_000_000_000;
const told = (changes: Parameters<typeof commandOf>[1]) =>
  eventsOfCommand(commandOf('cmd_1', changes), NOW).map(({ type, revision }) => [type, revision]);

describe('the events of a command', () => {
  it('grow in their revision over its rounds, and leave out what has passed', () => {
    expect(told({ status: 'waiting', round: 0, outbox: 1 })).toEqual([['command.waiting', 1]]);
    expect(told({ status: 'waiting', round: 2, outbox: 1 })).toEqual([['command.waiting', 7]]);
    expect(told({ status: 'accepted', round: 3, outbox: 1 })).toEqual([]);
    expect(told({ status: 'succeeded', round: 3, outbox: 3 })).toEqual([['command.settled', 12]]);
  });

  it('are a doubt only with a lasting effect; a kick in doubt has settled', () => {
    expect(told({ status: 'indeterminate', outbox: 4 })).toEqual([['command.indeterminate', 2]]);
    expect(told({ name: 'kick', status: 'indeterminate', outbox: 4 })).toEqual([['command.settled', 2]]);
    expect(told({ name: 'kick', status: 'succeeded', outbox: 6 })).toEqual([['command.settled', 3]]);
  });

  it('of a batch are a doubt only', () => {
    const batchId = 'bat_1';
    expect(told({ batchId, status: 'succeeded', outbox: 6 })).toEqual([['command.indeterminate', 2]]);
    expect(told({ batchId, status: 'indeterminate', outbox: 4 })).toEqual([['command.indeterminate', 2]]);
  });

  it.each([
    [
      'parameters',
      { params: { text: 'ü'.repeat(9_000), more: 'x'.repeat(9_000) }, result: { ok: true } },
      ['params', 'result'],
    ],
    ['an error', { error: { code: 'refused', message: '€'.repeat(9_000) } }, ['params', 'result', 'error', 'opposite']],
  ])('with long %s leave them out, and say so', (_what, changes, gone) => {
    const [event] = eventsOfCommand(commandOf('cmd_1', { status: 'failed', outbox: 2, ...changes }), NOW);
    const { data } = JSON.parse(event?.body ?? '{}') as { data: Record<string, unknown> };
    expect(Buffer.byteLength(event?.body ?? '')).toBeLessThanOrEqual(MAX_BODY_BYTES);
    expect(data).toMatchObject({ id: 'cmd_1', status: 'failed', omitted: true });
    for (const name of gone) expect(data).not.toHaveProperty(name);
  });
});

describe('an event in few words', () => {
  const saysOf = (type: 'command.settled' | 'batch.settled', data: object) =>
    aboutOf({ type, serverId: 'main', body: JSON.stringify({ data }) }, () => undefined).says;

  it.each([
    ['add', '+500 bank'],
    ['remove', '-500 bank'],
    ['deduct', '-500 bank'],
  ])('has the sign of what a payment does: %s', (action, words) => {
    const params = { type: 'bank', amount: 500, action };
    expect(saysOf('command.settled', { name: 'money', params })).toEqual([words]);
  });

  it('names no items for the undo of a batch, which has none', () => {
    expect(saysOf('batch.settled', { name: 'items', params: {}, total: 3 })).toEqual(['× 3']);
  });
});

it('the event of a batch says which one it undoes', () => {
  const row = { id: 'bat_2', projectId: 'p', name: 'items', status: 'settled', settledAt: NOW, createdAt: NOW };
  const batch = { ...row, expiresAt: NOW, idempotencyKey: undoBatchKey('bat_1') } as BatchRow;
  const [event] = eventsOfBatch(batch, {} as Parameters<typeof eventsOfBatch>[1]);
  expect(JSON.parse(event?.body ?? '')).toMatchObject({ data: { undoes: 'bat_1' } });
});

describe('the events of a session', () => {
  const row = {
    serverId: 'main',
    name: 'Main',
    epoch: 4,
    connected: false,
    connectedAt: 1,
    disconnectedAt: NOW,
    outbox: 3,
  };
  const at = (now: number) => eventsOfSession('p', row, { now, offlineAfterMs: 30_000 });

  it('wait for the bridge to come back, also if the clock was set back meanwhile', () => {
    expect(at(NOW + 29_999)).toBeUndefined();
    expect(at(NOW + 30_000)?.events).toMatchObject([{ type: 'server.offline', revision: 9, at: NOW }]);
    expect(at(NOW - 3_600_000)?.to).toBe(0);
  });
});
