import { expect, it } from 'vitest';
import { Newest, Pace, Tally, Windows } from '../../../server/platform/windows.ts';

it('counts in windows that begin with the first count, and forgets the oldest name over the bound', () => {
  let at = 0;
  const counts = new Windows({ ms: 1_000, names: 2, now: () => at });
  expect(counts.isEmpty).toBe(true);
  counts.add('a');
  at = 999;
  expect(counts.add('a')).toEqual({ count: 2, resetMs: 1, before: 0 });
  expect(counts.read('a')).toEqual({ count: 2, resetMs: 1 });
  at = 1_000;
  expect(counts.read('a')).toEqual({ count: 0, resetMs: 0 });
  expect(counts.add('b').count).toBe(1);
  expect(counts.add('a')).toEqual({ count: 1, resetMs: 1_000, before: 2 });
  // `a` began its window again after `b`, so `b` is the oldest.
  counts.add('c');
  expect([counts.read('a').count, counts.read('b').count, counts.read('c').count]).toEqual([1, 0, 1]);
});

it('keeps the newest entries, where one that is set again is new', () => {
  const entries = new Newest<number>(2).set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  expect([...entries]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});

it('holds no name with nothing open', () => {
  const open = new Tally();
  open.change('a', 1);
  open.change('a', 1);
  open.change('b', 1);
  open.change('a', -1);
  expect([open.of('a'), open.of('b'), open.of('c'), open.total]).toEqual([1, 1, 0, 2]);
  open.change('a', -1);
  expect([open.of('a'), open.total]).toEqual([0, 1]);
});

it('books turns of one name apart, refuses one that is too far, and lets other names begin at once', () => {
  const pace = new Pace(60_000);
  expect(pace.book('a')).toBe(0);
  expect(pace.book('a', 1)).toBeUndefined();
  expect(pace.book('a', 60_000)).toBeGreaterThan(1);
  expect(pace.book('a', 60_000)).toBeUndefined();
  expect(pace.book('b', 0)).toBe(0);
});
