import { setImmediate as turn } from 'node:timers/promises';
import { and, desc, eq, getTableColumns, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../port/database.ts';
import { createTurns } from '../../port/turns.ts';
import type { CommandStatus } from '../../schema/command-status.ts';
import { storable } from '../../schema/text.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { literally, member } from '../expressions.ts';
import type { CommandRow } from './row.ts';

export type CommandListRequest = {
  projectId: string;
  /** Only of these servers. */
  servers?: readonly string[];
  target?: string;
  name?: string;
  status?: CommandStatus;
  /** The id of a key, or a part of its name in any case. */
  actor?: string;
  /** Made at that time or later (epoch milliseconds). */
  since?: number;
  /** Made before (epoch milliseconds). */
  until?: number;
  limit: number;
  cursor?: string;
  /** Many pages are read one after the other: not on the event loop. */
  aside?: boolean;
};
type Place = { createdAt: number; seq: number };
type CommandPage = { rows: CommandRow[]; next: string | null };

/** Rows per query, so that a page of large rows is not read at once. */
const PORTION_ROWS = 51;
/** A page ends after the row that brings it over this many characters of JSON. */
export const MAX_PAGE_LENGTH = 2 * 1024 * 1024;

const lengthOf = ({ params, result, error }: CommandRow): number => JSON.stringify([params, result, error]).length;

/** A row with its place. */
export type Found = { row: CommandRow; seq: number };

/** A page of commands: `limit` rows, or as many as `MAX_PAGE_LENGTH` has room for. It is read in portions, each in a turn of its own. */
export const commandPage = async ({
  limit,
  cursor: start,
  portionOf,
  cursorOf,
}: {
  limit: number;
  cursor?: string | undefined;
  portionOf: (cursor: string | undefined, rows: number) => Promise<Found[]>;
  cursorOf: (found: Found) => string;
}): Promise<CommandPage> => {
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
  const { seq: _, bytes: __, ...columns } = getTableColumns(commands);
  return columns;
};

/** The journal of a project, page by page. */
export const commandList = (database: Database) => {
  const { commands } = database.tables;
  const columns = commandColumns(database);

  /** The whole journal is ordered by insertion, so that setting the clock moves no row. */
  const bySequence = {
    list: 'commands',
    order: [desc(commands.seq)],
    before: (cursor: string) => lt(commands.seq, Number(decodeCursor('commands', cursor, ['number'])[0])),
    keyOf: ({ seq }: Place) => [seq],
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

  const wayOf = ({ since, until }: CommandListRequest) =>
    since === undefined && until === undefined ? bySequence : byTime;

  const isKey = (id: string): SQL => eq(member(commands.actor, 'keyId'), storable(id));
  /** SQLite ignores the case of ASCII letters only, so the text is tried in lower and in upper case. */
  const isNamed = (text: string): SQL | undefined => {
    const operator = sql.raw(database.engine === 'sqlite' ? 'like' : 'ilike');
    const part = storable(text).replaceAll(/[\\%_]/g, '\\$&');
    const matches = [part.toLowerCase(), part.toUpperCase()].map(
      (each) => sql`${member(commands.actor, 'name')} ${operator} ${`%${each}%`} escape '\\'`,
    );
    return or(...matches);
  };
  const filtersOf = ({ projectId, servers, target, name, status, actor, since, until }: CommandListRequest) => [
    eq(commands.projectId, projectId),
    servers === undefined ? undefined : inArray(commands.serverId, [...servers]),
    target === undefined ? undefined : eq(commands.target, target),
    name === undefined ? undefined : eq(commands.name, name),
    status === undefined ? undefined : literally(eq(commands.status, status)),
    actor === undefined ? undefined : or(isKey(actor), isNamed(actor)),
    since === undefined ? undefined : gte(commands.createdAt, since),
    until === undefined ? undefined : lt(commands.createdAt, until),
  ];

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

  /**
   * Newest first, `limit` rows or as many as `MAX_PAGE_LENGTH` has room for. `next` is the cursor of the following page.
   * @throws InvalidCursor
   */
  return (request: CommandListRequest): Promise<CommandPage> => {
    const { list, keyOf } = wayOf(request);
    return commandPage({
      ...request,
      portionOf: (cursor, rows) => portionOf(request, cursor, rows),
      cursorOf: ({ row, seq }) => encodeCursor(list, keyOf({ createdAt: row.createdAt, seq })),
    });
  };
};
