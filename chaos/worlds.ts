import { dirname, join } from 'node:path';
import { bundled } from '../tests/kit/bundled.ts';
import type { Victim } from '../tests/kit/processes.ts';
import { populate } from '../tests/luanti/client.ts';
import { SERVER_PROGRAM, writeWorld } from '../tests/luanti/server.ts';
import { openBalances, type Told } from './balances.ts';
import type { Goods } from './calls.ts';
import { type Ledgers, openLedgers } from './ledgers.ts';
import { TARGETS } from './limits.ts';
import { LUANTI_GOODS, openLuantiItems } from './luanti-items.ts';
import { SIMULATED_GOODS } from './offers.ts';
import { SHELVES } from './shelves.ts';

/** Reads each player's bank balance from the game. */
type Balances = () => Promise<Record<string, number>>;

/** A game server under chaos, and the ledger of its money and goods. */
export type ChaosWorld = {
  /** Arguments of the game server's process. It stores all durable data in `folder`, its tables in `world.db`. */
  args(at: { url: string; token: string; folder: string }): string[] | Promise<string[]>;
  /** Another program than Node.js. */
  program?: string;
  /** Lets the players appear in a running game that has none by itself. */
  populate?(at: { args: readonly string[]; folder: string }): Promise<void>;
  openLedgers(options: { hubFile: string; game: Victim; balances: Balances }): Ledgers;
  /** Whether a payment may stay indeterminate: only if the bridge does not declare itself atomic. */
  mayDoubt: boolean;
  /** The goods that commands change, if the ledgers report them. */
  goods?: Goods;
  /** Faults of this world alone, with how often each is chosen. */
  faults: [string, number][];
};

// Chaos kills and starts the process very often, and a bundle starts faster.
const game = await bundled('chaos/game.ts');

const simulated: ChaosWorld = {
  args: ({ url, token, folder }) => [game, url, token, join(folder, 'world.db')],
  openLedgers,
  mayDoubt: false,
  goods: SIMULATED_GOODS,
  faults: [],
};

const framework = (name: string, mayDoubt = false): ChaosWorld => ({
  args: ({ url, token, folder }) => ['chaos/fxserver.ts', name, url, token, folder],
  openLedgers: ({ hubFile, game }) => openBalances({ hubFile, ask: () => game.ask(0) as Promise<Told> }),
  mayDoubt,
  ...(SHELVES[name] && { goods: SHELVES[name].goods }),
  faults: [
    ['database down', 14],
    ['database deaf', 6],
    ['database slow', 14],
    ['ticks stalled', 8],
    ['restart bridge', 8],
    ['kill game', 10],
  ],
});

/** By the folder of a run. */
const luantiPorts = new Map<string, number>();

/** A real game server with real clients; the kill takes the program itself. */
const luanti: ChaosWorld = {
  program: SERVER_PROGRAM,
  args: async ({ url, token, folder }) => {
    // A player who died would lose the items.
    const settings = { 'causeway.url': url, 'causeway.token': token, enable_damage: 'false' };
    const { args, port } = await writeWorld({ folder: join(folder, 'luanti'), settings });
    luantiPorts.set(folder, port);
    return args;
  },
  populate: ({ args, folder }) => populate({ args, folder: join(folder, 'luanti'), count: TARGETS }),
  openLedgers: ({ hubFile, game, balances }) => {
    const ask = async (): Promise<Told> => {
      const stored = await balances();
      return { stored, saved: stored };
    };
    const money = openBalances({ hubFile, ask });
    const items = openLuantiItems({ hubFile, port: luantiPorts.get(dirname(hubFile)) ?? 0, game });
    return {
      ...money,
      fresh: async () => {
        const found = await money.fresh();
        return { ...found, stocks: await items.after(found.rows) };
      },
      close: () => {
        items.close();
        money.close();
      },
    };
  },
  mayDoubt: false,
  goods: LUANTI_GOODS,
  faults: [
    ['kill game', 10],
    ['pause game', 10],
  ],
};

/** All worlds, by the name that `--bridge` accepts. */
export const CHAOS_WORLDS: Readonly<Record<string, ChaosWorld>> = {
  simulated,
  esx: framework('esx', true),
  qbcore: framework('qbcore'),
  qbox: framework('qbox'),
  luanti,
};
