import {
  and,
  asc,
  count,
  eq,
  exists,
  getTableColumns,
  gt,
  inArray,
  isNull,
  lte,
  not,
  type SQL,
  sql,
} from 'drizzle-orm';
import { type Database, first } from '../database.ts';
import { after, atMost, bound, clockOf, incoming, increment, literally, outboxIn } from '../expressions.ts';
import type { Tables } from '../schema/tables.ts';

export type NodeRow = Tables['nodes']['$inferSelect'];
export type NewNode = Omit<NodeRow, 'leaseEndsAt'>;

/** The processes of the hub, each with a lease by the clock of the database. */
export const nodeQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const clock = clockOf(database);
  const { nodes } = tables;

  /** A time this many milliseconds from now, by the database's clock. */
  const inMs = (ms: number): SQL => sql`${clock} + ${ms}`;

  return {
    /** Creates the node or extends its lease. Returns the database's time, epoch ms. */
    renew: async (node: NewNode, leaseMs: number): Promise<number> => {
      const [row] = await commit(() =>
        handle
          .insert(nodes)
          .values({ ...node, leaseEndsAt: inMs(leaseMs) })
          .onConflictDoUpdate({ target: nodes.id, set: { leaseEndsAt: inMs(leaseMs) } })
          .returning({ leaseEndsAt: nodes.leaseEndsAt }),
      );
      return (row?.leaseEndsAt ?? 0) - leaseMs;
    },
    /** The database's time, epoch milliseconds. */
    now: async (): Promise<number> => {
      const one = handle.select({ at: clock }).from(sql`(select 1) as one`);
      const [row] = await read(() => one);
      return Number(row?.at ?? 0);
    },
    /** Nodes whose lease has not ended. */
    living: (): Promise<NodeRow[]> => read(() => handle.select().from(nodes).where(gt(nodes.leaseEndsAt, clock))),
    remove: async (id: string): Promise<void> => {
      await commit(() => handle.delete(nodes).where(eq(nodes.id, id)));
    },
    /** Deletes nodes whose lease ended at least `ms` ago. */
    removeDead: async (ms: number): Promise<void> => {
      await commit(() => handle.delete(nodes).where(lte(nodes.leaseEndsAt, inMs(-ms))));
    },
  };
};

export type SessionRow = Omit<Tables['sessions']['$inferSelect'], 'outbox'>;

/** The columns by which a node sees whether a session is still its own. */
export type HeldSession = Pick<SessionRow, 'projectId' | 'serverId' | 'epoch'>;

/** The columns of a new session that its bridge does not decide. */
const openedAt = (at: number) => ({
  connected: true,
  connectedAt: at,
  disconnectedAt: null,
  closeCode: null,
  playersSyncedAt: null,
  missingSince: null,
  missingPlayers: null,
});

/** A new session replaces these columns. */
const OPENED = [
  'id',
  'node',
  'instance',
  'connected',
  'software',
  'commands',
  'accounts',
  'journalClass',
  'classes',
  'connectedAt',
  'disconnectedAt',
  'closeCode',
] as const;

/** The current or the last session of every server. */
export const sessionQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const clock = clockOf(database);
  const { sessions, nodes, servers } = tables;
  const ofServer = and(
    eq(sessions.projectId, sql.placeholder('projectId')),
    eq(sessions.serverId, sql.placeholder('serverId')),
  );
  const isConnected = literally(eq(sessions.connected, true));

  /** True if the session's node has a lease: a crashed node leaves its sessions `connected`. */
  const hasNode = (): SQL => {
    const isAlive = and(eq(nodes.id, sessions.node), gt(nodes.leaseEndsAt, clock));
    return exists(handle.select({ id: nodes.id }).from(nodes).where(isAlive));
  };

  /** That it came or went is owed to the project's events. */
  const changed = sql`${sessions.outbox} | 1`;

  const get = database.prepare('sessions.get', () => handle.select().from(sessions).where(ofServer));
  const open = database.prepare('sessions.open', () => {
    const columns = Object.keys(getTableColumns(sessions)) as (keyof SessionRow)[];
    const placeholders = Object.fromEntries(columns.map((name) => [name, sql.placeholder(name)]));
    const opened = Object.fromEntries(OPENED.map((name): [string, SQL] => [name, incoming(sessions[name])]));
    return (
      handle
        .insert(sessions)
        // One placeholder for every column, by its name.
        .values({
          ...(placeholders as Record<keyof SessionRow, ReturnType<typeof sql.placeholder>>),
          outbox: outboxIn(tables, sql.placeholder('projectId'), 1),
        })
        .onConflictDoUpdate({
          target: [sessions.projectId, sessions.serverId],
          set: {
            ...opened,
            epoch: increment(sessions.epoch),
            outbox: sql`coalesce(${sessions.outbox} | 1, ${incoming(sessions.outbox)})`,
          },
        })
        .returning({ epoch: sessions.epoch })
    );
  });
  const close = database.prepare('sessions.close', () =>
    handle
      .update(sessions)
      .set({
        connected: false,
        disconnectedAt: bound(sessions.disconnectedAt, 'at'),
        closeCode: bound(sessions.closeCode, 'closeCode'),
        outbox: changed,
      })
      .where(and(ofServer, eq(sessions.epoch, sql.placeholder('epoch')), isConnected))
      .returning(),
  );

  const playersSynced = database.prepareChange('sessions.playersSynced', () =>
    handle
      .update(sessions)
      .set({ playersSyncedAt: bound(sessions.playersSyncedAt, 'at') })
      .where(and(ofServer, eq(sessions.epoch, sql.placeholder('epoch')))),
  );

  const noteMissing = database.prepareChange('sessions.noteMissing', () =>
    handle
      .update(sessions)
      .set({
        missingSince: bound(sessions.missingSince, 'since'),
        missingPlayers: bound(sessions.missingPlayers, 'players'),
      })
      .where(ofServer),
  );

  const place = database.prepare('sessions.place', () =>
    handle
      .select()
      .from(sessions)
      .where(and(ofServer, isConnected, hasNode())),
  );
  const key = [sessions.projectId, sessions.serverId] as const;
  const heldBy = database.prepare('sessions.heldBy', () =>
    handle
      .select({ projectId: sessions.projectId, serverId: sessions.serverId, epoch: sessions.epoch })
      .from(sessions)
      .where(and(eq(sessions.node, sql.placeholder('node')), isConnected, after(key, 'asc', ['projectId', 'serverId'])))
      .orderBy(asc(sessions.projectId), asc(sessions.serverId))
      .limit(atMost(sql.placeholder('limit'))),
  );

  return {
    /** Records an accepted connection and returns its epoch: one more than the server's last. */
    open: async ({
      at,
      ...session
    }: Omit<SessionRow, 'epoch' | keyof ReturnType<typeof openedAt>> & { at: number }): Promise<number> => {
      const [opened] = await commit(() => open({ ...session, ...openedAt(at), epoch: 1 }), { durable: true });
      if (opened === undefined) throw new Error('An upsert gave no row.');
      return opened.epoch;
    },
    /** Records the end of exactly this session; undefined if another session has replaced it or it has ended. */
    close: (ended: HeldSession & Pick<SessionRow, 'closeCode'> & { at: number }): Promise<SessionRow | undefined> =>
      first(commit(() => close(ended))),
    /** Records that a snapshot which began at `at` is complete, unless another session has replaced this one. */
    playersSynced: async (session: HeldSession, at: number): Promise<void> => {
      const { projectId, serverId, epoch } = session;
      await commit(() => playersSynced({ projectId, serverId, epoch, at }));
    },
    /** Notes how many players a complete snapshot lacked, if they may be missing by accident; undefined: none. */
    noteMissing: async (
      projectId: string,
      serverId: string,
      missing: { since: number; players: number } | undefined,
    ): Promise<void> => {
      const { since = null, players = null } = missing ?? {};
      await commit(() => noteMissing({ projectId, serverId, since, players }));
    },
    get: (projectId: string, serverId: string): Promise<SessionRow | undefined> =>
      first(read(() => get({ projectId, serverId }))),
    /** The session of a server that is connected to a living node. */
    place: (projectId: string, serverId: string): Promise<SessionRow | undefined> =>
      first(read(() => place({ projectId, serverId }))),
    /** Sessions of a project that are connected to a living node. */
    places: (projectId: string): Promise<SessionRow[]> =>
      read(() =>
        handle
          .select()
          .from(sessions)
          .where(and(eq(sessions.projectId, projectId), isConnected, hasNode())),
      ),
    /** A page of the sessions of a node, in the order of project and server; `last` is the last one of the page before. */
    heldBy: (node: string, last: Omit<HeldSession, 'epoch'> | undefined, limit: number): Promise<HeldSession[]> =>
      read(() => heldBy({ node, projectId: last?.projectId ?? '', serverId: last?.serverId ?? '', limit })),
    /** Ends the sessions of nodes whose lease has ended; returns the ended sessions. */
    endOfDead: (at: number): Promise<HeldSession[]> =>
      commit(() =>
        handle
          .update(sessions)
          .set({ connected: false, disconnectedAt: at, outbox: changed })
          .where(and(isConnected, not(hasNode())))
          .returning({ projectId: sessions.projectId, serverId: sessions.serverId, epoch: sessions.epoch }),
      ),
    list: (projectId: string): Promise<SessionRow[]> =>
      read(() =>
        handle.select().from(sessions).where(eq(sessions.projectId, projectId)).orderBy(asc(sessions.serverId)),
      ),
    /** Counts the enabled servers of a project, or of some, that were connected once and are not now. */
    countAway: async (projectId: string, some?: readonly string[]): Promise<number> => {
      const ofSession = and(eq(servers.projectId, sessions.projectId), eq(servers.id, sessions.serverId));
      const isWanted = and(literally(eq(servers.disabled, false)), isNull(servers.deletingAt));
      const among = some === undefined ? undefined : inArray(sessions.serverId, [...some]);
      const [row] = await read(() =>
        handle
          .select({ rows: count() })
          .from(sessions)
          .innerJoin(servers, ofSession)
          .where(and(eq(sessions.projectId, projectId), literally(eq(sessions.connected, false)), isWanted, among)),
      );
      return row?.rows ?? 0;
    },
    /** Ends every session. */
    disconnectAll: async (at: number): Promise<void> => {
      await commit(() =>
        handle.update(sessions).set({ connected: false, disconnectedAt: at, outbox: changed }).where(isConnected),
      );
    },
  };
};
