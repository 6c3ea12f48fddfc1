import { expect, it, onTestFinished } from 'vitest';
import { simulate } from '../../simulator/simulate.ts';
import { startHub } from '../kit/hub.ts';
import { eventually } from '../kit/stage.ts';

it('offers commands of its own, which take effect once', async () => {
  const hub = await startHub();
  const simulation = simulate({ url: hub.bridgeUrl, token: hub.token, players: 5, lifeEveryMs: 0 });
  onTestFinished(simulation.stop);
  const actions = '/api/v2/bridge/main/actions';
  await eventually(async () => (await hub.request(actions)).status).toBe(200);
  const [target = ''] = simulation.world.identifiers();
  const fish = (): number => simulation.world.player(target)?.inventory.find(({ name }) => name === 'fish')?.count ?? 0;
  const before = fish();
  const give = (json: object) =>
    hub.request(`${actions}/give_item`, { json, headers: { 'Idempotency-Key': JSON.stringify(json) } });
  for (const _ of [1, 2]) {
    const { body } = await give({ target, item: 'fish', count: 3 });
    expect(body).toMatchObject({ target, status: 'succeeded', result: { item: 'fish', count: 3, after: before + 3 } });
  }
  expect(fish()).toBe(before + 3);
  expect((await give({ target: 'char1:nobody', item: 'fish', count: 1 })).body.code).toBe('player_not_found');
  expect((await give({ target, item: 'gold', count: 1 })).body.code).toBe('unknown_item');
  expect((await give({ target, item: 'fish', count: 0 })).body['errors']).toMatchObject([{ pointer: '/count' }]);
});
