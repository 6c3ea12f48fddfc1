import type { Logger } from 'pino';
import type { Gap } from '../../db/queries/schedule-runs.ts';
import type { Store } from '../../db/store.ts';

/** Between two looks that are further apart is a gap: no hub could look, or the clock was set forward. */
const GAP_MS = 60_000;
/** The stored look may be so much older than the last one. */
const STORE_EVERY_MS = 10_000;
/** Clocks of nodes differ by less. */
export const CLOCK_MS = 5_000;

/** Tells in which gaps planned times were missed. A late run is not missed: a node was there at its time. */
export const createLooks = ({ store, log }: { store: Pick<Store, 'schedules'>; log: Logger }) => {
  let storeAt = 0;

  /** Stores the gap between the last stored look and this one. Only what is stored counts: a look that failed is none. */
  const openGap = async (from: number | undefined, to: number): Promise<void> => {
    if (from === undefined) {
      // The first look with this database, which may be older than the table of looks.
      await store.schedules.openGap({ from: 0, to: to - GAP_MS });
    } else {
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
      let { last, gaps } = await store.schedules.looks();
      if (Math.max(last ?? 0, ...gaps.map(({ to }) => to)) > at + CLOCK_MS) {
        await store.schedules.setLooksBack(at);
        ({ last, gaps } = await store.schedules.looks());
      }
      if (last === undefined || at - last > GAP_MS + STORE_EVERY_MS) {
        await openGap(last, at);
        ({ gaps } = await store.schedules.looks());
      }
      if (performance.now() >= storeAt) {
        await store.schedules.looked(at);
        storeAt = performance.now() + STORE_EVERY_MS;
      }
      return gaps;
    },
    /** All planned times in these gaps are booked. */
    close: async (gaps: readonly Gap[]): Promise<void> => {
      for (const gap of gaps) await store.schedules.closeGap(gap);
    },
  };
};
