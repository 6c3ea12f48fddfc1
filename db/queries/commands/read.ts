import { and, asc, count, desc, eq, gt, inArray, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';
import type { CommandStatus } from '../../schema/command-status.ts';
import { atMost, literally } from '../expressions.ts';
import { commandColumns, commandList } from './list.ts';
import type { CommandRow } from './row.ts';

/** Largest number of open commands of a bridge, which fit into one frame. */
const MAX_OPEN = 2048;
const RECENT_ROWS = 20_000;

/** Read-only queries of the journal. */
export const commandReads = (database: Database) => {
  const { handle, tables, prepare, read } = database;
  const { commands, sessions } = tables;
  const columns = commandColumns(database);
  const is = (status: CommandStatus): SQL => literally(eq(commands.status, status));
  const rangeOf: Partial<Record<CommandStatus, SQL>> = {
    accepted: gt(commands.expiresAt, 0),
    indeterminate: gt(commands.seq, 0),
  };
  /** The range makes SQLite take the index of this status, not one of all rows of the project. */
  const ofStatus = (project: string, status: CommandStatus): (SQL | undefined)[] => [
    eq(commands.projectId, project),
    is(status),
    rangeOf[status],
  ];
  const first = async (rows: Promise<CommandRow[]>): Promise<CommandRow | undefined> => (await rows)[0];
  const projectId = sql.placeholder('projectId');

  const get = prepare('commands.get', () =>
    handle
      .select(columns)
      .from(commands)
      .where(and(eq(commands.id, sql.placeholder('id')), eq(commands.projectId, projectId))),
  );
  const byKey = prepare('commands.byIdempotencyKey', () =>
    handle
      .select(columns)
      .from(commands)
      .where(and(eq(commands.projectId, projectId), eq(commands.idempotencyKey, sql.placeholder('key')))),
  );
  const ofServer = and(eq(commands.projectId, projectId), eq(commands.serverId, sql.placeholder('serverId')));
  const openFor = prepare('commands.openFor', () =>
    handle
      .select(columns)
      .from(commands)
      .where(and(ofServer, is('dispatched')))
      .orderBy(asc(commands.seq))
      .limit(atMost(sql.placeholder('limit'))),
  );

  /** Of servers that are connected to a node. */
  const ofNode = (name: string, ...filters: SQL[]) =>
    prepare(name, () => {
      const isOf = and(eq(sessions.projectId, commands.projectId), eq(sessions.serverId, commands.serverId));
      const isHeld = and(eq(sessions.node, sql.placeholder('node')), literally(eq(sessions.connected, true)));
      return handle
        .select({ row: columns })
        .from(commands)
        .innerJoin(sessions, and(isOf, isHeld))
        .where(and(...filters))
        .orderBy(asc(commands.seq))
        .limit(atMost(MAX_OPEN));
    });
  const acceptedOf = ofNode('commands.acceptedOf', is('accepted'));
  const leftBehindOf = ofNode('commands.leftBehindOf', is('dispatched'), lt(commands.epoch, sessions.epoch));

  return {
    get: (project: string, id: string) => first(read(() => get({ projectId: project, id }))),
    byIdempotencyKey: (project: string, key: string) => first(read(() => byKey({ projectId: project, key }))),
    list: commandList(database),
    /** Accepted and past their deadline, the earliest first. */
    dueAccepted: (now: number, limit: number): Promise<CommandRow[]> =>
      read(() =>
        handle
          .select(columns)
          .from(commands)
          .where(and(is('accepted'), lte(commands.expiresAt, now)))
          .orderBy(asc(commands.expiresAt))
          .limit(limit),
      ),
    /** Dispatched to a server and not settled, in the order of the journal. */
    openFor: (project: string, serverId: string, limit = MAX_OPEN): Promise<CommandRow[]> =>
      read(() => openFor({ projectId: project, serverId, limit })),
    /** Commands that wait for a node's bridges: accepted ones, and ones dispatched to an earlier session. */
    waitingFor: async (node: string): Promise<{ accepted: CommandRow[]; leftBehind: CommandRow[] }> => {
      const [accepted, leftBehind] = await Promise.all([
        read(() => acceptedOf({ node })),
        read(() => leftBehindOf({ node })),
      ]);
      return { accepted: accepted.map(({ row }) => row), leftBehind: leftBehind.map(({ row }) => row) };
    },
    /** The commands of these ids, whatever their project. */
    among: (ids: readonly string[]): Promise<CommandRow[]> =>
      read(() =>
        handle
          .select(columns)
          .from(commands)
          .where(inArray(commands.id, [...ids])),
      ),
    /** Dispatched before (epoch milliseconds) and still not settled. */
    abandonedBefore: (at: number, limit: number): Promise<CommandRow[]> =>
      read(() =>
        handle
          .select(columns)
          .from(commands)
          .where(and(is('dispatched'), lt(commands.dispatchedAt, at)))
          .orderBy(asc(commands.dispatchedAt))
          .limit(limit),
      ),
    /** When the newest command was made (epoch milliseconds); undefined: there is none. */
    newestAt: async (): Promise<number | undefined> => {
      const newest = () =>
        handle.select({ at: commands.createdAt }).from(commands).orderBy(desc(commands.seq)).limit(1);
      const [row] = await read(newest);
      return row?.at;
    },
    /** How long ago the commands of the last `windowMs` were made, by project, oldest first; of the newest 20,000 rows. */
    recentAges: async (now: number, windowMs: number): Promise<Map<string, number[]>> => {
      const newest = await read(() =>
        handle
          .select({ projectId: commands.projectId, createdAt: commands.createdAt })
          .from(commands)
          .orderBy(desc(commands.seq))
          .limit(RECENT_ROWS),
      );
      const recent = newest.filter(({ createdAt }) => createdAt > now - windowMs && createdAt <= now).reverse();
      const ages = new Map<string, number[]>();
      for (const { projectId: id, createdAt } of recent) {
        const known = ages.get(id);
        if (known === undefined) ages.set(id, [now - createdAt]);
        else known.push(now - createdAt);
      }
      return ages;
    },
    /** How many commands of a server were not sent, also for a player to come, and how many were sent and have not ended. */
    openCounts: async (project: string, serverId: string): Promise<{ waiting: number; sent: number }> => {
      const countOf = async (status: CommandStatus): Promise<number> => {
        const isOpen = and(...ofStatus(project, status), eq(commands.serverId, serverId));
        const [row] = await read(() => handle.select({ rows: count() }).from(commands).where(isOpen));
        return row?.rows ?? 0;
      };
      const [accepted, waiting, sent] = await Promise.all([
        countOf('accepted'),
        countOf('waiting'),
        countOf('dispatched'),
      ]);
      return { waiting: accepted + waiting, sent };
    },
    /**
     * Counts the open commands of a project, of all its servers or of some. `indeterminate` counts commands that an
     * operator must resolve, so not kicks.
     */
    counts: async (
      project: string,
      some?: readonly string[],
    ): Promise<{ waiting: number; accepted: number; dispatched: number; indeterminate: number }> => {
      const among = some === undefined ? undefined : inArray(commands.serverId, [...some]);
      const countOf = async (status: CommandStatus, needed?: SQL): Promise<number> => {
        const wanted = and(...ofStatus(project, status), among, needed);
        const [row] = await read(() => handle.select({ rows: count() }).from(commands).where(wanted));
        return row?.rows ?? 0;
      };
      const [waiting, accepted, dispatched, indeterminate] = await Promise.all([
        countOf('waiting'),
        countOf('accepted'),
        countOf('dispatched'),
        countOf('indeterminate', eq(commands.class, 'exactly-once')),
      ]);
      return { waiting, accepted, dispatched, indeterminate };
    },
  };
};
