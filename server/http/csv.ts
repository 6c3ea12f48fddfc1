import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Context } from 'hono';
import { type CustomRoles, isCommandName } from '../../bridge-protocol/index.ts';
import type { CommandRow } from '../../db/queries/commands/read.ts';
import { createTurnsWithin } from '../../db/turns.ts';
import { entryOf, type ParamColumn } from '../commands/catalogue.ts';
import { publicParams, type TargetName } from '../commands/view.ts';
import { rateLimited } from '../platform/errors.ts';
import { isoTime, optionalTime } from '../platform/time.ts';
import { asHubError } from './answer.ts';
import { ClientClosedError, type RestDeps, type RestEnv } from './request.ts';

const MAX_ROWS = 10_000;
const PAGE_ROWS = 200;

const COLUMNS = [
  'time',
  'server',
  'command',
  'player',
  'name',
  'action',
  'account',
  'amount',
  'before',
  'after',
  'reason',
  'outcome',
  'error',
  'actor',
  'settled',
  'id',
  'parameters',
  'item',
  'count',
  'applied',
  'error_code',
] as const;
type Cells = Record<(typeof COLUMNS)[number], unknown>;

/**
 * Spreadsheets run a text that begins with one of these signs (plain, full-width or small) as a formula. A leading
 * apostrophe prevents that. Some programs first drop invisible characters: spaces, controls, formats, marks, fillers.
 */
const FORMULA =
  /^[\s\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@\t\r\uff0b\uff0d\uff1d\uff20\ufe62\ufe63\ufe66\ufe6b]/u;

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
};

type Columns = ReadonlyMap<string, ParamColumn | undefined>;

/** The columns that the roles of a custom command give to its parameters. An amount of an item is a count of it. */
const columnsOfRoles = ({ amount, item, reason }: CustomRoles): Columns =>
  new Map<string, ParamColumn>([
    ...(amount === undefined ? [] : [[amount, item === undefined ? 'amount' : 'count'] as const]),
    ...(item === undefined ? [] : [[item, 'item'] as const]),
    ...(reason === undefined ? [] : [[reason, 'reason'] as const]),
  ]);

const columnsOf = ({ name, roles }: CommandRow): Columns =>
  isCommandName(name) ? new Map(Object.entries(entryOf(name).columns)) : columnsOfRoles(roles ?? {});

/** Whether a value fits into a column. A schema may allow others, and sums are made over columns of numbers. */
const isFor = (column: ParamColumn, value: unknown): boolean =>
  typeof value === (column === 'amount' || column === 'count' ? 'number' : 'string');

/** The parameters by their columns; the rest, and all of a custom command without roles, is in `parameters`. */
const paramCellsOf = (row: CommandRow): Partial<Cells> => {
  const columns = columnsOf(row);
  const cells: Partial<Cells> = {};
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(publicParams(row))) {
    const column = columns.get(name);
    const isPlayer = name === row.roles?.player && value === row.target;
    if (column !== undefined && isFor(column, value)) cells[column] = value;
    else if (column === 'count' && isCommandName(row.name) && Array.isArray(value)) cells.count = value.length;
    else if (!isPlayer) rest[name] = value;
  }
  return Object.keys(rest).length === 0 ? cells : { ...cells, parameters: rest };
};

const cellsOf = (row: CommandRow, name: string | undefined): Partial<Cells> => {
  const result = isCommandName(row.name) ? row.result : null;
  return {
    time: isoTime(row.createdAt),
    server: row.serverId,
    command: row.name,
    player: row.target,
    name,
    before: result?.['before'],
    after: result?.['after'],
    applied: result?.['applied'],
    outcome: row.status,
    error: row.error?.message,
    error_code: row.error?.code,
    actor: row.actor.name,
    settled: optionalTime(row.settledAt),
    id: row.id,
    ...paramCellsOf(row),
  };
};

/** A journal, page by page. */
type Journal = {
  list: (page: { limit: number; cursor?: string }) => Promise<{ rows: CommandRow[]; next: string | null }>;
  namesOf: (rows: readonly CommandRow[]) => Promise<TargetName>;
};

/**
 * The newest rows of a journal as CSV (RFC 4180), one text for each page. With a byte order mark: spreadsheets guess wrong
 * without.
 */
async function* journalTable({ list, namesOf }: Journal): AsyncGenerator<string, void> {
  let head = `\ufeff${COLUMNS.join(',')}\r\n`;
  let left = MAX_ROWS;
  let cursor: string | undefined;
  do {
    const limit = Math.min(PAGE_ROWS, left);
    const { rows, next } = await list({ limit, ...(cursor === undefined ? {} : { cursor }) });
    const nameOf = await namesOf(rows);
    const lines = rows.map((row) => {
      const cells = cellsOf(row, nameOf(row));
      return `${COLUMNS.map((name) => cell(cells[name])).join(',')}\r\n`;
    });
    yield head + lines.join('');
    head = '';
    left -= rows.length;
    cursor = next ?? undefined;
  } while (cursor !== undefined && left > 0);
}

const BUSY = 'Another export of the project is under way, and no more than one may.';

/**
 * Sends journals as CSV, one for each project at a time. A page is read when the caller has taken the one before it, in a
 * turn of the event loop of its own.
 */
export const createExports = ({ log, tuning }: Pick<RestDeps, 'log' | 'tuning'>) => {
  const alone = createTurnsWithin(tuning.exportWaitMs, () => rateLimited(BUSY, 10));
  /** Takes the project's place until the response is closed. @throws HubError rate_limited, ClientClosedError */
  const takePlace = (projectId: string, response: ServerResponse): Promise<void> =>
    new Promise((begin, fail) => {
      const held = alone(projectId, async () => {
        if (response.closed) throw new ClientClosedError();
        begin();
        await once(response, 'close');
      });
      held.catch(fail);
    });

  const streamOf = (c: Context<RestEnv>, first: string, rest: AsyncGenerator<string, void>): ReadableStream => {
    const { outgoing } = c.env;
    /** A table that ends early must not look complete, so the connection ends without the last chunk. */
    const cut = (error: unknown): void => {
      log.error({ err: asHubError(error)?.cause ?? error, requestId: c.get('requestId') }, 'an export failed');
      outgoing.destroy();
    };
    return new ReadableStream(
      {
        start: (controller) => controller.enqueue(Buffer.from(first)),
        pull: async (controller) => {
          await turn();
          const next = await rest.next().catch(cut);
          if (next === undefined) return;
          if (next.done === true) controller.close();
          else controller.enqueue(Buffer.from(next.value));
        },
        cancel: () => void rest.return(),
      },
      { highWaterMark: 0 },
    );
  };

  return async (c: Context<RestEnv>, fileName: string, journal: Journal): Promise<Response> => {
    const headers = {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${fileName}"`,
    };
    // Its answer has no body, which nothing would read.
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    await takePlace(c.var.principal.project.id, c.env.outgoing);
    const pages = journalTable(journal);
    const first = await pages.next();
    return c.body(streamOf(c, first.value ?? '', pages), 200, headers);
  };
};
export type Exports = ReturnType<typeof createExports>;
