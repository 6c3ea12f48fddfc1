import { expect, it } from 'vitest';
import type { Row } from '../../chaos/books.ts';
import { countAfterCrash } from '../../chaos/luanti-items.ts';

let seq = 0;

const row = (status: string, given: object, result?: object): Row => {
  seq += 1;
  const whole = { target: 'player1', item: 'default:apple', action: 'add', allowPartial: false, ...given };
  const told = result === undefined ? null : JSON.stringify(result);
  const params = JSON.stringify(whole);
  return { seq, id: `cmd_${seq}`, name: 'items', status, params, result: told, error: null, key: null };
};

const gave = (count: number, before: number): Row => row('succeeded', { count }, { before, after: before + count });

it('a crash of the engine may undo gifts that were reported, and the reported count is put back', () => {
  const rows = [gave(1, 10), gave(5, 11), row('rejected', { count: 25 })];
  for (const now of [10, 11, 15, 16]) expect(countAfterCrash(10, now, rows)).toBe(16);
});

it('a crash does not explain a gift that was given twice or that was refused', () => {
  const rows = [gave(1, 10), gave(5, 11), row('rejected', { count: 25 })];
  for (const now of [12, 20, 21, 36, 41]) expect(countAfterCrash(10, now, rows)).toBe(now);
});

it('a command in doubt may have taken effect before the crash, in part where that was allowed', () => {
  const rows = [gave(5, 10), row('indeterminate', { count: 3, action: 'remove', allowPartial: true })];
  for (const now of [15, 14, 12, 9, 7]) expect(countAfterCrash(10, now, rows)).toBe(15);
  expect(countAfterCrash(10, 6, rows)).toBe(6);
  expect(countAfterCrash(10, 7, [gave(5, 10), row('indeterminate', { count: 4, action: 'remove' })])).toBe(7);
});
