import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CASES, FAULTS, RANDOM } from './batches/cases.ts';
import { openWalks } from './batches/walk.ts';

/** On a busy machine there are fewer walks; `npm run test:long` takes them all. */
const MAX_MS = 2_000;

it('a batch keeps its promises when a fault comes at a random step', async () => {
  const { interrupted } = await openWalks();
  const until = process.hrtime.bigint() + BigInt(MAX_MS) * 1_000_000n;
  const moment = fc.tuple(fc.constantFrom(...CASES), fc.constantFrom(...FAULTS), fc.nat({ max: 60 }));
  let walks = 0;
  const walkAll = fc.asyncProperty(moment, async ([[, config], faults, step]) => {
    if (process.hrtime.bigint() > until) return;
    walks += 1;
    const { broken, path } = await interrupted(config, step, faults);
    expect(broken, path.join('\n')).toBeUndefined();
  });
  await fc.assert(walkAll, { seed: 20_261_126, numRuns: 60, endOnFailure: true });
  expect(walks).toBeGreaterThan(0);
});

it('a batch keeps its promises in random sequences of steps and faults', async () => {
  const { random } = await openWalks();
  const until = process.hrtime.bigint() + BigInt(MAX_MS) * 1_000_000n;
  let walks = 0;
  const walkAll = fc.asyncProperty(RANDOM, async ({ config, picks }) => {
    if (process.hrtime.bigint() > until) return;
    walks += 1;
    const { broken, path } = await random(config, picks);
    expect(broken, path.join('\n')).toBeUndefined();
  });
  await fc.assert(walkAll, { seed: 20_261_126, numRuns: 30, endOnFailure: true });
  expect(walks).toBeGreaterThan(0);
});
