import type { Observation } from './compare.ts';

/** A difference that was decided: why it may be, and the observation without it. It is applied to both hubs. */
export type Allowed = { why: string; without: (seen: Observation) => Observation };

/** Everything in which the new hub may differ from the old one. Each entry goes when the old one has it, too. */
export const ALLOWED: readonly Allowed[] = [];
