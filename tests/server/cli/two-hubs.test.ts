import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkplace, SLOW } from '../../kit/cli.ts';
import { freePort } from '../../kit/free-port.ts';

it(
  'a second hub on one file refuses to start and names the first, whose crash frees the file at once',
  SLOW,
  async () => {
    const place = openWorkplace(onTestFinished);
    const port = String(await freePort());
    const first = await place.startHub({ PORT: port });
    const refused = await place.run(['start']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      new RegExp(
        `^causeway: Another hub uses the database \\S+hub\\.db \\(process ${first.pid} on \\S+, http://127.0.0.1:${port}\\)`,
      ),
    );
    expect((await place.verb(['project', 'list'])).code).toBe(0);
    expect((await fetch(`${first.address}/readyz`)).status).toBe(200);

    await first.stop('SIGKILL');
    const next = await place.startHub();
    expect((await next.stop()).code).toBe(0);
    const last = await place.startHub();
    expect((await last.stop()).code).toBe(0);
  },
);

it(
  'a hub waits for a PostgreSQL server that is still starting, alive and not ready, and ends at a signal',
  SLOW,
  async () => {
    const place = openWorkplace(onTestFinished);
    // As a server says it that is starting up: SQLSTATE 57P03.
    const fields = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0';
    const message = Buffer.alloc(5 + fields.length);
    message.write('E', 0);
    message.writeInt32BE(4 + fields.length, 1);
    message.write(fields, 5);
    let asked = 0;
    const postgres = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        asked += 1;
        socket.end(message);
      });
    });
    const databasePort = await freePort();
    const port = await freePort();
    const hub = place.start(['start'], {
      PORT: String(port),
      DATABASE_URL: `postgres://u:secret@127.0.0.1:${databasePort}/d`,
    });
    await hub.line(/ECONNREFUSED.*"waiting for the database"/);
    await new Promise<void>((resolve) => postgres.listen(databasePort, '127.0.0.1', resolve));
    onTestFinished(() => void postgres.close());
    await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(2);
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    expect([await status('/livez'), await status('/readyz'), await status('/api/v2/health')]).toEqual([200, 503, 503]);
    expect(hub.isRunning()).toBe(true);
    expect(hub.output.stdout).not.toContain('secret');
    expect((await hub.stop()).code).toBe(0);
  },
);
