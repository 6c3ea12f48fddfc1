import { describe, expect, it } from 'vitest';
import { verify } from '../../conformance/verify.ts';
import { ESX, WORLDS } from '../bridge/frameworks.ts';
import { launchWorld } from '../bridge/launcher.ts';

/** Times are long enough for every correct bridge. */
const WAITS = { heldMs: 30, toldMs: 60, awayMs: 150, hammerMs: 0 };
/** Checks that verify cannot run by itself: TLS, a full disk, a power cut. Checks of a minute have their own run. */
const UNSEEN = ['R17', 'R2', 'R36', 'R37', 'R42'];
/** The records of the resource have no `playable`: its players are online once they have a character. */
const NOT_REPORTED = ['R58'];
/** A bridge that proves what it was cut off in may show neither doubt nor failure, however often it is killed. */
const BY_CHANCE = ['R38'];
/** Rules of items, vehicles and jobs, for the frameworks whose adapter has none. VORP has no list of jobs. */
const REDM = ['R54', 'R55', 'R56'];
const UNDECLARED: Readonly<Record<string, readonly string[]>> = { vorp: REDM, rsg: REDM };

describe.concurrent('verify passes the resource', { timeout: 300_000 }, () => {
  it.each(WORLDS)('over $name, whatever it is killed in the middle of', async (world) => {
    const { launcher } = launchWorld(world);
    const report = await verify({ port: 0, launcher, account: world.account, burst: 60, waits: WAITS });
    const having = (outcome: string) => report.rules.filter((verdict) => verdict.outcome === outcome);
    expect(having('fail').map(({ text }) => text)).toEqual([]);
    const left = having('not tried').map(({ rule }) => rule);
    expect([...UNSEEN, ...NOT_REPORTED, ...BY_CHANCE, ...(UNDECLARED[world.name] ?? [])]).toEqual(
      expect.arrayContaining(left),
    );
    expect(report.bridge).toMatchObject({ software: { name: 'causeway-bridge', framework: world.name } });
  });

  it('gives up a hub that says nothing for 40 seconds', async () => {
    const { launcher } = launchWorld(ESX);
    const report = await verify({ port: 0, launcher, isSlow: true, only: ['R17'], waits: WAITS });
    expect(report.rules.map(({ rule, outcome }) => [rule, outcome])).toEqual([['R17', 'pass']]);
  });
});
