import type { Tuning } from '../../server/platform/config.ts';
import { bundled } from './bundled.ts';

/** The program of a hub with other times and limits than the product's: no setting of the product changes them. */
export const HUB_PROGRAM = 'tests/kit/start-hub.ts';

// Hubs that are killed again and again start four times faster from a bundle.
const program = await bundled(HUB_PROGRAM);

/** Arguments of Node.js to start such a hub, in the root of the checkout. */
export const hubArguments = (tuning: Partial<Tuning>): string[] => [program, JSON.stringify(tuning)];
