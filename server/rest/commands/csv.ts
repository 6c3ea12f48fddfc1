import { isCustomName } from '../../../bridge-protocol/index.ts';
import type { CommandRow } from '../../../db/queries/commands/row.ts';
import { isoTime } from '../../platform/iso-time.ts';
import type { TargetName } from './target-names.ts';

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

const cellsOf = (row: CommandRow, name: string | undefined): Cells => {
  const isCustom = isCustomName(row.name);
  const params = isCustom ? {} : row.params;
  const result = isCustom ? null : row.result;
  return {
    time: isoTime(row.createdAt),
    server: row.serverId,
    command: row.name,
    player: row.target,
    name,
    action: params['action'],
    account: params['type'],
    amount: params['amount'],
    before: result?.['before'],
    after: result?.['after'],
    reason: params['reason'],
    outcome: row.status,
    error: row.error?.message,
    actor: row.actor.name,
    settled: row.settledAt === null ? null : isoTime(row.settledAt),
    id: row.id,
    parameters: isCustom ? row.params : null,
  };
};

type Page = { rows: CommandRow[]; next: string | null };

/** The newest rows of a journal as CSV (RFC 4180). With a byte order mark: spreadsheets guess wrong without. */
export const journalTable = async ({
  list,
  namesOf,
}: {
  list: (page: { limit: number; cursor?: string }) => Promise<Page>;
  namesOf: (rows: readonly CommandRow[]) => Promise<TargetName>;
}): Promise<string> => {
  const lines = [COLUMNS.join(',')];
  let cursor: string | undefined;
  do {
    const { rows, next } = await list({ limit: PAGE_ROWS, ...(cursor === undefined ? {} : { cursor }) });
    const nameOf = await namesOf(rows);
    for (const row of rows) {
      const cells = cellsOf(row, nameOf(row));
      lines.push(COLUMNS.map((name) => cell(cells[name])).join(','));
    }
    cursor = next ?? undefined;
  } while (cursor !== undefined && lines.length <= MAX_ROWS);
  return `\ufeff${lines.join('\r\n')}\r\n`;
};
