import { expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

const MOST = 300;
const PARAMS = { type: 'bank', amount: 5, action: 'add' };
const ids = Array.from({ length: MOST }, (_, n) => `char1:p${n}`);

it('commands take no places that a batch has already, while it is written', async () => {
  const hub = await startHub();
  await hub.store.projects.update(hub.project.id, { maxWaiting: MOST }, Date.now());
  await eventually(async () => (await hub.request('/api/v2/project')).body['maxWaiting']).toBe(MOST);
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const players = ids.map((id) => playerFrame(id, { online: false }));
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
  await eventually(async () => (await hub.request(`/api/v2/players/${ids.at(-1)}`)).status).toBe(200);
  const batch = hub.request('/api/v2/batches', {
    json: { serverId: 'main', name: 'money', params: PARAMS, targets: ids, deliver: 'when_online' },
    headers: { 'Idempotency-Key': 'gift' },
  });
  const wait = (target: string) =>
    hub.request('/api/v2/bridge/main/money', { json: { ...PARAMS, target, deliver: 'when_online' } });
  expect((await batch).status).toBe(202);
  const sent = await Promise.all(ids.slice(0, 40).map(wait));
  expect(sent.map(({ body }) => body['code'])).toEqual(sent.map(() => 'waiting_full'));
  const path = '/api/v2/commands?status=waiting&limit=200';
  await eventually(async () => ((await hub.request(path)).body['data'] as unknown[]).length).toBe(200);
});
