import { expect, it } from 'vitest';
import type { components } from '../../panel/src/api-types.ts';
import { draftAgain, isUnchanged } from '../../panel/src/orders/again.ts';

type Command = components['schemas']['Command'];

const MINUTE_MS = 60_000;

const commandOf = (name: string, params: Record<string, unknown>, minutes = 1): Command => ({
  ...{ id: 'cmd_1', name, serverId: 'main', target: 'a', status: 'rejected', executed: 'no', params, result: null },
  ...{ actor: { keyId: 'key_1', name: 'K' }, requestId: 'r', attempts: 1, dispatchedAt: null, settledAt: null },
  createdAt: new Date(0).toISOString(),
  expiresAt: new Date(minutes * MINUTE_MS).toISOString(),
});

it.each([
  ['kick', { reason: 'rude' }],
  ['message', { message: 'Hi' }],
  ['revive', {}],
  ['heal', { reason: 'event' }],
  ['freeze', { frozen: true }],
  ['teleport', { to: { x: 1, y: -2, z: 3.5 } }],
  ['teleport', { to: { player: 'b' } }],
  ['money', { type: 'bank', amount: 500, action: 'add', reason: 'event' }],
  ['money', { type: 'bank', amount: 500, action: 'deduct' }],
  ['items', { item: 'bread', count: 3, action: 'remove' }],
  ['vehicles', { action: 'give', model: 'adder' }],
  ['vehicles', { action: 'store', plate: 'ABC 1' }],
  ['job', { job: 'ems', grade: 2 }],
])('%s %j is proposed again by its dialog', (name, params) => {
  expect(draftAgain(commandOf(name, params))).toMatchObject({ name });
});

it.each([
  ['a parameter without a field', commandOf('money', { type: 'bank', amount: 5, action: 'add', allowNegative: true })],
  ['metadata of items', commandOf('items', { item: 'bread', count: 3, action: 'add', metadata: { a: 1 } })],
  ['a command that waits for days', commandOf('job', { job: 'ems', grade: 2 }, 90)],
  ['a declared command', commandOf('custom:bonus', { count: 3 })],
  ['an announcement', commandOf('announce', { message: 'Hi' })],
  ['a name of objects', commandOf('constructor', {})],
])('%s is not, and is asked about as it is', (_name, command) => {
  expect(draftAgain(command)).toBe(undefined);
});

it('a body is unchanged as long as each field is, an empty one and one that is missing alike', () => {
  const command = commandOf('money', { type: 'bank', amount: 500, action: 'deduct' });
  const body = { target: 'a', type: 'bank', amount: 500, action: 'remove', reason: '' };
  expect(isUnchanged(command, body)).toBe(true);
  const spaced = commandOf('money', { type: 'bank', amount: 500, action: 'deduct', reason: ' event ' });
  expect(isUnchanged(spaced, { ...body, reason: 'event' })).toBe(true);
  for (const change of [
    { amount: 501 },
    { type: 'cash' },
    { action: 'add' },
    { reason: 'x' },
    { deliver: 'when_online' },
  ]) {
    expect(isUnchanged(command, { ...body, ...change })).toBe(false);
  }
});
