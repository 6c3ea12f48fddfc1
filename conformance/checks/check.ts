import type { Rule } from '../judges/rules.ts';
import type { Stage } from '../stage/stage.ts';

/** What a check cannot do without. */
export type Need = 'money' | 'other' | 'kick' | 'custom' | 'run' | 'slow';

/** One thing that verify tries. It passes when `run` resolves; a Breach fails its rule, NotTried passes it over. */
export type Check = {
  rules: readonly [Rule, ...Rule[]];
  /** What it may show to be broken without being about it. */
  shows?: readonly Rule[];
  /** What the bridge does when it passes. */
  name: string;
  needs?: readonly Need[];
  /** All its waits together, in milliseconds (default 60,000). */
  withinMs?: number;
  /** It starts a process of its own where there is `--run`, and needs no connection before. */
  isAnew?: boolean;
  run: (stage: Stage) => Promise<void>;
};
