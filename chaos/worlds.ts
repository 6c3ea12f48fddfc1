import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedBundle } from '../server/cli/bundle.js';
import type { Victim } from '../tests/testkit/processes.ts';
import { openBalances } from './balances.ts';
import { type Ledgers, openLedgers } from './ledgers.ts';

/** What chaos is let loose on: a game server and its book. */
export type ChaosWorld = {
  /** The arguments of its process, which keeps all that is durable in `folder`, its tables in `world.db`. */
  args(at: { url: string; token: string; folder: string }): string[];
  openLedgers(options: { hubFile: string; game: Victim }): Ledgers;
  /** Whether a command may stay in doubt: where its bridge says that it is not atomic. */
  mayDoubt: boolean;
  /** What goes wrong here and nowhere else, and how often that is chosen. */
  faults: [string, number][];
};

// It is killed and started again all the time, and a bundle starts faster.
const game = fileURLToPath(new URL('game.js', await cachedBundle('chaos/game.ts')));

const simulated: ChaosWorld = {
  args: ({ url, token, folder }) => [game, url, token, join(folder, 'world.db')],
  openLedgers,
  mayDoubt: false,
  faults: [],
};

const framework = (name: string, mayDoubt = false): ChaosWorld => ({
  args: ({ url, token, folder }) => ['chaos/fxserver.ts', name, url, token, folder],
  openLedgers: openBalances,
  mayDoubt,
  faults: [
    ['database down', 14],
    ['database deaf', 6],
    ['database slow', 14],
    ['ticks stalled', 8],
    ['restart bridge', 8],
    ['kill game', 10],
  ],
});

/** The worlds there are, by the name that `--bridge` takes. */
export const CHAOS_WORLDS: Readonly<Record<string, ChaosWorld>> = {
  simulated,
  esx: framework('esx', true),
  qbcore: framework('qbcore'),
  qbox: framework('qbox'),
};
