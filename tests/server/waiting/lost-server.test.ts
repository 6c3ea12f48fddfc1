import { expect, it } from 'vitest';
import { batchOf } from '../../kit/batch-rows.ts';
import { startHub } from '../../kit/hub.ts';
import { playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

const MAIN = '/api/v2/servers/main';

it.each([true, false])('a batch whose server was deleted pays nothing; made again: %s', async (isMadeAgain) => {
  const hub = await startHub();
  await welcomeRaw(hub.bridgeUrl, hub.token);
  const at = Date.now();
  expect((await hub.request(MAIN, { method: 'DELETE' })).status).toBe(204);
  const frames: { type: string }[][] = [];
  if (isMadeAgain) {
    const made = await hub.request('/api/v2/servers', { json: { serverId: 'main' } });
    const bridge = await welcomeRaw(hub.bridgeUrl, String(made.body['token']));
    frames.push(bridge.frames);
    const players = ['char1:a', 'char1:b'].map((id) => playerFrame(id));
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
    await eventually(async () => (await hub.request('/api/v2/players/char1:b')).status).toBe(200);
  }
  // As a node leaves it that died while it stored the commands.
  const times = { createdAt: at, touchedAt: at - 60_000, expiresAt: at + 3_600_000 };
  const batch = batchOf('bat_1', {
    ...times,
    projectId: hub.project.id,
    status: 'writing',
    written: 0,
    deliver: 'now',
  });
  await hub.store.batches.insert(batch);
  const look = async () => (await hub.request('/api/v2/batches/bat_1')).body;
  await eventually(look).toMatchObject({ status: 'settled', endedBy: 'voided' });
  expect(frames.flat().filter(({ type }) => type === 'command')).toEqual([]);
});
