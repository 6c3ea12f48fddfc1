import { setTimeout as sleep } from 'node:timers/promises';
import type { Child, Core } from '../children.ts';
import { CONTESTANTS, type Contestant } from '../contestants.ts';
import { type Fleet, mostBridges, startFleet } from '../load/fleet.ts';
import type { Gathered, HerdKind } from '../load/herd.ts';
import type { Vitals } from '../probe.ts';
import type { Scenario } from '../scenario.ts';
import { round } from '../statistics.ts';

/** The cost of idle bridges for a server. */
type Idle = {
  /** Requested and welcomed bridges: the limit on open files bounds the bridges of one process. */
  wanted: number;
  bridges: number;
  /** Handshakes, and the CPU time of the server's process for one, µs. */
  perSecond: number;
  cpuUs: number;
  /** Use of the server's core and of the bridges' core during the handshakes: the one near 1 is the bottleneck. */
  serverCpu: number;
  loadCpu: number;
  /** Memory per bridge after a garbage collection. */
  residentKb: number;
  heapKb: number;
  /** Use of one core and of the event loop while all bridges are idle and send heartbeats; not in the quick run. */
  idlePercent?: number;
  loopMaxMs?: number;
};

type IdlePlan = { wanted: number; isQuick: boolean; isPinned: boolean };

const TARGET_RESIDENT_KB = 9;
/** For 10,000 bridges. */
const TARGET_CPU_PERCENT = 4;
const QUICK_BRIDGES = 1_000;

/**
 * Share of the bridges that connect before the measurement: shared code is loaded by then, and V8's young generation
 * has grown to its final size.
 */
const FIRST = 0.2;
/** A number that fits into the queue of new connections of every server. */
const AT_ONCE = 256;
const WITHIN_MS = 120_000;
/** Heartbeats come every 15 s: this covers two of each bridge. */
const HEARTBEATS_MS = 30_000;
/** The hub polls recently changed servers for a while, and all servers are new. */
const NEW_FOR_MS = 6_000;

/** The memory after a quiet moment. */
const atRest = async (server: Child, isQuick: boolean): Promise<Vitals> => {
  for (let n = 0; n < 2; n += 1) {
    await server.ask({ do: 'vitals', collect: true });
    await sleep(isQuick ? 100 : 1_000);
  }
  return server.ask<Vitals>({ do: 'vitals', collect: true });
};

const gather = async (fleet: Fleet, contestant: Contestant, from: number, to: number): Promise<Gathered> => {
  const { name, port, ...all } = contestant;
  const part = { servers: all.servers.slice(from, to), tokens: all.tokens.slice(from, to) };
  const gathered = await fleet.gather(part, { port, atOnce: AT_ONCE, withinMs: WITHIN_MS });
  const { welcomed, errors } = gathered;
  if (welcomed < to - from) throw new Error(`${name} welcomed ${welcomed} of ${to - from}: ${JSON.stringify(errors)}`);
  return gathered;
};

const heartbeats = async (server: Child): Promise<Pick<Idle, 'idlePercent' | 'loopMaxMs'>> => {
  await server.ask({ do: 'vitals' });
  await sleep(HEARTBEATS_MS);
  const { cpu, loopMaxMs } = await server.ask<Vitals>({ do: 'vitals' });
  return { idlePercent: round(cpu * 100, 2), loopMaxMs: round(loopMaxMs, 1) };
};

const measure = async (contestant: Contestant, fleet: Fleet, plan: IdlePlan): Promise<Idle> => {
  const { server, name } = contestant;
  const { isQuick, wanted } = plan;
  const bridges = contestant.servers.length;
  const first = Math.floor(bridges * FIRST);
  const more = bridges - first;
  await gather(fleet, contestant, 0, first);
  if (name === 'causeway' && !isQuick) await sleep(NEW_FOR_MS);
  const before = await atRest(server, isQuick);
  const gathered = await gather(fleet, contestant, first, bridges);
  const busy = await server.ask<Vitals>({ do: 'vitals' });
  const after = await atRest(server, isQuick);
  const idle = isQuick ? {} : await heartbeats(server);
  const held = await fleet.held();
  if (held < bridges) throw new Error(`${name} lost ${bridges - held} of ${bridges} idle bridges`);
  return {
    wanted,
    bridges,
    perSecond: Math.round((more / gathered.lastMs) * 1_000),
    cpuUs: round((busy.cpuMs * 1_000) / more, 1),
    serverCpu: round(busy.cpu, 2),
    loadCpu: round(gathered.cpu, 2),
    residentKb: round((after.rssBytes - before.rssBytes) / 1_024 / more, 2),
    heapKb: round((after.heapBytes - before.heapBytes) / 1_024 / more, 2),
    ...idle,
  };
};

/** `limit` sends no heartbeats, so only the memory of a bridge is compared. */
const HERDS: Record<string, HerdKind> = { causeway: 'causeway', limit: 'json', 'express-socketio': 'socket.io' };

const measureOne = async (name: string, servers: readonly string[], plan: IdlePlan): Promise<Idle> => {
  const core = (which: Core): Core | undefined => (plan.isPinned ? which : undefined);
  const start = CONTESTANTS[name];
  const kind = HERDS[name];
  if (start === undefined || kind === undefined) throw new Error(`unknown idle contestant ${name}`);
  const contestant = await start({ core: core(0), servers });
  const fleet = startFleet({ kind, count: servers.length, core: core(1) });
  try {
    return await measure(contestant, fleet, plan);
  } finally {
    await fleet.stop();
    await contestant.close();
  }
};

/** Memory and CPU of welcomed idle bridges, one contestant after the other. */
const measureIdle = async (plan: IdlePlan): Promise<Record<string, Idle>> => {
  const bridges = Math.min(plan.wanted, mostBridges());
  const servers = Array.from({ length: bridges }, (_, n) => `s${n}`);
  const measured: Record<string, Idle> = {};
  const names = plan.isQuick ? ['causeway', 'limit'] : Object.keys(HERDS);
  for (const name of names) measured[name] = await measureOne(name, servers, plan);
  return measured;
};

const ratiosOf = (ours: Idle, peers: Record<string, Idle>): Record<string, number> => {
  const { bridges, residentKb, idlePercent } = ours;
  const cpuTarget = (TARGET_CPU_PERCENT * bridges) / 10_000;
  return {
    ...Object.fromEntries(
      Object.entries(peers).map(([name, peer]) => [`resident / ${name}`, round(residentKb / peer.residentKb, 2)]),
    ),
    [`resident / ${TARGET_RESIDENT_KB} KB`]: round(residentKb / TARGET_RESIDENT_KB, 2),
    ...(idlePercent === undefined ? {} : { [`CPU / ${round(cpuTarget, 1)} %`]: round(idlePercent / cpuTarget, 2) }),
  };
};

const idle = (bridges: number): Scenario => ({
  name: `idle, bridges ${bridges.toLocaleString('en-US')}`,
  about: 'Memory and CPU of a server whose bridges are connected and do nothing.',
  isQuick: bridges === QUICK_BRIDGES,
  run: async ({ isPinned }) => {
    const plan = { wanted: bridges, isQuick: bridges === QUICK_BRIDGES, isPinned };
    const { causeway, ...peers } = await measureIdle(plan);
    if (causeway === undefined) throw new Error('our own hub was not measured');
    return { ours: causeway, peers, ratios: ratiosOf(causeway, peers) };
  },
});

export const idles: readonly Scenario[] = [QUICK_BRIDGES, 10_000, 30_000].map(idle);
