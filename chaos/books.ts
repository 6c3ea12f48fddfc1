import type { Call } from './calls.ts';

/** A command as the hub's database has it. */
export type Row = {
  seq: number;
  id: string;
  name: string;
  status: string;
  params: string;
  result: string | null;
  error: string | null;
  /** The idempotency key. */
  key: string | null;
};

/** The columns of a row in an embedded database. */
export const ROW_COLUMNS = 'seq, id, name, status, params, result, error, idempotency_key AS key';

/** Outcomes that promise that the command had no effect. */
export const NEVER: ReadonlySet<string> = new Set(['failed', 'rejected', 'voided', 'expired']);

/** The label of the call that asked for the command. A shop's command has it in its key, others in their reason. */
export const labelOf = ({ key, params }: Row): string => {
  const [kind, , transaction = ''] = key?.split('/') ?? [];
  return kind === 'shop' ? transaction : ((JSON.parse(params) as { reason?: string }).reason ?? '');
};

/** The row's id, and the label of its call. */
export const nameOf = (row: Row): string => `${row.id} (${labelOf(row)})`;

type Batch = { label: string; status: string; endedBy: string | null; total: number };
type Line = {
  label: string;
  state: string;
  reason: string | null;
  commandId: string | null;
  oppositeId: string | null;
};
/** The hub's notes on the batches and shop orders of a run. */
export type Book = { batches: readonly Batch[]; lines: readonly Line[] };
/** Reads rows of the hub's database. */
export type Ask = (statement: string) => Promise<unknown[]>;

/** These statements are the same in both engines. */
const OPEN = `SELECT (SELECT count(*) FROM commands WHERE name <> 'kick' AND status IN ('accepted', 'dispatched', 'waiting'))
  + (SELECT count(*) FROM batches WHERE status <> 'settled')
  + (SELECT count(*) FROM shop_orders WHERE is_open)
  + (SELECT count(*) FROM shop_lines WHERE state IN ('pending', 'placed', 'refunding', 'reversing', 'undoing')) AS open`;
/**
 * Commands for players who are away, or who were asked again and were refused: a framework that lost the database while
 * it loaded or saved a player keeps the player out until its restart.
 */
const AWAY = `SELECT id FROM commands c WHERE status = 'waiting' AND deliver = 'when_online' AND (
  NOT EXISTS (SELECT 1 FROM players p WHERE p.identifier = c.target AND p.online) OR
  EXISTS (SELECT 1 FROM commands o WHERE o.target = c.target AND o.status = 'waiting' AND o.round >= 2))`;
const LEFT = `SELECT c.id, c.name, c.target, c.status, c.deliver, c.round, c.attempts, p.online
  FROM commands c LEFT JOIN players p ON p.identifier = c.target WHERE c.status IN ('accepted', 'dispatched', 'waiting')`;
const BATCHES = 'SELECT label, status, ended_by AS "endedBy", total FROM batches WHERE label LIKE';
const LINES = `SELECT "transaction" AS label, state, reason, command_id AS "commandId", opposite_id AS "oppositeId"
  FROM shop_lines WHERE "transaction" LIKE`;

export const openBooks = (ask: Ask) => ({
  ask,
  /** The number of commands, batches, orders and lines of orders that have not ended. */
  open: async (): Promise<number> => Number(((await ask(OPEN)) as [{ open: number }])[0].open),
  /** The ids of commands that wait for players who are away. */
  away: async (): Promise<string[]> => ((await ask(AWAY)) as { id: string }[]).map(({ id }) => id),
  /** The commands that have not ended, for the timeline. */
  left: (): Promise<unknown[]> => ask(LEFT),
  /** The batches and orders of a run. */
  read: async (seed: number): Promise<Book> => ({
    // PostgreSQL answers with a text.
    batches: ((await ask(`${BATCHES} '${seed}.%'`)) as Batch[]).map((batch) => ({
      ...batch,
      total: Number(batch.total),
    })),
    lines: (await ask(`${LINES} '${seed}.%'`)) as Line[],
  }),
});
export type Books = ReturnType<typeof openBooks>;

const isStored = ({ told }: Call): boolean => told.some(({ code }) => code === 'stored');

/** A batch that the hub has accepted has one command for each player. */
const checkBatch = (call: Call, rows: readonly Row[], { batches }: Book): string[] => {
  const { label, targets } = call;
  const [batch, ...others] = batches.filter((each) => each.label === label);
  if (others.length > 0) return [`doubled: ${label} has ${others.length + 1} batches`];
  const paid = rows.map(({ params }) => (JSON.parse(params) as { target: string }).target);
  if (new Set(paid).size < paid.length) return [`doubled: ${label} has two commands for one player`];
  if (batch === undefined) return isStored(call) || rows.length > 0 ? [`lost: there is no batch ${label}`] : [];
  if (batch.status !== 'settled') return [`lost: the batch ${label} is ${batch.status} when everything is over`];
  const isWhole = rows.length === targets.length && batch.total === targets.length;
  return isWhole || batch.endedBy !== null ? [] : [`lost: ${label} has ${rows.length} of ${targets.length} commands`];
};

const succeeded = ({ status }: Row): boolean => status === 'succeeded';

/** The contradiction between the state of a line and its commands, if there is one. */
const lieOf = ({ state, reason }: Line, command: Row | undefined, opposite: Row | undefined): string | undefined => {
  const happened = command?.status === 'succeeded';
  const never = command === undefined || NEVER.has(command.status);
  const truths: Record<string, boolean> = {
    delivered: happened,
    blocked: never,
    failed: !happened && reason !== null,
    refused: never && reason !== null,
    unmatched: never && reason !== null,
    reversed: never || (happened && opposite?.status === 'succeeded'),
    owed: opposite?.status !== 'succeeded' && reason !== null,
  };
  if (truths[state] === true) return undefined;
  return `${state} (${reason}), its command is ${command?.status}, the opposite ${opposite?.status}`;
};

/** A paid order has been delivered once, or taken back, or the staff can read why not. */
const checkOrder = (call: Call, rows: readonly Row[], { lines }: Book, all: ReadonlyMap<string, Row>): string[] => {
  const { label, isRefunded } = call;
  const [line, ...others] = lines.filter((each) => each.label === label);
  if (others.length > 0) return [`doubled: the order ${label} has ${others.length + 1} lines`];
  if (rows.filter(succeeded).length > 1) return [`doubled: ${label} was given more than once`];
  if (line === undefined) return isStored(call) || rows.length > 0 ? [`lost: the order ${label} has no line`] : [];
  const rowOf = (id: string | null): Row | undefined => (id === null ? undefined : all.get(id));
  const lie = lieOf(line, rowOf(line.commandId), rowOf(line.oppositeId));
  if (lie !== undefined) return [`wrongly reported: the line of ${label} is ${lie}`];
  const isTaken = ['blocked', 'reversed', 'owed'].includes(line.state);
  if (isStored(call) && isTaken !== isRefunded) return [`lost: ${label} is ${line.state}, refunded: ${isRefunded}`];
  return [];
};

/** The contradictions of a batch or an order; an empty list means that there is none. */
export const checkEntry = (call: Call, rows: readonly Row[], book: Book, all: ReadonlyMap<string, Row>): string[] =>
  call.way === 'batch' ? checkBatch(call, rows, book) : checkOrder(call, rows, book, all);
