import type { Mysql } from '../mysql.ts';
import type { FxServer } from '../server.ts';

type Row = { id: number; balance: number; owner: number };
type Options = { amount: number; message?: string; overdraw?: boolean };

/** What ox_core does with accounts: each change is one transaction of balance and ledger line, and answers say so. */
export const installOxCore = (server: FxServer, mysql: Mysql): void => {
  const players = new Map<number, { source: number; charId: number; stateId: string; userId: number }>();

  const move = (id: number, options: Options, isAdded: boolean): { success: boolean; message?: string } => {
    const { db } = mysql;
    const amount = Math.trunc(Number(options.amount));
    if (Number.isNaN(amount)) return { success: false, message: 'amount_not_number' };
    if (amount <= 0) return { success: false, message: 'invalid_amount' };
    return db.transaction(() => {
      const account = db.prepare<[number], Row>('SELECT * FROM accounts WHERE id = ?').get(id);
      if (account === undefined) throw new Error(`No account exists with id ${id}`);
      const balance = account.balance + (isAdded ? amount : -amount);
      if (balance < 0 && !isAdded && options.overdraw !== true)
        return { success: false, message: 'insufficient_balance' };
      db.prepare('UPDATE accounts SET balance = ? WHERE id = ?').run(balance, id);
      db.prepare(
        `INSERT INTO accounts_transactions (${isAdded ? 'toId, toBalance' : 'fromId, fromBalance'}, amount, message)
         VALUES (?, ?, ?, ?)`,
      ).run(id, balance, amount, options.message ?? null);
      return { success: true };
    })();
  };

  server.provide('ox_core', {
    GetPlayer: (source: number) => players.get(Number(source)),
    CallAccount: async (id: number, method: string, options: Options) => {
      if (mysql.isDown()) return { success: false, message: 'something_went_wrong' };
      await new Promise((resolve) => setImmediate(resolve));
      const answer = move(id, options, method === 'addBalance');
      if (answer.success)
        server.emit('ox:updatedBalance', '', { accountId: id, amount: options.amount, action: method });
      return answer;
    },
  });
  server.hear('fake:load', (source: number, stateId: string) => {
    const row = mysql.db
      .prepare<[string], { charId: number; userId: number }>('SELECT charId, userId FROM characters WHERE stateId = ?')
      .get(stateId);
    if (row === undefined) return;
    players.set(source, { source, stateId, ...row });
    server.emit('ox:playerLoaded', '', source, row.userId, row.charId);
  });
  server.hear('fake:call', (source: number, method: string, amount: number) => {
    const { charId = 0 } = players.get(source) ?? {};
    const id = mysql.db.prepare<[number], number>('SELECT id FROM accounts WHERE owner = ?').pluck().get(charId) ?? 0;
    move(id, { amount }, method === 'addBalance');
    server.emit('ox:updatedBalance', '', { accountId: id, amount, action: method });
  });
};
