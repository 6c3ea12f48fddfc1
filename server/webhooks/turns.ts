import { Newest } from '../platform/windows.ts';

const FIRST = 2;
const MOST = 8;
/** So many time-outs in a row, and a webhook gets one post at a time. */
const TIMEOUTS = 3;
/** Webhooks that are remembered; a forgotten one begins anew. */
const REMEMBERED = 10_000;

/** How many posts a webhook gets at the same time: more while it answers well, one when it does not answer in time. */
export class Slots {
  readonly #known = new Newest<{ slots: number; timeouts: number }>(REMEMBERED);

  of(id: string): number {
    return this.#known.get(id)?.slots ?? FIRST;
  }

  /** Notes how a round of posts went. */
  note(id: string, { isFull, isGood, timeouts }: { isFull: boolean; isGood: boolean; timeouts: number }): void {
    const before = this.#known.get(id) ?? { slots: FIRST, timeouts: 0 };
    const inRow = timeouts === 0 ? 0 : before.timeouts + timeouts;
    let { slots } = before;
    if (inRow >= TIMEOUTS) slots = 1;
    else if (isGood && isFull) slots = Math.min(MOST, slots + 1);
    this.#known.set(id, { slots, timeouts: inRow });
  }
}

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
