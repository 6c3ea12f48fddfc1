import { setTimeout as pause } from 'node:timers/promises';
import { type Child, type Core, startChild } from '../children.ts';
import { type Contestant, startCauseway } from '../contestants.ts';
import type { Load } from '../load/callers.ts';
import type { Paced } from '../load/pacer.ts';
import type { Vitals } from '../probe.ts';
import type { Circumstances, Figures, Result, Scenario } from '../scenario.ts';
import { connectBridges, kick } from '../stand.ts';
import { median, round } from '../statistics.ts';

/** Webhooks of a project, by what their receivers do; the most that a project may have is 50. */
type Hooks = { good: number; hanging: number };
/** `events`: they are kept, and nobody gets them. */
const ROWS = {
  'events off': undefined,
  'events kept': { good: 0, hanging: 0 },
  'one good': { good: 1, hanging: 0 },
  '49 hang': { good: 1, hanging: 49 },
} satisfies Record<string, Hooks | undefined>;

type Row = keyof typeof ROWS;

const SERVERS = ['s0'] as const;
const CALLERS = 64;
/** An idle server loses compiled code: it works until another turn makes it hardly faster. */
const WARM_MS = 1_000;
const MOST_WARM_TURNS = 4;
const HARDLY_FASTER = 1.05;
const LOOK_EVERY_MS = 50;
const ALL_WITHIN_MS = 120_000;
const EVENTS_KEPT = /^causeway_events_kept_total (\d+)/m;

/** A hub with its callers, its bridge, and the process that gets its webhooks. */
type Stand = { hub: Contestant; worker: Child; receiver: Child; receiverPort: number; hooks: string[] };

const start = async (isPinned: boolean): Promise<Stand> => {
  const core = (which: Core): Core | undefined => (isPinned ? which : undefined);
  const hub = await startCauseway({ core: core(0), servers: SERVERS, env: { WEBHOOKS_MAY_REACH: '127.0.0.1' } });
  const [worker, receiver] = ['worker', 'receiver'].map((file) =>
    startChild({ args: [`bench/load/${file}.ts`], core: core(1) }),
  ) as [Child, Child];
  await connectBridges(hub, worker);
  return { hub, worker, receiver, receiverPort: await receiver.ask<number>({ do: 'listen' }), hooks: [] };
};

const stop = async ({ hub, worker, receiver }: Stand): Promise<void> => {
  await worker.stop();
  // Before the hub, which would wait for no answer of it.
  await receiver.stop();
  await hub.close();
};

const ask = async <T>({ hub }: Stand, method: string, path: string, body?: object): Promise<T> => {
  const response = await fetch(`http://127.0.0.1:${hub.port}${path}`, {
    method,
    headers: { ...hub.headers, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
  return (response.status === 204 ? undefined : await response.json()) as T;
};

const addHook = async (stand: Stand, path: string): Promise<string> => {
  const url = `http://127.0.0.1:${stand.receiverPort}${path}`;
  const { id } = await ask<{ id: string }>(stand, 'POST', '/api/v2/webhooks', { url });
  stand.hooks.push(id);
  return id;
};

/** New webhooks, which get what happens from now on. */
const addHooks = async (stand: Stand, { good, hanging }: Hooks): Promise<void> => {
  for (let n = 0; n < good; n += 1) await addHook(stand, '/good');
  for (let n = 0; n < hanging; n += 1) await addHook(stand, '/hang');
  await stand.receiver.ask({ do: 'posts' });
};

/** Also forgets what they have not got yet. */
const removeHooks = async (stand: Stand): Promise<void> => {
  for (const id of stand.hooks.splice(0)) await ask(stand, 'DELETE', `/api/v2/webhooks/${id}`);
};

const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + ALL_WITHIN_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what}: took too long`);
    await pause(LOOK_EVERY_MS);
  }
};

const keptBy = async ({ hub }: Stand): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${hub.port}/metrics`);
  return Number(EVENTS_KEPT.exec(await response.text())?.[1] ?? 0);
};

/** Resolves when the hub has told all events: no more came for a second. */
const untilTold = async (stand: Stand): Promise<void> => {
  let before = await keptBy(stand);
  await until('all events', async () => {
    await pause(1_000);
    const now = await keptBy(stand);
    const isAll = now === before;
    before = now;
    return isAll;
  });
};

const warmUp = async ({ hub, worker }: Stand): Promise<void> => {
  let best = 0;
  for (let turns = 0; turns < MOST_WARM_TURNS; turns += 1) {
    const { perSecond } = await kick(hub, worker, { callers: CALLERS, forMs: WARM_MS });
    if (perSecond < best * HARDLY_FASTER) return;
    best = perSecond;
  }
};

const vitalsOf = ({ hub }: Stand): Promise<Vitals> => hub.server.ask<Vitals>({ do: 'vitals' });

/** Kicks at a steady pace until `over` resolves. */
const pace = async (
  { hub, worker }: Stand,
  { perSecond, kept }: { perSecond: number; kept: number },
  over: () => Promise<unknown>,
): Promise<Paced> => {
  const { port, prefix, servers, headers } = hub;
  await worker.ask({ do: 'pace', port, path: `${prefix}/${servers[0]}/kick`, headers, perSecond, kept });
  await over();
  const [paced] = await worker.ask<Paced[]>({ do: 'paced' });
  if (paced === undefined) throw new Error('no kicks were measured');
  const failures = Object.entries(paced.failed).map(([what, count]) => `${count} × ${what}`);
  if (failures.length > 0) throw new Error(`the hub answered ${failures.join(', ')}`);
  return paced;
};

type Turn = (stand: Stand, hooks: Hooks | undefined, forMs: number) => Promise<Figures>;

/** As many kicks as the hub takes. What its webhooks have not got by the end is not waited for. */
const fullSpeed: Turn = async (stand, _hooks, forMs) => {
  await vitalsOf(stand);
  const { requests, perSecond, p99Us }: Load = await kick(stand.hub, stand.worker, { callers: CALLERS, forMs });
  const { cpuMs } = await vitalsOf(stand);
  const { taken, hanging } = await stand.receiver.ask<{ taken: number; hanging: number }>({ do: 'posts' });
  return { perSecond, p99Us, cpuUs: (cpuMs * 1_000) / requests, posts: taken, hanging };
};

const STEADY = { perSecond: 500, kept: 64 };

/** Kicks at a steady pace. The good receiver has all of them at the end, so all of their cost is counted. */
const steady: Turn = async (stand, hooks, forMs) => {
  await vitalsOf(stand);
  const { requests, p50Ms, p99Ms, maxMs } = await pace(stand, STEADY, () => pause(forMs));
  const all = requests + STEADY.kept;
  let [taken, hanging] = [0, 0];
  await until('all posts', async () => {
    const more = await stand.receiver.ask<{ taken: number; hanging: number }>({ do: 'posts' });
    taken += more.taken;
    hanging += more.hanging;
    return taken >= all * (hooks?.good ?? 0);
  });
  const { cpuMs, loopP99Ms } = await vitalsOf(stand);
  return { p50Ms, p99Ms, maxMs, loopP99Ms, cpuUs: (cpuMs * 1_000) / all, posts: taken, hanging };
};

const middleOf = (turns: readonly Figures[]): Figures =>
  Object.fromEntries(
    Object.keys(turns[0] ?? {}).map((name) => [name, round(median(turns.map((turn) => turn[name] ?? 0)), 2)]),
  );

/** All rows in turn, in several rounds; webhooks are new in each turn. */
const inRounds = async (
  { isPinned }: Circumstances,
  { turn, rounds, forMs, without }: { turn: Turn; rounds: number; forMs: number; without?: Row },
): Promise<Record<Row, Figures>> => {
  const rows = Object.entries(ROWS).filter(([name]) => name !== without);
  const stands: Stand[] = [];
  try {
    for (const [, hooks] of rows) {
      const stand = await start(isPinned);
      stands.push(stand);
      if (hooks === undefined) continue;
      // A project keeps its events from its first webhook on.
      await addHook(stand, '/good');
      await removeHooks(stand);
    }
    const turns: Figures[][] = rows.map(() => []);
    for (let n = 0; n < rounds; n += 1) {
      for (const [place, [, hooks]] of rows.entries()) {
        const stand = stands[place];
        if (stand === undefined) continue;
        await warmUp(stand);
        if (hooks !== undefined) {
          await untilTold(stand);
          await addHooks(stand, hooks);
        }
        turns[place]?.push(await turn(stand, hooks, forMs));
        await removeHooks(stand);
        if (hooks !== undefined) await untilTold(stand);
      }
    }
    return Object.fromEntries(rows.map(([name], place) => [name, middleOf(turns[place] ?? [])])) as Record<
      Row,
      Figures
    >;
  } finally {
    for (const stand of stands) await stop(stand);
  }
};

const ratio = (ours: Figures, theirs: Figures, name: string): number =>
  round((ours[name] ?? 0) / Math.max(theirs[name] ?? 0, 1e-9), 3);

const resultOf = (rows: Record<Row, Figures>, speed: 'perSecond' | 'p99Ms'): Result => {
  const { '49 hang': ours, ...peers } = rows;
  const { 'one good': good, 'events off': off } = peers;
  return {
    ours,
    peers,
    ratios: {
      'cpu / one good': ratio(ours, good, 'cpuUs'),
      [`${speed} / one good`]: ratio(ours, good, speed),
      [`${speed} / events off`]: ratio(ours, off, speed),
      [`${speed} of one good / events off`]: ratio(good, off, speed),
    },
  };
};

const REPLAYED = 100_000;
const BESIDE = { perSecond: 100, kept: 16 };
const CALM_MS = 10_000;

/** Sends the events of many kicks again, while kicks go on. */
const replay = async ({ isPinned, isQuick }: Circumstances): Promise<Result> => {
  const stand = await start(isPinned);
  const events = isQuick ? 2_000 : REPLAYED;
  try {
    const since = new Date().toISOString();
    await addHook(stand, '/good');
    await removeHooks(stand);
    for (let done = 0; done < events; ) {
      done += (await kick(stand.hub, stand.worker, { callers: CALLERS, forMs: isQuick ? 500 : 2_000 })).requests;
    }
    await untilTold(stand);
    await vitalsOf(stand);
    const calm = await pace(stand, BESIDE, () => pause(isQuick ? 500 : CALM_MS));
    const before = await vitalsOf(stand);
    const cpuOfKick = before.cpuMs / (calm.requests + BESIDE.kept);
    await untilTold(stand);
    const owed = await keptBy(stand);
    const hook = await addHook(stand, '/good');
    await stand.receiver.ask({ do: 'posts' });
    await vitalsOf(stand);
    const begin = performance.now();
    let taken = 0;
    const beside = await pace(stand, BESIDE, async () => {
      await ask(stand, 'POST', `/api/v2/webhooks/${hook}/replay`, { since });
      await until('the replay', async () => {
        taken += (await stand.receiver.ask<{ taken: number }>({ do: 'posts' })).taken;
        return taken >= owed;
      });
    });
    const tookMs = performance.now() - begin;
    const { cpuMs, cpu, loopP99Ms, loopMaxMs } = await vitalsOf(stand);
    const ours: Figures = {
      events: owed,
      seconds: round(tookMs / 1_000, 1),
      perSecond: round((taken * 1_000) / tookMs),
      cpuUsPerPost: round(((cpuMs - beside.requests * cpuOfKick) * 1_000) / taken, 1),
      cpu: round(cpu, 2),
      kickP50Ms: round(beside.p50Ms, 2),
      kickP99Ms: round(beside.p99Ms, 2),
      kickMaxMs: round(beside.maxMs, 1),
      loopP99Ms: round(loopP99Ms, 1),
      loopMaxMs: round(loopMaxMs, 1),
    };
    const peer = { kickP50Ms: round(calm.p50Ms, 2), kickP99Ms: round(calm.p99Ms, 2), kickMaxMs: round(calm.maxMs, 1) };
    return {
      ours,
      peers: { 'before the replay': peer },
      ratios: { 'kick p99 / before': ratio(ours, peer, 'kickP99Ms') },
    };
  } finally {
    await stop(stand);
  }
};

/** Kicks of a project with webhooks, beside the same hub without events, and a replay. */
export const webhooks: readonly Scenario[] = [
  {
    name: 'webhooks, full speed',
    about: 'Kicks from 64 callers, with one webhook that is taken and 49 that hang.',
    isQuick: false,
    run: async (circumstances) =>
      resultOf(
        await inRounds(circumstances, { turn: fullSpeed, rounds: 4, forMs: 3_000, without: 'events kept' }),
        'perSecond',
      ),
  },
  {
    name: 'webhooks, 500 a second',
    about: 'Kicks at a steady pace; each turn of 17 s is longer than the deadline of a post.',
    isQuick: false,
    run: async (circumstances) =>
      resultOf(await inRounds(circumstances, { turn: steady, rounds: 2, forMs: 17_000 }), 'p99Ms'),
  },
  {
    name: 'webhooks, replay',
    about: 'A receiver gets 100,000 events again, with 100 kicks a second beside it.',
    isQuick: false,
    run: replay,
  },
];
