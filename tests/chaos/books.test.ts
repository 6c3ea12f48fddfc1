import { describe, expect, it } from 'vitest';
import { type Book, checkEntry, type Row } from '../../chaos/books.ts';
import type { Call, Told, Way } from '../../chaos/calls.ts';
import { compare } from '../../chaos/ledgers.ts';

const LABEL = '7.0';
const STORED: Told = { executed: 'unknown', code: 'stored', id: undefined, retryable: false };

const callOf = (way: Way, changes: Partial<Call> = {}): Call => ({
  label: LABEL,
  way,
  name: 'money',
  targets: ['a', 'b'],
  body: { action: 'add', amount: 1 },
  key: 'key',
  deliver: undefined,
  expiresInSeconds: undefined,
  afterMs: 0,
  voidAfterMs: undefined,
  isRefunded: false,
  told: [STORED],
  ...changes,
});

const rowOf = (id: string, target: string, status = 'succeeded', key: string | null = null): Row => ({
  seq: 0,
  id,
  name: 'money',
  status,
  params: JSON.stringify({ target, action: 'add', amount: 1, reason: LABEL }),
  result: null,
  error: null,
  key,
});
const sold = (id: string, status?: string): Row => rowOf(id, 'a', status, `shop/int_1/${LABEL}/0/1.1`);

const batchOf = (changes: object = {}): Book => ({
  batches: [{ label: LABEL, status: 'settled', endedBy: null, total: 2, ...changes }],
  lines: [],
});
const lineOf = (state: string, changes: object = {}): Book => ({
  batches: [],
  lines: [{ label: LABEL, state, reason: null, commandId: 'one', oppositeId: null, ...changes }],
});

const judge = (call: Call, rows: readonly Row[], book: Book, others: readonly Row[] = []): string[] =>
  checkEntry(call, rows, book, new Map([...rows, ...others].map((row) => [row.id, row])));

describe('the judge of batches', () => {
  const both = [rowOf('one', 'a'), rowOf('two', 'b')];

  it('accepts one command for each player, and fewer of a batch that was ended', () => {
    expect(judge(callOf('batch'), both, batchOf())).toEqual([]);
    expect(judge(callOf('batch'), both.slice(1), batchOf({ endedBy: 'voided' }))).toEqual([]);
  });

  it.each([
    ['a player with two commands', [...both, rowOf('three', 'b')], batchOf(), 'doubled'],
    ['a player without a command', both.slice(1), batchOf(), 'lost'],
    ['a batch that is gone', [], { batches: [], lines: [] }, 'lost'],
    ['a batch that never ends', both, batchOf({ status: 'running' }), 'lost'],
  ])('finds %s', (_, rows, book, found) => {
    expect(judge(callOf('batch'), rows, book)).toEqual([expect.stringContaining(found)]);
  });
});

describe('the judge of shop orders', () => {
  const back = { ...rowOf('back', 'a'), key: 'undo/one' };

  it('accepts a package that was given once, and one that was taken back', () => {
    expect(judge(callOf('order'), [sold('zero', 'rejected'), sold('one')], lineOf('delivered'))).toEqual([]);
    const reversed = lineOf('reversed', { oppositeId: 'back' });
    expect(judge(callOf('order', { isRefunded: true }), [sold('one')], reversed, [back])).toEqual([]);
  });

  it.each([
    ['a package that was given twice', [sold('one'), sold('two')], lineOf('delivered'), 'doubled'],
    ['a delivery without an effect', [sold('one', 'rejected')], lineOf('delivered'), 'wrongly reported'],
    ['a failure that happened', [sold('one')], lineOf('failed', { reason: 'refused' }), 'wrongly reported'],
    ['a refusal without a reason', [], lineOf('refused', { commandId: null }), 'wrongly reported'],
    ['a line that never ends', [sold('one', 'dispatched')], lineOf('placed'), 'wrongly reported'],
    ['an order without a line', [], { batches: [], lines: [] }, 'lost'],
    ['a package that was taken back unasked', [], lineOf('blocked', { commandId: null }), 'lost'],
  ])('finds %s', (_, rows, book, found) => {
    expect(judge(callOf('order', { targets: ['a'] }), rows, book)).toEqual([expect.stringContaining(found)]);
  });

  it('finds a refund that was forgotten, and one that the game did not carry out', () => {
    const refunded = callOf('order', { targets: ['a'], isRefunded: true });
    expect(judge(refunded, [sold('one')], lineOf('delivered'))).toEqual([expect.stringContaining('lost')]);
    const reversed = lineOf('reversed', { oppositeId: 'back' });
    const refused = { ...back, status: 'rejected' };
    expect(judge(refunded, [sold('one')], reversed, [refused])).toEqual([expect.stringContaining('wrongly reported')]);
  });
});

describe('the judge of commands that wait', () => {
  const row = { ...rowOf('one', 'a'), result: '{"before":0,"after":1}' };
  const line = { identifier: 'a', delta: 1, before: 0, after: 1 };
  const waiting = callOf('command', {
    targets: ['a'],
    told: [{ ...STORED, executed: 'no', code: 'waiting', id: 'one' }],
  });

  it('knows a command by the id of its round, and finds one that took effect in two rounds', () => {
    const lines = [{ ...line, id: 1, commandId: 'one.2' }];
    expect(compare({ calls: [waiting], rows: [row], lines })).toEqual([]);
    const twice = [...lines, { ...line, id: 2, commandId: 'one.1' }];
    expect(compare({ calls: [waiting], rows: [row], lines: twice })).toEqual([expect.stringContaining('doubled')]);
  });

  it('finds one that still waits when everything is over', () => {
    const open = { ...row, status: 'waiting', result: null };
    expect(compare({ calls: [waiting], rows: [open], lines: [] })).toEqual([expect.stringContaining('lost')]);
  });
});
