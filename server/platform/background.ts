import type { Logger } from 'pino';

/** The phase of a hub between its start and its end. */
export type Phase = {
  /** It stops: bridges and new callers go to other nodes before commands end. */
  isLeaving: boolean;
  /** Its bridges have moved, and it accepts no new commands. */
  isDraining: boolean;
};

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

  /** Runs `work` every `ms`, and skips a run while the last one is not over. */
  every(name: string, ms: number, work: () => Promise<unknown> | undefined): void {
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      this.run(name, async () => {
        try {
          await work();
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
