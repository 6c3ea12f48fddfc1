import { describe, expect, it } from 'vitest';
import { verify } from '../../conformance/verify.ts';
import { EFFECT_FAULTS } from './effect-faults.ts';
import { FAULTS } from './faults.ts';
import { launchGame } from './game.ts';
import { ROUND_FAULTS } from './round-faults.ts';
import { STAFF_FAULTS } from './staff-faults.ts';

/** Timeouts after which a silent bridge is reported. */
const HASTY = {
  dialInMs: 3_000,
  comeBackMs: 800,
  helloMs: 800,
  heldMs: 30,
  answerMs: 800,
  settleMs: 1_500,
  snapshotMs: 600,
  toldMs: 60,
  graceMs: 300,
  passMs: 60,
  awayMs: 200,
  silenceMs: 200,
  backoffBaseMs: 20,
};

/** Timeouts that a busy machine keeps. */
const PATIENT = {
  comeBackMs: 4_000,
  answerMs: 2_000,
  settleMs: 10_000,
  snapshotMs: 5_000,
  passMs: 1_000,
  graceMs: 2_500,
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
    expect(report.rules).toEqual([{ rule, outcome: 'fail', text: expect.stringMatching(/^\S.+$/) }]);
    expect(report.failed).toBe(1);
  });
});

describe.concurrent('verify names one broken rule and its observation when the bridge', () => {
  it.each([...EFFECT_FAULTS, ...STAFF_FAULTS, ...ROUND_FAULTS])(
    '$says ($rule)',
    async ({ rule, fault, text, waits, only }) => {
      const report = await verify({
        port: 0,
        launcher: launchGame(fault),
        cast: { custom: { name: 'greet', params: { name: 'ana' } } },
        burst: 60,
        ...(only && { only }),
        // Nothing here is found by its lateness: a busy machine must not add a second finding.
        waits: { ...HASTY, ...PATIENT, ...waits },
      });
      const failed = report.rules.filter(({ outcome }) => outcome === 'fail');
      expect(failed).toEqual([{ rule, outcome: 'fail', text: expect.stringMatching(text) }]);
    },
  );
});
