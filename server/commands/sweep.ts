import type { Router } from '../cluster/router.ts';
import type { Background } from '../platform/background.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Dispatch } from './dispatch.ts';
import type { Lanes } from './lanes.ts';

/** Ends what has waited too long: queued ones expire; a kick without an answer gives its place back. */
export const createSweepLanes =
  ({
    router,
    lanes,
    dispatch,
    background,
    metrics,
    now,
  }: {
    router: Router;
    lanes: Lanes;
    dispatch: Dispatch;
    background: Background;
    metrics: Metrics;
    now: () => number;
  }) =>
  (): void => {
    const at = now();
    for (const queue of lanes.all()) {
      for (const entry of [...queue.waiting()]) {
        if (entry.expiresAt <= at) background.run('expire', () => dispatch.expire(entry, lanes));
        // Whoever waits longer than a moment is to be seen in the journal.
        else if (entry.slip?.isBegun() === false) background.run('store', () => dispatch.keep(entry));
      }
      for (const entry of queue.overdue(at)) {
        router.find(entry.projectId, entry.serverId)?.send({ type: 'void', id: entry.id });
        if (entry.urgent) lanes.release(entry.id);
      }
      queue.pump();
    }
    lanes.prune();
    const { waiting, flying } = lanes.totals();
    metrics.queued.set(waiting);
    metrics.inFlight.set(flying);
  };
