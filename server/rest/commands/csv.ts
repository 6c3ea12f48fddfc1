import { type CustomRoles, isCommandName } from '../../../bridge-protocol/index.ts';
import type { CommandRow } from '../../../db/queries/commands/row.ts';
import { entryOf, type ParamColumn } from '../../commands/catalogue.ts';
import { isoTime } from '../../platform/iso-time.ts';
import { publicParams, type TargetName } from './view.ts';

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
    settled: row.settledAt === null ? null : isoTime(row.settledAt),
    id: row.id,
    ...paramCellsOf(row),
  };
};

type Page = { rows: CommandRow[]; next: string | null };
/** A journal, page by page. */
export type Journal = {
  list: (page: { limit: number; cursor?: string }) => Promise<Page>;
  namesOf: (rows: readonly CommandRow[]) => Promise<TargetName>;
};

/**
 * The newest rows of a journal as CSV (RFC 4180), one text for each page. With a byte order mark: spreadsheets guess wrong
 * without.
 */
export async function* journalTable({ list, namesOf }: Journal): AsyncGenerator<string, void> {
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
