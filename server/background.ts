import type { Logger } from 'pino';

/** The one place where work may run loose: it logs what fails, and `drain` waits for all of it. */
export const createBackground = ({ log }: { log: Logger }) => {
  const running = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();

  const run = (name: string, work: () => Promise<unknown>): void => {
    const task: Promise<void> = work().then(
      () => {
        running.delete(task);
      },
      (error: unknown) => {
        running.delete(task);
        log.error({ err: error, task: name }, 'background work failed');
      },
    );
    running.add(task);
  };

  return {
    run,
    /** Runs `work` every `ms`; a run that is not over when the next is due skips that one. */
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
    /** Ends the timers and waits for what runs. */
    drain: async (): Promise<void> => {
      for (const timer of timers) clearInterval(timer);
      timers.clear();
      while (running.size > 0) await Promise.all(running);
    },
  };
};
export type Background = ReturnType<typeof createBackground>;
