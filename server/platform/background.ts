import type { Logger } from 'pino';

/** How far a hub has come between its start and its end. */
export type Phase = {
  /** It stops: bridges and new callers go to other nodes before commands end. */
  isLeaving: boolean;
  /** Its bridges have moved, and it accepts no new commands. */
  isDraining: boolean;
};

/** Runs `work` once more for all calls that came meanwhile. */
export const oneAtATime = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined;
  let isAskedAgain = false;
  const runUntilNotAsked = async (): Promise<void> => {
    do {
      isAskedAgain = false;
      await work();
    } while (isAskedAgain);
  };
  return () => {
    isAskedAgain = true;
    running ??= runUntilNotAsked().finally(() => {
      running = undefined;
    });
    return running;
  };
};

/** Runs work without a waiting caller: it logs failures, and `drain` waits for all of it. */
export const createBackground = ({ log }: { log: Logger }) => {
  let running = 0;
  let idle: (() => void)[] = [];
  const timers = new Set<NodeJS.Timeout>();

  const end = (): void => {
    running -= 1;
    if (running > 0) return;
    for (const resolve of idle) resolve();
    idle = [];
  };

  const run = (name: string, work: () => Promise<unknown>): void => {
    running += 1;
    work().then(end, (error: unknown) => {
      log.error({ err: error, task: name }, 'background work failed');
      end();
    });
  };

  return {
    run,
    /** Runs `work` every `ms`, and skips a run while the last one is not over. */
    every: (name: string, ms: number, work: () => Promise<unknown> | undefined): void => {
      let busy = false;
      const timer = setInterval(() => {
        if (busy) return;
        busy = true;
        run(name, async () => {
          try {
            await work();
          } finally {
            busy = false;
          }
        });
      }, ms);
      timer.unref();
      timers.add(timer);
    },
    /** Ends the timers and waits for running work. */
    drain: async (): Promise<void> => {
      for (const timer of timers) clearInterval(timer);
      timers.clear();
      while (running > 0) {
        await new Promise<void>((resolve) => {
          idle.push(resolve);
        });
      }
    },
  };
};
export type Background = ReturnType<typeof createBackground>;
