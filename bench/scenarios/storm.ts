import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTenantAt } from '../../tests/kit/make-tenant.ts';
import { type Child, type Core, startChild } from '../children.ts';
import { CONTESTANTS, type Contestant, startCauseway } from '../contestants.ts';
import { type Fleet, startFleet } from '../load/fleet.ts';
import type { HerdKind } from '../load/herd.ts';
import type { Paced } from '../load/pacer.ts';
import type { Vitals } from '../probe.ts';
import type { Scenario } from '../scenario.ts';
import { round } from '../statistics.ts';

/** The reconnection of bridges after their hub was killed. */
type Storm = {
  bridges: number;
  /** From the first dial until the last welcome, and until half of the welcomes. */
  allMs: number;
  halfMs: number;
  /** Answers with `Retry-After`, which the bridges obeyed. */
  refused: number;
  /** Attempts that failed in any other way and were repeated. */
  errors: number;
  /** Bridges that were not connected at the end. */
  lost: number;
  /**
   * Kicks, 50 a second, to a bridge that was welcomed before the storm: without other bridges, and during the storm.
   */
  calmP99Ms: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Five more kicks a second, each on a new connection, which waits behind those of the bridges. */
  newP99Ms: number;
  /** All these kicks measured in the server, from the read request to the written answer. */
  serverP50Ms: number;
  serverP99Ms: number;
  kicksFailed: number;
  /** How long the server's event loop was blocked. */
  loopP99Ms: number;
  loopMaxMs: number;
  serverCpu: number;
  loadCpu: number;
};

type StormPlan = {
  bridges: number;
  /** A bridge that is not welcomed by then counts as lost, ms. */
  withinMs: number;
  isPinned: boolean;
};

type Actors = { fleet: Fleet; caller: Child };
/** Starts a contestant: first without limits, then, after it was killed, with the limits to be measured. */
type Launch = (isBack: boolean) => Promise<Contestant>;

const AT_ONCE = 256;
/**
 * Number of bridges that dial at the same moment; each further one dials after a welcome. The kernel's queue of new
 * connections holds 4,096. A bridge that finds it full dials again after a second, with any server.
 */
const DIALLING = 3_000;
const KICKS_PER_SECOND = 50;
const KEPT = 16;
const NEW_PER_SECOND = 5;
const CALM_MS = 3_000;
const SETTLED_MS = 2_000;
/** The hub polls recently changed servers for a while, and all servers are new. */
const NEW_FOR_MS = 6_000;

const sumOf = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

const pace = async (caller: Child, { port, prefix, servers, headers }: Contestant): Promise<void> => {
  const kick = { do: 'pace', port, path: `${prefix}/${servers[0]}/kick`, headers };
  await caller.ask({ ...kick, perSecond: KICKS_PER_SECOND, kept: KEPT });
  await caller.ask({ ...kick, perSecond: NEW_PER_SECOND, kept: 0 });
};

const paced = async (caller: Child) => {
  const [kicks, onNew] = await caller.ask<Paced[]>({ do: 'paced' });
  if (kicks === undefined || onNew === undefined) throw new Error('no kicks were measured');
  return { kicks, onNew };
};

const storm = async (contestant: Contestant, { fleet, caller }: Actors, plan: StormPlan): Promise<Storm> => {
  const { server, port, bridges: kind, servers, tokens } = contestant;
  await caller.ask({ do: 'connect', kind, port, servers: servers.slice(0, 1), tokens: tokens.slice(0, 1) });
  await pace(caller, contestant);
  await sleep(CALM_MS);
  const calm = await paced(caller);
  await pace(caller, contestant);
  await server.ask({ do: 'watchAnswers' });
  await server.ask({ do: 'vitals' });
  const back = await fleet.comeBack({ port, atOnce: DIALLING, withinMs: plan.withinMs });
  const vitals = await server.ask<Vitals>({ do: 'vitals' });
  const { kicks, onNew } = await paced(caller);
  await sleep(SETTLED_MS);
  return {
    bridges: plan.bridges,
    allMs: Math.round(back.lastMs),
    halfMs: Math.round(back.p50Ms),
    refused: back.refused,
    errors: sumOf(back.errors),
    lost: plan.bridges - (await fleet.held()),
    calmP99Ms: round(calm.kicks.p99Ms, 1),
    p50Ms: round(kicks.p50Ms, 1),
    p99Ms: round(kicks.p99Ms, 1),
    maxMs: round(kicks.maxMs, 1),
    newP99Ms: round(onNew.p99Ms, 1),
    serverP50Ms: round(vitals.answerP50Ms, 1),
    serverP99Ms: round(vitals.answerP99Ms, 1),
    kicksFailed: sumOf(kicks.failed) + sumOf(onNew.failed),
    loopP99Ms: round(vitals.loopP99Ms, 1),
    loopMaxMs: round(vitals.loopMaxMs, 1),
    serverCpu: round(vitals.cpu, 2),
    loadCpu: round(back.cpu, 2),
  };
};

const killAndMeasure = async (launch: Launch, actors: Actors, plan: StormPlan): Promise<Storm> => {
  const first = await launch(false);
  try {
    const { port, servers, tokens } = first;
    const dialling = { port, atOnce: AT_ONCE, withinMs: plan.withinMs };
    const herd = { servers: servers.slice(1), tokens: tokens.slice(1) };
    const { welcomed, errors } = await actors.fleet.gather(herd, dialling);
    if (welcomed < plan.bridges) throw new Error(`${first.name} welcomed ${welcomed}: ${JSON.stringify(errors)}`);
    await sleep(NEW_FOR_MS);
    first.server.kill('SIGKILL');
  } finally {
    await first.close();
  }
  const second = await launch(true);
  try {
    return await storm(second, actors, plan);
  } finally {
    await second.close();
  }
};

/**
 * Bridges connect, their server is killed and restarted, and all bridges dial at once when it listens. The first of the
 * contestant's servers has no bridge of the herd: the kicks go to it.
 */
const comeBack = async (kind: HerdKind, launch: Launch, plan: StormPlan): Promise<Storm> => {
  const core = plan.isPinned ? 1 : undefined;
  const fleet = startFleet({ kind, count: plan.bridges, core });
  const caller = startChild({ args: ['bench/load/worker.ts'], core });
  try {
    await fleet.giveWay();
    return await killAndMeasure(launch, { fleet, caller }, plan);
  } finally {
    await caller.stop();
    await fleet.stop();
  }
};

const BRIDGES = 10_000;
const TARGET_ALL_MS = 3_000;
const TARGET_P99_MS = 50;

/** One server more than bridges: the kicks go to the first server. */
const serversOf = (bridges: number): string[] => Array.from({ length: bridges + 1 }, (_, n) => `s${n}`);

type Bounds = Pick<Parameters<typeof startCauseway>[0], 'env' | 'tuning'>;

/** Our hub, on one database before and after; `bounds` are those of the restarted hub. */
const ours = async (plan: StormPlan, core: Core | undefined, bounds: Bounds): Promise<Storm> => {
  const servers = serversOf(plan.bridges);
  const folder = mkdtempSync(join(tmpdir(), 'causeway-storm-'));
  try {
    const url = `file:${join(folder, 'hub.db')}`;
    const on = { url, ...(await makeTenantAt(url, 'bench', { servers })) };
    return await comeBack('causeway', (isBack) => startCauseway({ core, servers, on, ...(isBack && bounds) }), plan);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const peer = (name: string, plan: StormPlan, core: Core | undefined): Promise<Storm> => {
  const start = CONTESTANTS[name];
  if (start === undefined) throw new Error(`unknown contestant ${name}`);
  return comeBack('json', () => start({ core, servers: serversOf(plan.bridges) }), plan);
};

const toTarget = ({ p99Ms }: Storm): Record<string, number> => ({
  [`p99 / ${TARGET_P99_MS} ms`]: round(p99Ms / TARGET_P99_MS, 2),
});

/** All bridges of a killed hub reconnect at once, without a limit on admissions. */
const wideOpen: Scenario = {
  name: `storm, bridges ${BRIDGES.toLocaleString('en-US')}, admission wide open`,
  about: 'All bridges connect again at once, with kicks beside them and no limit of admissions.',
  isQuick: false,
  run: async ({ isPinned }) => {
    const core = isPinned ? 0 : undefined;
    const plan = { bridges: BRIDGES, withinMs: 90_000, isPinned };
    const causeway = await ours(plan, core, {});
    const limit = await peer('limit', plan, core);
    const ratios = {
      'all / limit': round(causeway.allMs / Math.max(1, limit.allMs), 2),
      [`all / ${TARGET_ALL_MS} ms`]: round(causeway.allMs / TARGET_ALL_MS, 2),
      ...toTarget(causeway),
    };
    return { ours: causeway, peers: { limit }, ratios };
  },
};

/** The same with the hub's own limit on admissions per second, which keeps commands fast. */
const bounded: Scenario = {
  name: `storm, bridges ${BRIDGES.toLocaleString('en-US')}, 200 admissions a second`,
  about: 'All bridges connect again at once, with kicks beside them and the default limit of admissions.',
  isQuick: false,
  run: async ({ isPinned }) => {
    const plan = { bridges: BRIDGES, withinMs: 150_000, isPinned };
    const bounds = { env: { ADMISSIONS_PER_SECOND: '200' }, tuning: { connectsPerMinute: 30 } };
    const causeway = await ours(plan, isPinned ? 0 : undefined, bounds);
    return { ours: causeway, peers: {}, ratios: toTarget(causeway) };
  },
};

export const storms: readonly Scenario[] = [wideOpen, bounded];
