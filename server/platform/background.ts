import type { Logger } from 'pino';

/** The phase of a hub between its start and its end. */
export type Phase = {
  /** It stops: bridges and new callers go to other nodes before commands end. */
  isLeaving: boolean;
  /** Its bridges have moved, and it accepts no new commands. */
  isDraining: boolean;
};

/** A task that fails many times a second says so once a minute: an outage must not fill the disk with its log. */
const SAME_FAILURE_EVERY_MS = 60_000;

/** Runs work without a waiting caller: it logs failures, and `drain` waits for all of it. */
export class Background {
  readonly #log: Logger;
  readonly #timers = new Set<NodeJS.Timeout>();
  #running = 0;
  #idle: (() => void)[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  run(name: string, work: () => Promise<unknown>): void {
    this.#running += 1;
    work().then(
      () => this.#end(),
      (error: unknown) => {
        this.#log.error({ err: error, task: name }, 'background work failed');
        this.#end();
      },
    );
  }

  /** Runs `work` every `ms`, and skips a run while the last one is not over. The same failure is logged once a minute. */
  every(name: string, ms: number, work: () => Promise<unknown> | undefined): void {
    let busy = false;
    let last = { message: '', at: 0 };
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      this.run(name, async () => {
        try {
          await work();
          last = { message: '', at: 0 };
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error);
          const at = performance.now();
          if (message === last.message && at - last.at < SAME_FAILURE_EVERY_MS) return;
          last = { message, at };
          throw error;
        } finally {
          busy = false;
        }
      });
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }

  /** Ends the timers and waits for running work. */
  async drain(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers.clear();
    while (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#idle.push(resolve);
      });
    }
  }

  #end(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    for (const resolve of this.#idle) resolve();
    this.#idle = [];
  }
}
