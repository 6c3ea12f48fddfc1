import { expect, it } from 'vitest';
import { simulate } from '../../simulator/simulate.ts';
import { startHub } from '../support/hub.ts';

it('freezes a player of a simulated server', async () => {
  const hub = await startHub();
  const simulation = simulate({ url: hub.bridgeUrl, token: hub.token, players: 3, lifeEveryMs: 0 });
  const [target] = simulation.world.identifiers();
  const path = '/api/v2/bridge/main/freeze';
  await expect
    .poll(async () => (await hub.request(path, { json: { target, frozen: true } })).body['result'])
    .toEqual({ frozen: true });
  const refused = await hub.request(path, { json: { target } });
  expect(refused.status).toBe(422);
  const listed = await hub.request('/api/v2/commands?name=freeze');
  expect(listed.body['data']).toContainEqual(
    expect.objectContaining({ name: 'freeze', status: 'succeeded', params: { frozen: true } }),
  );
  await simulation.stop();
});
