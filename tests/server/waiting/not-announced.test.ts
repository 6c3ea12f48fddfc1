import { expect, it } from 'vitest';
import { startHub } from '../../testkit/hub.ts';
import { answerAll, welcomeRaw } from '../../testkit/raw-bridge.ts';
import { eventually } from '../../testkit/stage.ts';

const GREET = { name: 'greet', params: { type: 'object', properties: { to: { type: 'string' } } } };

it('a custom command waits for a resource that starts after its bridge', async () => {
  const hub = await startHub();
  const first = await welcomeRaw(hub.bridgeUrl, hub.token);
  first.send({ type: 'commands.custom', commands: [GREET] });
  const send = (path: string) => hub.request(`/api/v2/bridge/main/actions/${path}`, { json: { to: 'Ana' } });
  await eventually(async () => (await hub.request('/api/v2/bridge/main/actions')).text).toContain('greet');
  first.kill();
  await eventually(() => hub.sizes().sessions).toBe(0);
  const { body: early } = await send('greet?deliver=when_connected');
  expect(early).toMatchObject({ status: 'waiting' });

  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  answerAll(bridge, () => ({ status: 'done', data: {} }));
  bridge.send({ type: 'commands.custom', commands: [] });
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [] });
  await eventually(async () => (await hub.request('/api/v2/bridge/main/actions')).text).not.toContain('greet');
  const { status, body: late } = await send('greet?deliver=when_connected');
  expect([status, late]).toMatchObject([202, { status: 'waiting' }]);
  bridge.send({ type: 'commands.custom', commands: [GREET] });
  for (const { id } of [early, late]) {
    await eventually(async () => (await hub.request(`/api/v2/commands/${id}`)).body['status']).toBe('succeeded');
  }
});
