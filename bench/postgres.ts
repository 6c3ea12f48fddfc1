import pg from 'pg';
import { openDatabase } from '../db/open.ts';
import { type Population, populate } from './population.ts';

const run = async (url: string, ...statements: string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

/** Makes a database of this name on the server of this URL; `drop` removes it and ends its connections. */
export const createDatabase = async (
  url: string,
  name: string,
): Promise<{ url: string; drop: () => Promise<void> }> => {
  const own = new URL(url);
  own.pathname = `/${name}`;
  await run(url, `CREATE DATABASE ${name}`);
  return { url: own.href, drop: () => run(url, `DROP DATABASE ${name} WITH (FORCE)`) };
};

/** This many players in a new database on the server of this URL; the database is dropped afterwards. */
export const withPostgres = async <T>(
  url: string,
  players: number,
  use: (stock: Population) => Promise<T>,
): Promise<T> => {
  const name = `causeway_bench_${process.pid}`;
  const own = await createDatabase(url, name);
  try {
    // Off while the rows are made; the rows need not survive a power cut.
    await run(url, `ALTER DATABASE ${name} SET synchronous_commit = off`);
    const database = await openDatabase({ url: own.url });
    try {
      const provisioned = await populate(database, players);
      await run(own.url, `ALTER DATABASE ${name} RESET synchronous_commit`, 'VACUUM ANALYZE');
      return await use({ ...provisioned, url: own.url, players });
    } finally {
      await database.close();
    }
  } finally {
    await own.drop();
  }
};
