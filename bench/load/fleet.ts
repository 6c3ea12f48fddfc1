import { execFileSync } from 'node:child_process';
import { type Child, type Core, startChild } from '../children.ts';
import type { Contestant } from '../contestants.ts';
import type { Dialling, Gathered, GatherPlan, HerdKind } from './herd.ts';

const PER_PROCESS = 5_000;
/** Files that a process opens besides its sockets. */
const OTHER_FILES = 256;

/** How many bridges one process can hold on this machine: each needs an open file. */
export const mostBridges = (): number => {
  const limit = execFileSync('sh', ['-c', 'ulimit -n']).toString().trim();
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit) - OTHER_FILES;
};

/** One loopback address has ports for some 28,000 connections, and blocks the ports of ended ones for a while. */
const PER_ADDRESS = 20_000;
let addresses = 0;
/**
 * A separate loopback address for each process, if one is not enough: choosing an address costs more than connecting.
 */
const nextAddress = (count: number): { address?: string } => {
  if (process.platform !== 'linux' || count <= PER_ADDRESS) return {};
  addresses += 1;
  return { address: `127.0.${Math.floor(addresses / 250)}.${2 + (addresses % 250)}` };
};

const total = (all: readonly Gathered[]): Gathered => {
  const sum = (of: (each: Gathered) => number): number => all.reduce((so, each) => so + of(each), 0);
  const most = (of: (each: Gathered) => number): number => Math.max(...all.map(of));
  const errors: Record<string, number> = {};
  for (const each of all) {
    for (const [what, count] of Object.entries(each.errors)) errors[what] = (errors[what] ?? 0) + count;
  }
  return {
    welcomed: sum(({ welcomed }) => welcomed),
    refused: sum(({ refused }) => refused),
    errors,
    p50Ms: most(({ p50Ms }) => p50Ms),
    p99Ms: most(({ p99Ms }) => p99Ms),
    lastMs: most(({ lastMs }) => lastMs),
    cpu: sum(({ cpu }) => cpu),
  };
};

/** Client processes that together hold `count` idle bridges, all on one core. */
export const startFleet = ({ kind, count, core }: { kind: HerdKind; count: number; core: Core | undefined }) => {
  const workers: Child[] = Array.from({ length: Math.ceil(count / PER_PROCESS) }, () =>
    startChild({ args: ['bench/load/worker.ts'], core }),
  );
  const from = workers.map(() => nextAddress(count));
  const share = <T>(items: readonly T[], n: number): T[] => items.filter((_, index) => index % workers.length === n);
  const lanesOf = ({ atOnce, ...rest }: Dialling): Dialling => ({
    ...rest,
    atOnce: Math.ceil(atOnce / workers.length),
  });

  return {
    giveWay: (): Promise<unknown> => Promise.all(workers.map((worker) => worker.ask({ do: 'giveWay' }))),
    /** Adds and connects the bridges of these servers; resolves when all are welcomed. */
    gather: async (
      { servers, tokens }: Pick<Contestant, 'servers' | 'tokens'>,
      dialling: Dialling,
    ): Promise<Gathered> => {
      const plan = (n: number): GatherPlan => ({
        kind,
        servers: share(servers, n),
        tokens: share(tokens, n),
        ...from[n],
        ...lanesOf(dialling),
      });
      return total(await Promise.all(workers.map((worker, n) => worker.ask<Gathered>({ do: 'gather', ...plan(n) }))));
    },
    /** All bridges dial again with their own tokens. */
    comeBack: async (dialling: Dialling): Promise<Gathered> => {
      const question = { do: 'comeBack', ...lanesOf(dialling) };
      return total(await Promise.all(workers.map((worker) => worker.ask<Gathered>(question))));
    },
    /** Number of connected bridges. */
    held: async (): Promise<number> => {
      const held = await Promise.all(workers.map((worker) => worker.ask<number>({ do: 'held' })));
      return held.reduce((sum, each) => sum + each, 0);
    },
    stop: async (): Promise<void> => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
};
export type Fleet = ReturnType<typeof startFleet>;
