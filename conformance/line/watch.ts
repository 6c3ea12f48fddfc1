import { LIMITS } from '../../bridge-protocol/wire/limits.ts';

/** Timeouts of verify, in milliseconds. */
export const DEFAULT_WAITS = {
  /** For the first connection, and for the first connection of a started process. */
  dialInMs: 60_000,
  /** For the next connection after a close: the longest backoff with a margin. */
  comeBackMs: 35_000,
  helloMs: LIMITS.helloTimeoutMs,
  /** Between the first hello and its welcome, to check that the bridge waits for it. */
  heldMs: 500,
  /** For `received`, `pong` and other prompt answers. */
  answerMs: 4_000,
  /** For prompt answers without load: a pong on an idle connection. */
  atOnceMs: 1_000,
  /** For results. */
  settleMs: 20_000,
  snapshotMs: 15_000,
  /** The delay in a `drain` and in the `r` of a close reason. */
  toldMs: 800,
  /** The value of `Retry-After`, a multiple of 1,000. */
  retryAfterMs: 1_000,
  /** Permitted delay of a bridge beyond the requested time. */
  graceMs: 2_500,
  /** A command for another player that takes longer than this beside other work counts as delayed by it. */
  passMs: 1_000,
  /** How long verify watches a bridge that has to stay away. */
  awayMs: 5_000,
  /** Upper bound of the first backoff. */
  backoffBaseMs: 500,
  /** Three delays in a row below this value are not random. */
  hammerMs: 10,
  pingEveryMs: LIMITS.pingEveryMs,
  silenceMs: LIMITS.bridgeSilenceMs,
  /** A session of this length resets the backoff. */
  stableMs: 60_000,
};
export type Waits = Record<keyof typeof DEFAULT_WAITS, number>;

/** Waits for events of others: `notify` reports a change, and every waiter checks its condition again. */
export const createWatch = () => {
  const watchers = new Map<() => void, () => void>();

  /** The first value that `look` returns within `ms`, or undefined. An error of `look` ends the wait. */
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
    /** Ends all waits. */
    close: (): void => {
      for (const giveUp of [...watchers.values()]) giveUp();
    },
  };
};
export type Watch = ReturnType<typeof createWatch>;
