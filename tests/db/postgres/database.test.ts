import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'drizzle-orm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Database, ping } from '../../../db/database.ts';
import { openDatabase } from '../../../db/open.ts';
import type { PoolLimits } from '../../../db/postgres/pool.ts';
import { createStore } from '../../../db/store.ts';
import { commandOf, newServerDatabase, projectOf, runOn, serverUrl } from '../../kit/databases.ts';

const root = join(import.meta.dirname, '../../..');

/** A new database with so many connections and so much patience. */
const open = async (limits: Partial<PoolLimits> = {}) => {
  const { url, drop } = await newServerDatabase(serverUrl ?? '');
  onTestFinished(async () => void (await drop()));
  const said: string[] = [];
  const database = await openDatabase({ url, limits, log: (message) => said.push(message) });
  onTestFinished(database.close);
  return { url, database, said };
};

const sleep = ({ handle, read }: Database, seconds: number): Promise<unknown> =>
  read(() => handle.select({ slept: sql`pg_sleep(${seconds})::text` }).from(sql`(values (1)) as one`));

const SLEEPING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;

const connectionsTo = (url: string): Promise<number> =>
  runOn(
    url,
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'causeway'`,
  ).then((rows) => rows.length);

describe.skipIf(serverUrl === undefined)('a PostgreSQL server', () => {
  it('is brought up to date once by three processes that start together', async () => {
    const { url, database } = await open();
    const start = `
      import { openDatabase } from './db/open.ts';
      const database = await openDatabase({ url: '${url}' });
      await database.migrate();
      console.log(await database.pending());
      await database.close();`;
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', start], { cwd: root });
    const ended = await Promise.all([run(), run(), run()]);
    expect(ended.map(({ stdout }) => stdout.trim())).toEqual(['0', '0', '0']);
    expect(await database.pending()).toBe(0);
    expect(await runOn(url, 'SELECT hash FROM __drizzle_migrations GROUP BY hash HAVING count(*) > 1')).toEqual([]);
  });

  it('is waited for while another node migrates, longer than a statement may take', async () => {
    const { url, database } = await open({ statementTimeoutMs: 1_000 });
    const slow = await openDatabase({ url });
    onTestFinished(slow.close);
    const held = runOn(url, `SELECT pg_advisory_lock(${0x63617573}), pg_sleep(6)`);
    const own = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';
    await expect
      .poll(() => runOn(url, `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND ${own}`))
      .toHaveLength(1);
    await database.migrate();
    await held;
    expect(await database.pending()).toBe(0);
  });

  it('lets two nodes insert the same commands in opposite order, and each row is written once', async () => {
    const { url, database } = await open();
    await database.migrate();
    const other = await openDatabase({ url });
    onTestFinished(other.close);
    const rows = Array.from({ length: 100 }, (_, n) => commandOf(`cmd_${n}`, { idempotencyKey: `key_${n}` }));
    const insertAll = ({ handle, tables, commit }: Database, given: typeof rows) =>
      commit(() => handle.insert(tables.commands).values(given).onConflictDoNothing().returning());
    // A trigger makes each statement last, so that each holds rows which the other one wants.
    await runOn(
      url,
      `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.005); RETURN NEW; END $$;
       CREATE TRIGGER slow BEFORE INSERT ON commands FOR EACH ROW EXECUTE FUNCTION slow()`,
    );
    const made = await Promise.all([insertAll(database, rows), insertAll(other, rows.toReversed())]);
    expect(made.flat()).toHaveLength(100);
    const deadlocks = 'SELECT 1 FROM pg_stat_database WHERE datname = current_database() AND deadlocks > 0';
    await expect.poll(() => runOn(url, deadlocks)).toHaveLength(1);
  });

  it('opens no more connections than its limit, and rejects a statement that gets none in time', async () => {
    const { url, database } = await open({ connections: 3, connectTimeoutMs: 1_000, statementTimeoutMs: 9_000 });
    const busy = Array.from({ length: 3 }, () => sleep(database, 8));
    await expect.poll(() => runOn(url, SLEEPING)).toHaveLength(3);
    await expect(ping(database)).rejects.toMatchObject({ code: 'unavailable', isUnknown: false });
    expect(await connectionsTo(url)).toBe(3);
    await Promise.all(busy);
    expect(await ping(database)).toBeGreaterThan(0);
  });

  it('refuses statements over the limit of a node at once', async () => {
    const { database } = await open({ connections: 1, connectTimeoutMs: 500 });
    const asked = Array.from({ length: 10_050 }, () => ping(database));
    const reasons = (await Promise.allSettled(asked)).flatMap((each) =>
      each.status === 'rejected' ? [each.reason] : [],
    );
    const atOnce = reasons.filter(({ message }) => message.includes('10000 statements are under way'));
    expect(atOnce).toHaveLength(50);
    expect(atOnce[0]).toMatchObject({ code: 'unavailable', isUnknown: false });
  });

  it('runs work of one key on one node at a time, and frees the key of a node that is gone', async () => {
    const { url, database } = await open({ connections: 4 });
    const other = await openDatabase({ url, limits: { connections: 4 } });
    let atOnce = 0;
    let most = 0;
    const work = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await ping(other);
      atOnce -= 1;
    };
    const nodes = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? database : other));
    await Promise.all(nodes.map((node) => node.exclusively('p', work)));
    expect(most).toBe(1);
    const failed = database.exclusively('p', () => Promise.reject(new Error('It failed.')));
    await expect(failed).rejects.toThrow('It failed.');
    await other.exclusively('p', () =>
      runOn(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      ),
    );
    expect(await database.exclusively('p', async () => 'free')).toBe('free');
    await other.close();
  });

  it('refuses work whose key is not free in time, and the work does not begin', async () => {
    const { url, database } = await open({ statementTimeoutMs: 1_500 });
    const other = await openDatabase({ url });
    onTestFinished(other.close);
    let begun = false;
    const late = async () => {
      begun = true;
    };
    await other.exclusively('p', async () => {
      await expect(database.exclusively('p', late)).rejects.toMatchObject({ code: 'unavailable', isUnknown: false });
      // Another project does not wait.
      expect(await database.exclusively('q', async () => 'free')).toBe('free');
    });
    expect(begun).toBe(false);
  });

  it('ends a statement that takes too long, and goes on', async () => {
    const { database } = await open({ statementTimeoutMs: 1_000 });
    await expect(sleep(database, 30)).rejects.toMatchObject({ code: 'unavailable', isUnknown: false });
    expect(await ping(database)).toBeGreaterThan(0);
  });

  it('may cut its connections: running statements have an unknown result, later ones a known one', async () => {
    const { url, database, said } = await open({ connections: 2 });
    const running = sleep(database, 30);
    const failure = expect(running).rejects.toMatchObject({ code: 'unavailable', isUnknown: true });
    await expect.poll(() => runOn(url, SLEEPING)).toHaveLength(1);
    await ping(database);
    await runOn(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'causeway'`,
    );
    await failure;
    await expect.poll(() => said).toEqual([expect.stringMatching(/closed an idle connection: terminating/)]);
    expect(await ping(database)).toBeGreaterThan(0);
  });

  it('prepares a frequent statement once on each connection, under its name', async () => {
    const { database } = await open({ connections: 1 });
    await database.migrate();
    const { apiKeys, projects } = createStore(database);
    await projects.create(projectOf('p'));
    for (let n = 0; n < 3; n += 1) await apiKeys.byHash('none', 1_000);
    const names = await database.read(() =>
      database.handle.select({ name: sql<string>`name` }).from(sql`pg_prepared_statements`),
    );
    expect(names.map(({ name }) => name)).toContain('apiKeys.byHash');
  });

  it.each([
    ['without the database', (url: URL) => ({ pathname: `${url.pathname}_missing` }), /create it \(CREATE DATABASE\)/],
    ['at a host that is not there', () => ({ hostname: 'db.invalid' }), /correct the host in DATABASE_URL/],
  ])('is refused in one line that says what to do: %s', async (_, change, says) => {
    const url = new URL(serverUrl ?? '');
    await expect(openDatabase({ url: Object.assign(url, change(url)).href })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(says),
    });
  });

  it('must be in UTF-8', async () => {
    const { url } = await newServerDatabase(serverUrl ?? '');
    const name = new URL(url).pathname.slice(1);
    await runOn(serverUrl ?? '', `DROP DATABASE ${name}`);
    await runOn(serverUrl ?? '', `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    onTestFinished(async () => void (await runOn(serverUrl ?? '', `DROP DATABASE ${name}`)));
    await expect(openDatabase({ url })).rejects.toMatchObject({ code: 'unsupported' });
  });
});

describe('a PostgreSQL server that says nothing', () => {
  it('is given up in time', async () => {
    const silent = createServer(() => undefined);
    onTestFinished(() => void silent.close());
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const before = performance.now();
    const opening = openDatabase({ url: `postgres://hub@127.0.0.1:${port}/hub`, limits: { connectTimeoutMs: 200 } });
    await expect(opening).rejects.toMatchObject({ code: 'unreachable' });
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});
