import Sqlite from 'better-sqlite3';
import type { CommandLine, Mismatch } from '../simulator/ledger.ts';
import type { Victim } from '../tests/kit/processes.ts';
import {
  type Book,
  type Books,
  checkEntry,
  labelOf,
  NEVER,
  nameOf,
  openBooks,
  ROW_COLUMNS,
  type Row,
} from './books.ts';
import type { Call } from './calls.ts';
import type { Report, Stocks } from './stock.ts';

type Params = { target: string; amount: number; action: string; reason?: string };

export type Ledgers = {
  /**
   * Requests of a run, derived from the planned ones: where the game keeps no ledger, each command needs its own
   * amount.
   */
  plan?: (calls: readonly Call[]) => Call[];
  /** Everything since the last call, and the goods of the players now. */
  fresh: () => Promise<{ rows: Row[]; lines: CommandLine[]; audit: Mismatch[]; stocks?: Stocks | undefined }>;
  books: Books;
  close: () => void;
};

/** The hub's commands, read from its database file, and their effects in the game's own ledger and goods. */
export const openLedgers = ({ hubFile, game }: { hubFile: string; game: Pick<Victim, 'ask'> }): Ledgers => {
  const hub = new Sqlite(hubFile, { readonly: true });
  const rows = hub.prepare<[number], Row>(`SELECT ${ROW_COLUMNS} FROM commands WHERE seq > ?`);
  let seen = { seq: 0, line: 0 };
  return {
    fresh: async () => {
      const { lines, audit, stock } = (await game.ask(seen.line)) as Report;
      const found = { rows: rows.all(seen.seq), lines, audit, stocks: { stored: stock, saved: stock } };
      seen = { seq: found.rows.at(-1)?.seq ?? seen.seq, line: lines.at(-1)?.id ?? seen.line };
      return found;
    },
    books: openBooks(async (statement) => hub.prepare(statement).all()),
    close: (): void => {
      hub.close();
    },
  };
};

const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};

const checkRow = (row: Row, of: readonly CommandLine[], mayDoubt: boolean): string[] => {
  const params = JSON.parse(row.params) as Params;
  const name = nameOf(row);
  if (of.length > 1) return [`doubled: ${name} has ${of.length} lines`];
  const [line] = of;
  if (row.status === 'succeeded') {
    if (line === undefined) return [`wrongly reported: ${name} succeeded, and the game has no line`];
    const { before, after } = JSON.parse(row.result ?? '{}') as { before?: number; after?: number };
    const delta = params.action === 'add' ? params.amount : -params.amount;
    const isSame =
      line.delta === delta && line.identifier === params.target && line.before === before && line.after === after;
    return isSame ? [] : [`wrongly reported: ${name} and the game's line ${line.id} differ`];
  }
  // The effect happened at most once, and the hub reports the command as indeterminate for an operator.
  if (row.status === 'indeterminate' && mayDoubt) return [];
  if (NEVER.has(row.status))
    return line === undefined ? [] : [`wrongly reported: ${name} ${row.status}, and it happened`];
  return [`lost: ${name} is ${row.status} when everything is over`];
};

const checkCall = ({ label, key, told }: Call, rows: readonly Row[]): string[] => {
  if (rows.length > 1) return [`doubled: ${label} has ${rows.length} commands`];
  const [row] = rows;
  return told.flatMap(({ executed, id, code }) => {
    if (executed === 'unknown') return [];
    // The hub stored nothing for this answer; a later attempt with the same key may have stored a command.
    if (executed === 'no' && id === undefined && key !== undefined) return [];
    const did = row?.status === 'succeeded';
    if (executed === 'yes' && !did) return [`lost: ${label} was told yes, and its command is ${row?.status}`];
    if (executed === 'no' && did && code !== 'accepted' && code !== 'waiting')
      return [`wrongly reported: ${label} was told no (${code})`];
    return [];
  });
};

/** The hub's id of a command: at the bridge, one that waited has the number of its round behind it. */
const orderedAs = (commandId: string): string => commandId.replace(/\.\d+$/, '');

/**
 * Compares the callers' answers, the hub's commands and the game's transactions of money. An empty list means that they
 * agree. The court judges commands that change goods.
 */
export const compare = ({
  calls,
  rows,
  lines,
  book = { batches: [], lines: [] },
  mayDoubt = () => false,
}: {
  calls: readonly Call[];
  rows: readonly Row[];
  lines: readonly CommandLine[];
  book?: Book;
  /** Whether a command of this name may stay indeterminate. */
  mayDoubt?: (name: string) => boolean;
}) => {
  const linesOf = groupBy(lines, ({ commandId }) => orderedAs(commandId));
  const rowsOf = groupBy(rows, labelOf);
  const known = new Map(rows.map((row) => [row.id, row]));
  const checked = (call: Call): string[] => {
    const own = rowsOf.get(call.label) ?? [];
    return call.way === 'command' ? checkCall(call, own) : checkEntry(call, own, book, known);
  };
  return [
    ...rows
      .filter(({ name }) => name === 'money')
      .flatMap((row) => checkRow(row, linesOf.get(row.id) ?? [], mayDoubt('money'))),
    ...calls.flatMap(checked),
    ...lines
      .filter(({ commandId }) => !known.has(orderedAs(commandId)))
      .map(({ commandId }) => `no row: ${commandId} happened`),
  ];
};
