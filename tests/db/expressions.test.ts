import { describe, expect, it } from 'vitest';
import { atMostAtOnce } from '../../db/postgres/locks.ts';

describe('work that takes turns', () => {
  it('runs a limited number at once, in order, and continues after a failure', async () => {
    const inTurn = atMostAtOnce(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const work = (n: number) =>
      inTurn(
        () =>
          new Promise<number>((resolve, reject) => {
            begun.push(n);
            ends[n] = () => (n % 2 === 0 ? resolve(n) : reject(new Error(`${n} fails`)));
          }),
      );
    const all = Promise.allSettled([0, 1, 2, 3, 4].map(work));
    for (const expected of [
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3],
      [0, 1, 2, 3, 4],
    ]) {
      await expect.poll(() => begun).toEqual(expected);
      // The last one that began ends first.
      ends[expected.length - 1]?.();
    }
    ends[0]?.();
    expect((await all).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(await inTurn(() => Promise.resolve('free'))).toBe('free');
  });
});
