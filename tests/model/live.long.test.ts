import { describe, expect, it } from 'vitest';
import { DEEP_LIVE, exploreLives, LIVE, LONG_LIVE } from './live/cases.ts';
import { exploreLive } from './live/explore.ts';
import type { Config, Mutation } from './live/world.ts';

const isDeep = process.env['MODEL_DEEP'] === '1';

exploreLives(isDeep ? [...LIVE, ...LONG_LIVE, ...DEEP_LIVE] : LIVE);

// Without the mutation, each is a part of one of the cases.
const ALONE: Config = { nodes: 1, commands: ['no key'], faults: { disconnect: 1 } };
const SECOND: Config = { nodes: 1, commands: ['later', 'no key'], faults: { disconnect: 1 } };
const MOVED: Config = { nodes: 2, commands: ['no key'], faults: { disconnect: 1 } };
const REPEATED: Config = { nodes: 2, commands: ['key'], faults: { disconnect: 1, repeat: 1 } };
const FAILED: Config = { nodes: 1, commands: ['later'], faults: { 'insert fails': 1 } };

const MUTATIONS: [Mutation, Config, RegExp][] = [
  ['disconnect forgets what waits', ALONE, /a caller waits/],
  ['disconnect frees no slot', MOVED, /has not forgotten/],
  ['hand-on does not insert the row first', MOVED, /a caller waits/],
  ['hand-on sends no message, and no node reads the rows', MOVED, /a row is accepted/],
  ['settle does not wake the callers', ALONE, /a caller waits/],
  ['an idempotency conflict keeps the slot', REPEATED, /a row is accepted/],
  ['the caller is told before the outcome is stored', ALONE, /never had it/],
  ['send before the dispatched mark', ALONE, /not dispatched/],
  ['two sessions get the same epoch', MOVED, /at two nodes/],
  ['a turn that is fenced off loses its command', ALONE, /a row is accepted/],
  ['the periodic look leaves what waits', MOVED, /has not forgotten/],
  ['no look finds what has lost its slot', FAILED, /a row is accepted/],
  ['a caller who comes after the outcome is not woken', ALONE, /a caller waits/],
  ['a late answer frees the slot of a later session', SECOND, /two commands of one player/],
  ['an object without slot and callers is kept', ALONE, /has not forgotten/],
];

describe('the model of the live command notices', () => {
  it.each(MUTATIONS)('%s', (mutation, config, promise) => {
    const { broken } = exploreLive({ ...config, mutation });
    expect(broken?.what).toMatch(promise);
    expect(broken?.path.length).toBeGreaterThan(2);
  });
});
