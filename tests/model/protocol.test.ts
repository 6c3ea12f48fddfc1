import { describe, expect, it } from 'vitest';
import { DEEP, exploreAll, items, LONG_PAIRS, one, PAIRS } from './cases.ts';
import { explore } from './explore.ts';
import type { Config, Mutation } from './world.ts';

const isDeep = process.env['MODEL_DEEP'] === '1';

exploreAll(isDeep ? [...PAIRS, ...LONG_PAIRS, ...DEEP] : PAIRS);

const ALL_OR_NONE = items({ room: 1, allowPartial: false });

const MUTATIONS: [Mutation, Config, RegExp][] = [
  ['no journal', { bridgeClass: 'durable', ...one('cut') }, /twice/],
  ['journal after the effect', { bridgeClass: 'durable', ...one('bridge kill') }, /twice/],
  ['send before the dispatched mark', { bridgeClass: 'atomic', ...one('hub kill') }, /knows nothing/],
  ['timeout reported as failed', { bridgeClass: 'atomic', ...one() }, /failed, and it happened/],
  ['done before the save', { bridgeClass: 'saved', ...one('bridge kill') }, /not durable/],
  ['id forgotten at ack', { bridgeClass: 'atomic', ...one('stall'), readsOldSockets: true }, /and it happened/],
  ['void without tombstone', { bridgeClass: 'atomic', ...one('stall'), readsOldSockets: true }, /and it happened/],
  ['no journal identity check', { bridgeClass: 'durable', ...one('bridge kill', 'journal lost') }, /twice/],
  [
    'class of the journal instead of the command',
    { bridgeClass: 'durable', journalClass: 'atomic', ...one('bridge kill') },
    /failed, and it happened/,
  ],
  [
    'refusal without journal',
    { bridgeClass: 'atomic', ...items({ room: 0, allowPartial: true }, 'stall') },
    /rejected, and it happened/,
  ],
  ['refused after a part was applied', { bridgeClass: 'atomic', ...ALL_OR_NONE }, /rejected, and it happened/],
  ['done although nothing fits', { bridgeClass: 'atomic', ...ALL_OR_NONE }, /succeeded, and it is not durable/],
  [
    'all reported although a part was applied',
    { bridgeClass: 'saved', ...items({ room: 1, allowPartial: true }) },
    /succeeded with 2 pieces, and 1 were applied/,
  ],
  [
    'part applied although all was asked',
    { bridgeClass: 'atomic', ...ALL_OR_NONE },
    /indeterminate with an atomic journal/,
  ],
];

describe('the model notices', () => {
  it.each(MUTATIONS)('%s', (mutation, config, promise) => {
    expect(explore(config).broken).toBeUndefined();
    const { broken } = explore({ ...config, mutation });
    expect(broken?.what).toMatch(promise);
    expect(broken?.path.length).toBeGreaterThan(5);
  });
});
