import { expect, it } from 'vitest';
import { batchOf } from '../../kit/batch-rows.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { insertCommand } from '../../kit/journal.ts';
import { openTcp } from '../../kit/raw-tcp.ts';

/** More than the buffers of a connection whose caller does not read. */
const MANY = 4_000;
const LONG = 'x'.repeat(4_000);

/** Rows at a time. PostgreSQL stores those of one time in any order, and a hub begins at most 10,000 statements there. */
const AT_ONCE = 250;

const fill = async (hub: TestHub, rows: number, reason: string): Promise<void> => {
  const write = (n: number) =>
    insertCommand(hub, {
      createdAt: n,
      params: { target: 'char1:ana', type: 'bank', amount: n, action: 'add', reason },
    });
  for (let from = 0; from < rows; from += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, rows - from) }, (_, n) => write(from + n)));
  }
};

const linesOf = (text: string): string[] => text.split('\r\n').slice(1, -1);

/** Asks for an export and reads nothing of it. */
const stall = (hub: TestHub) => {
  const tcp = openTcp(hub.port);
  tcp.socket.pause();
  tcp.send(`GET /api/v2/commands.csv HTTP/1.1\r\nHost: hub\r\nX-API-Key: ${hub.key}\r\n\r\n`);
  return tcp;
};

it('reads one page in a turn of the event loop, and has the newest 10,000, each once', async () => {
  const hub = await startHub();
  await fill(hub, 10_250, 'why');
  let text = '';
  const { rows } = await hub.largestTurn(async () => {
    ({ text } = await hub.request('/api/v2/commands.csv'));
  });
  const amounts = linesOf(text).map((line) => Number(line.split(',')[7]));
  expect(amounts.toSorted((one, other) => other - one)).toEqual(Array.from({ length: 10_000 }, (_, n) => 10_249 - n));
  expect(rows).toBeLessThanOrEqual(401);
});

it('reads a batch in the same way, its portions in turns of their own', async () => {
  const hub = await startHub();
  const id = 'bat_large';
  await hub.store.batches.insert(batchOf(id, { projectId: hub.project.id, status: 'settled' }));
  await Promise.all(Array.from({ length: 900 }, () => insertCommand(hub, { batchId: id })));
  let text = '';
  const { rows } = await hub.largestTurn(async () => {
    ({ text } = await hub.request(`/api/v2/batches/${id}/commands.csv`));
  });
  expect(linesOf(text)).toHaveLength(900);
  // A portion of a page, and a few rows beside it.
  expect(rows).toBeLessThanOrEqual(51 + 20);
});

it('gives the place on when a connection with several requests for exports breaks', async () => {
  const hub = await startHub({ tuning: { exportWaitMs: 100 } });
  await fill(hub, MANY, LONG);
  const first = stall(hub);
  const ask = `GET /api/v2/commands.csv?name=kick HTTP/1.1\r\nHost: hub\r\nX-API-Key: ${hub.key}\r\n\r\n`;
  const pipelined = openTcp(hub.port);
  pipelined.send(ask + ask + ask);
  await expect.poll(pipelined.text).toContain('429');
  pipelined.reset();
  first.reset();
  await expect.poll(async () => (await hub.request('/api/v2/commands.csv?name=kick')).status).toBe(200);
});

it('lets a second export of the project wait, then refuses it; other projects have their own', async () => {
  const hub = await startHub({ tuning: { exportWaitMs: 100 } });
  await fill(hub, MANY, LONG);
  const first = stall(hub);
  await expect
    .poll(async () => {
      const { status, body, headers } = await hub.request('/api/v2/commands.csv?name=kick');
      return { status, code: body.code, retryAfter: headers.get('retry-after') };
    })
    .toEqual({ status: 429, code: 'rate_limited', retryAfter: '10' });
  const { key } = await hub.newProject('neighbour');
  expect((await hub.request('/api/v2/commands.csv', { key })).status).toBe(200);
  expect((await hub.request('/api/v2/commands.csv', { method: 'HEAD' })).status).toBe(200);
  first.reset();
  await expect.poll(async () => (await hub.request('/api/v2/commands.csv?name=kick')).status).toBe(200);
});

it('goes on with the next caller once an export has ended', async () => {
  const hub = await startHub();
  await fill(hub, 450, 'why');
  const answers = await Promise.all(Array.from({ length: 5 }, () => hub.request('/api/v2/commands.csv')));
  expect(answers.map(({ status, text }) => [status, linesOf(text).length])).toEqual(
    Array.from({ length: 5 }, () => [200, 450]),
  );
});

it('cuts the connection when the database fails halfway, so that a part does not look like the whole', async () => {
  const hub = await startHub({ tuning: { exportWaitMs: 100 } });
  await fill(hub, MANY, LONG);
  const tcp = stall(hub);
  // The first page is on its way.
  tcp.socket.once('data', () => tcp.socket.pause()).resume();
  await expect.poll(tcp.text).toContain('HTTP/1.1 200');
  hub.breakDatabase('everything');
  tcp.socket.resume();
  await tcp.ended();
  expect(tcp.text()).not.toMatch(/\r\n0\r\n\r\n$/);
  expect(tcp.text()).not.toContain('HTTP/1.1 5');
});
