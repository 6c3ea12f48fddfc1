import { expect, it } from 'vitest';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { startHub } from '../../kit/hub.ts';
import { eventually, newFolder } from '../../kit/stage.ts';

const PLAYERS = 120;
const KILLS = 4;
const idOf = (n: number): string => `char1:p${n}`;
const everybody = Array.from({ length: PLAYERS }, (_, n) => idOf(n));

it('a batch pays each player exactly once while the hub is killed again and again', async () => {
  const folder = await newFolder();
  let hub = await startHub({ folder });
  const economy = createEconomy(Object.fromEntries(everybody.map((id) => [id, 0])));
  startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder, economy });
  await eventually(async () => (await hub.request(`/api/v2/players/${idOf(PLAYERS - 1)}`)).status).toBe(200);
  const send = () =>
    hub.request('/api/v2/batches', {
      json: {
        serverId: 'main',
        name: 'money',
        params: { type: 'bank', amount: 7, action: 'add' },
        targets: everybody,
        deliver: 'when_connected',
      },
      headers: { 'Idempotency-Key': 'salaries' },
    });
  const id = String((await send()).body['id']);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await eventually(() => economy.applied.length).toBeGreaterThanOrEqual(Math.floor((kill * PLAYERS) / (KILLS + 2)));
    await hub.crash();
    hub = await startHub({ folder });
    expect((await send()).body['id']).toBe(id);
  }
  await eventually(async () => (await hub.request(`/api/v2/batches/${id}`)).body['status']).toBe('settled');
  expect((await hub.request(`/api/v2/batches/${id}`)).body['counts']).toEqual({ succeeded: PLAYERS });
  expect(economy.applied).toHaveLength(PLAYERS);
  expect([...economy.banks.values()]).toEqual(everybody.map(() => 7));
});
