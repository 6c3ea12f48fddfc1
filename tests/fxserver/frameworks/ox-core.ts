import type { Mysql } from '../mysql.ts';
import type { FxServer } from '../server.ts';

type Options = { amount: number; message?: string; overdraw?: boolean };

const WRONG = { success: false, message: 'something_went_wrong' };

/** Accounts as in ox_core 1.5.14: it changes a balance, writes the ledger line and answers. */
export const installOxCore = (server: FxServer, mysql: Mysql): void => {
  const players = new Map<number, { source: number; charId: number; stateId: string; userId: number }>();
  let isStopped = false;
  server.hear('onResourceStop', (resource: string) => {
    isStopped ||= resource === 'ox_core';
  });

  const move = async (
    id: number,
    options: Options,
    isAdded: boolean,
  ): Promise<{ success: boolean; message?: string }> => {
    const amount = Math.trunc(Number(options.amount));
    if (Number.isNaN(amount)) return { success: false, message: 'amount_not_number' };
    if (amount <= 0) return { success: false, message: 'invalid_amount' };
    // Without a lock, and the line is computed from it.
    const read = await mysql.look('SELECT balance FROM accounts WHERE id = ?', [id]);
    if (read === undefined) return { success: false, message: 'no_balance' };
    server.emit('fake:moving', '', id);
    // A test may let it wait here, as for a connection of its pool.
    do await new Promise((resolve) => setImmediate(resolve));
    while (server.convars.has('fake:waits'));
    // The resource or its process ends in the middle: the caller gets no answer.
    if (isStopped || !server.isStarted('ox_core')) await new Promise(() => undefined);
    const isOwed = !isAdded && options.overdraw === true;
    const set = `UPDATE accounts SET balance = balance ${isAdded ? '+' : '-'} ? WHERE id = ?`;
    // With `overdraw` its three values do not fit two places, and are bound shifted: another account, or none.
    const values = isOwed ? [id, amount] : isAdded ? [amount, id] : [amount, id, amount];
    const changed = await mysql.run(isAdded || isOwed ? set : `${set} AND (balance - ?) >= 0`, values);
    if ('affectedRows' in changed && changed.affectedRows === 0) {
      return { success: false, message: 'insufficient_balance' };
    }
    const balance = Number(read['balance']) + (isAdded ? amount : -amount);
    await mysql.run(
      `INSERT INTO accounts_transactions (${isAdded ? 'toId, toBalance' : 'fromId, fromBalance'}, amount, message)
       VALUES (?, ?, ?, ?)`,
      [id, balance, amount, options.message ?? 'pay'],
    );
    return { success: true };
  };

  server.provide('ox_core', {
    GetPlayer: (source: number) => players.get(Number(source)),
    GetVehicleData: (model: string) =>
      model === 'adder' ? { name: 'Adder', make: 'Truffade', class: 7, type: 'automobile' } : undefined,
    // Vehicles in its memory: a test names the id of one.
    GetVehicleFromFilter: ({ id }: { id: number }) =>
      server.convars.get('fake:loaded') === String(id) ? { id } : undefined,
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
