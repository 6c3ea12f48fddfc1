import { describe, expect, it } from 'vitest';
import { explore } from './explore.ts';
import type { BridgeClass, Config, Fault } from './world.ts';

type Case = Omit<Config, 'bridgeClass' | 'mutation'>;
type Cases = [string, Case][];

export const one = (...faults: Fault[]): Case => ({
  nodes: 1,
  faults: Object.fromEntries(faults.map((fault) => [fault, 1])),
});

/** A command of items; the game changes the room for them once, at any moment. */
export const items = (what: NonNullable<Config['items']>, ...faults: Fault[]): Case => ({
  ...one('room changes', ...faults),
  items: what,
});

/** Pairs of faults that can meet, each at every moment and with every loss, the deadline at any moment. */
export const PAIRS: Cases = [
  ['a hub and a bridge that are killed', one('hub kill', 'bridge kill')],
  ['a hub that is killed twice', { nodes: 1, faults: { 'hub kill': 2 } }],
  ['a stalled socket that is replaced, and a hub that is killed', one('stall', 'hub kill')],
  ['two hub nodes of which one dies while a socket stalls', { nodes: 2, faults: { 'hub kill': 1 } }],
  ['a lost journal, and a hub that is killed', one('bridge kill', 'journal lost', 'hub kill')],
  ['items of which a part fits, and a hub that is killed', items({ room: 1, allowPartial: true }, 'hub kill')],
  ['items that do not fit, a stalled socket, and room later', items({ room: 1, allowPartial: false }, 'stall')],
];
/** Cases that take half of the time: `npm run test:long`. */
export const LONG_PAIRS: Cases = [
  ['a cut line and a hub that is killed', one('cut', 'hub kill')],
  ['a bridge that still reads the sockets it has left', { ...one('stall'), readsOldSockets: true }],
  ['a hub that lost its newest rows', one('hub kill', 'hub restored', 'stall')],
  ['items of which a part fits, and a bridge that is killed', items({ room: 1, allowPartial: true }, 'bridge kill')],
  ['items that fit, and a line that is cut', items({ room: 2, allowPartial: true }, 'cut')],
];
/** Larger ones: `npm run model` explores them as well. */
export const DEEP: Cases = [
  ['a cut line and a bridge that is killed', one('cut', 'bridge kill')],
  ['a line that is cut twice', { nodes: 1, faults: { cut: 2 } }],
  ['a bridge that is killed twice', { nodes: 1, faults: { 'bridge kill': 2 } }],
  ['a stalled socket, and a bridge that is killed', one('stall', 'bridge kill')],
  ['two hub nodes, a stalled socket and a bridge that is killed', { nodes: 2, faults: { stall: 1, 'bridge kill': 1 } }],
  ['old sockets read, one stalled, a cut line', { ...one('stall', 'cut'), readsOldSockets: true }],
];

const CLASSES: BridgeClass[] = ['atomic', 'durable', 'saved'];

/** Tests that explore each of these for every class. */
export const exploreAll = (cases: Cases): void => {
  describe.each(CLASSES)('with a bridge of class %s every promise holds in every state, with', (bridgeClass) => {
    it.each(cases)(
      '%s',
      (_name, config) => {
        const { states, broken } = explore({ ...config, bridgeClass });
        expect(broken).toBeUndefined();
        expect(states).toBeGreaterThan(500);
      },
      600_000,
    );
  });
};
