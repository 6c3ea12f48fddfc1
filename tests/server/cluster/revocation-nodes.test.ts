import { describe, expect, it, onTestFinished } from 'vitest';
import { newServerDatabase, serverUrl } from '../../kit/databases.ts';
import { startHub } from '../../kit/hub.ts';
import { welcomeRaw } from '../../kit/raw-bridge.ts';

/** Two hubs on one database without messages between them: messages may get lost. */
const openTwo = async () => {
  const { url, drop } = await newServerDatabase(serverUrl ?? '');
  const options = { env: { DATABASE_URL: url }, tuning: { revocationCheckMs: 500 } };
  const here = await startHub(options);
  const there = await startHub(options);
  onTestFinished(async () => {
    await here.stop();
    await there.stop();
    await drop();
  });
  return { here, there };
};

/** How long it takes until this is so, in ms. */
const lasting = async (isSo: () => Promise<boolean>): Promise<number> => {
  const since = performance.now();
  await expect.poll(isSo, { interval: 20, timeout: 5_000 }).toBe(true);
  return performance.now() - since;
};

describe.skipIf(serverUrl === undefined)('a revocation at one hub', () => {
  it('is known to the other hub within a second: a key', async () => {
    const { here, there } = await openTwo();
    const key = await here.newKey(['players:read']);
    const ask = async (): Promise<number> => (await there.request('/api/v2/players', { key })).status;
    expect(await ask()).toBe(200);
    const keys = await here.store.apiKeys.list(here.project.id);
    const id = keys.find(({ name }) => name === 'other key')?.id ?? '';
    expect((await here.request(`/api/v2/keys/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await lasting(async () => (await ask()) === 401)).toBeLessThan(1_500);
  });

  it('is known to the other hub within a second: a session of the panel and its event streams', async () => {
    const { here, there } = await openTwo();
    const path = '/api/v2/panel/session';
    const cookie = (await here.request(path, { method: 'POST' })).headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const ask = async (): Promise<number> =>
      (await there.request('/api/v2/players', { key: null, headers: { Cookie: cookie } })).status;
    expect(await ask()).toBe(200);
    const stream = await fetch(`${there.address}/api/v2/events`, { headers: { Cookie: cookie } });
    const ending = stream.text().catch(() => 'cut');
    const headers = { Cookie: cookie, Origin: here.address };
    expect((await here.request(path, { method: 'DELETE', key: null, headers })).status).toBe(204);
    const since = performance.now();
    expect(await ask()).toBe(401);
    expect(await ending).toBe('cut');
    expect(performance.now() - since).toBeLessThan(1_500);
  });

  it('closes at the other hub within a second: a bridge whose token, server or project is stopped', async () => {
    const { here, there } = await openTwo();
    const cases = [
      ['a', 4501, () => here.request('/api/v2/servers/a/token', { json: { graceSeconds: 0 } })],
      ['b', 4503, () => here.request('/api/v2/servers/b', { method: 'PATCH', json: { disabled: true } })],
      ['c', 4503, () => here.store.projects.update(here.project.id, { disabled: true }, Date.now())],
    ] as const;
    for (const [id, code, change] of cases) {
      const bridge = await welcomeRaw(there.bridgeUrl, await here.newServer(id));
      await change();
      const since = performance.now();
      expect((await bridge.closed()).code).toBe(code);
      expect(performance.now() - since).toBeLessThan(1_500);
    }
  });
});
