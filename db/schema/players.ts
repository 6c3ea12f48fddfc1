import { sql } from 'drizzle-orm';
import type { Player } from '../../bridge-protocol/wire/player.ts';
import type { Columns } from './columns.ts';

/** Players of every server. The tables for searches and totals are in the migrations. */
export const playerTables = (c: Columns) => {
  const players = c.table(
    'players',
    {
      id: c.serial('id'),
      projectId: c.text('project_id').notNull(),
      serverId: c.text('server_id').notNull(),
      identifier: c.text('identifier').notNull(),
      name: c.text('name').notNull(),
      searchText: c.text('search_text').notNull(),
      online: c.flag('online').notNull(),
      firstSeenAt: c.instant('first_seen_at').notNull(),
      lastSeenAt: c.instant('last_seen_at').notNull(),
      syncedAt: c.instant('synced_at').notNull(),
      identifiers: c.json<Player['identifiers']>('identifiers').notNull(),
      accounts: c.json<Player['accounts']>('accounts').notNull(),
      // Last, so that SQLite reads a list without their overflow pages.
      inventory: c.json<Player['inventory']>('inventory').notNull(),
      vehicles: c.json<Player['vehicles']>('vehicles').notNull(),
      metadata: c.json<Player['metadata']>('metadata').notNull(),
      // Null in a row of a version before these columns; the hub fills them at its start.
      searchMarks: c.text('search_marks'),
      searchPlates: c.text('search_plates'),
      // The hash of the record without its presence; null in a row of a version before this column.
      contentHash: c.text('content_hash'),
      /** When the game server's list of all its players first lacked this one; null: the game has it. */
      goneAt: c.instant('gone_at'),
      /** A field of the metadata; null: absent, or the row was written before this column. */
      jobName: c.text('job_name'),
      /** The label that the bridge sent; null: the catalogue of jobs may have one. */
      jobLabel: c.text('job_label'),
      jobGrade: c.int('job_grade'),
      groupName: c.text('group_name'),
      playedMinutes: c.int('played_minutes'),
      /** The number that the game shows beside the player while they are online. */
      gameId: c.int('game_id'),
      /** 1: the project's events are to tell that the hub has not seen them before. */
      outbox: c.int('outbox'),
    },
    (t) => [
      c.uniqueIndex('players_identifier').on(t.projectId, t.identifier, t.serverId),
      // Lists skip players who are gone without reading their rows.
      c.index('players_online').on(t.projectId, t.online, t.lastSeenAt, t.id, t.goneAt),
      c.index('players_name').on(t.projectId, t.searchText, t.id, t.goneAt),
      c.index('players_server_online').on(t.projectId, t.serverId, t.online, t.lastSeenAt, t.id, t.goneAt),
      c.index('players_server_name').on(t.projectId, t.serverId, t.searchText, t.id, t.goneAt),
      c.index('players_owed').on(t.projectId, t.id).where(sql`outbox > 0`),
      c.index('players_unsearched').on(t.id).where(sql`search_marks is null`),
    ],
  );
  return { players };
};
