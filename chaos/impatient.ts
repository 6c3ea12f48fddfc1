import { hubArguments } from '../tests/testkit/hub-arguments.ts';

/** So many players are paid. */
export const TARGETS = 8;

/** Hubs of this test bear what real ones never see: reconnects at once, and all the time. */
export const IMPATIENT = { LOG_LEVEL: 'warn', ADMISSIONS_PER_SECOND: '1000000' };
export const IMPATIENT_HUB = hubArguments({
  sweepEveryMs: 20,
  connectsPerMinute: 1_000_000,
  receivedProbeMs: 200,
  receivedCloseMs: 500,
});
