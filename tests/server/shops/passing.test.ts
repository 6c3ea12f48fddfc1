import { describe, expect, it } from 'vitest';
import { LONGEST_PAUSE_MS, pauseOf } from '../../../server/shops/order-lines.ts';

describe('the pause before a line of an order is tried again', () => {
  // PostgreSQL refuses a fraction of a millisecond, and the whole work of shops stops for a second.
  it.each([
    [4_999, 2_499],
    [100, 2_000],
    [3_600_000, LONGEST_PAUSE_MS],
  ])('is a whole number of milliseconds, %i ms after the order: %i', (age, pause) => {
    expect(pauseOf({ createdAt: 1_000 }, 'bridge_offline', 1_000 + age)).toBe(pause);
  });
});
