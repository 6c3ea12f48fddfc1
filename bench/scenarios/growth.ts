import type { Child } from '../children.ts';
import type { Contestant } from '../contestants.ts';
import { POPULATION_SERVERS, population } from '../population.ts';
import type { Vitals } from '../probe.ts';
import type { Circumstances, Figures, Scenario } from '../scenarios.ts';
import { connectBridges, kick, withHub } from '../stand.ts';
import { median, round } from '../statistics.ts';

const BRIDGES = [1, 100, 10_000];
const STORED = [1_000, 1_000_000];
const CALLERS = 64;
const ROUNDS = 5;
const ROUND_MS = 1_500;
const PIECE_MS = 1_000;
const FEW_COMMANDS = 100_000;
/** As many as fit into MEMORY_WITHIN_MS. */
const MANY_COMMANDS = 10_000_000;
const MEMORY_WITHIN_MS = 180_000;

type Memory = { commands: number; rssMb: number; heapMb: number };
type Pinned = Pick<Circumstances, 'isPinned'>;

/** What one kick costs the hub's process, µs: the median of the rounds after the first. */
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

const withBridges = (bridges: number, { isPinned }: Pinned): Promise<number> => {
  const servers = Array.from({ length: bridges }, (_, n) => `s${n}`);
  return withHub({ isPinned, servers }, async ({ hub, worker }) => {
    const load = worker();
    await connectBridges(hub, load);
    return costOfKick(hub, load);
  });
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

/** Kicks until enough are carried out or the time is over; how many that were. */
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

/** The hub's memory (MiB, after a collection) once it has carried out some commands, and again after many. */
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

const costs = async (
  sizes: readonly number[],
  what: string,
  measure: (size: number) => Promise<number>,
): Promise<Figures> => {
  const figures: Figures = {};
  for (const size of sizes) figures[`cpuUs ${what} ${size}`] = await measure(size);
  return figures;
};

/** Whether a command costs more (CPU of the hub, µs) and the hub holds more (MiB), the more there is of anything. */
export const growth: Scenario = {
  name: 'growth',
  isQuick: false,
  run: async (circumstances) => {
    const bridges = await costs(BRIDGES, 'bridges', (count) => withBridges(count, circumstances));
    const stored = await costs(STORED, 'players', (count) => withPlayers(count, circumstances));
    const { few, many } = await memory(circumstances);
    const byBridges = Object.values(bridges);
    const byPlayers = Object.values(stored);
    return {
      ours: {
        ...bridges,
        ...stored,
        commandsFew: few.commands,
        rssMbFew: few.rssMb,
        heapMbFew: few.heapMb,
        commandsMany: many.commands,
        rssMbMany: many.rssMb,
        heapMbMany: many.heapMb,
      },
      peers: {},
      ratios: {
        'cost, most / fewest bridges': ratio(byBridges.at(-1), byBridges[0]),
        'cost, most / fewest players': ratio(byPlayers.at(-1), byPlayers[0]),
        'heap, many / few commands': ratio(many.heapMb, few.heapMb),
        'resident, many / few commands': ratio(many.rssMb, few.rssMb),
      },
    };
  },
};
