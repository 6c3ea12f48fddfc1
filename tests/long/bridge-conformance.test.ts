import { describe, expect, it } from 'vitest';
import { verify } from '../../conformance/verify.ts';
import { ESX } from '../bridge/frameworks.ts';
import { launchWorld } from '../bridge/launcher.ts';
import { WHOLE_WORLDS } from '../bridge/whole-worlds.ts';

/** Times are long enough for every correct bridge. */
const WAITS = { heldMs: 30, toldMs: 60, awayMs: 150, hammerMs: 0 };
/** Checks that verify cannot run by itself: TLS, a full disk, a power cut. Checks of a minute have their own run. */
const UNSEEN = ['R17', 'R2', 'R36', 'R37', 'R42'];
/** A bridge that proves what it was cut off in may show neither doubt nor failure, however often it is killed. */
const BY_CHANCE = 'R38';
/** The records of the resource have no `playable`: its players are online once they have a character. */
const NOT_REPORTED = ['R58'];
/** Rules of vehicles, and of items, for the frameworks whose adapter has none. */
const UNDECLARED: Readonly<Record<string, readonly string[]>> = { vorp: ['R55', 'R56'], rsg: ['R56'] };

describe.concurrent('verify passes the resource', { timeout: 900_000 }, () => {
  // docs/reference/frameworks.md has the number of rules for each framework.
  it.each(WHOLE_WORLDS)('over $name with all its commands, whatever it is killed in the middle of', async (world) => {
    const { launcher } = launchWorld(world, { players: [world.ana, world.bo, world.cy] });
    const cast = { kick: world.cy, item: 'water', custom: { name: 'greet', params: { name: 'ana' } } };
    const report = await verify({ port: 0, launcher, account: world.account, burst: 60, cast, waits: WAITS });
    const having = (outcome: string) => report.rules.filter((verdict) => verdict.outcome === outcome);
    expect(having('fail').map(({ text }) => text)).toEqual([]);
    const left = having('not tried').flatMap(({ rule }) => (rule === BY_CHANCE ? [] : [rule]));
    expect(left.sort()).toEqual([...UNSEEN, ...NOT_REPORTED, ...(UNDECLARED[world.name] ?? [])].sort());
    expect(report.bridge).toMatchObject({ software: { name: 'causeway-bridge', framework: world.name } });
  });

  it('gives up a hub that says nothing for 40 seconds', async () => {
    const { launcher } = launchWorld(ESX);
    const report = await verify({ port: 0, launcher, isSlow: true, only: ['R17'], waits: WAITS });
    expect(report.rules.map(({ rule, outcome }) => [rule, outcome])).toEqual([['R17', 'pass']]);
  });
});
