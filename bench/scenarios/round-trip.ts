import type { Child, Core } from '../children.ts';
import { startChild } from '../children.ts';
import { CONTESTANTS, type Contestant } from '../contestants.ts';
import type { Drive, DrivePlan } from '../load/worker.ts';
import type { Vitals } from '../probe.ts';
import { median, round, spread } from '../statistics.ts';

export type Measured = {
  perSecond: number;
  /** The spread of the middle half of the rounds, as a share of the median. */
  spread: number;
  p50Us: number;
  p99Us: number;
  /** CPU time of the server's process for one command, µs; other work on the machine affects it less than the rates. */
  cpuUs: number;
  /** Use of the server's core, and of the core of callers and bridges: the one near 1 is the bottleneck. */
  serverCpu: number;
  loadCpu: number;
  loopP99Ms: number;
};

export type RoundTrip = {
  command: 'kick' | 'money';
  callers: number;
  bridges: number;
  rounds: number;
  roundMs: number;
  contestants: readonly string[];
  isPinned: boolean;
};

type Seat = { name: string; contestant: Contestant; worker: Child; drives: Drive[]; vitals: Vitals[] };

const CALLERS_THAT_WARM = 64;
/**
 * Before each round, not counted. While the others take their turns, V8 collects the garbage of an idle server and drops
 * compiled code with it. The server then needs seconds to compile it again.
 */
const WARM_MS = 1_500;
const MOST_WARM_TURNS = 6;
const HARDLY_FASTER = 1.05;

const serversOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `s${n}`);

const seat = async (name: string, { bridges, isPinned }: RoundTrip): Promise<Seat> => {
  const core = (which: Core): Core | undefined => (isPinned ? which : undefined);
  const start = CONTESTANTS[name];
  if (start === undefined) throw new Error(`unknown contestant ${name}`);
  const contestant = await start({ core: core(0), servers: serversOf(bridges) });
  const worker = startChild({ args: ['bench/load/worker.ts'], core: core(1) });
  const { port, servers, tokens } = contestant;
  await worker.ask({ do: 'connect', kind: contestant.bridges, port, servers, tokens });
  return { name, contestant, worker, drives: [], vitals: [] };
};

const playRound = async ({ contestant, worker, drives, vitals }: Seat, plan: RoundTrip, forMs: number) => {
  const { port, prefix, servers, headers, server } = contestant;
  await server.ask({ do: 'vitals' });
  const question: DrivePlan = {
    port,
    prefix,
    servers,
    headers,
    command: plan.command,
    callers: plan.callers,
    forMs,
  };
  const drive = await worker.ask<Drive>({ do: 'drive', ...question });
  const failures = Object.entries(drive.failed).map(([line, count]) => `${count} × ${line}`);
  if (failures.length > 0) throw new Error(`${contestant.name} answered ${failures.join(', ')}`);
  vitals.push(await server.ask<Vitals>({ do: 'vitals' }));
  drives.push(drive);
};

const summaryOf = ({ drives, vitals }: Seat): Measured => ({
  perSecond: median(drives.map(({ perSecond }) => perSecond)),
  spread: round(spread(drives.map(({ perSecond }) => perSecond)), 3),
  p50Us: median(drives.map(({ p50Us }) => p50Us)),
  p99Us: median(drives.map(({ p99Us }) => p99Us)),
  cpuUs: round(median(vitals.map(({ cpuMs }, n) => (cpuMs * 1_000) / Math.max(1, drives[n]?.requests ?? 1))), 1),
  serverCpu: round(median(vitals.map(({ cpu }) => cpu)), 2),
  loadCpu: round(median(drives.map(({ cpu }) => cpu)), 2),
  loopP99Ms: round(median(vitals.map(({ loopP99Ms }) => loopP99Ms)), 1),
});

/** A server that was idle has lost compiled code: it works until another turn makes it hardly faster. */
const warmUp = async (each: Seat, warming: RoundTrip, ms: number): Promise<void> => {
  let best = 0;
  for (let turns = 0; turns < MOST_WARM_TURNS; turns += 1) {
    const turn: Seat = { ...each, drives: [], vitals: [] };
    await playRound(turn, warming, ms);
    const rate = turn.drives[0]?.perSecond ?? 0;
    if (rate < best * HARDLY_FASTER) return;
    best = rate;
  }
};

/** Sends the same command through all contestants in turn, in many rounds, so that disturbances affect all alike. */
export const measureRoundTrip = async (plan: RoundTrip): Promise<Record<string, Measured>> => {
  const seats: Seat[] = [];
  try {
    for (const name of plan.contestants) seats.push(await seat(name, plan));
    // Warm-up, not counted: compiled code and warm caches. It uses many callers, because V8 compiles code only after
    // some thousand runs.
    const warming = { ...plan, callers: Math.max(plan.callers, CALLERS_THAT_WARM) };
    for (const each of seats) await playRound(each, warming, plan.roundMs);
    for (const each of seats) Object.assign(each, { drives: [], vitals: [] });
    for (let n = 0; n < plan.rounds; n += 1) {
      for (const each of seats) {
        await warmUp(each, warming, Math.min(WARM_MS, 2 * plan.roundMs));
        await playRound(each, plan, plan.roundMs);
      }
    }
    return Object.fromEntries(seats.map((each) => [each.name, summaryOf(each)]));
  } finally {
    for (const { contestant, worker } of seats) {
      await worker.stop();
      await contestant.close();
    }
  }
};
