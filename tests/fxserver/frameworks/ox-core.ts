import type { Mysql } from '../mysql.ts';
import type { FxServer } from '../server.ts';

type Options = { amount: number; message?: string; overdraw?: boolean };

const WRONG = { success: false, message: 'something_went_wrong' };

/** What ox_core does with accounts: a balance is moved, then its ledger line is written; answers say so. */
export const installOxCore = (server: FxServer, mysql: Mysql): void => {
  const players = new Map<number, { source: number; charId: number; stateId: string; userId: number }>();

  const move = async (
    id: number,
    options: Options,
    isAdded: boolean,
  ): Promise<{ success: boolean; message?: string }> => {
    const amount = Math.trunc(Number(options.amount));
    if (Number.isNaN(amount)) return { success: false, message: 'amount_not_number' };
    if (amount <= 0) return { success: false, message: 'invalid_amount' };
    const wanted = isAdded ? amount : -amount;
    const guard = isAdded || options.overdraw === true ? '' : ' AND balance >= ?';
    const changed = await mysql.run(
      `UPDATE accounts SET balance = balance + ? WHERE id = ?${guard}`,
      guard === '' ? [wanted, id] : [wanted, id, amount],
    );
    if ('affectedRows' in changed && changed.affectedRows === 0) {
      return { success: false, message: 'insufficient_balance' };
    }
    await mysql.run(
      `INSERT INTO accounts_transactions (${isAdded ? 'toId, toBalance' : 'fromId, fromBalance'}, amount, message)
       VALUES (?, (SELECT balance FROM accounts WHERE id = ?), ?, ?)`,
      [id, id, amount, options.message ?? 'pay'],
    );
    return { success: true };
  };

  server.provide('ox_core', {
    GetPlayer: (source: number) => players.get(Number(source)),
    CallAccount: async (id: number, method: string, options: Options) => {
      if (mysql.isDown()) return WRONG;
      await new Promise((resolve) => setImmediate(resolve));
      const answer = await move(id, options, method === 'addBalance').catch(() => WRONG);
      if (answer.success)
        server.emit('ox:updatedBalance', '', { accountId: id, amount: options.amount, action: method });
      return answer;
    },
  });
  server.hear('fake:load', async (source: number, stateId: string) => {
    const row = await mysql.look('SELECT charId, userId FROM characters WHERE stateId = ?', [stateId]);
    if (row === undefined) return;
    const character = { charId: Number(row['charId']), userId: Number(row['userId']) };
    players.set(source, { source, stateId, ...character });
    server.emit('ox:playerLoaded', '', source, character.userId, character.charId);
  });
  server.hear('fake:call', async (source: number, method: string, amount: number) => {
    const { charId = 0 } = players.get(source) ?? {};
    const row = await mysql.look('SELECT id FROM accounts WHERE owner = ?', [charId]);
    const id = Number(row?.['id'] ?? 0);
    await move(id, { amount }, method === 'addBalance');
    server.emit('ox:updatedBalance', '', { accountId: id, amount, action: method });
  });
};
