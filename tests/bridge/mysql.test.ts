import { describe, expect, it, onTestFinished } from 'vitest';
import { createMysql } from '../fxserver/mysql.ts';

const isReal = process.env['CAUSEWAY_MYSQL'] !== undefined;

const open = async (tables = '') => {
  const mysql = createMysql();
  onTestFinished(mysql.close);
  if (tables !== '') await mysql.create({ simple: tables, real: tables });
  const { exports } = mysql;
  /** As a resource calls it: an answer, or why there is none. */
  const call = (name: keyof typeof exports, sql: string, parameters?: Parameters<typeof mysql.run>[1]) =>
    new Promise<unknown>((resolve, reject) => {
      exports[name](
        sql,
        parameters,
        (result, problem) => (problem === undefined ? resolve(result) : reject(new Error(problem))),
        'test',
        true,
      );
    });
  return { mysql, call };
};

const PEOPLE = 'CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR(50), age INT);';

describe('the placeholders of oxmysql', () => {
  it.each([
    ['? in their order', 'SELECT ? AS a, ? AS b', [1, 'x']],
    ['@name', 'SELECT @a AS a, @b AS b', { '@a': 1, '@b': 'x' }],
    ['@name, given without its sign', 'SELECT @a AS a, @b AS b', { b: 'x', a: 1 }],
    [':name', 'SELECT :a AS a, :b AS b', { a: 1, b: 'x' }],
    ['a table of Lua with numbers for names', 'SELECT ? AS a, ? AS b', { 1: 1, 2: 'x' }],
  ])('%s', async (_name, sql, parameters) => {
    const { call } = await open();
    expect(await call('query', sql, parameters)).toEqual([{ a: 1, b: 'x' }]);
  });

  it('are filled as often as they are named, and text that only looks like one stays', async () => {
    const { call } = await open();
    const sql = `SELECT :a AS a, :a AS b, 'x@y' AS c, '12:30' AS d`;
    expect(await call('single', sql, { a: 7 })).toEqual({ a: 7, b: 7, c: 'x@y', d: '12:30' });
  });

  it('that are not given are NULL, and too many are refused', async () => {
    const { call } = await open();
    expect(await call('single', 'SELECT ? AS a, ? AS b, ? AS c', { 2: 'x' })).toEqual({ a: null, b: 'x', c: null });
    await expect(call('single', 'SELECT ? AS a', [1, 2])).rejects.toThrow('Expected 1 parameters, but received 2');
  });

  it('treat hostile text as a value', async () => {
    const { call } = await open(PEOPLE);
    const name = `Robert'); DROP TABLE people;-- \\ " ? :a @b`;
    await call('insert', 'INSERT INTO people (id, name) VALUES (:id, :name)', { id: 1, name });
    expect(await call('scalar', 'SELECT name FROM people WHERE name = ?', [name])).toBe(name);
  });
});

describe('the answers of oxmysql', () => {
  it('have the shape of their method', async () => {
    const { call } = await open(PEOPLE);
    const insert = 'INSERT INTO people (id, name, age) VALUES (?, ?, ?)';
    await call('insert', insert, [1, 'Ana', 30]);
    await call('insert', insert, [2, 'Bo', null]);
    expect(await call('query', 'SELECT name FROM people ORDER BY id')).toEqual([{ name: 'Ana' }, { name: 'Bo' }]);
    expect(await call('single', 'SELECT * FROM people WHERE id = 2')).toEqual({ id: 2, name: 'Bo', age: null });
    expect(await call('single', 'SELECT * FROM people WHERE id = 3')).toBeNull();
    expect(await call('scalar', 'SELECT age FROM people WHERE id = 1')).toBe(30);
    expect(await call('scalar', 'SELECT age FROM people WHERE id = 3')).toBeNull();
    expect(await call('update', 'UPDATE people SET age = 1')).toBe(2);
    expect(await call('prepare', 'UPDATE people SET age = 2 WHERE id = 9')).toBe(0);
    expect(
      await call('prepare', 'UPDATE people SET age = ? WHERE id = ?', [
        [2, 1],
        [3, 9],
      ]),
    ).toEqual([1, 0]);
    expect(await call('prepare', 'SELECT age FROM people WHERE id = ?', [1])).toBe(2);
    expect(await call('prepare', 'SELECT name, age FROM people WHERE id = ?', [1])).toEqual({ name: 'Ana', age: 2 });
    expect(await call('prepare', 'SELECT name FROM people WHERE id = ?', [3])).toBeNull();
    await expect(call('query', 'SELECT nothing FROM nowhere')).rejects.toThrow('was unable to execute a query');
  });

  // SQLite stores other types in such columns, so only MariaDB is tested.
  it.runIf(isReal)('have the types that oxmysql’s driver returns for MariaDB', async () => {
    const { call } = await open(`CREATE TABLE t (flag TINYINT(1), small TINYINT, big BIGINT, money DECIMAL(10, 2),
      cents DOUBLE(11, 2), doc JSON, bits BIT(1), day DATE, moment DATETIME, words LONGTEXT, nothing INT, unset TINYINT(1), never DATETIME);`);
    const moment = '2026-01-02 03:04:05';
    const sql = `INSERT INTO t VALUES (1, 5, 9007199254740991, 10.50, 0.25, ?, 1, '2026-01-02', '${moment}', ?, NULL, NULL, NULL)`;
    await call('insert', sql, ['{"a":[]}', 'é 😀']);
    expect(await call('single', 'SELECT * FROM t')).toEqual({
      flag: true,
      small: 5,
      big: 9_007_199_254_740_991,
      // Exact, and so no number of JavaScript.
      money: '10.50',
      cents: 0.25,
      // MariaDB's JSON is text.
      doc: '{"a":[]}',
      bits: true,
      day: new Date('2026-01-02 00:00:00').getTime(),
      moment: new Date(moment).getTime(),
      words: 'é 😀',
      nothing: null,
      // oxmysql returns these values for NULL.
      unset: false,
      never: Number.NaN,
    });
  });
});
