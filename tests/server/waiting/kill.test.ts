import { expect, it } from 'vitest';
import { newFolder } from '../../kit/folder.ts';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { startHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const KILLS = 4;
const PLAYERS = Array.from({ length: 120 }, (_, n) => `char1:p${n}`);
const HOUR_MS = 3_600_000;

/** A hub in a folder, a game server with the players, who have nothing, and a batch that pays each of them 7. */
const openPayday = async () => {
  const folder = newFolder();
  let hub = await startHub({ folder });
  const economy = createEconomy(Object.fromEntries(PLAYERS.map((id) => [id, 0])));
  startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder, economy });
  await eventually(async () => (await hub.request(`/api/v2/players/${PLAYERS.at(-1)}`)).status).toBe(200);
  return {
    economy,
    hub: () => hub,
    /** The next process over the same database. */
    nextHub: async (): Promise<void> => {
      hub = await startHub({ folder });
    },
    send: () =>
      hub.request('/api/v2/batches', {
        json: {
          serverId: 'main',
          name: 'money',
          params: { type: 'bank', amount: 7, action: 'add' },
          targets: PLAYERS,
          deliver: 'when_connected',
        },
        headers: { 'Idempotency-Key': 'salaries' },
      }),
    look: async (id: unknown) => (await hub.request(`/api/v2/batches/${id}`)).body,
  };
};

it('a batch pays each player exactly once while the hub is killed again and again', async () => {
  const { economy, hub, nextHub, send, look } = await openPayday();
  const { id } = (await send()).body;
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const paid = Math.floor((kill * PLAYERS.length) / (KILLS + 2));
    await eventually(() => economy.applied.length).toBeGreaterThanOrEqual(paid);
    await hub().crash();
    await nextHub();
    expect((await send()).body['id']).toBe(id);
  }
  await eventually(async () => (await look(id))['status']).toBe('settled');
  expect((await look(id))['counts']).toEqual({ succeeded: PLAYERS.length });
  expect(economy.applied).toHaveLength(PLAYERS.length);
  expect([...economy.banks.values()]).toEqual(PLAYERS.map(() => 7));
});

it.skipIf(onPostgres)(
  'a started hub goes on with a batch whose writer was killed, although it was just touched',
  async () => {
    const { economy, hub, nextHub, send, look } = await openPayday();
    hub().stopAt({ statement: 'commands.insert', when: 'before' });
    const made = await send();
    expect(made.status).toBe(202);
    await eventually(hub().hasStopped).toBe(true);
    await hub().crash();
    // As news of its players do, again and again: each of them counts as work on the batch.
    await rewrite(hub(), 'UPDATE batches SET touched_at = ?', Date.now() + HOUR_MS);
    await nextHub();
    await eventually(() => look(made.body.id)).toMatchObject({
      status: 'settled',
      counts: { succeeded: PLAYERS.length },
    });
    expect(economy.applied).toHaveLength(PLAYERS.length);
  },
);
