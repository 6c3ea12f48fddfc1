import { setTimeout as pause } from 'node:timers/promises';
import type { Child } from '../children.ts';
import type { NativePlan, NativeSlices } from '../load/native.ts';
import type { Slices } from '../load/turns.ts';
import { assertLua } from '../native/lua.ts';
import type { Figures, Scenario } from '../scenario.ts';
import { getJson, withHub } from '../stand.ts';
import { median, round } from '../statistics.ts';

const PLAN = { stored: 50_000, online: 300 };
/** Number of measurements at rest, in turns with a game server that never had the resource. */
const IDLE = { rounds: 5, ticks: 60 };
const LOOK_EVERY_MS = 500;
const STORED_WITHIN_MS = 300_000;

/** CPU of a tick at rest: medians over the rounds. */
const atRest = async (resource: Child, bare: Child): Promise<{ bareMs: number; moreMs: number }> => {
  const without: number[] = [];
  const more: number[] = [];
  for (let nth = 0; nth < IDLE.rounds; nth += 1) {
    const bareMs = await bare.ask<number>({ do: 'idle', ticks: IDLE.ticks });
    without.push(bareMs);
    more.push((await resource.ask<number>({ do: 'idle', ticks: IDLE.ticks })) - bareMs);
  }
  return { bareMs: median(without), moreMs: median(more) };
};

type Page = { pagination: { total: number } };

const figuresOf = (what: string, { count, p50Ms, p99Ms, maxMs, over5, totalMs }: Slices): Figures => ({
  [`${what}Slices`]: count,
  [`${what}P50Ms`]: round(p50Ms, 2),
  [`${what}P99Ms`]: round(p99Ms, 2),
  [`${what}MaxMs`]: round(maxMs, 2),
  [`${what}Over5Ms`]: over5,
  [`${what}TotalMs`]: round(totalMs),
});

/** The cost of the FiveM resource for the thread of its game server, in native Lua and Node.js. */
const native = (framework: NativePlan['framework'], mode: NativePlan['mode']): Scenario => ({
  name: `game, native ${framework}, ${mode}`,
  about: 'Each slice of the FiveM resource in native Lua, and how long the core stood still; needs root and perf.',
  isQuick: false,
  run: async ({ isPinned }) => {
    assertLua();
    const plan: NativePlan = { framework, mode, ...PLAN };
    const ours = await withHub({ isPinned, servers: ['game'] }, async (stand): Promise<Figures> => {
      const { hub } = stand;
      const child = stand.native();
      const bare = stand.native();
      for (const one of [child, bare]) await one.ask({ do: 'prepare', ...plan });
      const start = performance.now();
      const address = { url: `ws://localhost:${hub.port}/bridge`, token: hub.tokens[0] };
      const startMs = await child.ask<number>({ do: 'connect', ...address });
      const isStored = async () =>
        (await getJson<Page>(hub, '/api/v2/players?limit=1')).pagination.total >= plan.stored;
      while (!(await isStored())) {
        if (performance.now() - start > STORED_WITHIN_MS) throw new Error('the players were not stored in time');
        await pause(LOOK_EVERY_MS);
      }
      const seconds = (performance.now() - start) / 1_000;
      const { both, lua, steady, waiting, uneven, stops, memoryKb } = await child.ask<NativeSlices>({ do: 'watched' });
      const { bareMs, moreMs } = await atRest(child, bare);
      return {
        players: plan.stored,
        seconds: round(seconds, 1),
        startMs: round(startMs, 1),
        ...figuresOf('wall', both.wall),
        ...figuresOf('cpu', both.cpu),
        ...figuresOf('ran', both.ran),
        ranOver5Uneven: uneven.over5,
        unevenPercent: round(100 * uneven.share, 1),
        ...figuresOf('luaWall', lua.wall),
        ...figuresOf('luaCpu', lua.cpu),
        ...figuresOf('steadyWall', steady.wall),
        ...figuresOf('steadyCpu', steady.cpu),
        ...figuresOf('steadyRan', steady.ran),
        over5Waiting: waiting,
        stops: stops.count,
        stopsMaxMs: round(stops.maxMs, 2),
        stopsTotalMs: round(stops.totalMs),
        luaMemoryKb: round(memoryKb),
        idleMsPerTick: round(moreMs, 3),
        bareMsPerTick: round(bareMs, 3),
      };
    });
    return { ours, peers: {}, ratios: {} };
  },
});

export const natives: readonly Scenario[] = (['esx', 'qbcore'] as const).flatMap((framework) =>
  (['incremental', 'generational'] as const).map((mode) => native(framework, mode)),
);
