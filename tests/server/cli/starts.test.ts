import { linkSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkplace, SLOW } from '../../kit/cli.ts';
import { examine } from '../../kit/doctor.ts';
import { freePort } from '../../kit/free-port.ts';

it('a hub refuses to start with settings that are slips, and names each', SLOW, async () => {
  const place = openWorkplace(onTestFinished);
  const refused = async (env: Record<string, string>, says: RegExp): Promise<void> => {
    const { code, stdout, stderr } = await place.verb(['start'], env);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^causeway: [^\n]+\n$/);
    expect(stderr).toMatch(says);
  };
  const port = /PORT: must be a whole number from 0 to 65535/;
  for (const PORT of ['8e3', '0x1f90', ' 8080', '8080.0', '+8080']) await refused({ PORT }, port);
  const memory = /DATABASE_URL: must name a file.*would lose every command/;
  for (const DATABASE_URL of ['file::memory:', 'file::memory:?cache=shared']) await refused({ DATABASE_URL }, memory);
  const nowhere = join(place.folder, 'nowhere');
  await refused({ BACKUP_FOLDER: nowhere }, /BACKUP_FOLDER: \S+nowhere is not an existing folder; create it/);
});

it('a second hub does not start on the same file under another name', SLOW, async () => {
  const place = openWorkplace(onTestFinished);
  const first = await place.startHub();
  const folder = join(place.folder, 'other');
  mkdirSync(folder);
  const link = join(folder, 'linked.db');
  linkSync(place.file, link);
  const { code, stderr } = await place.run(['start'], { DATABASE_URL: `file:${link}`, PORT: '0' });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/linked\.db has another name, a hard link.*Copy it/)]);
  expect((await fetch(`${first.address}/readyz`)).status).toBe(200);
});

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

it(
  'setup-link and doctor find a hub whose port the shell does not know, because its lock file names it',
  SLOW,
  async () => {
    const place = openWorkplace(onTestFinished);
    const port = String(await freePort());
    const elsewhere = { PORT: String(await freePort()) };
    const hub = await place.startEmptyHub({ PORT: port });
    const link = await place.verb(['setup-link'], elsewhere);
    expect(link.stdout).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/setup#cws_`));
    const { of } = await examine(place, elsewhere);
    expect(of('port')).toMatchObject({ status: 'ok', text: `a hub answers at 127.0.0.1, port ${port}` });
    await hub.stop();
    const ended = await examine(place, elsewhere);
    expect(ended.of('port')?.text).toContain(`no hub runs at 127.0.0.1, port ${elsewhere.PORT}`);
  },
);
