import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createAdmissionBatches } from '../../../server/gateway/door.ts';

describe('admission in batches', () => {
  it('admits many requests in order, in batches, with turns of the event loop in between', async () => {
    const admitted = createAdmissionBatches();
    const passed: number[] = [];
    const passedByTurn: number[] = [];
    const all = Promise.all(Array.from({ length: 200 }, (_, n) => admitted().then(() => passed.push(n))));
    while (passed.length < 200) {
      await nextTurn();
      passedByTurn.push(passed.length);
    }
    await all;
    expect(passed).toEqual(Array.from({ length: 200 }, (_, n) => n));
    const atOnce = passedByTurn.map((count, n) => count - (passedByTurn[n - 1] ?? 0));
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(32);
  });

  it('admits a single request without a timer', async () => {
    const admitted = createAdmissionBatches();
    let hasPassed = false;
    const alone = admitted().then(() => {
      hasPassed = true;
    });
    await nextTurn();
    expect(hasPassed).toBe(true);
    await alone;
  });
});
