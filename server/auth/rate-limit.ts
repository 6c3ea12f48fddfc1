import type { Store } from '../../db/store.ts';

const WINDOW_MS = 60_000;

export type Admission = {
  admitted: boolean;
  limit: number;
  remaining: number;
  resetMs: number;
  /** The limit is that of a single key. */
  ofKey?: true;
};

type Ring = { times: Float64Array; next: number; held: number; touched: number };

/** Copies the times into a ring of another size, which is at least the number of times. */
const resized = (ring: Ring, size: number): Ring => {
  const times = new Float64Array(Math.max(size, ring.held));
  for (let index = 0; index < ring.held; index += 1) {
    times[index] = ring.times[(ring.next - ring.held + index + ring.times.length) % ring.times.length] ?? 0;
  }
  return { ...ring, times, next: ring.held % times.length };
};

/** The project's minute: `admit` counts a request, `peek` reads without counting, `sweep` forgets idle projects. */
export type RateLimit = {
  admit: (projectId: string, limit: number) => Admission | Promise<Admission>;
  peek: (projectId: string, limit: number) => Admission;
  /** Counts requests that an earlier process admitted `agesMs` ago, oldest first; before the first `admit` only. */
  recall: (projectId: string, agesMs: readonly number[]) => void;
  sweep: () => void;
};

/**
 * The project limit, counted exactly: a ring holds the time of every admitted request, and a request is admitted
 * when the one `limit` places before it is at least 60 s old. So no 60 s ever contain more than `limit`, at any edge.
 */
export const createRateLimit = ({ now = () => performance.now() }: { now?: () => number } = {}) => {
  const rings = new Map<string, Ring>();
  /** Times of requests that an earlier process admitted, oldest first. */
  const earlier = new Map<string, number[]>();

  const firstRing = (projectId: string, limit: number): Ring => {
    const times = new Float64Array(limit);
    const held = earlier.get(projectId)?.slice(-limit) ?? [];
    earlier.delete(projectId);
    times.set(held);
    return { times, next: held.length % limit, held: held.length, touched: now() };
  };

  const ringOf = (projectId: string, limit: number): Ring => {
    const found = rings.get(projectId);
    // After the limit was lowered, the larger ring stays until its times are old.
    if (found !== undefined && (found.times.length === limit || found.held > limit)) return found;
    const ring = found ? resized(found, limit) : firstRing(projectId, limit);
    rings.set(projectId, ring);
    return ring;
  };

  const expire = (ring: Ring, at: number): void => {
    const size = ring.times.length;
    while (ring.held > 0) {
      const oldest = ring.times[(ring.next - ring.held + size) % size] ?? 0;
      if (at - oldest < WINDOW_MS) return;
      ring.held -= 1;
    }
  };

  const state = (ring: Ring, limit: number, at: number, admitted: boolean): Admission => {
    const size = ring.times.length;
    const oldest = ring.held > 0 ? (ring.times[(ring.next - ring.held + size) % size] ?? at) : at - WINDOW_MS;
    return {
      admitted,
      limit,
      remaining: Math.max(0, limit - ring.held),
      resetMs: Math.max(0, oldest + WINDOW_MS - at),
    };
  };

  return {
    /** Counts one request if there is room. `resetMs` is when the oldest counted request leaves the window. */
    admit: (projectId: string, limit: number): Admission => {
      const at = now();
      const ring = ringOf(projectId, limit);
      expire(ring, at);
      if (ring.held >= limit) return state(ring, limit, at, false);
      ring.times[ring.next] = at;
      ring.next = (ring.next + 1) % ring.times.length;
      ring.held += 1;
      ring.touched = at;
      return state(ring, limit, at, true);
    },
    recall: (projectId: string, agesMs: readonly number[]): void => {
      earlier.set(
        projectId,
        agesMs.map((ageMs) => now() - ageMs),
      );
    },
    /** Reads the window without counting. */
    peek: (projectId: string, limit: number): Admission => {
      const at = now();
      const ring = ringOf(projectId, limit);
      expire(ring, at);
      return state(ring, limit, at, ring.held < limit);
    },
    /** Forgets projects without requests in the last window. */
    sweep: (): void => {
      const at = now();
      earlier.clear();
      for (const [projectId, ring] of rings) if (at - ring.touched >= WINDOW_MS) rings.delete(projectId);
    },
  };
};

/** Limits that each node counts by itself, without waiting. */
export type NodeRateLimit = ReturnType<typeof createRateLimit>;

/** After a restart, counts the commands of the last minute again; other requests of that minute are forgotten. */
export const recallRequests = async (
  store: Pick<Store, 'commands'>,
  rateLimit: Pick<RateLimit, 'recall'>,
): Promise<void> => {
  const ages = await store.commands.recentAges(Date.now(), WINDOW_MS);
  for (const [projectId, agesMs] of ages) rateLimit.recall(projectId, agesMs);
};
