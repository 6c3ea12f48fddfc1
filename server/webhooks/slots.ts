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
