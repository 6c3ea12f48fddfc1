import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, welcomeRaw } from '../../kit/raw-bridge.ts';
import { ANA, commandsOf, eventually, PAY, pay, rewrite } from '../../kit/stage.ts';

const data = { account: 'bank', before: 0, after: PAY };
const DAY_MS = 86_400_000;

/** Asks for money of player n under a key of its own, as fast as that goes. */
const ask = async (hub: TestHub, n: number, headers: Record<string, string> = {}): Promise<number> => {
  const response = await fetch(`${hub.address}/api/v2/bridge/main/money`, {
    method: 'POST',
    headers: { 'X-API-Key': hub.key, 'Content-Type': 'application/json', 'Idempotency-Key': `k${n}`, ...headers },
    body: JSON.stringify({ target: `char1:p${n}`, type: 'bank', amount: PAY, action: 'add' }),
  });
  await response.arrayBuffer();
  return response.status;
};

/** Asks for the money of so many players, a few at a time. */
const askAll = async (hub: TestHub, count: number, headers: Record<string, string> = {}): Promise<number[]> => {
  const numbers = Array.from({ length: count }, (_, n) => n).values();
  const statuses: number[] = [];
  const work = async (): Promise<void> => {
    for (const n of numbers) statuses.push(await ask(hub, n, headers));
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return statuses;
};

describe('the window', () => {
  it('is 32 commands in flight and 256 that wait; one more is refused and nothing of it is stored', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const later = { Prefer: 'respond-async' };
    expect(await askAll(hub, 288, later)).toEqual(Array(288).fill(202));
    const refused = await pay(hub, later);
    expect(refused).toMatchObject({ status: 503, body: { code: 'bridge_busy', executed: 'no', retryable: true } });
    expect(refused?.body).not.toHaveProperty('command');
    // A kick has a window of its own; it comes after everything that was sent before it.
    const kicked = hub.request('/api/v2/bridge/main/kick', { json: { target: ANA } });
    const kick = await bridge.until(() => bridge.frames.find(({ name }) => name === 'kick'), 'the kick');
    const paid = bridge.frames.filter(({ name }) => name === 'money');
    expect(paid).toHaveLength(32);
    bridge.send({ type: 'result', id: kick['id'], status: 'done', data: { kicked: true } });
    expect((await kicked).status).toBe(200);
    bridge.send({ type: 'result', id: paid[0]?.['id'], status: 'done', data, sequence: 1 });
    await bridge.until(() => bridge.frames.filter(({ name }) => name === 'money')[32], 'the 33rd');
    expect(await pay(hub, later)).toMatchObject({ status: 202 });
  });
});

describe('commands of one player', () => {
  it('leave in the order in which they came, after a restart of the hub too', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    const later = (key: string) => ({ Prefer: 'respond-async', 'Idempotency-Key': key });
    const told = [await pay(hub, later('k0'))];
    await bridge.command();
    // The deadlines say nothing about the order.
    for (const expiresInSeconds of [50, 40, 70, 60])
      told.push(await pay(hub, later(`k${expiresInSeconds}`), { expiresInSeconds }));
    expect(told.map((answer) => answer?.body.code)).toEqual(Array(5).fill('accepted'));
    await hub.crash();
    const restarted = await startHub({ folder: hub.folder });
    const next = await welcomeRaw(restarted.bridgeUrl, hub.token, { instance: 'one' });
    answerAll(next, () => ({ status: 'done', data }));
    const sent = () => next.frames.filter(({ type }) => type === 'command').map(({ id }) => id);
    await eventually(sent).toEqual(told.map((answer) => answer?.body.id));
  });

  it('leave in that order also if one without a key waits between two with keys when the hub is killed', async () => {
    // No sweep has written it yet.
    const hub = await startHub({ tuning: { sweepEveryMs: 3_600_000 } });
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    const askFor = (amount: number, headers: Record<string, string> = {}): void => {
      const json = { target: ANA, type: 'bank', amount, action: 'add' };
      hub.request('/api/v2/bridge/main/money', { json, headers }).catch(() => undefined);
    };
    askFor(1, { 'Idempotency-Key': 'first' });
    await bridge.command();
    askFor(2);
    await eventually(() => hub.sizes().queued).toBe(1);
    askFor(3, { 'Idempotency-Key': 'third' });
    await eventually(async () => (await commandsOf(hub)).length).toBe(3);
    await hub.crash();
    const restarted = await startHub({ folder: hub.folder });
    const next = await welcomeRaw(restarted.bridgeUrl, hub.token, { instance: 'one' });
    answerAll(next, ({ params }) => ({ status: 'done', data: { ...data, after: params['amount'] } }));
    const sent = () => next.frames.flatMap(({ type, params }) => (type === 'command' ? [params] : []));
    await eventually(sent).toMatchObject([{ amount: 1 }, { amount: 2 }, { amount: 3 }]);
  });
});

describe('a command that the bridge does not confirm', () => {
  it('brings a ping, then the end of the connection, and goes out again on the next', async () => {
    const hub = await startHub({ tuning: { receivedProbeMs: 60, receivedCloseMs: 3_000 } });
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    const told = pay(hub);
    const { id } = await bridge.command();
    // Four came with the welcome.
    await bridge.frame('ping', 5);
    await bridge.closed();
    await eventually(async () => (await fetch(`${hub.address}/metrics`)).text()).toContain('reason="no_received"} 1');
    const next = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    expect(await next.command()).toMatchObject({ id, attempt: 2 });
    next.send({ type: 'result', id, status: 'done', data, sequence: 1 });
    expect(await told).toMatchObject({ status: 200 });
  });
});

describe('a command that the bridge has confirmed', () => {
  it('may take longer; at its deadline it is asked back once, and the truth about it counts', async () => {
    const hub = await startHub({ tuning: { receivedProbeMs: 60, receivedCloseMs: 3_000 } });
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const told = pay(hub, {}, { expiresInSeconds: 3 });
    const { id } = await bridge.command();
    bridge.send({ type: 'received', ids: [id] });
    expect(await bridge.frame('void')).toMatchObject({ id });
    bridge.send({ type: 'result', id, status: 'done', data, sequence: 1 });
    expect(await told).toMatchObject({ status: 200, body: { executed: 'yes', attempts: 1 } });
    expect(bridge.frames.filter(({ type }) => type === 'void')).toHaveLength(1);
  });
});

describe('a command whose row took until after its deadline to be written', () => {
  it('is not sent: its bridge is told not to start it, and its caller that it never happened', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    // The hub tries for 1.75 s.
    hub.loseAnswer('commands.insert', 4);
    const told = pay(hub, {}, { expiresInSeconds: 1 });
    const { id } = await bridge.frame('void');
    bridge.send({ type: 'result', id, status: 'voided', sequence: 1 });
    expect(await told).toMatchObject({ status: 409, body: { code: 'voided', executed: 'no' } });
    expect(bridge.frames.filter(({ type }) => type === 'command')).toEqual([]);
    expect(await hub.store.strayResults.list(hub.project.id, 'main')).toEqual([]);
  });
});

describe('a command that no queue knows, because its insert was reported as failed', () => {
  const later = { expiresInSeconds: 3_600 };
  const openLost = async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    hub.loseAnswer('commands.insert', 100);
    const told = await pay(hub, { Prefer: 'respond-async' }, later);
    expect(told).toMatchObject({ status: 503, body: { code: 'store_unavailable', executed: 'unknown' } });
    await eventually(() => hub.hub.commands.sizes().live).toBe(0);
    expect(await commandsOf(hub)).toMatchObject([{ status: 'accepted' }]);
    hub.loseAnswer('commands.insert', 0);
    answerAll(bridge, () => ({ status: 'done', data, sequence: 1 }));
    return { hub, bridge };
  };

  it('is sent when its key is repeated', async () => {
    const { hub } = await openLost();
    expect(await pay(hub, {}, later)).toMatchObject({ status: 200, body: { executed: 'yes', attempts: 1 } });
  });

  it('is sent within a minute without a request', async () => {
    const { hub } = await openLost();
    await hub.tidy();
    await eventually(() => commandsOf(hub)).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
  });

  it('expires if its bridge stays away', async () => {
    const { hub, bridge } = await openLost();
    bridge.kill();
    await eventually(() => hub.sizes().sessions).toBe(0);
    await hub.tidy();
    expect(await commandsOf(hub)).toMatchObject([{ status: 'accepted' }]);
    await rewrite(hub, 'UPDATE commands SET expires_at = 1');
    await hub.tidy();
    expect(await commandsOf(hub)).toMatchObject([{ status: 'expired' }]);
  });
});

describe('an idempotency key', () => {
  it('is forgotten seven days after the outcome, and its command is not paid again even then', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    answerAll(bridge, () => ({ status: 'done', data, sequence: 1 }));
    const keys = Array.from({ length: 210 }, (_, n) => `k${n}`);
    await askAll(hub, keys.length);
    const kept = async (): Promise<number> => {
      const found = await Promise.all(keys.map((key) => hub.store.commands.byIdempotencyKey(hub.project.id, key)));
      return found.filter((row) => row !== undefined).length;
    };
    await rewrite(hub, 'UPDATE commands SET settled_at = ?', Date.now() - 7 * DAY_MS + 60_000);
    await hub.tidy();
    expect(await kept()).toBe(210);
    await rewrite(hub, 'UPDATE commands SET settled_at = ?', Date.now() - 7 * DAY_MS - 1);
    await hub.tidy();
    expect(await kept()).toBe(0);
    const again = await pay(hub, { 'Idempotency-Key': 'k0' }, { target: 'char1:p0' });
    expect(again?.headers.get('idempotency-replayed')).toBe('true');
    const other = await pay(hub, { 'Idempotency-Key': 'k0' }, { target: 'char1:p0', amount: 1 });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(210);
  });
});
