import type { Columns } from './columns.ts';

/** The number of commands for each end; those of batches are in both groups. */
const counts = (c: Columns) => ({
  succeeded: c.int('succeeded').notNull(),
  refused: c.int('refused').notNull(),
  failed: c.int('failed').notNull(),
  unknown: c.int('unknown').notNull(),
  batchSucceeded: c.int('batch_succeeded').notNull().default(0),
  batchRefused: c.int('batch_refused').notNull().default(0),
  batchFailed: c.int('batch_failed').notNull().default(0),
  batchUnknown: c.int('batch_unknown').notNull().default(0),
});

/** Sessions of the panel, data of its charts, links to the setup. */
export const panelTables = (c: Columns) => {
  const panelSessions = c.table(
    'panel_sessions',
    {
      hash: c.text('hash').primaryKey(),
      projectId: c.text('project_id').notNull(),
      keyId: c.text('key_id').notNull(),
      /** The hash of the secret that signed in: the session ends with it. */
      keyHash: c.text('key_hash').notNull(),
      createdAt: c.instant('created_at').notNull(),
      lastUsedAt: c.instant('last_used_at').notNull(),
    },
    (t) => [
      c.index('panel_sessions_project').on(t.projectId),
      c.index('panel_sessions_key').on(t.keyId, t.lastUsedAt),
      c.index('panel_sessions_last_used').on(t.lastUsedAt),
    ],
  );
  const statistics = c.table(
    'statistics',
    {
      projectId: c.text('project_id').notNull(),
      serverId: c.text('server_id').notNull(),
      /** Where a step of five minutes begins. */
      at: c.instant('at').notNull(),
      online: c.int('online').notNull(),
      ...counts(c),
      /** 1: a bridge was connected at the end of the step, so `online` is known. 0: it only has counts. */
      seen: c.int('seen').notNull().default(1),
    },
    (t) => [
      c.primaryKey({ name: 'statistics_pk', columns: [t.projectId, t.at, t.serverId] }),
      c.index('statistics_at').on(t.at),
    ],
  );
  /** The sums of the steps of an hour, which are kept longer. */
  const statisticsHours = c.table(
    'statistics_hours',
    {
      projectId: c.text('project_id').notNull(),
      serverId: c.text('server_id').notNull(),
      at: c.instant('at').notNull(),
      online: c.int('online').notNull(),
      ...counts(c),
      seen: c.int('seen').notNull(),
    },
    (t) => [
      c.primaryKey({ name: 'statistics_hours_pk', columns: [t.projectId, t.at, t.serverId] }),
      c.index('statistics_hours_at').on(t.at),
    ],
  );
  /** Links to the setup of an empty hub, and the browser that has opened one. Only hashes are stored. */
  const setupLinks = c.table('setup_links', {
    hash: c.text('hash').primaryKey(),
    expiresAt: c.instant('expires_at').notNull(),
    /** The hash of the cookie of the browser that has exchanged the link; null: no browser has. */
    browserHash: c.text('browser_hash'),
    browserExpiresAt: c.instant('browser_expires_at'),
    /** The key that the setup has made. The row ends with the first use of this key. */
    keyId: c.text('key_id'),
  });
  return { panelSessions, statistics, statisticsHours, setupLinks };
};
