import fc from 'fast-check';
import type { Config, Fault } from './world.ts';

/** Faults and requests that come together, each before every step. */
export const FAULTS: readonly (readonly Fault[])[] = [
  ['request'],
  ['void'],
  ['fail'],
  ['lose answer'],
  ['kill'],
  ['stall'],
  ['hang up'],
  ['kill', 'relink'],
  ['lose answer', 'kill'],
  ['void', 'kill'],
];

const plain = (changes: Partial<Config>): Config => ({
  nodes: 1,
  deliver: 'now',
  aborts: false,
  targets: 3,
  faults: {},
  ...changes,
});

/** Batches that are interrupted before every step. */
export const CASES: readonly [string, Config][] = [
  ['of one node', plain({})],
  ['of two nodes, for players who must be online', plain({ nodes: 2, deliver: 'when_online' })],
  ['of two nodes with six targets, which may end by itself', plain({ nodes: 2, targets: 6, aborts: true })],
];

const often = (max: number) => fc.nat({ max });
/** Batches with any faults in any order, and numbers that choose the steps. */
export const RANDOM = fc.record({
  config: fc.record({
    nodes: fc.constantFrom(1 as const, 2 as const),
    deliver: fc.constantFrom('now' as const, 'when_connected' as const, 'when_online' as const),
    aborts: fc.boolean(),
    targets: fc.integer({ min: 3, max: 6 }),
    faults: fc.record({
      request: often(2),
      void: often(1),
      fail: often(2),
      'lose answer': often(2),
      kill: often(2),
      stall: often(1),
      'hang up': often(1),
      relink: often(2),
    }),
  }),
  picks: fc.array(fc.nat({ max: 100_000 }), { minLength: 40, maxLength: 160, size: 'max' }),
});
