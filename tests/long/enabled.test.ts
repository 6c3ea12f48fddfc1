import { expect, it } from 'vitest';
import { startStage } from '../support/panel-stage.ts';

const PROMISED_MS = 30_000;

it(
  'a bridge is back within 30 s after its server was enabled, however long that was disabled',
  async () => {
    const { hub, game } = await startStage();
    const set = (disabled: boolean) => hub.request('/api/v2/servers/main', { method: 'PATCH', json: { disabled } });
    await set(true);
    await expect.poll(() => game.bridge.state).toBe('stopped');
    // Its first look is refused with 403, so that both times that the hub tells are waited for.
    await expect.poll(() => game.bridge.state, { timeout: PROMISED_MS, interval: 5 }).toBe('connecting');
    await expect.poll(() => game.bridge.state).toBe('stopped');
    await set(false);
    await expect.poll(() => game.bridge.state, { timeout: PROMISED_MS }).toBe('welcomed');
  },
  4 * PROMISED_MS,
);
