import { expect, it } from 'vitest';
import type { components } from '../../panel/src/api-types.ts';
import { draftAgain, isUnchanged, type Rules, readDraft } from '../../panel/src/commands/form.ts';

type Command = components['schemas']['Command'];

const commandOf = (name: string, params: Record<string, unknown>): Command => ({
  ...{ id: 'cmd_1', name, serverId: 'main', target: 'a', status: 'rejected', executed: 'no', params, result: null },
  ...{ actor: { keyId: 'key_1', name: 'K' }, requestId: 'r', attempts: 1, dispatchedAt: null, settledAt: null },
  createdAt: new Date(0).toISOString(),
  expiresAt: new Date(60_000).toISOString(),
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
  ['announce', { message: 'Hi' }],
])('%s %j is proposed again by its dialog', (name, params) => {
  expect(draftAgain(commandOf(name, params))).toMatchObject({ name });
});

it.each([
  ['a parameter without a field', commandOf('money', { type: 'bank', amount: 5, action: 'add', allowNegative: true })],
  ['metadata of items', commandOf('items', { item: 'bread', count: 3, action: 'add', metadata: { a: 1 } })],
  ['a command that may wait', { ...commandOf('job', { job: 'ems', grade: 2 }), deliver: 'when_online' as const }],
  ['a declared command', commandOf('custom:bonus', { count: 3 })],
  ['an announcement to chosen players', commandOf('announce', { message: 'Hi', targets: ['a'] })],
  ['a name of objects', commandOf('constructor', {})],
])('%s is not, and is asked about as it is', (_name, command) => {
  expect(draftAgain(command)).toBe(undefined);
});

const RULES: Rules = { locale: 'en', max: 1_000, accounts: [], reasonFor: [], customs: new Map() };

it('is unchanged as long as each field says the same, an empty one and one that is missing alike', () => {
  const isSame = (params: Record<string, unknown>, typed: Record<string, string>): boolean => {
    const draft = { ...draftAgain(commandOf('money', params)), typed } as Parameters<typeof readDraft>[0];
    return isUnchanged(draft, readDraft(draft, RULES));
  };
  const params = { type: 'bank', amount: 500, action: 'deduct' };
  for (const typed of [{}, { reason: ' ' }, { amount: '500' }, { type: 'bank' }])
    expect(isSame(params, typed)).toBe(true);
  expect(isSame({ ...params, reason: ' event ' }, { reason: 'event' })).toBe(true);
  for (const typed of [{ amount: '501' }, { amount: 'x' }, { type: 'cash' }, { reason: 'x' }]) {
    expect(isSame(params, typed)).toBe(false);
  }
});

it('keeps the words of its caller when it is changed', () => {
  const draft = draftAgain(commandOf('money', { type: 'bank', amount: 500, action: 'deduct' }));
  expect(draft && readDraft({ ...draft, typed: { amount: '7' } }, RULES)).toEqual({
    command: { name: 'money', params: { type: 'bank', amount: 7, action: 'deduct' } },
  });
});

it.each([
  ['1, -2  3.5', { x: 1, y: -2, z: 3.5 }],
  ['{"player":"b"}', { player: 'b' }],
])('a place is read from %s', (to, place) => {
  const read = readDraft({ name: 'teleport', given: {}, typed: { to } }, RULES);
  expect(read).toEqual({ command: { name: 'teleport', params: { to: place } } });
});

it.each(['', '1, 2', '{', '[1]'])('a place is none in %j', (to) => {
  expect(readDraft({ name: 'teleport', given: {}, typed: { to } }, RULES)).toEqual({ faults: { to: 'place' } });
});
