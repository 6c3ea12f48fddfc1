import { randomBytes } from 'node:crypto';
import type { Pool, TypeCastField } from 'mysql2/promise';
import type { Engine, Result } from './engine.ts';
import { placed } from './placeholders.ts';

/** As oxmysql hands values over: days in milliseconds, TINYINT(1) as true or false, even where there is none. */
const typeCast = (field: TypeCastField, next: () => unknown): unknown => {
  const text = (): string | null => field.string('utf8');
  if (/^(DATETIME|TIMESTAMP|NEWDATE)/.test(field.type)) return new Date(text() ?? '').getTime();
  if (field.type === 'DATE') return new Date(`${text()} 00:00:00`).getTime();
  if (field.type === 'TINY' && field.length === 1) return text() === '1';
  if (field.type === 'BIT') return field.buffer()?.[0] === 1;
  return field.type.endsWith('BLOB') ? text() : next();
};

/** A database of its own on a MariaDB, through a pool as oxmysql has one. `address` is `mysql://user:pass@host:port`. */
export const createMariadb = (address: string): Engine => {
  const name = `causeway_${randomBytes(6).toString('hex')}`;
  let opened: Promise<Pool> | undefined;
  // `npm test` has only the imitated one, without this package.
  const driver = () => import('mysql2/promise');
  const asAdmin = async (sql: string): Promise<void> => {
    const admin = await (await driver()).createConnection(address);
    await admin.query(sql);
    await admin.end();
  };
  const open = async (): Promise<Pool> => {
    await asAdmin(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`);
    const { createPool } = await driver();
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
      // The pool may just be opening a connection for a statement, and that fails without the database.
      await (await opened).end();
      await asAdmin(`DROP DATABASE ${name}`);
    },
  };
};
