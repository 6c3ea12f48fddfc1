import { createPanelSessions } from '../auth/panel-sessions.ts';
import { createRateLimit } from '../auth/rate-limit.ts';
import { createStatistics } from './statistics.ts';

/** What the hub keeps for the panel only: who is signed in, their minute, and the charts. */
export const createPanel = ({
  store,
  background,
  router,
  sessionViews,
  events,
}: Parameters<typeof createPanelSessions>[0] & Parameters<typeof createStatistics>[0]) => {
  const panelSessions = createPanelSessions({ store, background });
  // Of each node: what a person can press is little, and no part of the project's limit.
  const panelRateLimit = createRateLimit();
  return {
    panelSessions,
    panelRateLimit,
    statistics: createStatistics({ store, router, sessionViews, events }),
    /** Forgets and deletes what nobody can use any more. */
    tidy: async (): Promise<void> => {
      panelRateLimit.sweep();
      await panelSessions.tidy();
    },
  };
};
export type Panel = ReturnType<typeof createPanel>;
