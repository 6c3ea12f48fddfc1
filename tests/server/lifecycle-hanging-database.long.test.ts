import { expect, it, onTestFinished } from 'vitest';
import { createGate } from '../kit/gate.ts';
import { startHub } from '../kit/hub.ts';
import { answerAll, welcomeRaw } from '../kit/raw-bridge.ts';

const PATIENCE_MS = 30_000;

/** Reads that begin from now on wait until the test has ended. */
const hang = (hub: Awaited<ReturnType<typeof startHub>>, options = {}): (() => void) => {
  const { opened, open } = createGate();
  hub.holdReads(opened, options);
  onTestFinished(open);
  return open;
};

it('health says fail within its own deadline while the database answers nothing but a ping', async () => {
  const hub = await startHub();
  expect((await hub.request('/api/v2/health')).status).toBe(200);
  hang(hub);
  const { status, body } = await hub.request('/api/v2/health', { signal: AbortSignal.timeout(PATIENCE_MS) });
  expect([status, body['status']]).toEqual([503, 'fail']);
});

it('/readyz says 503 within its own deadline while the database answers nothing at all', async () => {
  const hub = await startHub();
  hang(hub, { withPings: true });
  const { status } = await fetch(`${hub.address}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  expect(status).toBe(503);
});

it.each(['/api/v2/health', '/api/v2/bridge/main/money'])(
  '%s by a key that must be looked up is refused in time',
  async (path) => {
    const hub = await startHub();
    hang(hub);
    const json = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' };
    const { status, body } = await hub.request(path, {
      ...(path.endsWith('money') ? { json, headers: { Prefer: 'wait=3' } } : {}),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    expect([status, body.code]).toEqual([503, 'store_unavailable']);
  },
);

it('a payment keeps the deadline of its caller, is answered as unknown, and is paid once by its key', async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  let paid = 0;
  answerAll(bridge, () => {
    paid += 1;
    return { status: 'done', data: { account: 'bank', before: 5 * (paid - 1), after: 5 * paid }, sequence: paid };
  });
  const pay = () =>
    hub.request('/api/v2/bridge/main/money', {
      json: { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' },
      headers: { Prefer: 'wait=1', 'Idempotency-Key': 'payday' },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  // The hub knows the key by now.
  expect((await hub.request('/api/v2/project')).status).toBe(200);
  const resume = hang(hub);
  const answer = await pay();
  expect(answer).toMatchObject({
    status: 503,
    body: { code: 'store_unavailable', executed: 'unknown', retryable: true },
  });
  resume();
  await expect.poll(async () => (await pay()).status).toBe(200);
  expect(paid).toBe(1);
});
