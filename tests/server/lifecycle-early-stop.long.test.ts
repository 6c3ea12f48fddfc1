import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkplace, SLOW } from '../kit/cli.ts';
import { newServerDatabase, serverUrl } from '../kit/databases.ts';
import { freePort } from '../kit/free-port.ts';

it.runIf(serverUrl !== undefined)(
  'a hub that is stopped while it still reads what to say last ends well, and says nothing',
  SLOW,
  async () => {
    const { url, drop } = await newServerDatabase(serverUrl ?? '');
    onTestFinished(async () => void (await drop()));
    const place = openWorkplace(onTestFinished);
    await (await place.startEmptyHub({ DATABASE_URL: url })).stop();
    await place.run(['init', '--name', 'Liberty', '--server', 'main'], { DATABASE_URL: url });
    // The reads after the hub is ready wait for this table, and are answered when the stop has come to the database.
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('BEGIN');
    await client.query('LOCK TABLE projects IN ACCESS EXCLUSIVE MODE');
    const port = await freePort();
    const hub = place.start(['start'], { DATABASE_URL: url, PORT: String(port) });
    const isReady = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status);
    await expect.poll(() => isReady().catch(() => 0), { interval: 20, timeout: 30_000 }).toBe(200);
    hub.signal('SIGTERM');
    await expect.poll(() => isReady().catch(() => 'closed'), { interval: 20, timeout: 30_000 }).toBe('closed');
    await client.query('ROLLBACK');
    const { code, stdout, stderr } = await hub.ended();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('hub listens');
  },
);
