/** Places for work of several projects. Who waits gets a free one in turn by project, so none takes all of them. */
export class Turns {
  readonly #waiting = new Map<string, (() => void)[]>();
  #free: number;

  /** `most`: works at the same time. */
  constructor(most: number) {
    this.#free = most;
  }

  /** Does the work when there is a place for it. */
  async take<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#next(projectId);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #next(projectId: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#waiting.get(projectId);
      if (queue === undefined) this.#waiting.set(projectId, [resolve]);
      else queue.push(resolve);
    });
  }

  /** Hands the place to the project that has waited the longest since its last turn. */
  #leave(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#free += 1;
      return;
    }
    const [projectId, queue] = first;
    const begin = queue.shift();
    this.#waiting.delete(projectId);
    if (queue.length > 0) this.#waiting.set(projectId, queue);
    begin?.();
  }
}
