import { expect, it } from 'vitest';
import { SLOW } from '../../kit/cli.ts';
import { restoreInTheMiddle } from './round.ts';

const RESTORES = Array.from({ length: 50 }, (_, n) => 100 + n);

it.each(RESTORES)('a restore in the middle of all kinds of work: seed %i', SLOW, async (seed) => {
  await restoreInTheMiddle(seed);
  expect(seed).toBeGreaterThan(0);
});
