const WINDOW_MS = 60_000;

export type Admission = { admitted: boolean; limit: number; remaining: number; resetMs: number };

type Ring = { times: Float64Array; next: number; held: number; touched: number };

/** The same times in a ring with room for `size`, at least as many as it holds. */
const resized = (ring: Ring, size: number): Ring => {
  const times = new Float64Array(Math.max(size, ring.held));
  for (let index = 0; index < ring.held; index += 1) {
    times[index] = ring.times[(ring.next - ring.held + index + ring.times.length) % ring.times.length] ?? 0;
  }
  return { ...ring, times, next: ring.held % times.length };
};

/** Who may ask now, in the project's minute. `peek` reads without counting, `sweep` forgets who asks no more. */
export type RateLimit = {
  admit: (projectId: string, limit: number) => Admission | Promise<Admission>;
  peek: (projectId: string, limit: number) => Admission;
  sweep: () => void;
};

/**
 * The project limit, counted exactly: a ring holds the time of every admitted request, and a request is admitted
 * when the one `limit` places before it is at least 60 s old. So no 60 s ever contain more than `limit`, at any edge.
 */
export const createRateLimit = ({ now = () => performance.now() }: { now?: () => number } = {}) => {
  const rings = new Map<string, Ring>();

  const ringOf = (projectId: string, limit: number): Ring => {
    const found = rings.get(projectId);
    // A ring that is larger than a lowered limit keeps its times until they are old.
    if (found !== undefined && (found.times.length === limit || found.held > limit)) return found;
    const ring = found ? resized(found, limit) : { times: new Float64Array(limit), next: 0, held: 0, touched: 0 };
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
    /** Reads the window without counting. */
    peek: (projectId: string, limit: number): Admission => {
      const at = now();
      const ring = ringOf(projectId, limit);
      expire(ring, at);
      return state(ring, limit, at, ring.held < limit);
    },
    /** Forgets projects that asked for nothing in the last window. */
    sweep: (): void => {
      const at = now();
      for (const [projectId, ring] of rings) if (at - ring.touched >= WINDOW_MS) rings.delete(projectId);
    },
  };
};
