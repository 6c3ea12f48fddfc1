import { expect, it } from 'vitest';
import { Slots, Turns } from '../../../server/webhooks/turns.ts';

const GOOD = { isFull: true, isGood: true, timeouts: 0 };

it('posts at a time: two at first, up to eight while all is well, one after three that hang', () => {
  const slots = new Slots();
  expect(slots.of('a')).toBe(2);
  slots.note('a', { ...GOOD, isFull: false });
  expect(slots.of('a')).toBe(2);
  for (let n = 0; n < 9; n += 1) slots.note('a', GOOD);
  expect(slots.of('a')).toBe(8);
  slots.note('a', { isFull: true, isGood: false, timeouts: 2 });
  expect(slots.of('a')).toBe(8);
  slots.note('a', { isFull: true, isGood: false, timeouts: 1 });
  expect(slots.of('a')).toBe(1);
  expect(slots.of('b')).toBe(2);
  slots.note('a', GOOD);
  expect(slots.of('a')).toBe(2);
});

it('places go to projects in turn, so that one with many waits for one with few', async () => {
  const turns = new Turns(2);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => (): Promise<void> => {
    begun.push(name);
    return new Promise((resolve) => ends.push(resolve));
  };
  const all = [
    ...['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => turns.take('a', work(name))),
    turns.take('b', work('b1')),
    turns.take('c', () => Promise.reject(new Error('c1'))).catch(() => undefined),
  ];
  while (begun.length < 6 || ends.length > 0) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(all);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'a5']);
});
