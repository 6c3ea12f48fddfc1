import { describe, expect, it } from 'vitest';
import { exploreLive } from './explore.ts';
import type { Config } from './world.ts';

type Cases = [string, Config][];

/** Faults that can meet, each at every moment. */
export const LIVE: Cases = [
  [
    'a hub that is killed, a command that is taken back',
    { nodes: 1, commands: ['later'], faults: { disconnect: 1, 'node kill': 1, 'take back': 1 }, canExpire: true },
  ],
  [
    'a repeated key, a failed insert, a caller who does not wait to the end',
    {
      nodes: 1,
      commands: ['key'],
      faults: { disconnect: 1, 'insert fails': 1, repeat: 1, 'wait over': 1 },
      canExpire: true,
    },
  ],
  ['a second command of the same player', { nodes: 1, commands: ['later', 'no key'], faults: { disconnect: 1 } }],
  [
    'a bridge that changes its node, and a lost message',
    { nodes: 2, commands: ['no key'], faults: { disconnect: 1, 'message lost': 1 } },
  ],
];
/** `npm run test:long`. */
export const LONG_LIVE: Cases = [
  [
    'two disconnects',
    {
      nodes: 1,
      commands: ['key'],
      faults: { disconnect: 2, 'insert fails': 1, repeat: 1, 'wait over': 1 },
      canExpire: true,
    },
  ],
  [
    'a second command of the same player, and the deadline',
    { nodes: 1, commands: ['key', 'no key'], faults: { disconnect: 1 }, canExpire: true },
  ],
  ['a key that is sent to two nodes', { nodes: 2, commands: ['key'], faults: { disconnect: 1, repeat: 1 } }],
  [
    'a command that is taken back at any node',
    { nodes: 2, commands: ['later'], faults: { disconnect: 1, 'take back': 1 } },
  ],
  [
    'a failed insert at any node',
    { nodes: 2, commands: ['key'], faults: { disconnect: 1, 'insert fails': 1, 'wait over': 1 } },
  ],
  [
    'a lost message and the deadline',
    { nodes: 2, commands: ['no key'], faults: { disconnect: 1, 'message lost': 1 }, canExpire: true },
  ],
];
/** `npm run model` explores these as well. */
export const DEEP_LIVE: Cases = [
  ['a node that is killed', { nodes: 2, commands: ['no key'], faults: { disconnect: 1, 'node kill': 1 } }],
];

/** Tests that explore each of these. */
export const exploreLives = (cases: Cases): void => {
  describe('every promise about slots and callers holds in every state, with', () => {
    it.each(cases)(
      '%s',
      (_name, config) => {
        const { states, broken } = exploreLive(config);
        expect(broken).toBeUndefined();
        expect(states).toBeGreaterThan(500);
      },
      600_000,
    );
  });
};
