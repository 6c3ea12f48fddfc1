import { expect, it } from 'vitest';
import { SLOW } from '../../kit/cli.ts';
import { restoreInTheMiddle } from './round.ts';

it.each([5, 6])('a restored backup pays nothing twice, and no answer is false: seed %i', SLOW, async (seed) => {
  await expect(restoreInTheMiddle(seed)).resolves.toBeUndefined();
});
