import { hubArguments } from '../tests/kit/hub-arguments.ts';

/** Number of players that are paid. */
export const TARGETS = 8;

/** Limits of the tested hubs: bridges reconnect at once and far more often than real ones. */
export const CHAOS_ENV = { LOG_LEVEL: 'warn', ADMISSIONS_PER_SECOND: '1000000', WEBHOOKS_MAY_REACH: '127.0.0.1' };
export const CHAOS_HUB = hubArguments({
  sweepEveryMs: 20,
  connectsPerMinute: 1_000_000,
  receivedProbeMs: 200,
  receivedCloseMs: 500,
  offlineAfterMs: 100,
});
