import { setTimeout as pause } from 'node:timers/promises';
import type { Child } from '../children.ts';
import type { Contestant } from '../contestants.ts';
import type { SnapshotPlan, SyncPlan } from '../load/reader.ts';
import type { Vitals } from '../probe.ts';
import type { Figures, Scenario } from '../scenario.ts';
import { connectBridges, getJson, kick, withHub } from '../stand.ts';
import { round } from '../statistics.ts';

const PLAYERS = 100_000;
const QUICK_PLAYERS = 2_000;
const SERVERS = ['syncing', 'kicked'] as const;
const [SYNCING, KICKED] = SERVERS;
const SYNCED = /^causeway_players_synced_total (\d+)/m;
const LOOK_EVERY_MS = 100;
const STORED_WITHIN_MS = 150_000;

type Kicks = { worstP99Us: number; count: number };

const syncedSoFar = async ({ port }: Contestant): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(10_000) });
  return Number(SYNCED.exec(await response.text())?.[1] ?? 0);
};

/** Resolves when the hub has stored this many records since its start. */
const untilSynced = async (hub: Contestant, records: number): Promise<void> => {
  const deadline = performance.now() + STORED_WITHIN_MS;
  while ((await syncedSoFar(hub)) < records) {
    if (performance.now() > deadline) throw new Error(`${records} records were not stored in time`);
    await pause(LOOK_EVERY_MS);
  }
};

/** Runs kicks by one caller in short pieces until a task ends; returns the worst p99 of all pieces. */
const kickUntil = async (hub: Contestant, worker: Child, forMs: number, isOver: () => boolean): Promise<Kicks> => {
  const kicks: Kicks = { worstP99Us: 0, count: 0 };
  do {
    const { p99Us, requests } = await kick(hub, worker, { callers: 1, forMs, servers: [KICKED] });
    // A piece without a finished kick: the kick took longer than the piece.
    kicks.worstP99Us = Math.max(kicks.worstP99Us, requests === 0 ? forMs * 1_000 : p99Us);
    kicks.count += requests;
  } while (!isOver());
  return kicks;
};

/** One whole snapshot: seconds until it is stored, and its effect on other work. */
const measureSnapshot = async (
  hub: Contestant,
  { reader, worker, players, revision }: { reader: Child; worker: Child; players: number; revision: number },
): Promise<Figures> => {
  await hub.server.ask({ do: 'vitals' });
  const start = performance.now();
  let tookMs: number | undefined;
  const question: SnapshotPlan = { revision };
  const sending = reader.ask({ do: 'snapshot', ...question });
  const storing = untilSynced(hub, players * revision).finally(() => {
    tookMs = performance.now() - start;
  });
  const pieceMs = Math.min(1_000, players / 10);
  const [kicks] = await Promise.all([kickUntil(hub, worker, pieceMs, () => tookMs !== undefined), storing, sending]);
  const { cpuMs, loopP99Ms, loopMaxMs } = await hub.server.ask<Vitals>({ do: 'vitals' });
  const seconds = (tookMs ?? 0) / 1_000;
  return {
    storedS: round(seconds, 2),
    playersPerSecond: round(players / seconds),
    cpuUsPerPlayer: round((cpuMs * 1_000) / players, 1),
    kicks: kicks.count,
    kickP99Ms: round(kicks.worstP99Us / 1_000, 2),
    loopP99Ms: round(loopP99Ms, 1),
    loopMaxMs: round(loopMaxMs, 1),
  };
};

const named = (suffix: string, figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${name}${suffix}`, value]));

/**
 * Sends all players of one bridge, 2 KB each, into an empty hub, then again as after a reconnect; kicks run meanwhile.
 */
export const sync: Scenario = {
  name: 'sync',
  about: 'One bridge sends a snapshot of many players, with kicks beside it.',
  isQuick: true,
  run: async ({ isQuick, isPinned }) => {
    const players = isQuick ? QUICK_PLAYERS : PLAYERS;
    const ours = await withHub({ isPinned, servers: SERVERS }, async (stand) => {
      const [hub, reader, worker] = [stand.hub, stand.reader(), stand.worker()];
      await connectBridges(hub, worker, [KICKED]);
      await kick(hub, worker, { callers: 1, forMs: isQuick ? 200 : 2_000, servers: [KICKED] });
      const question: SyncPlan = { port: hub.port, token: hub.tokens[0] ?? '', players };
      await reader.ask({ do: 'join', ...question });
      const first = await measureSnapshot(hub, { reader, worker, players, revision: 1 });
      const again = await measureSnapshot(hub, { reader, worker, players, revision: 2 });
      const { pagination } = await getJson<{ pagination: { total: number } }>(
        hub,
        `/api/v2/players?limit=1&serverId=${SYNCING}`,
      );
      if (pagination.total !== players) throw new Error(`${pagination.total} players are stored, not ${players}`);
      return { players, ...first, ...named('Again', again) };
    });
    return { ours, peers: {}, ratios: {} };
  },
};
