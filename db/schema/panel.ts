import type { Columns } from './columns.ts';

/** Sessions of the panel, data of its charts, links to the setup. */
export const panelTables = (c: Columns) => {
  const panelSessions = c.table(
    'panel_sessions',
    {
      hash: c.text('hash').primaryKey(),
      projectId: c.text('project_id').notNull(),
      keyId: c.text('key_id').notNull(),
      /** Of the secret that signed in: the session ends with it. */
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
      succeeded: c.int('succeeded').notNull(),
      refused: c.int('refused').notNull(),
      failed: c.int('failed').notNull(),
      unknown: c.int('unknown').notNull(),
    },
    (t) => [
      c.primaryKey({ name: 'statistics_pk', columns: [t.projectId, t.at, t.serverId] }),
      c.index('statistics_at').on(t.at),
    ],
  );
  /** Links to the setup of an empty hub, and the browser that has opened one. Only hashes are stored. */
  const setupLinks = c.table('setup_links', {
    hash: c.text('hash').primaryKey(),
    expiresAt: c.instant('expires_at').notNull(),
    /** Of the cookie of the browser that has exchanged the link; null: no browser has. */
    browserHash: c.text('browser_hash'),
    browserExpiresAt: c.instant('browser_expires_at'),
    /** The key that the setup has made. The row ends with the first use of this key. */
    keyId: c.text('key_id'),
  });
  return { panelSessions, statistics, setupLinks };
};
