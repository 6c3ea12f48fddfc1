import type { CommandName } from '../../bridge-protocol/wire/commands.ts';
import type { Rule } from '../judges/rules.ts';
import type { Stage } from '../stage/stage.ts';

/** The requirements of a check: commands that the bridge declares, players, options of verify. */
export type Need = CommandName | 'other' | 'custom' | 'run' | 'slow';

/** One check of verify. It passes when `run` resolves; a Breach fails its rule, a NotTried skips the check. */
export type Check = {
  rules: readonly [Rule, ...Rule[]];
  /** Other rules that the check may show to be broken. */
  shows?: readonly Rule[];
  /** Description of the bridge's behaviour when the check passes. */
  name: string;
  needs?: readonly Need[];
  /** Bound for the sum of all waits, in milliseconds (default 60,000). */
  withinMs?: number;
  /** With `--run`, the check starts its own process and needs no connection before. */
  isAnew?: boolean;
  run: (stage: Stage) => Promise<void>;
};
