import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { httpFaultAnswer } from '../../../server/http/answer.ts';
import { listen, openServer, stopListening } from '../../../server/http/server.ts';
import { readConfig } from '../../../server/platform/config.ts';
import { startHub } from '../../kit/hub.ts';
import { answerAll, welcomeRaw } from '../../kit/raw-bridge.ts';

const HEAVY = 'x'.repeat(200_000);
const order = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' };

const open = async () => {
  const hub = await startHub();
  return { hub, bridge: await welcomeRaw(hub.bridgeUrl, hub.token) };
};

it('keeps the promised fields of a heavy result of money', async () => {
  const { hub, bridge } = await open();
  const promised = { account: 'bank', before: 0, after: 4, applied: 4 };
  answerAll(bridge, () => ({ status: 'done', data: { log: HEAVY, ...promised }, sequence: 1 }));
  const { status, body } = await hub.request('/api/v2/bridge/main/money', { json: order });
  expect([status, body['result']]).toEqual([200, { ...promised, omitted: true }]);
});

it('keeps the promised fields of heavy details of an error', async () => {
  const { hub, bridge } = await open();
  const error = { code: 'insufficient_funds', message: 'bank holds 3.', details: { log: HEAVY, balance: 3 } };
  answerAll(bridge, () => ({ status: 'rejected', error, sequence: 1 }));
  const { body } = await hub.request('/api/v2/bridge/main/money', { json: { ...order, action: 'remove' } });
  expect(body).toMatchObject({ code: 'insufficient_funds', balance: 3 });
  const { body: list } = await hub.request('/api/v2/commands');
  expect(list['data']).toMatchObject([{ error: { details: { balance: 3, omitted: true } } }]);
  expect(JSON.stringify(list)).not.toContain('xxx');
});

it('keeps the promised field of a heavy kick', async () => {
  const { hub, bridge } = await open();
  answerAll(bridge, () => ({ status: 'done', data: { kicked: true, log: HEAVY } }));
  const json = { target: 'char1:ana', reason: 'why' };
  const { body } = await hub.request('/api/v2/bridge/main/kick', { json });
  expect(body['result']).toEqual({ kicked: true, omitted: true });
});

it('stores the part of a large result in doubt that fits the limit', async () => {
  const { hub, bridge } = await open();
  const data = { account: HEAVY, before: 0, after: 6 };
  answerAll(bridge, () => ({ status: 'done', data, sequence: 1 }));
  await hub.request('/api/v2/bridge/main/money', { json: order });
  const { body } = await hub.request('/api/v2/commands');
  const reported = { before: 0, after: 6, omitted: true };
  expect(body['data']).toMatchObject([{ status: 'indeterminate', error: { details: { reported } } }]);
});

it('bounds the bytes of a page, also with rows that are heavy already, and lists each row once', async () => {
  const { hub, bridge } = await open();
  answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 5 }, sequence: 1 }));
  const { body } = await hub.request('/api/v2/bridge/main/money', { json: order });
  const row = await hub.store.commands.get(hub.project.id, String(body['id']));
  if (row === undefined) throw new Error('no row');
  const result = { before: 0, log: HEAVY };
  for (let n = 0; n < 120; n += 1) {
    await hub.store.commands.insert({ ...row, id: `${row.id}${n}`, result, idempotencyKey: null }, { durable: false });
  }
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await hub.request(`/api/v2/commands?limit=200${cursor}`);
    const rows = page.body['data'] as { id: string }[];
    expect(JSON.stringify(rows).length).toBeLessThan(2.5 * 1024 * 1024);
    seen.push(...rows.map(({ id }) => id));
    const { next } = page.body['pagination'] as { next: string | null };
    cursor = next === null ? '' : `&cursor=${next}`;
  } while (cursor !== '');
  expect(seen).toHaveLength(121);
  expect(new Set(seen).size).toBe(121);
});

it('ends an answer whose caller reads nothing, and no other answer', { timeout: 60_000 }, async () => {
  const answer = ({ url }: IncomingMessage, response: ServerResponse): void => {
    if (url === '/heavy') response.end(Buffer.alloc(64 * 1024 * 1024));
  };
  const server = openServer(100, answer, httpFaultAnswer);
  await listen(server, readConfig({ PORT: '0', HOST: '127.0.0.1' }));
  onTestFinished(() => stopListening(server));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const count = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, connections) => (error === null ? resolve(connections) : reject(error)));
    });
  const ask = (path: string) => {
    const socket = connect({ port, host: '127.0.0.1' }).pause();
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: hub\r\n\r\n`);
    onTestFinished(() => void socket.destroy());
  };
  ask('/thinking');
  for (let n = 0; n < 20; n += 1) ask('/heavy');
  await expect.poll(count, { timeout: 10_000 }).toBe(21);
  await expect.poll(count, { timeout: 35_000, interval: 200 }).toBe(1);
});
