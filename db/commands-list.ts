import { and, desc, eq, getTableColumns, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import type { CommandRow, CommandStatus } from './commands.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Database } from './database.ts';
import { literally, member } from './expressions.ts';
import { storable } from './text.ts';

export type CommandListRequest = {
  projectId: string;
  /** Only of these servers. */
  servers?: readonly string[];
  target?: string;
  name?: string;
  status?: CommandStatus;
  /** The id or the name of a key. */
  actor?: string;
  /** Made at that time or later (epoch milliseconds). */
  since?: number;
  /** Made before (epoch milliseconds). */
  until?: number;
  limit: number;
  cursor?: string;
};
type Place = { createdAt: number; seq: number };
type CommandPage = { rows: CommandRow[]; next: string | null };

/** All that is known of a command. */
export const commandColumns = ({ tables: { commands } }: Pick<Database, 'tables'>) => {
  const { seq: _, ...columns } = getTableColumns(commands);
  return columns;
};

/** The journal of a project, page by page. */
export const commandList = (database: Database) => {
  const { handle, tables, read } = database;
  const { commands } = tables;
  const columns = commandColumns(database);

  /** A whole journal is in the order of its rows: a clock that was set moves no row from its place. */
  const bySequence = {
    list: 'commands',
    order: [desc(commands.seq)],
    before: (cursor: string) => lt(commands.seq, Number(decodeCursor('commands', cursor, ['number'])[0])),
    keyOf: ({ seq }: Place) => [seq],
  };
  /** A part of it is in the order of the times themselves, so that one index has the part and its order. */
  const byTime: typeof bySequence = {
    list: 'commands-by-time',
    order: [desc(commands.createdAt), desc(commands.seq)],
    before: (cursor) => {
      const [createdAt, seq] = decodeCursor('commands-by-time', cursor, ['number', 'number']);
      return sql`(${commands.createdAt}, ${commands.seq}) < (${createdAt}, ${seq})`;
    },
    keyOf: ({ createdAt, seq }) => [createdAt, seq],
  };

  const isMember = (key: 'keyId' | 'name', text: string): SQL => eq(member(commands.actor, key), storable(text));
  const filtersOf = ({ projectId, servers, target, name, status, actor, since, until }: CommandListRequest) => [
    eq(commands.projectId, projectId),
    servers === undefined ? undefined : inArray(commands.serverId, [...servers]),
    target === undefined ? undefined : eq(commands.target, target),
    name === undefined ? undefined : eq(commands.name, name),
    status === undefined ? undefined : literally(eq(commands.status, status)),
    actor === undefined ? undefined : or(isMember('keyId', actor), isMember('name', actor)),
    since === undefined ? undefined : gte(commands.createdAt, since),
    until === undefined ? undefined : lt(commands.createdAt, until),
  ];

  /** Newest first. `next` is the cursor of the following page. @throws InvalidCursor */
  return async (request: CommandListRequest): Promise<CommandPage> => {
    const { since, until, limit, cursor } = request;
    const way = since === undefined && until === undefined ? bySequence : byTime;
    const filters = [...filtersOf(request), cursor === undefined ? undefined : way.before(cursor)];
    const found = await read(() =>
      handle
        .select({ row: columns, seq: commands.seq })
        .from(commands)
        .where(and(...filters))
        .orderBy(...way.order)
        .limit(limit + 1),
    );
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const hasMore = found.length > limit && last !== undefined;
    return {
      rows: page.map(({ row }) => row),
      next: hasMore ? encodeCursor(way.list, way.keyOf({ createdAt: last.row.createdAt, seq: last.seq })) : null,
    };
  };
};
