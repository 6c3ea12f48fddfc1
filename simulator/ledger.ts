import type { CommandError } from '../bridge-protocol/wire/messages.ts';
import type { Store } from './store.ts';

/** The accounts of every player of a world. */
export const ACCOUNTS = ['bank', 'black_money', 'cash'] as const;
export type Account = (typeof ACCOUNTS)[number];

/** Number of lines that the ledger keeps; older lines are folded into one opening line per balance. */
const LINES_KEPT = 200_000;

export type Move = {
  identifier: string;
  account: string;
  /** Change of the balance; negative values take money. */
  delta: number;
  /** The reason as one word; never shown to players. */
  reason: string;
  /** `undefined` for changes by the world's own life. */
  commandId?: string | undefined;
  allowNegative?: boolean;
};
/** A line of the ledger that a command wrote. */
export type CommandLine = {
  id: number;
  commandId: string;
  identifier: string;
  delta: number;
  before: number;
  after: number;
};
export type Moved = { before: number; after: number } | { error: CommandError };

/** A balance that its ledger lines do not explain. */
export type Mismatch = { identifier: string; account: string; amount: number | null; ledger: number | null };

const refuse = (code: CommandError['code'], message: string, details: Record<string, unknown>): Moved => ({
  error: { code, message, details },
});

const rule = (before: number | undefined, { account, delta, allowNegative }: Move): Moved => {
  if (before === undefined) {
    return refuse('unknown_account', `There is no account "${account}".`, { accounts: [...ACCOUNTS] });
  }
  const after = before + delta;
  if (!Number.isSafeInteger(after)) {
    return refuse('invalid_params', 'The balance would leave the range of whole numbers.', {
      balance: before,
    });
  }
  if (delta < 0 && after < 0 && !allowNegative) {
    return refuse('insufficient_funds', `The account "${account}" holds ${before}.`, { balance: before });
  }
  return { before, after };
};

const AUDIT_SUMS = `
SELECT identifier, account, b.amount AS amount, s.ledger AS ledger
FROM balances b
FULL JOIN (SELECT identifier, account, sum(delta) AS ledger FROM transactions GROUP BY identifier, account) s
USING (identifier, account)
WHERE b.amount IS NOT s.ledger`;

const AUDIT_LINES = `
SELECT identifier, account, before AS amount, expected AS ledger
FROM (
  SELECT identifier, account, delta, before, after,
    coalesce(lag(after) OVER (PARTITION BY identifier, account ORDER BY id), 0) AS expected
  FROM transactions
)
WHERE before <> expected OR before + delta <> after`;

const LAST_LINES = 'SELECT max(id) FROM transactions WHERE id <= :upTo GROUP BY identifier, account';

/** The world's balances, with a ledger line for each change. Callers hold the transaction. */
export const createLedger = ({ db, now }: { db: Store; now: () => number }) => {
  const balance = db.prepare<[string, string], { amount: number }>(
    'SELECT amount FROM balances WHERE identifier = ? AND account = ?',
  );
  const setBalance = db.prepare<[number, string, string]>(
    'UPDATE balances SET amount = ? WHERE identifier = ? AND account = ?',
  );
  const openBalance = db.prepare<[string, string]>(
    'INSERT INTO balances (identifier, account, amount) VALUES (?, ?, 0)',
  );
  const addLine = db.prepare<[string | null, string, string, number, number, number, string, number]>(
    `INSERT INTO transactions (command_id, identifier, account, delta, before, after, reason, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const extent = db.prepare<[], { lines: number; last: number | null }>(
    'SELECT count(*) AS lines, max(id) AS last FROM transactions',
  );
  const carry = db.prepare<{ upTo: number }>(
    `UPDATE transactions SET delta = after, before = 0, command_id = NULL, reason = 'carried' WHERE id IN (${LAST_LINES})`,
  );
  const forget = db.prepare<{ upTo: number }>(
    `DELETE FROM transactions WHERE id <= :upTo AND id NOT IN (${LAST_LINES})`,
  );
  const commandLines = db.prepare<[number], CommandLine>(
    `SELECT id, command_id AS commandId, identifier, delta, before, after FROM transactions
     WHERE id > ? AND command_id IS NOT NULL ORDER BY id`,
  );
  const audits = [db.prepare<[], Mismatch>(AUDIT_SUMS), db.prepare<[], Mismatch>(AUDIT_LINES)];

  /** Changes a balance and writes the line, or returns the reason for a refusal and changes nothing. */
  const move = (wanted: Move): Moved => {
    const { identifier, account, delta, reason, commandId } = wanted;
    const moved = rule(balance.get(identifier, account)?.amount, wanted);
    if ('error' in moved) return moved;
    const { before, after } = moved;
    setBalance.run(after, identifier, account);
    addLine.run(commandId ?? null, identifier, account, delta, before, after, reason, now());
    return moved;
  };

  const fold = db.transaction((kept: number): void => {
    const { lines, last } = extent.get() ?? { lines: 0, last: null };
    if (last === null || lines < kept * 2) return;
    const upTo = last - kept;
    carry.run({ upTo });
    forget.run({ upTo });
  });

  return {
    move,
    /** A new balance and its first line. */
    open: (identifier: string, account: Account, amount: number): void => {
      openBalance.run(identifier, account);
      move({ identifier, account, delta: amount, reason: 'opening' });
    },
    /** The changes by commands, after the line with this id. */
    commandLines: (after: number): CommandLine[] => commandLines.all(after),
    /** All differences between balances and lines; an intact ledger has none. */
    audit: (): Mismatch[] => audits.flatMap((audit) => audit.all()),
    /** Folds old lines when the ledger has twice as many as it keeps (`kept`, default 200,000). */
    fold: (kept = LINES_KEPT): void => fold.immediate(kept),
  };
};
export type Ledger = ReturnType<typeof createLedger>;
