import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createGate } from '../kit/gate.ts';
import { startHub } from '../kit/hub.ts';
import { openRaw } from '../kit/raw-bridge.ts';

it('a hub that stops takes no bridge in whose token it was looking up', async () => {
  const hub = await startHub();
  const reads = createGate();
  hub.holdReads(reads.opened);
  const arrived = Promise.race(hub.hubs.map(({ server }) => once(server, 'upgrade')));
  const bridge = openRaw(hub.bridgeUrl, hub.token);
  await arrived;
  const stopped = hub.stop();
  reads.open();
  const { status, body } = await bridge.refused();
  expect([status, JSON.parse(body).code]).toEqual([503, 'draining']);
  await stopped;
  expect(hub.sizes().connections).toBe(0);
});
