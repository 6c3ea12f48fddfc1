import { expect, it } from 'vitest';
import { createEconomy, startGameServer } from '../kit/game-server.ts';
import { startHub } from '../kit/hub.ts';

const PROMISED_MS = 30_000;

it(
  'a bridge is back within 30 s after its server was enabled, however long that was disabled',
  async () => {
    const hub = await startHub();
    let attempts = 0;
    const url = (): string => {
      attempts += 1;
      return hub.bridgeUrl;
    };
    const { token, folder } = hub;
    const { bridge } = startGameServer({ url, token, folder, economy: createEconomy({ 'char1:ana': 1 }) });
    const set = (disabled: boolean) => hub.request('/api/v2/servers/main', { method: 'PATCH', json: { disabled } });
    await expect.poll(() => bridge.state).toBe('welcomed');
    await set(true);
    await expect.poll(() => bridge.state).toBe('stopped');
    // Its first look is refused with 403, so that both times that the hub tells are waited for.
    await expect.poll(() => attempts, { timeout: PROMISED_MS }).toBe(2);
    await expect.poll(() => bridge.state).toBe('stopped');
    await set(false);
    await expect.poll(() => bridge.state, { timeout: PROMISED_MS }).toBe('welcomed');
  },
  4 * PROMISED_MS,
);
