import Sqlite from 'better-sqlite3';
import type { CommandLine } from '../simulator/ledger.ts';
import { NEVER, openBooks, ROW_COLUMNS, type Row } from './books.ts';
import { BASE, type Call } from './calls.ts';
import type { Ledgers } from './ledgers.ts';
import type { Stocks } from './stock.ts';

type Params = { target: string; amount: number; action: string };
/** The balances and goods that are stored now, and those after the game has saved all players. */
export type Told = { stored: Record<string, number>; saved: Record<string, number>; stocks?: Stocks | undefined };

/** The change of a balance as digits, lowest first: each from -2 to 2. */
const digitsOf = (moved: number): number[] => {
  const digits: number[] = [];
  for (let rest = moved; rest !== 0; ) {
    const low = ((rest % BASE) + BASE) % BASE;
    const digit = low > 2 ? low - BASE : low;
    digits.push(digit);
    rest = (rest - digit) / BASE;
  }
  return digits;
};

/** How often each command of a player took effect, written as the ledger lines that frameworks do not keep. */
const linesOf = (target: string, moved: number, rows: readonly Row[]): CommandLine[] =>
  digitsOf(moved).flatMap((digit, nth) => {
    const same = rows.filter(({ params }) => {
      const { target: of, amount } = JSON.parse(params) as Params;
      return of === target && amount === BASE ** nth;
    });
    // A shop tries a command that was refused again, with the same amount.
    const row = same.find(({ status }) => !NEVER.has(status)) ?? same[0];
    const { action } = JSON.parse(row?.params ?? '{}') as Partial<Params>;
    const { before = 0, after = 0 } = JSON.parse(row?.result ?? '{}') as { before?: number; after?: number };
    const delta = Math.sign(digit) * BASE ** nth;
    const isRight = (action === 'add') === digit > 0 && after - before === delta;
    const line = { id: nth, identifier: target, delta, ...(isRight ? { before, after } : { before: 0, after: 0 }) };
    return Array.from({ length: Math.abs(digit) }, () => ({ ...line, commandId: row?.id ?? `${delta} of ${target}` }));
  });

/**
 * An indeterminate command of an earlier run may still take effect once, or be undone by a framework that saves an old
 * copy of the player. The hub reports it as indeterminate. No later command of the player gets the same amount.
 */
const createDoubts = () => {
  const open = new Set<string>();
  const amounts = new Set<string>();
  return {
    add: (rows: readonly Row[]): void => {
      for (const { status, params } of rows) {
        const { target, amount } = JSON.parse(params) as Params;
        if (status !== 'indeterminate') continue;
        open.add(`${target} ${amount}`);
        amounts.add(`${target} ${amount}`);
      }
    },
    /**
     * Gives each payment to a player its own amount, a power of five: the change of the balance shows which calls took
     * effect.
     */
    distinct: (calls: readonly Call[]): Call[] => {
      const nextOf = new Map<string, number>();
      return calls.map((call) => {
        if (call.name !== 'money') return call;
        const { targets } = call;
        let nth = Math.max(...targets.map((target) => nextOf.get(target) ?? 0));
        while (targets.some((target) => amounts.has(`${target} ${BASE ** nth}`))) nth += 1;
        for (const target of targets) nextOf.set(target, nth + 1);
        // The opposite payment would have the same amount.
        return { ...call, body: { ...call.body, amount: BASE ** nth }, isRefunded: false };
      });
    },
    /**
     * Removes the lines that only such a late command explains: lines without a command, or of one that reports no
     * effect.
     */
    settle: (lines: readonly CommandLine[], rows: readonly Row[]): CommandLine[] => {
      const mayHaveHappened = new Set(rows.flatMap(({ id, status }) => (NEVER.has(status) ? [] : id)));
      return lines.filter(
        ({ commandId, identifier, delta }) =>
          mayHaveHappened.has(commandId) || !open.delete(`${identifier} ${Math.abs(delta)}`),
      );
    },
  };
};

/** The hub's commands, and their effects in the tables of a game framework that keeps no ledger. */
export const openBalances = ({ hubFile, ask }: { hubFile: string; ask: () => Promise<Told> }): Ledgers => {
  const hub = new Sqlite(hubFile, { readonly: true });
  const select = hub.prepare<[number], Row>(`SELECT ${ROW_COLUMNS} FROM commands WHERE seq > ?`);
  const doubts = createDoubts();
  let seen = 0;
  let before: Record<string, number> | undefined;
  return {
    plan: doubts.distinct,
    fresh: async () => {
      const { stored, saved, stocks } = await ask();
      const rows = select.all(seen);
      seen = rows.at(-1)?.seq ?? seen;
      const names = Object.keys(stored);
      const from = before ?? stored;
      before = saved;
      const paid = rows.filter(({ name }) => name === 'money');
      const moved = names.flatMap((name) => linesOf(name, (stored[name] ?? 0) - (from[name] ?? 0), paid));
      const lines = doubts.settle(moved, paid);
      doubts.add(paid);
      return {
        rows,
        lines,
        stocks,
        // Money only in memory would be lost; money only in the table would be overwritten.
        audit: names
          .filter((name) => stored[name] !== saved[name])
          .map((name) => ({
            identifier: name,
            account: 'bank',
            amount: saved[name] ?? null,
            ledger: stored[name] ?? null,
          })),
      };
    },
    books: openBooks(async (statement) => hub.prepare(statement).all()),
    close: (): void => {
      hub.close();
    },
  };
};
