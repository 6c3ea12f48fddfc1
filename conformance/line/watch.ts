import { LIMITS } from '../../bridge-protocol/wire/limits.ts';

/** How long verify waits for what, in milliseconds. */
export const DEFAULT_WAITS = {
  /** For the first connection, and for the first of a process that was started. */
  dialInMs: 60_000,
  /** For the next connection after a close: the longest backoff, and some. */
  comeBackMs: 35_000,
  helloMs: LIMITS.helloTimeoutMs,
  /** Between the first hello and its welcome, to see whether the bridge waits for it. */
  heldMs: 500,
  /** For `received`, `pong` and all that comes at once. */
  answerMs: 4_000,
  /** For what comes at once: a pong on an idle connection. */
  atOnceMs: 1_000,
  /** For results. */
  settleMs: 20_000,
  snapshotMs: 15_000,
  /** What a `drain` and an `r` of a close reason say. */
  toldMs: 800,
  /** What `Retry-After` says, a multiple of 1,000. */
  retryAfterMs: 1_000,
  /** What a bridge may be later than it was told. */
  graceMs: 2_500,
  /** Waiting longer than this beside the work for somebody else is waiting for it. */
  passMs: 1_000,
  /** How long a bridge is watched that has to stay away. */
  awayMs: 5_000,
  /** The first backoff is at most this. */
  backoffBaseMs: 500,
  /** Three delays in a row below this were not drawn. */
  hammerMs: 10,
  pingEveryMs: LIMITS.pingEveryMs,
  silenceMs: LIMITS.bridgeSilenceMs,
  /** A session held this long resets the backoff. */
  stableMs: 60_000,
};
export type Waits = Record<keyof typeof DEFAULT_WAITS, number>;

/** Waiting for what others do: `notify` says that something happened, and everybody who waits looks again. */
export const createWatch = () => {
  const watchers = new Map<() => void, () => void>();

  /** The first value that `look` finds within `ms`, or undefined. What `look` throws ends the wait. */
  const happens = <T>(look: () => T | undefined, ms: number): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        watchers.delete(check);
      };
      const giveUp = (): void => {
        end();
        resolve(undefined);
      };
      const check = (): void => {
        try {
          const found = look();
          if (found === undefined) return;
          end();
          resolve(found);
        } catch (error) {
          end();
          reject(error);
        }
      };
      const timer = setTimeout(giveUp, Math.max(0, ms));
      watchers.set(check, giveUp);
      check();
    });

  return {
    happens,
    notify: (): void => {
      for (const check of [...watchers.keys()]) check();
    },
    /** Everybody stops waiting. */
    close: (): void => {
      for (const giveUp of [...watchers.values()]) giveUp();
    },
  };
};
export type Watch = ReturnType<typeof createWatch>;
