import { heapMiB } from '../../tests/support/memory.ts';
import { answerQuestions } from '../children.ts';
import { temporaryFolder } from '../folders.ts';
import { type CrowdName, writeCrowd } from '../native/crowd.ts';
import { assertLua, type GarbageMode, startLua } from '../native/lua.ts';
import { createServer } from '../native/natives.ts';
import { createSteady } from './steady.ts';
import { openThreadClock } from './thread.ts';
import { type Slices, type Slow, slicesOf, watchTurns } from './turns.ts';

export type NativePlan = { framework: CrowdName; mode: GarbageMode; stored: number; online: number };
/**
 * Of both runtimes and what is between them, of what ran in Lua alone, and of a steady piece of work after each slice;
 * `memoryKb` is that of Lua. CPU is that of the thread that both would be. `disturbed` are the slices over 5 ms of it, and
 * all, that were near to a steady one which took longer as well.
 */
export type NativeSlices = Record<'wall' | 'cpu' | 'luaWall' | 'luaCpu' | 'steadyWall' | 'steadyCpu', Slices> & {
  slow: Slow;
  disturbed: Record<'busy' | 'all', number>;
  memoryKb: number;
};
type Figures = { wallUs: Record<string, number>; cpuUs: Record<string, number>; memoryKb: number };

/** As a real server ticks. */
const TICK_MS = 50;

let lua: ReturnType<typeof startLua> | undefined;
let server: Awaited<ReturnType<typeof createServer>> | undefined;
let turns: ReturnType<typeof watchTurns> | undefined;
let steady: ReturnType<typeof createSteady> | undefined;

const figures = (): Figures => {
  if (lua === undefined) throw new Error('the game server is not prepared');
  return lua.ask<Figures>({ do: 'figures' });
};

const nodeUs = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const threadUs = openThreadClock();
const cpuUs = (): number => threadUs() + (lua?.cpuUs() ?? 0);

const ofLua = (us: Record<string, number>): Slices => slicesOf(Object.values(us).map((one) => one / 1_000));

/** The resource as it is shipped, in native Lua and plain Node.js; frameworks and the database are texts made before. */
answerQuestions({
  prepare: async ({ framework, mode, ...plan }: NativePlan): Promise<void> => {
    assertLua();
    const folder = temporaryFolder();
    writeCrowd(folder, framework, plan);
    lua = startLua(folder, framework, mode);
    server = await createServer(lua, plan.online);
    steady = createSteady();
    setInterval(server.tick, TICK_MS);
    process.once('exit', lua.stop);
  },
  /** Starts the resource, and watches from its first turn on. Answers how long its script took, milliseconds. */
  connect: ({ url, token }: { url: string; token: string }): number => {
    if (server === undefined || steady === undefined) throw new Error('the game server is not prepared');
    // What was left over by making the game server is no garbage of the resource.
    heapMiB();
    const tookMs = server.load({ causeway_url: url, causeway_token: token });
    figures();
    turns = watchTurns({ cpuUs, between: steady.run });
    return tookMs;
  },
  watched: (): NativeSlices => {
    if (turns === undefined || steady === undefined) throw new Error('nothing was watched');
    const { turns: watched, ...slices } = turns.stop();
    const beside = steady.slices();
    const wasSlow = steady.slowness();
    const lua = figures();
    return {
      ...slices,
      ...{ luaWall: ofLua(lua.wallUs), luaCpu: ofLua(lua.cpuUs) },
      ...{ steadyWall: beside.wall, steadyCpu: beside.cpu },
      disturbed: { busy: watched.busy.filter(wasSlow).length, all: watched.all.filter(wasSlow).length },
      memoryKb: lua.memoryKb,
    };
  },
  /** CPU of both runtimes for each tick, ms, while nothing is asked of them; without the pipe between them. */
  idle: async ({ ticks }: { ticks: number }): Promise<number> => {
    figures();
    const own = (): number => nodeUs() - (server?.tickUs() ?? 0);
    const before = own();
    await new Promise((resolve) => setTimeout(resolve, ticks * TICK_MS));
    const inLua = Object.values(figures().cpuUs).reduce((sum, us) => sum + us, 0);
    return (own() - before + inLua) / 1_000 / ticks;
  },
});
