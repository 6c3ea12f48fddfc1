import { describe, expect, it } from 'vitest';
import { explore } from './explore.ts';
import type { BridgeClass, Config, Fault, Mutation } from './world.ts';

type Case = Omit<Config, 'bridgeClass' | 'mutation'>;

const one = (...faults: Fault[]): Case => ({ nodes: 1, faults: Object.fromEntries(faults.map((fault) => [fault, 1])) });

/** Every pair of faults that can meet, each at every moment and with every loss, the deadline at any moment. */
const CASES: [string, Case][] = [
  ['a hub and a bridge that are killed', one('hub kill', 'bridge kill')],
  ['a cut line and a hub that is killed', one('cut', 'hub kill')],
  ['a hub that is killed twice', { nodes: 1, faults: { 'hub kill': 2 } }],
  ['a stalled socket that is replaced, and a hub that is killed', one('stall', 'hub kill')],
  ['a bridge that still reads the sockets it has left', { ...one('stall'), readsOldSockets: true }],
  ['two hub nodes of which one dies while a socket stalls', { nodes: 2, faults: { 'hub kill': 1 } }],
  ['a lost journal, and a hub that is killed', one('bridge kill', 'journal lost', 'hub kill')],
  ['a hub that lost its newest rows', one('hub kill', 'hub restored', 'stall')],
];
/** Larger ones: `npm run model` explores them for every class. */
const DEEP: [string, Case][] = [
  ['a cut line and a bridge that is killed', one('cut', 'bridge kill')],
  ['a line that is cut twice', { nodes: 1, faults: { cut: 2 } }],
  ['a bridge that is killed twice', { nodes: 1, faults: { 'bridge kill': 2 } }],
  ['a stalled socket, and a bridge that is killed', one('stall', 'bridge kill')],
  ['two hub nodes, a stalled socket and a bridge that is killed', { nodes: 2, faults: { stall: 1, 'bridge kill': 1 } }],
  ['old sockets read, one stalled, a cut line', { ...one('stall', 'cut'), readsOldSockets: true }],
];

const isDeep = process.env['MODEL_DEEP'] === '1';
const CLASSES: BridgeClass[] = ['atomic', 'durable', 'saved'];

describe.each(CLASSES)('with a bridge of class %s every promise holds in every state, with', (bridgeClass) => {
  it.each(isDeep ? [...CASES, ...DEEP] : CASES)(
    '%s',
    (_name, config) => {
      const { states, broken } = explore({ ...config, bridgeClass });
      expect(broken).toBeUndefined();
      expect(states).toBeGreaterThan(500);
    },
    600_000,
  );
});

const MUTATIONS: [Mutation, Config, RegExp][] = [
  ['no journal', { bridgeClass: 'durable', ...one('cut') }, /twice/],
  ['journal after the effect', { bridgeClass: 'durable', ...one('bridge kill') }, /twice/],
  ['send before the dispatched mark', { bridgeClass: 'atomic', ...one('hub kill') }, /knows nothing/],
  ['timeout reported as failed', { bridgeClass: 'atomic', ...one() }, /failed, and it happened/],
  ['done before the save', { bridgeClass: 'saved', ...one('bridge kill') }, /not durable/],
  ['id forgotten at ack', { bridgeClass: 'atomic', ...one('stall'), readsOldSockets: true }, /and it happened/],
  ['void without tombstone', { bridgeClass: 'atomic', ...one('stall'), readsOldSockets: true }, /and it happened/],
  ['no journal identity check', { bridgeClass: 'durable', ...one('bridge kill', 'journal lost') }, /twice/],
];

describe('the model notices', () => {
  it.each(MUTATIONS)('%s', (mutation, config, promise) => {
    expect(explore(config).broken).toBeUndefined();
    const { broken } = explore({ ...config, mutation });
    expect(broken?.what).toMatch(promise);
    expect(broken?.path.length).toBeGreaterThan(5);
  });
});
