import { createRateLimit } from '../auth/limits.ts';
import { createPanelSessions } from '../auth/panel-sessions.ts';
import { createStatistics } from './statistics.ts';

/** State for the panel only: sessions, their request limit, and charts. */
export const createPanel = ({
  store,
  background,
  router,
  sessionViews,
}: Parameters<typeof createPanelSessions>[0] & Parameters<typeof createStatistics>[0]) => {
  const panelSessions = createPanelSessions({ store, background });
  // Counted by each node: people send few requests. Single keys with a limit of their own are counted here, too.
  const nodeRateLimit = createRateLimit();
  return {
    panelSessions,
    nodeRateLimit,
    statistics: createStatistics({ store, router, sessionViews }),
    /** Deletes ended sessions and old counts. */
    tidy: async (): Promise<void> => {
      nodeRateLimit.sweep();
      await panelSessions.tidy();
    },
  };
};
export type Panel = ReturnType<typeof createPanel>;
