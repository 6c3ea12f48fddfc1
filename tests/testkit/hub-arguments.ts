import type { Tuning } from '../../server/platform/tuning.ts';

/** The program of a hub with other times and limits than the product's: no setting of the product changes them. */
export const HUB_PROGRAM = 'tests/testkit/start-hub.ts';

/** What Node.js is given to start such a hub, in the root of the checkout. */
export const hubArguments = (tuning: Partial<Tuning>): string[] => [HUB_PROGRAM, JSON.stringify(tuning)];
