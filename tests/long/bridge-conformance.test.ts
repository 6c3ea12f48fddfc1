import { describe, expect, it } from 'vitest';
import { verify } from '../../conformance/verify.ts';
import { WORLDS } from '../bridge/frameworks.ts';
import { launchWorld } from '../bridge/launcher.ts';

/** Nothing that a good bridge has to be given time for is short here. */
const WAITS = { heldMs: 30, toldMs: 60, awayMs: 150, hammerMs: 0 };
/**
 * A resource that is stopped cannot always wait for what runs (R18), and one that proves what it was cut off in shows no
 * doubt (R38); the others are tried in tests of their own.
 */
const MAY_BE_LEFT_OUT = ['R17', 'R18', 'R2', 'R33', 'R36', 'R37', 'R38', 'R42'];

/** Verify pays into a `bank`, which VORP has not; its changes are seen by looking at balances now and then. */
const OF_MONEY = [13, 14, 21, 24, 25, 27, 28, 30, 31, 32, 34, 35, 39].map((rule) => `R${rule}`);

describe.concurrent('verify passes the resource', () => {
  it.each(WORLDS)('over $name, whatever it is killed in the middle of', async (world) => {
    const { launcher } = launchWorld(world);
    const report = await verify({ port: 0, launcher, burst: 60, waits: WAITS });
    const having = (outcome: string) => report.rules.filter((verdict) => verdict.outcome === outcome);
    expect(having('fail').map(({ text }) => text)).toEqual([]);
    const mayBeLeftOut = world.account === 'bank' ? MAY_BE_LEFT_OUT : [...MAY_BE_LEFT_OUT, ...OF_MONEY];
    expect(mayBeLeftOut).toEqual(expect.arrayContaining(having('not tried').map(({ rule }) => rule)));
    expect(report.bridge).toMatchObject({ software: { name: 'causeway-bridge', framework: world.name } });
  });
});
