import { describe, expect, it } from 'vitest';
import { verify } from '../../conformance/verify.ts';
import { FAULTS } from './faults.ts';
import { launchGame } from './game.ts';

/** What breaks a rule by silence is found as soon as these are over. */
const HASTY = {
  dialInMs: 3_000,
  comeBackMs: 800,
  helloMs: 800,
  heldMs: 30,
  answerMs: 400,
  settleMs: 1_500,
  snapshotMs: 600,
  toldMs: 60,
  graceMs: 300,
  passMs: 60,
  awayMs: 200,
  silenceMs: 200,
  backoffBaseMs: 20,
};

describe.concurrent('verify finds the bridge that', () => {
  const faults = FAULTS.map(([rule, says, fault, waits = {}]) => ({ rule, says, fault, waits }));
  it.each(faults)('breaks $rule: $says', async ({ rule, fault, waits }) => {
    const report = await verify({
      port: 0,
      launcher: launchGame(fault),
      only: [rule],
      isSlow: rule === 'R17',
      burst: 20,
      waits: { ...HASTY, ...waits },
    });
    expect(report.rules).toEqual([{ rule, outcome: 'fail', text: expect.stringMatching(/^expected .+; saw /) }]);
    expect(report.failed).toBe(1);
  });
});
