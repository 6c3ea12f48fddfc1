import type { Journal, JournalEntry, Outcome } from '../bridge-protocol/journal/journal.ts';
import { LIMITS } from '../bridge-protocol/wire/limits.ts';
import type { Meta } from './meta.ts';
import type { Store } from './store.ts';

type Row = {
  id: string;
  fingerprint: string;
  status: JournalEntry['status'];
  outcome: string | null;
  sequence: number;
  at: number;
  acknowledged: number;
};

const PRUNE_EVERY_MS = 60 * 60 * 1000;
const COLUMNS = 'id, fingerprint, status, outcome, sequence, at, acknowledged';

const NEVER_HAPPENED: Outcome = {
  status: 'failed',
  error: { code: 'server_restarting', message: 'The game server stopped before the command took effect.' },
};

/** An acknowledged refusal keeps its code: a restored hub decides by it as it did the first time. */
const KEPT = `CASE WHEN status IN ('rejected', 'failed') AND outcome ->> '$.error.code' IS NOT NULL
  THEN json_object('status', status, 'error', json_object('code', outcome ->> '$.error.code', 'message', '')) END`;

const entryOf = ({ outcome, acknowledged, ...row }: Row): JournalEntry => {
  const entry = { ...row, acknowledged: acknowledged === 1 };
  if (outcome === null) return entry;
  // Only `settle` below writes this column.
  const settled: Outcome = JSON.parse(outcome);
  return { ...entry, outcome: settled };
};

/**
 * The journal in the world's file, beside the balances: a command and its effect are settled in one transaction. A
 * command that was started but not settled before a crash therefore had no effect; opening the journal records that.
 * The world closes the file.
 * @throws Error when an id is started or settled twice
 */
export const createJournal = ({ db, meta, now }: { db: Store; meta: Meta; now: () => number }) => {
  const id = meta.text('journal_id');
  const openedAt = meta.number('journal_sequence');
  const select = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM journal WHERE id = ?`);
  const selectOpen = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM journal WHERE acknowledged = 0 ORDER BY sequence`);
  const insert = db.prepare<[string, string, string, string | null, number, number]>(
    'INSERT INTO journal (id, fingerprint, status, outcome, sequence, at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const update = db.prepare<[string, string, number, number, string]>(
    "UPDATE journal SET status = ?, outcome = ?, sequence = ?, at = ? WHERE id = ? AND status = 'started'",
  );
  const drop = db.prepare<[string]>(
    `UPDATE journal SET acknowledged = 1, outcome = ${KEPT} WHERE id = ? AND status <> 'started'`,
  );
  const forget = db.prepare<[number]>('DELETE FROM journal WHERE acknowledged = 1 AND at < ?');
  let prunedAt = Number.NEGATIVE_INFINITY;

  const get = (command: string): JournalEntry | undefined => {
    const row = select.get(command);
    return row && entryOf(row);
  };
  const open = (): JournalEntry[] => selectOpen.all().map(entryOf);

  const start = db.transaction((command: string, fingerprint: string): void => {
    if (now() - prunedAt >= PRUNE_EVERY_MS) {
      prunedAt = now();
      forget.run(prunedAt - LIMITS.journalRetentionMs);
    }
    insert.run(command, fingerprint, 'started', null, meta.advance('journal_sequence'), now());
  });

  const settle = db.transaction((command: string, outcome: Outcome): number => {
    const sequence = meta.advance('journal_sequence');
    const known = select.get(command) !== undefined;
    if (!known) {
      insert.run(command, '', outcome.status, JSON.stringify(outcome), sequence, now());
    } else if (update.run(outcome.status, JSON.stringify(outcome), sequence, now(), command).changes === 0) {
      throw new Error(`The command ${command} is settled already.`);
    }
    return sequence;
  });

  const acknowledge = db.transaction((commands: readonly string[]): void => {
    for (const command of commands) drop.run(command);
  });

  for (const entry of open()) if (entry.status === 'started') settle(entry.id, NEVER_HAPPENED);

  return {
    class: 'atomic',
    id,
    openedAt,
    sequence: () => meta.number('journal_sequence'),
    get,
    start: (command: string, fingerprint: string): void => start.immediate(command, fingerprint),
    settle: (command: string, outcome: Outcome): number => settle.immediate(command, outcome),
    acknowledge: (commands: readonly string[]): void => acknowledge.immediate(commands),
    open,
    close: (): void => {},
  } as const satisfies Journal;
};
export type WorldJournal = ReturnType<typeof createJournal>;
