import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createLife } from '../../simulator/life.ts';
import { openWorld } from '../../simulator/world.ts';
import { newFile } from '../kit/folder.ts';

describe('the ledger of a world', () => {
  it('finds a balance or a line that was changed without it', () => {
    const file = newFile('world.db');
    openWorld({ file, players: 3 }).close();
    const intruder = new Database(file);
    intruder.exec("UPDATE balances SET amount = amount + 1 WHERE account = 'cash'");
    intruder.exec("DELETE FROM transactions WHERE account = 'bank'");
    intruder.close();
    const world = openWorld({ file, players: 3 });
    const accounts = world.audit().map(({ account }) => account);
    world.close();
    expect(accounts.toSorted()).toEqual(['bank', 'bank', 'bank', 'cash', 'cash', 'cash']);
  });

  it('is folded when it grew long, and still adds up', () => {
    const file = newFile('world.db');
    const world = openWorld({ file, players: 3 });
    const life = createLife({ world });
    for (let nth = 0; nth < 400; nth++) life.step();
    const everybody = [...world.players()];
    world.foldLedger(20);
    expect(world.audit()).toEqual([]);
    expect([...world.players()]).toEqual(everybody);
    world.close();

    const reader = new Database(file, { readonly: true });
    const lines = reader.prepare<[], number>('SELECT count(*) FROM transactions').pluck().get();
    reader.close();
    const balances = 3 * 3;
    expect(lines).toBeLessThanOrEqual(20 + balances);
  });
});
