import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedBundle } from '../server/cli/bundle.js';
import type { Victim } from '../tests/testkit/processes.ts';
import { openBalances } from './balances.ts';
import { type Ledgers, openLedgers } from './ledgers.ts';

/** A game server under chaos, and the ledger of its money. */
export type ChaosWorld = {
  /** Arguments of the game server's process. It stores all durable data in `folder`, its tables in `world.db`. */
  args(at: { url: string; token: string; folder: string }): string[];
  openLedgers(options: { hubFile: string; game: Victim }): Ledgers;
  /** Whether a command may stay indeterminate: only if the bridge does not declare itself atomic. */
  mayDoubt: boolean;
  /** Faults of this world alone, with how often each is chosen. */
  faults: [string, number][];
};

// Chaos kills and starts the process very often, and a bundle starts faster.
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

/** All worlds, by the name that `--bridge` accepts. */
export const CHAOS_WORLDS: Readonly<Record<string, ChaosWorld>> = {
  simulated,
  esx: framework('esx', true),
  qbcore: framework('qbcore'),
  qbox: framework('qbox'),
};
