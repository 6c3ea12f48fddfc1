import { describe, expect, it } from 'vitest';
import { isoTime } from '../../../server/platform/time.ts';

describe('an instant', () => {
  it.each([0, 7, 999, 1_000, 63_999, 64_000, 951_782_400_000, 1_795_261_020_045, 253_402_300_000_999])(
    'of %d ms is written like Date does, every time',
    (ms) => {
      expect([isoTime(ms), isoTime(ms + 64_000), isoTime(ms)]).toEqual(
        [ms, ms + 64_000, ms].map((at) => new Date(at).toISOString()),
      );
    },
  );
});
