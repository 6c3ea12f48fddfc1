import { DatabaseError } from '../../db/port/errors.ts';
import type { Grant, GrantRequest } from '../../db/port/rate-limits.ts';
import type { Background } from '../platform/background.ts';
import { type Admission, createRateLimit, type RateLimit } from './rate-limit.ts';

const WINDOW_MS = 60_000;
/** The largest part of the limit that a node takes beyond the waiting requests. */
const LARGEST_SHARE = 1_000;

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
