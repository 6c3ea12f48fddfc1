import Sqlite from 'better-sqlite3';
import type { Engine, Run } from './engine.ts';
import { placed } from './placeholders.ts';

/** It has no booleans. */
const stored = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value);

/** The differences of MySQL and SQLite that matter to the bridge and the fakes. */
const translated = (sql: string): string =>
  sql
    .replace(/INSERT IGNORE/g, 'INSERT OR IGNORE')
    .replace(/ON DUPLICATE KEY UPDATE/g, 'ON CONFLICT DO UPDATE SET')
    .replace(/SHOW COLUMNS FROM `(\w+)`/, "SELECT name AS Field, type AS Type FROM pragma_table_info('$1')")
    .replace(
      /SHOW INDEX FROM `(\w+)`/,
      `SELECT of.name AS Key_name, NOT of."unique" AS Non_unique, part.name AS Column_name
       FROM pragma_index_list('$1') AS of, pragma_index_info(of.name) AS part`,
    )
    .replace(/VALUES\((\w+)\)/g, 'excluded.$1')
    .replace(/LOCK IN SHARE MODE( NOWAIT)?$/, '')
    .replace(/"(\$[^"]*)"/g, "'$1'");

/** Functions that real frameworks look for identifiers with; those of the fakes use none of them. */
const FUNCTIONS: Record<string, (...args: never[]) => unknown> = {
  DATABASE: () => 'game',
  JSON_UNQUOTE: (value: string | null) => value,
  JSON_VALUE: (text: string, path: string) =>
    path
      .split('.')
      .slice(1)
      .reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], JSON.parse(text)),
  UNIX_TIMESTAMP: (text: string | null) => (text === null ? null : Date.parse(`${text}Z`) / 1_000),
};

/** As MySQL says it. */
const duplicate = (error: unknown): unknown => {
  const [, column] = /^UNIQUE constraint failed: \w+\.(\w+)/.exec(String((error as Error).message)) ?? [];
  return column === undefined ? error : new Error(`Duplicate entry '?' for key '${column}'`);
};

/** Tables in memory, or in a file: changes in a file survive every end of the process. */
export const createSqlite = (file = ':memory:'): Engine => {
  const db = new Sqlite(file);
  db.pragma('journal_mode = WAL');
  for (const [name, fn] of Object.entries(FUNCTIONS)) {
    db.function(name, { deterministic: true, varargs: true }, fn as (...args: unknown[]) => unknown);
  }
  db.exec("ATTACH ':memory:' AS information_schema; CREATE TABLE information_schema.TABLES (TABLE_NAME, TABLE_SCHEMA)");
  const run: Run = async (sql, parameters) => {
    const { sql: text, values } = placed(sql, parameters);
    const statement = db.prepare(translated(text));
    const all = values.map(stored);
    if (statement.reader) return statement.all(...all) as Record<string, unknown>[];
    try {
      const { changes, lastInsertRowid } = statement.run(...all);
      return { affectedRows: changes, insertId: Number(lastInsertRowid) };
    } catch (error) {
      throw duplicate(error);
    }
  };

  return {
    run,
    create: async ({ simple }) => {
      db.exec(translated(simple));
    },
    close: async () => {
      db.close();
    },
  };
};
