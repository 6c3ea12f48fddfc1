import { expect, it } from 'vitest';
import { SLOW } from '../../testkit/cli.ts';
import { restoreInTheMiddle } from './world.ts';

it.each([5, 6])(
  'a restored backup pays no waiting command twice, and no answer is false: seed %i',
  SLOW,
  async (seed) => {
    await expect(restoreInTheMiddle(seed)).resolves.toBeUndefined();
  },
);
