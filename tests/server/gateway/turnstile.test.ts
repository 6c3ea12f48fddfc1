import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTurnstile } from '../../../server/gateway/turnstile.ts';

describe('the turnstile', () => {
  it('lets a crowd through in order, some at a time, with turns of the loop between', async () => {
    const turn = createTurnstile();
    const passed: number[] = [];
    const passedByTurn: number[] = [];
    const all = Promise.all(Array.from({ length: 200 }, (_, n) => turn().then(() => passed.push(n))));
    while (passed.length < 200) {
      await nextTurn();
      passedByTurn.push(passed.length);
    }
    await all;
    expect(passed).toEqual(Array.from({ length: 200 }, (_, n) => n));
    const atOnce = passedByTurn.map((count, n) => count - (passedByTurn[n - 1] ?? 0));
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(32);
  });

  it('lets who comes alone pass without a timer', async () => {
    const turn = createTurnstile();
    let hasPassed = false;
    const alone = turn().then(() => {
      hasPassed = true;
    });
    await nextTurn();
    expect(hasPassed).toBe(true);
    await alone;
  });
});
