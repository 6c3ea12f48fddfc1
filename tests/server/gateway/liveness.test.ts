import { describe, expect, it } from 'vitest';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { startHub } from '../../kit/hub.ts';
import { helloFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { openTcp, upgradeRequest, wireMessage } from '../../kit/raw-tcp.ts';

const json = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' };
const money = { json, headers: { Prefer: 'respond-async' } };
const silent = { pingEveryMs: 200, pingTimeoutMs: 200 };
const unconfirmed = { receivedProbeMs: 200, receivedCloseMs: 400 };
/** Before the two seconds are over that a closed socket has to say goodbye. */
const IN_TIME = { timeout: 1_800, interval: 20 };

describe('a bridge that stands still', () => {
  it.each([
    ['with nothing to do', silent, 4001],
    ['with a command to confirm', unconfirmed, 4008],
  ])('%s is gone in time, though it does not even say goodbye', async (_name, tuning, closeCode) => {
    const hub = await startHub({ tuning });
    const isConnected = async () => (await hub.request('/api/v2/servers/main')).body['connected'];
    expect(await isConnected()).toBe(false);
    const tcp = openTcp(hub.port);
    tcp.send(upgradeRequest({ token: hub.token }));
    await tcp.reads('101 Switching');
    tcp.send(wireMessage(helloFrame()));
    await tcp.reads('"welcome"');
    if (closeCode === 4008) await hub.request('/api/v2/bridge/main/money', money);
    await expect.poll(isConnected, IN_TIME).toBe(false);
    const next = await hub.request('/api/v2/bridge/main/money', money);
    expect([next.status, next.body.code, next.body['executed']]).toEqual([503, 'bridge_offline', 'no']);
    const session = () => hub.store.sessions.get(hub.project.id, 'main');
    await expect.poll(session).toMatchObject({ connected: false, closeCode });
  });

  it('is told why when it goes on', async () => {
    const hub = await startHub({ tuning: unconfirmed });
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    await hub.request('/api/v2/bridge/main/money', money);
    expect(await bridge.closed()).toEqual({ code: 4008, reason: '{"code":"no_received"}' });
  });
});

it('tells how long a bridge took to answer its last ping, a whole number of milliseconds', async () => {
  const hub = await startHub({ tuning: { pingEveryMs: 100 } });
  startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: hub.folder, economy: createEconomy({}) });
  const pingMs = async () =>
    ((await hub.request('/api/v2/servers/main')).body['bridge'] as { pingMs?: number } | null)?.pingMs;
  await expect.poll(pingMs).toBeLessThan(1_000);
  expect(Number.isInteger(await pingMs())).toBe(true);
});
