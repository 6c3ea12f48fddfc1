import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CASES, FAULTS, RANDOM } from './batches/cases.ts';
import { MUTATIONS, mutated } from './batches/mutations.ts';
import { openWalks, type Walk } from './batches/walk.ts';
import type { Config, Fault } from './batches/world.ts';

const isDeep = process.env['MODEL_DEEP'] === '1';
const RANDOM_WALKS = isDeep ? 3_000 : 150;
const LIMIT_MS = 3_600_000;
const [PLAIN] = CASES;

type Walks = Awaited<ReturnType<typeof openWalks>>;

/** The first walk that breaks a promise when these faults come before each step in turn; else the last one. */
const interruptEach = async ({ interrupted }: Walks, config: Config, faults: readonly Fault[]) => {
  let steps = 0;
  let walk: Walk;
  do {
    walk = await interrupted(config, steps, faults);
    steps += 1;
  } while (!walk.isOver && walk.broken === undefined);
  return { steps, ...walk };
};

describe.each(isDeep ? CASES : CASES.slice(0, 2))('a batch %s keeps its promises', (_name, config) => {
  it.each(FAULTS.map((faults) => ({ faults })))(
    'with $faults before every step',
    async ({ faults }) => {
      const { steps, broken, path } = await interruptEach(await openWalks(), config, faults);
      expect(broken, path.join('\n')).toBeUndefined();
      expect(steps).toBeGreaterThan(40);
    },
    LIMIT_MS,
  );
});

it(
  'batches keep their promises in random sequences of steps and faults',
  async () => {
    const { random } = await openWalks();
    const walkAll = fc.asyncProperty(RANDOM, async ({ config, picks }) => {
      const { broken, path } = await random(config, picks);
      expect(broken, path.join('\n')).toBeUndefined();
    });
    const seed = Number(process.env['MODEL_SEED'] ?? 1);
    await fc.assert(walkAll, { seed, numRuns: RANDOM_WALKS, endOnFailure: true });
  },
  LIMIT_MS,
);

describe('the model of batches notices that', () => {
  it.each(MUTATIONS.map(({ name, ...mutation }) => [name, mutation] as const))(
    '%s',
    async (_name, { faults, promise, part }) => {
      const { broken } = await interruptEach(await openWalks(mutated(part)), PLAIN?.[1] as Config, faults);
      expect(broken).toMatch(promise);
    },
    LIMIT_MS,
  );
});
