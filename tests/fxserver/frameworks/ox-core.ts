import type { Mysql } from '../mysql.ts';
import type { FxServer } from '../server.ts';

type Options = { amount: number; message?: string; overdraw?: boolean };

const ADDER = { name: 'Adder', make: 'Truffade', class: 7, type: 'automobile', price: 86_065 };
const WRONG = { success: false, message: 'something_went_wrong' };

/** Accounts and groups (b45605e) as in ox_core 1.5.14: it changes a balance, writes the ledger line and answers. */
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

  const groupOf = (name: string) =>
    mysql.look('SELECT name, type FROM ox_groups WHERE name = ? AND type IS NOT NULL', [name]);

  /** Sets a grade in a group, or takes the group away with grade 0; a character has one group of a type. */
  const setGroup = async (source: number, name: string, grade: number): Promise<true | undefined> => {
    const player = players.get(source);
    const group = await groupOf(name);
    if (player === undefined || group === undefined || server.convars.get('fake:refuses') === name) return undefined;
    const of = [player.charId, name];
    const held = await mysql.look('SELECT grade FROM character_groups WHERE charId = ? AND name = ?', of);
    if (Number(held?.['grade'] ?? 0) === grade) return undefined;
    if (grade === 0) await mysql.run('DELETE FROM character_groups WHERE charId = ? AND name = ?', of);
    else {
      const known = 'SELECT 1 AS one FROM ox_group_grades WHERE `group` = ? AND grade = ?';
      if ((await mysql.look(known, [name, grade])) === undefined) return undefined;
      const other = await mysql.look(
        'SELECT g.name AS name FROM character_groups c JOIN ox_groups g ON g.name = c.name WHERE charId = ? AND type = ?',
        [player.charId, group['type']],
      );
      if (held === undefined && other !== undefined) return undefined;
      const sql =
        held === undefined
          ? 'INSERT INTO character_groups (grade, charId, name) VALUES (?, ?, ?)'
          : 'UPDATE character_groups SET grade = ? WHERE charId = ? AND name = ?';
      await mysql.run(sql, [grade, ...of]);
    }
    server.emit('ox:setGroup', '', source, name, grade === 0 ? null : grade);
    return true;
  };

  server.provide('ox_core', {
    CallPlayer: async (source: number, _method: string, name: string, grade: number) => {
      if (mysql.isDown()) throw new Error('pool timeout');
      await new Promise((resolve) => setImmediate(resolve));
      while (server.convars.has('fake:waits')) await new Promise((resolve) => setImmediate(resolve));
      if (isStopped || !server.isStarted('ox_core')) await new Promise(() => undefined);
      return setGroup(Number(source), name, grade);
    },
    GetPlayer: (source: number) => players.get(Number(source)),
    // Without a model it gives the whole list.
    GetVehicleData: (model?: string) =>
      model === undefined ? { adder: ADDER } : model === 'adder' ? ADDER : undefined,
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
