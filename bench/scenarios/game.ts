import { setTimeout as pause } from 'node:timers/promises';
import type { Slices } from '../load/turns.ts';
import type { Figures, Scenario } from '../scenario.ts';
import { getJson, withHub } from '../stand.ts';
import { round } from '../statistics.ts';

const PLAN = { stored: 50_000, online: 300 };
const QUICK_PLAN = { stored: 2_000, online: 50 };
const IDLE_TICKS = 200;
const QUICK_IDLE_TICKS = 20;
const LOOK_EVERY_MS = 100;
const STORED_WITHIN_MS = 600_000;

type Page = { pagination: { total: number } };

/** The cost of the FiveM resource for its simulated game server: during a snapshot of all players, and at rest. */
const game = (framework: string): Scenario => ({
  name: `game, ${framework}`,
  about:
    'The FiveM resource in a simulated server: how long it holds the thread of the game, and what it costs at rest.',
  isQuick: framework === 'esx',
  run: async ({ isQuick, isPinned }) => {
    const plan = { framework, ...(isQuick ? QUICK_PLAN : PLAN) };
    const ticks = isQuick ? QUICK_IDLE_TICKS : IDLE_TICKS;
    const ours = await withHub({ isPinned, servers: ['game'] }, async (stand): Promise<Figures> => {
      const { hub } = stand;
      const child = stand.game();
      await child.ask({ do: 'prepare', ...plan });
      const bareMs = await child.ask<number>({ do: 'idle', ticks });
      const start = performance.now();
      await child.ask({ do: 'connect', url: `ws://127.0.0.1:${hub.port}/bridge`, token: hub.tokens[0] });
      await child.ask({ do: 'watch' });
      const isStored = async () => (await getJson<Page>(hub, '/api/v2/players?limit=1')).pagination.total > plan.stored;
      while (!(await isStored())) {
        if (performance.now() - start > STORED_WITHIN_MS) throw new Error('the players were not stored in time');
        await pause(LOOK_EVERY_MS);
      }
      const seconds = (performance.now() - start) / 1_000;
      const { p99Ms, maxMs, over5 } = await child.ask<Slices>({ do: 'watched' });
      const idleMs = await child.ask<number>({ do: 'idle', ticks });
      return {
        players: plan.stored,
        seconds: round(seconds, 1),
        sliceP99Ms: round(p99Ms, 2),
        sliceMaxMs: round(maxMs, 2),
        slicesOver5Ms: over5,
        idleMsPerTick: round(idleMs - bareMs, 3),
        bareMsPerTick: round(bareMs, 3),
      };
    });
    return { ours, peers: {}, ratios: {} };
  },
});

export const games: readonly Scenario[] = ['esx', 'qbcore'].map(game);
