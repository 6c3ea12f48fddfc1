import { expect, it } from 'vitest';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { startHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { eventually, newFolder, rewrite } from '../../kit/stage.ts';

const PLAYERS = Array.from({ length: 200 }, (_, n) => `char1:p${n}`);
const HOUR_MS = 3_600_000;

it.skipIf(onPostgres)(
  'a started hub goes on with a batch whose writer was killed, although it was just touched',
  async () => {
    const folder = await newFolder();
    let hub = await startHub({ folder });
    const economy = createEconomy(Object.fromEntries(PLAYERS.map((id) => [id, 0])));
    startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: await newFolder(), economy });
    await eventually(async () => (await hub.request(`/api/v2/players/${PLAYERS.at(-1)}`)).status).toBe(200);
    hub.stopAt({ statement: 'commands.insert', when: 'before' });
    const made = await hub.request('/api/v2/batches', {
      json: {
        serverId: 'main',
        name: 'money',
        params: { type: 'bank', amount: 7, action: 'add' },
        targets: PLAYERS,
        deliver: 'when_connected',
      },
      headers: { 'Idempotency-Key': 'salaries' },
    });
    expect(made.status).toBe(202);
    await eventually(hub.hasStopped).toBe(true);
    await hub.crash();
    // As news of its players do, again and again: each of them counts as work on the batch.
    await rewrite(hub, 'UPDATE batches SET touched_at = ?', Date.now() + HOUR_MS);
    hub = await startHub({ folder });
    const look = async () => (await hub.request(`/api/v2/batches/${made.body.id}`)).body;
    await eventually(look).toMatchObject({ status: 'settled', counts: { succeeded: PLAYERS.length } });
    expect(economy.applied).toHaveLength(PLAYERS.length);
  },
);
