import type { IncomingMessage } from 'node:http';
import type { Grant, GrantRequest } from '../../db/database.ts';
import { DatabaseError } from '../../db/errors.ts';
import type { Store } from '../../db/store.ts';
import type { Background } from '../platform/background.ts';

const WINDOW_MS = 60_000;
/** The largest part of the limit that a node takes beyond the waiting requests. */
const LARGEST_SHARE = 1_000;

/**
 * The address a request came from. Behind `proxies` trusted proxies, it is that many places from the end of
 * X-Forwarded-For. The client wrote everything further left, so that proves nothing.
 */
export const clientAddress = (request: IncomingMessage, proxies: number): string => {
  const direct = request.socket.remoteAddress ?? 'unknown';
  if (proxies === 0) return direct;
  const header = request.headers['x-forwarded-for'];
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((hop) => hop.trim());
  return hops.at(-proxies)?.slice(0, 64) || direct;
};

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

type Waiting = { resolve: (admission: Admission) => void; reject: (error: unknown) => void };
/** A node's state of a project: the permits that are left, and until when requests are refused. */
type Hand = {
  limit: number;
  permits: number;
  validUntil: number;
  blockedUntil: number;
  free: number;
  resetAt: number;
  /** Requests admitted since the last database call. */
  spent: number;
  waiting: Waiting[];
  isAsking: boolean;
  touched: number;
};

/**
 * The project limit over all nodes, counted in the database. One statement takes permits for all waiting requests; for
 * limits over 1,000 it takes some more, as many as were used before. Refusals need no statement until permits return.
 */
export const createSharedRateLimit = ({
  grant,
  background,
  now = () => performance.now(),
}: {
  grant: (request: GrantRequest) => Promise<Grant>;
  background: Pick<Background, 'run'>;
  now?: () => number;
}): RateLimit => {
  const hands = new Map<string, Hand>();
  /** While the database does not answer, each node counts by itself. */
  const alone = createRateLimit({ now });

  const handOf = (projectId: string, limit: number): Hand => {
    const known = hands.get(projectId);
    const fresh = { permits: 0, validUntil: 0, blockedUntil: 0, free: limit, resetAt: 0, spent: 0, touched: now() };
    if (known === undefined) {
      const hand: Hand = { ...fresh, limit, waiting: [], isAsking: false };
      hands.set(projectId, hand);
      return hand;
    }
    known.touched = now();
    // The limit was changed: the state of the old one is not valid.
    return known.limit === limit ? known : Object.assign(known, fresh, { limit });
  };

  const admission = (hand: Hand, admitted: boolean, limit: number): Admission => ({
    admitted,
    limit,
    remaining: admitted ? Math.min(limit, hand.free + hand.permits) : 0,
    resetMs: Math.max(0, hand.resetAt - now()),
  });

  const take = (hand: Hand): Admission => {
    hand.permits -= 1;
    hand.spent += 1;
    return admission(hand, true, hand.limit);
  };

  const hasPermit = (hand: Hand): boolean => hand.permits > 0 && now() < hand.validUntil;

  /** Serves requests that arrived during the database call from surplus permits. */
  const serve = (hand: Hand): void => {
    while (hasPermit(hand)) {
      const next = hand.waiting.shift();
      if (next === undefined) return;
      next.resolve(take(hand));
    }
  };

  const receive = (hand: Hand, { granted, free, validMs, resetMs }: Grant, sentAt: number, served: Waiting[]): void => {
    Object.assign(hand, { permits: granted, validUntil: sentAt + validMs, free, resetAt: now() + resetMs });
    hand.blockedUntil = granted < served.length ? hand.resetAt : 0;
    for (const { resolve } of served) resolve(hand.permits > 0 ? take(hand) : admission(hand, false, hand.limit));
  };

  const ask = async (projectId: string, hand: Hand): Promise<void> => {
    hand.isAsking = true;
    for (;;) {
      serve(hand);
      const served = hand.waiting.splice(0);
      if (served.length === 0) break;
      const { limit, spent } = hand;
      hand.spent = 0;
      const want = Math.max(served.length, Math.min(2 * spent, Math.floor(limit / LARGEST_SHARE)));
      const sentAt = now();
      try {
        receive(hand, await grant({ projectId, limit, want }), sentAt, served);
      } catch (error) {
        const isGone = error instanceof DatabaseError && error.code === 'unavailable';
        for (const { resolve, reject } of served) {
          if (isGone) resolve(alone.admit(projectId, limit));
          else reject(error);
        }
      }
    }
    hand.isAsking = false;
  };

  return {
    admit: (projectId, limit) => {
      const hand = handOf(projectId, limit);
      if (hasPermit(hand)) return take(hand);
      if (now() < hand.blockedUntil) return admission(hand, false, limit);
      return new Promise((resolve, reject) => {
        hand.waiting.push({ resolve, reject });
        if (!hand.isAsking) background.run('rate limit', () => ask(projectId, hand));
      });
    },
    peek: (projectId, limit) => admission(handOf(projectId, limit), true, limit),
    recall: alone.recall,
    sweep: () => {
      alone.sweep();
      for (const [projectId, hand] of hands) {
        if (!hand.isAsking && now() - hand.touched >= WINDOW_MS) hands.delete(projectId);
      }
    },
  };
};

/** After a restart, counts the commands of the last minute again; other requests of that minute are forgotten. */
export const recallRequests = async (
  store: Pick<Store, 'commands'>,
  rateLimit: Pick<RateLimit, 'recall'>,
): Promise<void> => {
  const ages = await store.commands.recentAges(Date.now(), WINDOW_MS);
  for (const [projectId, agesMs] of ages) rateLimit.recall(projectId, agesMs);
};
