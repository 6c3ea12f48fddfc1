/** Waits of at most some time, which an event ends early. */
export class Sleepers {
  readonly #wakes = new Set<() => void>();

  /** Resolves after `ms`, or with the next `wake`. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#wakes.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#wakes.add(wake);
    });
  }

  wake(): void {
    for (const wake of this.#wakes) wake();
  }
}
