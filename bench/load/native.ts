import { heapMiB } from '../../tests/kit/memory.ts';
import { answerQuestions } from '../children.ts';
import { temporaryFolder } from '../folders.ts';
import { type CrowdName, writeCrowd } from '../native/crowd.ts';
import { assertLua, type GarbageMode, startLua } from '../native/lua.ts';
import { createServer } from '../native/natives.ts';
import { type Stop, watchStops, withoutStops } from '../native/stops.ts';
import { createSteady } from './steady.ts';
import { openThreadClock } from './thread.ts';
import { SLOW_MS, type Slices, slicesOf, type Turn, watchTurns } from './turns.ts';

export type NativePlan = { framework: CrowdName; mode: GarbageMode; stored: number; online: number };
/**
 * How long the thread, which both runtimes would share, was held: by the clock, by its CPU time, and by its CPU time
 * without the stops of the machine.
 */
type Held = Record<'wall' | 'cpu' | 'ran', Slices>;
/**
 * Figures of both runtimes with the work between them, of Lua alone, and of a steady piece of work after each slice;
 * `memoryKb` is that of Lua. Of the slices that were long by the clock, `waiting` used less CPU and waited for their
 * core. `stops` are stops of the machine in either runtime. `uneven` counts slices of over 5 ms during which the core
 * ran irregularly, and the share of all slices with an irregular core.
 */
export type NativeSlices = {
  both: Held;
  lua: Omit<Held, 'ran'>;
  steady: Held;
  waiting: number;
  uneven: { over5: number; share: number };
  stops: { count: number; maxMs: number; totalMs: number };
  memoryKb: number;
};
type Figures = { wallUs: Record<string, number>; cpuUs: Record<string, number>; memoryKb: number };

/** One in this many slices samples how regularly the core ran. */
const LOOKED_AT = 100;
/** The tick of a real server. */
const TICK_MS = 50;

let lua: ReturnType<typeof startLua> | undefined;
let server: Awaited<ReturnType<typeof createServer>> | undefined;
let turns: ReturnType<typeof watchTurns> | undefined;
let stops: Awaited<ReturnType<typeof watchStops>> | undefined;
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

const heldOf = (turns: readonly Turn[], stops: readonly Stop[]): Held => ({
  wall: slicesOf(turns.map(({ wallMs }) => wallMs)),
  cpu: slicesOf(turns.map(({ cpuMs }) => cpuMs)),
  ran: slicesOf(withoutStops(turns, stops)),
});
const ofLua = (us: Record<string, number>): Slices => slicesOf(Object.values(us).map((one) => one / 1_000));

/**
 * The shipped resource in native Lua and plain Node.js; frameworks and database are texts that were made beforehand.
 */
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
  /** Starts the resource, and measures from its first turn on. Returns how long its script took, milliseconds. */
  connect: async ({ url, token }: { url: string; token: string }): Promise<number> => {
    if (server === undefined || steady === undefined) throw new Error('the game server is not prepared');
    // Garbage from the construction of the game server does not belong to the resource.
    heapMiB();
    stops = await watchStops();
    const tookMs = server.load({ causeway_url: url, causeway_token: token });
    figures();
    turns = watchTurns({ cpuUs, between: steady.run });
    return tookMs;
  },
  watched: async (): Promise<NativeSlices> => {
    if (turns === undefined || steady === undefined || stops === undefined) throw new Error('nothing was watched');
    const watched = turns.stop();
    const { wallUs, cpuUs, memoryKb } = figures();
    const { stops: stopped, isUneven } = await stops.stop([process.pid, lua?.pid ?? 0]);
    const ran = withoutStops(watched, stopped);
    const looked = watched.filter((_, nth) => nth % LOOKED_AT === 0);
    return {
      both: heldOf(watched, stopped),
      uneven: {
        over5: watched.filter((turn, nth) => (ran[nth] ?? 0) > SLOW_MS && isUneven(turn)).length,
        share: looked.filter(isUneven).length / looked.length,
      },
      lua: { wall: ofLua(wallUs), cpu: ofLua(cpuUs) },
      steady: heldOf(steady.all(), stopped),
      waiting: watched.filter(({ wallMs, cpuMs }) => wallMs > SLOW_MS && cpuMs <= SLOW_MS).length,
      stops: slicesOf(stopped.map(({ stoppedMs }) => stoppedMs)),
      memoryKb,
    };
  },
  /** CPU of both idle runtimes for each tick, ms; without the pipe between them. */
  idle: async ({ ticks }: { ticks: number }): Promise<number> => {
    figures();
    const own = (): number => nodeUs() - (server?.tickUs() ?? 0);
    const before = own();
    await new Promise((resolve) => setTimeout(resolve, ticks * TICK_MS));
    const inLua = Object.values(figures().cpuUs).reduce((sum, us) => sum + us, 0);
    return (own() - before + inLua) / 1_000 / ticks;
  },
});
