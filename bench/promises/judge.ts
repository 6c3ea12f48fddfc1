import Sqlite from 'better-sqlite3';
import type { ResultFrame } from '../../tests/kit/fuzzed-results.ts';
import type { Answer } from './caller.ts';

export type FuzzedRow = { id: string; serverId: string; status: string; result: string | null };

/** All commands of a hub, read from its file. */
export const readRows = (file: string): FuzzedRow[] => {
  const database = new Sqlite(file, { readonly: true });
  try {
    return database.prepare<[], FuzzedRow>('SELECT id, server_id AS serverId, status, result FROM commands').all();
  } finally {
    database.close();
  }
};

const STATUS: Partial<Record<ResultFrame['status'], string>> = { done: 'succeeded', rejected: 'rejected' };

const checkMain = ({ id, status, result }: FuzzedRow, truth: ResultFrame | undefined): string[] => {
  if (truth === undefined) return [`${id} is ${status}, and its bridge never saw it`];
  const { before, after } = JSON.parse(result ?? '{}') as { before?: number; after?: number };
  const isSame =
    status === STATUS[truth.status] && before === truth.data?.['before'] && after === truth.data?.['after'];
  return isSame ? [] : [`${id} is ${status} ${result}, and its bridge said ${JSON.stringify(truth)}`];
};

/** This game server's results cannot be forged: it signs its results. */
const checkOther = ({ id, status, result }: FuzzedRow): string[] =>
  status === 'succeeded' && result?.includes('"by":"other-other"') === true ? [] : [`${id} is ${status} ${result}`];

/** Compares the commands, the bridges' results and the callers' answers. An empty list means that they agree. */
export const judge = ({
  rows,
  truths,
  answers,
  untouched,
  waiting,
}: {
  rows: readonly FuzzedRow[];
  truths: readonly ResultFrame[];
  answers: readonly Answer[];
  /** The commands that were open when the fuzzing ended, in their state at that time. */
  untouched: readonly FuzzedRow[];
  waiting: readonly string[];
}): string[] => {
  const truthOf = new Map(truths.map((truth) => [truth.id, truth]));
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return [
    ...rows.flatMap((row) => (row.serverId === 'main' ? checkMain(row, truthOf.get(row.id)) : checkOther(row))),
    ...untouched
      .filter(({ id, status }) => status !== (waiting.includes(id) ? 'accepted' : 'dispatched'))
      .map(({ id, status }) => `${id} became ${status} without an answer of a bridge`),
    ...answers.flatMap(({ status, body }) => {
      const id = body.command?.id ?? body.id ?? '';
      const told = status === 200 ? 'succeeded' : status === 409 ? 'rejected' : `${status} ${body.code}`;
      return rowOf.get(id)?.status === told
        ? []
        : [`${id} is ${rowOf.get(id)?.status}, and its caller was told ${told}`];
    }),
  ];
};
