import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../../db/database.ts';
import { openDatabase } from '../../../db/open.ts';
import { createStore } from '../../../db/store.ts';
import { playerOf } from '../../kit/databases.ts';
import { newFile } from '../../kit/folder.ts';

const openFile = async (): Promise<Database> => {
  const database = await openDatabase({ url: `file:${newFile('hub.db')}` });
  onTestFinished(database.close);
  await database.migrate();
  return database;
};

const LONG = sql`(with recursive n (x) as (select 1 union all select x + 1 from n where x < 3000000) select x from n) as n`;
const countLong = ({ reader }: Database): Promise<{ rows: number }[]> =>
  reader.read(() => reader.handle.select({ rows: sql<number>`count(*)` }).from(LONG));

describe('the thread that reads', () => {
  it('leaves the loop to others while a statement runs', async () => {
    const database = await openFile();
    let turns = 0;
    let isOver = false;
    const counting = countLong(database).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await nextTurn();
      turns += 1;
    }
    expect(await counting).toEqual([{ rows: 3_000_000 }]);
    expect(turns).toBeGreaterThan(1_000);
  });

  it('sees committed rows at once, each time', async () => {
    const { players } = createStore(await openFile());
    for (let n = 1; n <= 50; n += 1) {
      await players.upsert('p', 'main', [playerOf(`id${n}`)], n);
      expect(await players.list({ projectId: 'p', search: 'id', limit: 1 })).toMatchObject({ total: n });
      expect((await players.list({ projectId: 'p', search: `d${n}`, limit: 99 })).rows[0]?.identifier).toBe(`id${n}`);
    }
  });

  it('tells only its own caller that a statement failed', async () => {
    const database = await openFile();
    const { reader, tables } = database;
    const from = (source: string) => reader.read(() => reader.handle.select({ one: sql`1` }).from(sql.raw(source)));
    const failing = expect(from('nowhere')).rejects.toMatchObject({ name: 'DatabaseError', code: 'failed' });
    const fine = reader.read(() => reader.handle.select().from(tables.players));
    await failing;
    expect(await fine).toEqual([]);
  });

  it('answers statements from before the end, and none after', async () => {
    const database = await openFile();
    const asked = countLong(database);
    await database.close();
    expect(await asked).toEqual([{ rows: 3_000_000 }]);
    await expect(countLong(database)).rejects.toMatchObject({ code: 'closed' });
  });
});
