import type { Logger } from 'pino';
import type { Gap } from '../../db/queries/schedule-runs.ts';
import type { Store } from '../../db/store.ts';

/** Two looks that are further apart have a gap between them: no hub ran, or the clock was set forward. */
const GAP_MS = 60_000;
const STORE_EVERY_MS = 10_000;
/** Clocks of nodes differ by less. */
export const CLOCK_MS = 5_000;

/** Tells in which gaps planned times were missed. A late run is not missed: a node was there at its time. */
export const createLooks = ({ store, log }: { store: Pick<Store, 'schedules'>; log: Logger }) => {
  let own: number | undefined;
  /** A gap in the looks of this node, until the database has told whether another node looked. */
  let mayBe: Gap | undefined;
  let storeAt = 0;

  /** Stores the gap, unless another node looked in it. */
  const settle = async ({ from: ownFrom, to }: Gap, last: number | undefined): Promise<void> => {
    const from = Math.max(ownFrom, last ?? 0);
    if (from === 0) {
      // The first look with this database, which may be older than the table of looks.
      await store.schedules.openGap({ from: 0, to: to - GAP_MS });
    } else if (to - from > GAP_MS) {
      await store.schedules.openGap({ from, to });
      log.warn(
        { from: new Date(from), to: new Date(to) },
        'no hub looked for planned runs; those in between are missed',
      );
    }
    // At once: a gap that was stored without this look would be found again.
    await store.schedules.looked(to);
  };

  return {
    /** Looks at the clock. The gaps are those whose planned times are not all booked yet. */
    look: async (at: number): Promise<Gap[]> => {
      if (own === undefined || at - own > GAP_MS) mayBe = { from: mayBe?.from ?? own ?? 0, to: at };
      own = at;
      let { last, gaps } = await store.schedules.looks();
      if (Math.max(last ?? 0, ...gaps.map(({ to }) => to)) > at + CLOCK_MS) {
        await store.schedules.setLooksBack(at);
        ({ last, gaps } = await store.schedules.looks());
      }
      if (mayBe !== undefined) {
        await settle(mayBe, last);
        mayBe = undefined;
        ({ gaps } = await store.schedules.looks());
      }
      if (performance.now() >= storeAt) {
        storeAt = performance.now() + STORE_EVERY_MS;
        await store.schedules.looked(at);
      }
      return gaps;
    },
    /** All planned times in these gaps are booked. */
    close: async (gaps: readonly Gap[]): Promise<void> => {
      for (const gap of gaps) await store.schedules.closeGap(gap);
    },
  };
};
