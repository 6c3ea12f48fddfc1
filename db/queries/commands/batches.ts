import { and, asc, count, eq, getTableColumns, gte, inArray, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { type Database, first } from '../../database.ts';
import { isActor, literally, outboxIn } from '../../expressions.ts';
import type { CommandStatus } from '../../schema/commands.ts';
import type { Tables } from '../../schema/tables.ts';
import { createTurns } from '../../turns.ts';
import { decodeCursor, encodeCursor, type Page, type PageRequest, readPage } from '../cursor.ts';
import { bytesOf, type CommandRow, commandColumns, commandPage, type Found } from './read.ts';
import { untilKnown } from './transitions.ts';

type Stored = Tables['batches']['$inferSelect'];
/** A batch with its targets, as it is made. */
export type WholeBatch = Omit<Stored, 'outbox'>;
/** A batch without its targets. */
export type BatchRow = Omit<Stored, 'targets'>;
/** Which batches a list has. */
export type BatchFilters = {
  servers?: readonly string[] | undefined;
  name?: string | undefined;
  /** The id of a key, or a part of its name in any case. */
  actor?: string | undefined;
  /** Made at that time or later, and made before (epoch milliseconds). */
  since?: number | undefined;
  until?: number | undefined;
};
export type BatchCounts = Partial<Record<CommandStatus, number>>;
/** Room for the player in the parameters of a command: its batch stores them without one. */
const TARGET_BYTES = 256;
/** The most bytes that the parameters of a batch's commands may take. */
export const bytesOfBatch = (params: BatchRow['params'], targets: number): number =>
  targets * (bytesOf(params) + TARGET_BYTES);

/** Batches: one command for many players. */
export const batchQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { batches, commands } = tables;
  const { targets, ...columns } = getTableColumns(batches);
  const durable = { durable: true };
  const inTurn = createTurns();

  const select = (...filters: SQL[]) =>
    read(() =>
      handle
        .select(columns)
        .from(batches)
        .where(and(...filters))
        .limit(1),
    );
  /** Changes a batch that is in one of these states. */
  const change = (
    set: { [K in keyof BatchRow]?: BatchRow[K] | SQL },
    ...filters: SQL[]
  ): Promise<BatchRow | undefined> =>
    first(
      commit(
        () =>
          handle
            .update(batches)
            .set(set)
            .where(and(...filters))
            .returning(columns),
        durable,
      ),
    );
  const filtersOf = ({ servers, name, actor, since, until }: BatchFilters): (SQL | undefined)[] => [
    servers === undefined ? undefined : inArray(batches.serverId, [...servers]),
    name === undefined ? undefined : eq(batches.name, name),
    actor === undefined ? undefined : isActor(database, batches.actor, actor),
    since === undefined ? undefined : gte(batches.createdAt, since),
    until === undefined ? undefined : lt(batches.createdAt, until),
  ];
  const isOf = (id: string): SQL => eq(batches.id, id);
  const isOpen = sql`${batches.status} <> 'settled'`;
  const hasBatch = isNotNull(commands.batchId);
  const stored = (id: string): SQL =>
    sql`(select count(*) from ${commands} where ${commands.batchId} = ${id} and ${hasBatch})`;
  const writtenAt = sql`coalesce(${batches.writtenAt}, ${batches.createdAt})`;

  return {
    /**
     * Stores a batch. Returns the existing one if the idempotency key is taken.
     * @throws DatabaseError unavailable, `isUnknown` if it may be stored
     */
    insert: async (row: WholeBatch): Promise<{ inserted: BatchRow } | { existing: BatchRow }> => {
      const values = { ...row, outbox: outboxIn(tables, row.projectId, 0) };
      const insert = () => handle.insert(batches).values(values).onConflictDoNothing().returning(columns);
      const write = async (): Promise<BatchRow | undefined> =>
        (await first(commit(insert, durable))) ??
        first(select(eq(batches.projectId, row.projectId), eq(batches.idempotencyKey, row.idempotencyKey)));
      const found = await write().catch((error: unknown) => untilKnown(error, write));
      if (found === undefined) throw new Error(`The batch ${row.id} is of another project.`);
      // The id comes from the key: another node may have stored a batch with this id a moment ago, of other contents.
      const isOwn = found.id === row.id && found.requestId === row.requestId && found.createdAt === row.createdAt;
      return isOwn ? { inserted: found } : { existing: found };
    },
    byKey: (projectId: string, key: string): Promise<BatchRow | undefined> =>
      first(select(eq(batches.projectId, projectId), eq(batches.idempotencyKey, key))),
    get: (projectId: string, id: string): Promise<BatchRow | undefined> =>
      first(select(eq(batches.projectId, projectId), isOf(id))),
    /** The batches of these ids. */
    among: (projectId: string, ids: readonly string[]): Promise<BatchRow[]> =>
      read(() =>
        handle
          .select(columns)
          .from(batches)
          .where(and(eq(batches.projectId, projectId), inArray(batches.id, [...ids]))),
      ),
    /** The batch with its targets. */
    whole: (id: string): Promise<Stored | undefined> =>
      first(read(() => handle.select().from(batches).where(isOf(id)).limit(1))),
    /** The newest first. @throws InvalidCursor */
    list: (projectId: string, request: PageRequest & BatchFilters): Promise<Page<BatchRow>> => {
      const { createdAt, id } = batches;
      const newest = { list: 'batches', by: { createdAt, id }, direction: 'desc' } as const;
      return readPage(newest, request, ({ behind, order, rows }) =>
        read(() =>
          handle
            .select(columns)
            .from(batches)
            .where(and(eq(batches.projectId, projectId), behind, ...filtersOf(request)))
            .orderBy(...order)
            .limit(rows),
        ),
      );
    },
    /** Batches whose commands are stored and on which no node has worked since (epoch milliseconds). */
    forgotten: (touchedBefore: number): Promise<BatchRow[]> =>
      read(() =>
        handle
          .select(columns)
          .from(batches)
          .where(and(isOpen, eq(batches.status, 'running'), lt(batches.touchedAt, touchedBefore)))
          .orderBy(asc(batches.touchedAt))
          .limit(50),
      ),
    /** Batches whose commands are not all stored, and of which no node has stored any since (epoch milliseconds). */
    unwritten: (writtenBefore: number): Promise<BatchRow[]> =>
      read(() =>
        handle
          .select(columns)
          .from(batches)
          .where(and(isOpen, eq(batches.status, 'writing'), lt(writtenAt, writtenBefore)))
          .orderBy(asc(writtenAt)),
      ),
    touch: (id: string, at: number) => change({ touchedAt: at }, isOf(id), isOpen),
    /** Notes that its commands up to this number are stored. */
    advance: (id: string, written: number, at: number) =>
      change(
        { written, touchedAt: at, writtenAt: at },
        isOf(id),
        eq(batches.status, 'writing'),
        lt(batches.written, written),
      ),
    /** writing → running, once all its commands are stored, or once no further one will be. */
    finishWriting: (id: string, at: number) =>
      change(
        {
          status: 'running',
          touchedAt: at,
          // An undo leaves out what another request has undone meanwhile.
          total: sql`case when ended_by is null then ${stored(id)} else total end`,
          duplicates: sql`case when ended_by is null then duplicates + total - ${stored(id)} else duplicates end`,
        },
        isOf(id),
        eq(batches.status, 'writing'),
        sql`(written = total or ended_by is not null)`,
      ),
    /** Notes that no further command of it may leave. Undefined: it was ended before. */
    end: (id: string, endedBy: 'voided' | 'aborted', at: number) =>
      change({ endedBy, touchedAt: at }, isOf(id), isOpen, sql`ended_by is null`),
    /** running → settled, once. */
    settle: (id: string, at: number) =>
      change(
        { status: 'settled', settledAt: at, outbox: sql`${batches.outbox} | 1` },
        isOf(id),
        eq(batches.status, 'running'),
      ),
    /** Its commands by status. */
    counts: async (id: string): Promise<BatchCounts> => {
      const byStatus = () =>
        handle
          .select({ status: commands.status, rows: count() })
          .from(commands)
          .where(eq(commands.batchId, id))
          .groupBy(commands.status);
      return Object.fromEntries((await read(byStatus)).map(({ status, rows }) => [status, rows]));
    },
    /** The commands of several batches by status, in the order of their ids. They may be a million. */
    countsOfEach: async (ids: readonly string[]): Promise<BatchCounts[]> => {
      const { handle: far, read: readFar } = database.reader;
      const byBatch = () =>
        far
          .select({ id: commands.batchId, status: commands.status, rows: count() })
          .from(commands)
          .where(inArray(commands.batchId, [...ids]))
          .groupBy(commands.batchId, commands.status);
      const found = ids.length === 0 ? [] : await readFar(byBatch);
      const countsOf = (id: string): BatchCounts =>
        Object.fromEntries(found.flatMap((row) => (row.id === id ? [[row.status, row.rows]] : [])));
      return ids.map(countsOf);
    },
    /**
     * Its commands in the order of its targets; a page is bounded as that of the journal. The commands may be large, so
     * pages of one batch are read one after another, and not on the event loop. @throws InvalidCursor
     */
    commands: (
      id: string,
      { status, ...page }: PageRequest & { status?: CommandStatus | undefined },
    ): Promise<Page<CommandRow>> => {
      const portionOf = (cursor: string | undefined, rows: number): Promise<Found[]> => {
        const [after] = cursor === undefined ? [] : decodeCursor('batch', cursor, ['number']);
        const filters = [
          eq(commands.batchId, id),
          status === undefined ? undefined : eq(commands.status, status),
          after === undefined ? undefined : sql`${commands.seq} > ${after}`,
        ];
        const { handle: from, read: readFrom } = database.reader;
        const portion = () =>
          from
            .select({ row: commandColumns(database), seq: commands.seq })
            .from(commands)
            .where(and(...filters))
            .orderBy(asc(commands.seq))
            .limit(rows);
        return readFrom(portion);
      };
      const cursorOf = ({ seq }: Found): string => encodeCursor('batch', [seq]);
      return inTurn(id, () => commandPage({ ...page, portionOf, cursorOf }));
    },
    /**
     * Counts the open batches of a project, those at work, and the commands that are not stored yet, with the bytes of their
     * parameters. A batch that only waits for its server or its players is not at work.
     */
    openOf: async (
      projectId: string,
    ): Promise<{ open: number; atWork: number; unwritten: number; unwrittenBytes: number }> => {
      // Each status by itself, because a partial index holds only one.
      const sent = (status: 'accepted' | 'dispatched') =>
        handle
          .select({ id: commands.batchId })
          .from(commands)
          .where(and(eq(commands.projectId, projectId), literally(eq(commands.status, status)), hasBatch));
      const isAtWork = or(
        eq(batches.status, 'writing'),
        eq(batches.deliver, 'now'),
        inArray(batches.id, sent('dispatched')),
        inArray(batches.id, sent('accepted')),
      );
      const isUnwritten = sql`${batches.status} = 'writing' and ${batches.endedBy} is null`;
      const left = sql`(${batches.total} - ${batches.written})`;
      const sumIf = (condition: SQL | undefined, value: SQL) =>
        sql<unknown>`sum(case when ${condition} then ${value} else 0 end)`;
      const ofProject = () =>
        handle
          .select({
            open: count(),
            atWork: sumIf(isAtWork, sql`1`),
            unwritten: sumIf(isUnwritten, left),
            unwrittenBytes: sumIf(
              isUnwritten,
              sql`${left} * (octet_length(cast(${batches.params} as text)) + ${TARGET_BYTES})`,
            ),
          })
          .from(batches)
          .where(and(eq(batches.projectId, projectId), isOpen));
      const row = await first(read(ofProject));
      return {
        open: row?.open ?? 0,
        atWork: Number(row?.atWork ?? 0),
        unwritten: Number(row?.unwritten ?? 0),
        unwrittenBytes: Number(row?.unwrittenBytes ?? 0),
      };
    },
  };
};
