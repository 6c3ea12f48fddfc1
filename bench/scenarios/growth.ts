import { type Child, type Core, startChild } from '../children.ts';
import { CONTESTANTS, type Contestant } from '../contestants.ts';
import { POPULATION_SERVERS, population } from '../population.ts';
import type { Vitals } from '../probe.ts';
import type { Circumstances, Figures, Scenario } from '../scenario.ts';
import { connectBridges, kick, withHub } from '../stand.ts';
import { median, round } from '../statistics.ts';

const BRIDGES = [1, 100, 10_000];
const STORED = [1_000, 1_000_000];
const CALLERS = 64;
const ROUNDS = 5;
const ROUND_MS = 1_500;
const PIECE_MS = 1_000;
const FEW_COMMANDS = 100_000;
/** The number of commands that fit into MEMORY_WITHIN_MS. */
const MANY_COMMANDS = 10_000_000;
const MEMORY_WITHIN_MS = 180_000;

type Memory = { commands: number; rssMb: number; heapMb: number };
type Pinned = Pick<Circumstances, 'isPinned'>;

/** CPU time of the hub's process for one kick, µs: the median of the rounds after the first. */
const costOfKick = async (hub: Contestant, worker: Child): Promise<number> => {
  const costs: number[] = [];
  for (let n = 0; n <= ROUNDS; n += 1) {
    await hub.server.ask({ do: 'vitals' });
    const { requests } = await kick(hub, worker, { callers: CALLERS, forMs: ROUND_MS });
    const { cpuMs } = await hub.server.ask<Vitals>({ do: 'vitals' });
    if (n > 0) costs.push((cpuMs * 1_000) / Math.max(1, requests));
  }
  return round(median(costs), 1);
};

const withBridges = async (name: string, bridges: number, { isPinned }: Pinned): Promise<number> => {
  const core = (which: Core): Core | undefined => (isPinned ? which : undefined);
  const start = CONTESTANTS[name];
  if (start === undefined) throw new Error(`unknown contestant ${name}`);
  const contestant = await start({ core: core(0), servers: Array.from({ length: bridges }, (_, n) => `s${n}`) });
  const worker = startChild({ args: ['bench/load/worker.ts'], core: core(1) });
  try {
    await connectBridges(contestant, worker);
    return await costOfKick(contestant, worker);
  } finally {
    await worker.stop();
    await contestant.close();
  }
};

const withPlayers = async (players: number, { isPinned }: Pinned): Promise<number> => {
  const stock = await population(players);
  return withHub({ isPinned, servers: POPULATION_SERVERS, on: stock }, async ({ hub, worker }) => {
    const load = worker();
    await connectBridges(hub, load);
    return costOfKick(hub, load);
  });
};

const megabytes = (bytes: number): number => round(bytes / 2 ** 20, 1);

/** Kicks until enough are carried out or the time is over; returns their number. */
const kickMany = async (hub: Contestant, worker: Child, commands: number, withinMs: number): Promise<number> => {
  const deadline = performance.now() + withinMs;
  let done = 0;
  while (done < commands && performance.now() < deadline) {
    const { requests } = await kick(hub, worker, { callers: CALLERS, forMs: PIECE_MS });
    if (requests === 0) throw new Error('the hub carried out no command in a second');
    done += requests;
  }
  return done;
};

/** The hub's memory (MiB, after a collection) after some commands, and again after many. */
const memory = ({ isPinned }: Pinned): Promise<Record<'few' | 'many', Memory>> =>
  withHub({ isPinned, servers: ['s0'] }, async ({ hub, worker }) => {
    const load = worker();
    await connectBridges(hub, load);
    const after = async (commands: number): Promise<Memory> => {
      const { rssBytes, heapBytes } = await hub.server.ask<Vitals>({ do: 'vitals', collect: true });
      return { commands, rssMb: megabytes(rssBytes), heapMb: megabytes(heapBytes) };
    };
    const some = await kickMany(hub, load, FEW_COMMANDS, MEMORY_WITHIN_MS);
    const few = await after(some);
    return { few, many: await after(some + (await kickMany(hub, load, MANY_COMMANDS - some, MEMORY_WITHIN_MS))) };
  });

const ratio = (after: number | undefined, before: number | undefined): number => round((after ?? 0) / (before ?? 1), 2);

const costs = async (sizes: readonly number[], measure: (size: number) => Promise<number>): Promise<Figures> => {
  const figures: Figures = {};
  for (const size of sizes) figures[`cpuUs ${size}`] = await measure(size);
  return figures;
};

const growthOf = (figures: Figures): number => {
  const sizes = Object.values(figures);
  return ratio(sizes.at(-1), sizes[0]);
};

/**
 * Whether a command costs more CPU of the server (µs) with more bridges. Frames of one turn for the same bridge share a
 * write, so a single bridge is cheaper with any server. From 100 bridges on, no writes are shared.
 */
const byBridges: Scenario = {
  name: 'growth, bridges',
  about: 'CPU for each kick with more and more bridges connected.',
  isQuick: false,
  run: async (circumstances) => {
    const of = (name: string) => costs(BRIDGES, (count) => withBridges(name, count, circumstances));
    const [ours, limit] = [await of('causeway'), await of('limit')];
    const unshared = (figures: Figures): number => ratio(figures['cpuUs 10000'], figures['cpuUs 100']);
    return {
      ours,
      peers: { limit },
      ratios: {
        'cost, 10,000 / 1 bridges': growthOf(ours),
        'the same, limit': growthOf(limit),
        'cost, 10,000 / 100 bridges': unshared(ours),
        'the same with 100, limit': unshared(limit),
      },
    };
  },
};

/** The same measurement for stored players. */
const byPlayers: Scenario = {
  name: 'growth, players',
  about: 'CPU for each kick with more and more players stored.',
  isQuick: false,
  run: async (circumstances) => {
    const ours = await costs(STORED, (count) => withPlayers(count, circumstances));
    return { ours, peers: {}, ratios: { 'cost, most / fewest players': growthOf(ours) } };
  },
};

/** Whether the hub uses more memory (MiB) after more commands. */
const byCommands: Scenario = {
  name: 'growth, memory',
  about: 'The heap after more and more commands.',
  isQuick: false,
  run: async (circumstances) => {
    const { few, many } = await memory(circumstances);
    return {
      ours: {
        commandsFew: few.commands,
        rssMbFew: few.rssMb,
        heapMbFew: few.heapMb,
        commandsMany: many.commands,
        rssMbMany: many.rssMb,
        heapMbMany: many.heapMb,
      },
      peers: {},
      ratios: {
        'heap, many / few commands': ratio(many.heapMb, few.heapMb),
        'resident, many / few commands': ratio(many.rssMb, few.rssMb),
      },
    };
  },
};

export const growths: readonly Scenario[] = [byBridges, byPlayers, byCommands];
