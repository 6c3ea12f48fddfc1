import { randomBytes } from 'node:crypto';
import { createConnection, createPool, type Pool, type TypeCastField } from 'mysql2/promise';
import type { Engine, Result, Values } from './mysql.ts';

/** `CHARACTER SET binary`: bytes, not text. */
const BINARY = 63;

/** As oxmysql hands values over: days in milliseconds, TINYINT(1) as true or false, bytes as a list. */
const typeCast = (field: TypeCastField & { charset?: number }, next: () => unknown): unknown => {
  const text = (): string | null => field.string('utf8');
  const time = (day: string | null): number | null => (day === null ? null : new Date(day).getTime());
  if (/^(DATETIME|TIMESTAMP|NEWDATE)/.test(field.type)) return time(text());
  if (field.type === 'DATE') return time(text());
  if (field.type === 'TINY' && field.length === 1) {
    const value = text();
    return value === null ? null : value === '1';
  }
  if (field.type === 'BIT') return field.buffer()?.[0] === 1;
  if (!field.type.endsWith('BLOB')) return next();
  return field.charset === BINARY ? [...(field.buffer() ?? [])] : text();
};

/** `?` stays; `@name` and `:name` are filled from an object, `{ [1]: … }` from its places. */
export const placed = (sql: string, parameters: Values): { sql: string; values: unknown[] } => {
  if (Array.isArray(parameters)) return { sql, values: [...parameters] };
  const named = new Map(Object.entries(parameters ?? {}).map(([name, value]) => [name.replace(/^[@:]/, ''), value]));
  const values: unknown[] = [];
  const text = sql.replace(/[@:](\w+)/g, (whole, name: string) => {
    if (!named.has(name)) return whole;
    values.push(named.get(name));
    return '?';
  });
  return { sql: text, values: values.length > 0 ? values : [...named.values()] };
};

/** A database of its own on a MariaDB, through a pool as oxmysql has one. `address` is `mysql://user:pass@host:port`. */
export const createMariadb = (address: string): Engine => {
  const name = `causeway_${randomBytes(6).toString('hex')}`;
  let opened: Promise<Pool> | undefined;
  const open = async (): Promise<Pool> => {
    const admin = await createConnection(address);
    await admin.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`);
    await admin.end();
    const pool = createPool({ uri: `${address}/${name}`, typeCast, multipleStatements: true });
    pool.on('connection', (connection) => connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED'));
    return pool;
  };
  const pool = (): Promise<Pool> => {
    opened ??= open();
    return opened;
  };

  return {
    run: async (sql, parameters) => {
      const { sql: text, values } = placed(sql, parameters);
      const [result] = await (await pool()).query(text, values);
      return result as unknown as Result;
    },
    create: async ({ real }) => {
      await (await pool()).query(real);
    },
    close: async () => {
      if (opened === undefined) return;
      await (await opened).query(`DROP DATABASE ${name}`);
      await (await opened).end();
    },
  };
};
