import { setImmediate as turn } from 'node:timers/promises';
import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  lte,
  ne,
  type SQL,
  sql,
} from 'drizzle-orm';
import { type Database, first } from '../../database.ts';
import { atMost, isActor, literally, member } from '../../expressions.ts';
import type { CommandStatus } from '../../schema/commands.ts';
import type { Tables } from '../../schema/tables.ts';
import { createTurns } from '../../turns.ts';
import { decodeCursor, encodeCursor, type Page, type PageRequest } from '../cursor.ts';

/** A row of the journal, without its place there (only lists need that), and without what only waiting commands need. */
export type CommandRow = Omit<Tables['commands']['$inferSelect'], 'seq' | 'bytes' | 'notBefore'>;

/** The size of the parameters of a command in bytes. */
export const bytesOf = (params: CommandRow['params']): number => Buffer.byteLength(JSON.stringify(params));

export type CommandFilters = {
  projectId: string;
  /** Only of these servers. */
  servers?: readonly string[];
  target?: string;
  name?: string;
  statuses?: readonly CommandStatus[];
  /** `none`: without those of batches. Otherwise `all`, or the id of a batch. */
  batches?: string;
  /** The id of a key, or a part of its name in any case. */
  actor?: string;
  /** Only payments that give money, or take it. */
  direction?: 'give' | 'take';
  /** Made at that time or later (epoch milliseconds). */
  since?: number;
  /** Made before (epoch milliseconds). */
  until?: number;
};

export type CommandListRequest = CommandFilters & {
  limit: number;
  cursor?: string;
  /** Many pages are read one after the other: not on the event loop. */
  aside?: boolean;
};

/** Rows per query, so that a page of large rows is not read at once. */
const PORTION_ROWS = 51;
/** A page ends after the row that brings it over this many characters of JSON. */
const MAX_PAGE_LENGTH = 2 * 1024 * 1024;

const lengthOf = ({ params, result, error }: CommandRow): number => JSON.stringify([params, result, error]).length;

/** A row with its place. */
export type Found = { row: CommandRow; seq: number };

/** A page of commands: `limit` rows, or as many as `MAX_PAGE_LENGTH` has room for. It is read in portions, each in a turn of its own. */
export const commandPage = async ({
  limit,
  cursor: start,
  portionOf,
  cursorOf,
}: PageRequest & {
  portionOf: (cursor: string | undefined, rows: number) => Promise<Found[]>;
  cursorOf: (found: Found) => string;
}): Promise<Page<CommandRow>> => {
  const rows: CommandRow[] = [];
  let cursor = start;
  let length = 0;
  while (true) {
    const wanted = Math.min(PORTION_ROWS, limit + 1 - rows.length);
    const found = await portionOf(cursor, wanted);
    for (const each of found) {
      if (rows.length >= limit || length > MAX_PAGE_LENGTH) return { rows, next: cursor ?? null };
      rows.push(each.row);
      length += lengthOf(each.row);
      cursor = cursorOf(each);
    }
    if (found.length < wanted) return { rows, next: null };
    await turn();
  }
};

/** The columns of a command's row. */
export const commandColumns = ({ tables: { commands } }: Pick<Database, 'tables'>) => {
  const { seq: _, bytes: __, notBefore: ___, ...columns } = getTableColumns(commands);
  return columns;
};

/** The rows of money over which sums are made. */
const SUMMED_ROWS = 100_000;

/** Statuses of few commands, however long the journal: each has an index of its own. */
const FEW: readonly CommandStatus[] = ['waiting', 'accepted', 'dispatched', 'indeterminate'];

/** The commands of a project in one status of few. */
const fewIn = ({ tables: { commands } }: Pick<Database, 'tables'>) => {
  /** The range makes SQLite take the index of this status, not one of all rows of the project. */
  const rangeOf: Partial<Record<CommandStatus, SQL>> = {
    accepted: gt(commands.expiresAt, 0),
    indeterminate: gt(commands.seq, 0),
  };
  return (project: string, status: CommandStatus): (SQL | undefined)[] => [
    eq(commands.projectId, project),
    literally(eq(commands.status, status)),
    rangeOf[status],
  ];
};

/** The journal of a project, page by page, and its sums. */
const journal = (database: Database) => {
  const { commands } = database.tables;
  const columns = commandColumns(database);
  const ofStatus = fewIn(database);

  /** The whole journal is ordered by insertion, so that setting the clock moves no row. */
  const bySequence = {
    list: 'commands',
    order: [desc(commands.seq)],
    before: (cursor: string) => lt(commands.seq, Number(decodeCursor('commands', cursor, ['number'])[0])),
    keyOf: ({ seq }: { createdAt: number; seq: number }) => [seq],
  };
  /** A filtered journal is ordered by time, so that one index serves filter and order. */
  const byTime: typeof bySequence = {
    list: 'commands-by-time',
    order: [desc(commands.createdAt), desc(commands.seq)],
    before: (cursor) => {
      const [createdAt, seq] = decodeCursor('commands-by-time', cursor, ['number', 'number']);
      return sql`(${commands.createdAt}, ${commands.seq}) < (${createdAt}, ${seq})`;
    },
    keyOf: ({ createdAt, seq }) => [createdAt, seq],
  };

  const wayOf = ({ since, until }: CommandFilters) =>
    since === undefined && until === undefined ? bySequence : byTime;

  const areFew = (statuses: readonly CommandStatus[] = []): boolean =>
    statuses.length > 0 && statuses.every((status) => FEW.includes(status));
  const amongFew = (project: string, statuses: readonly CommandStatus[]): SQL => {
    const places = statuses.map(
      (status) => sql`select ${commands.seq} from ${commands} where ${and(...ofStatus(project, status))}`,
    );
    return sql`${commands.seq} in (${sql.join(places, sql` union all `)})`;
  };
  const ofBatches = (batches: string): SQL =>
    batches === 'none' ? isNull(commands.batchId) : eq(commands.batchId, batches);
  /** As an expression where another filter has an index, or SQLite would walk through all commands of the project. */
  const ofProject = ({ projectId, statuses, batches = 'all' }: CommandFilters): SQL =>
    areFew(statuses) || !['all', 'none'].includes(batches)
      ? sql`${commands.projectId} || '' = ${projectId}`
      : eq(commands.projectId, projectId);
  /** A payment that takes has the word of its caller: `remove` or `deduct`. */
  const goes = (direction: 'give' | 'take'): SQL | undefined =>
    and(eq(commands.name, 'money'), (direction === 'give' ? eq : ne)(member(commands.params, 'action'), 'add'));
  const filtersOf = (request: CommandFilters) => {
    const { projectId, servers, target, name, statuses, batches, actor, direction, since, until } = request;
    return [
      ofProject(request),
      servers === undefined ? undefined : inArray(commands.serverId, [...servers]),
      target === undefined ? undefined : eq(commands.target, target),
      name === undefined ? undefined : eq(commands.name, name),
      statuses === undefined
        ? undefined
        : areFew(statuses)
          ? amongFew(projectId, statuses)
          : inArray(commands.status, [...statuses]),
      batches === undefined || batches === 'all' ? undefined : ofBatches(batches),
      actor === undefined ? undefined : isActor(database, commands.actor, actor),
      direction === undefined ? undefined : goes(direction),
      since === undefined ? undefined : gte(commands.createdAt, since),
      until === undefined ? undefined : lt(commands.createdAt, until),
    ];
  };

  // The reader's thread also works for searches and shops, so filters run one after another for each project.
  const inTurn = createTurns();

  const portionOf = (request: CommandListRequest, cursor: string | undefined, rows: number): Promise<Found[]> => {
    const way = wayOf(request);
    const [project, ...chosen] = filtersOf(request);
    const filters = [project, ...chosen, cursor === undefined ? undefined : way.before(cursor)];
    const portion = ({ handle, read }: Pick<Database['reader'], 'handle' | 'read'>): Promise<Found[]> =>
      read(() =>
        handle
          .select({ row: columns, seq: commands.seq })
          .from(commands)
          .where(and(...filters))
          .orderBy(...way.order)
          .limit(rows),
      );
    // Without a match, a filter looks at each command of the project.
    if (request.aside !== true && chosen.every((filter) => filter === undefined)) return portion(database);
    return inTurn(request.projectId, () => portion(database.reader));
  };

  const isSqlite = database.engine === 'sqlite';
  /** A balance of a result. A sum of the database would be too large for its whole numbers, so it is one of floats. */
  const balance = (name: 'before' | 'after'): SQL =>
    isSqlite
      ? sql`${commands.result} ->> ${sql.raw(`'${name}'`)}`
      : sql`(${commands.result} ->> ${sql.raw(`'${name}'`)})::float8`;
  const sumOf = (what: SQL): SQL<number> =>
    sql`coalesce(sum(${isSqlite ? sql`cast(${what} as real)` : what}), 0)`.mapWith(Number);

  return {
    /**
     * Newest first, `limit` rows or as many as `MAX_PAGE_LENGTH` has room for. @throws InvalidCursor
     */
    list: (request: CommandListRequest): Promise<Page<CommandRow>> => {
      const { list, keyOf } = wayOf(request);
      return commandPage({
        ...request,
        portionOf: (cursor, rows) => portionOf(request, cursor, rows),
        cursorOf: ({ row, seq }) => encodeCursor(list, keyOf({ createdAt: row.createdAt, seq })),
      });
    },
    /**
     * The sums of money that was moved, by actor and account: by the balances before and after, so a part that was moved
     * counts as that part. `since`: they are of the newest `most` payments, made at that
     * time or later; null: of all that match.
     */
    sums: async (request: CommandFilters, most = SUMMED_ROWS) => {
      const isDone = and(eq(commands.name, 'money'), literally(eq(commands.status, 'succeeded')));
      const { handle, read } = database.reader;
      const moved = handle
        .select({
          keyId: member(commands.actor, 'keyId').as('key_id'),
          actor: member(commands.actor, 'name').as('actor'),
          account: sql`${commands.result} ->> 'account'`.as('account'),
          delta: sql`${balance('after')} - ${balance('before')}`.as('delta'),
          createdAt: commands.createdAt,
        })
        .from(commands)
        .where(and(...filtersOf(request), isDone))
        .orderBy(...wayOf(request).order)
        .limit(most)
        .as('moved');
      const delta = sql`${moved.delta}`;
      const sums = () =>
        handle
          .select({
            keyId: sql<string>`${moved.keyId}`,
            name: sql<string>`${moved.actor}`,
            account: sql<string>`${moved.account}`,
            given: sumOf(sql`case when ${delta} > 0 then ${delta} else 0 end`),
            taken: sumOf(sql`case when ${delta} < 0 then -(${delta}) else 0 end`),
            commands: sql`count(*)`.mapWith(Number),
            since: sql`min(${moved.createdAt})`.mapWith(Number),
          })
          .from(moved)
          .groupBy(sql`1, 2, 3`);
      const rows = await inTurn(request.projectId, () => read(sums));
      const counted = rows.reduce((sum, row) => sum + row.commands, 0);
      return {
        sums: rows
          .toSorted((one, other) => other.given + other.taken - one.given - one.taken)
          .map(({ keyId, name, since: _, ...sum }) => ({ actor: { keyId, name }, ...sum })),
        since: counted < most ? null : Math.min(...rows.map(({ since }) => since)),
      };
    },
  };
};

/** Largest number of open commands of a bridge, which fit into one frame. */
const MAX_OPEN = 2048;
const RECENT_ROWS = 20_000;

/** Read-only queries of the journal. */
export const commandReads = (database: Database) => {
  const { handle, tables, prepare, read } = database;
  const { commands, sessions } = tables;
  const columns = commandColumns(database);
  const is = (status: CommandStatus): SQL => literally(eq(commands.status, status));
  const ofStatus = fewIn(database);
  const countOf = async (project: string, status: CommandStatus, which: SQL | undefined): Promise<number> => {
    const wanted = and(...ofStatus(project, status), which);
    const [row] = await read(() => handle.select({ rows: count() }).from(commands).where(wanted));
    return row?.rows ?? 0;
  };
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

  /** Reads commands of servers that are connected to a node. */
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
    ...journal(database),
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
    /** All that are accepted, in the order in which they came; of more than 10,000 the oldest. */
    accepted: (): Promise<CommandRow[]> =>
      read(() => handle.select(columns).from(commands).where(is('accepted')).orderBy(asc(commands.seq)).limit(10_000)),
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
    /** The commands that were to undo these, in the order in which they were made. */
    undoing: async (project: string, ids: readonly string[]) => {
      const { undoes, id, status, error, batchId, restoredAt, seq } = commands;
      const tries = await read(() =>
        handle
          .select({ undoes, id, status, error, batchId, restoredAt, seq })
          .from(commands)
          .where(and(eq(commands.projectId, project), inArray(undoes, [...ids]))),
      );
      // An order in the statement would make SQLite walk through all commands of the project.
      return tries.sort((one, other) => one.seq - other.seq);
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
    /** The ages (ms) of the commands of the last `windowMs`, by project, oldest first; of the newest 20,000 rows. */
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
    /** Counts the commands of a server that were not sent, also for a player to come, and those sent and not ended. */
    openCounts: async (project: string, serverId: string): Promise<{ waiting: number; sent: number }> => {
      const ofServer = eq(commands.serverId, serverId);
      const [accepted, waiting, sent] = await Promise.all([
        countOf(project, 'accepted', ofServer),
        countOf(project, 'waiting', ofServer),
        countOf(project, 'dispatched', ofServer),
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
      const [waiting, accepted, dispatched, indeterminate] = await Promise.all([
        countOf(project, 'waiting', among),
        countOf(project, 'accepted', among),
        countOf(project, 'dispatched', among),
        countOf(project, 'indeterminate', and(among, eq(commands.class, 'exactly-once'))),
      ]);
      return { waiting, accepted, dispatched, indeterminate };
    },
  };
};
