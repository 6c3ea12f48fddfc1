import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restoreSqlite } from '../../../db/sqlite/restore.ts';
import { newFolder } from '../../kit/folder.ts';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { type Answer, startHub, type TestHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const PLAYERS = Array.from({ length: 100 }, (_, n) => `char1:p${n}`);
const GIFT = { type: 'bank', amount: 5, action: 'add' };

/** A hub and a game server whose bridge has a journal in a file; the hub can be put back to its backup. */
const openWorld = async () => {
  const economy = createEconomy(Object.fromEntries(PLAYERS.map((id) => [id, 0])));
  let hub = await startHub();
  const { folder, token } = hub;
  const game = startGameServer({ url: () => hub.bridgeUrl, token, folder: newFolder(), economy });
  const backup = join(folder, 'backup.db');
  const connected = async (): Promise<void> => {
    await eventually(() => hub.sizes().sessions > 0 && game.bridge.state).toBe('welcomed');
    await eventually(async () => (await hub.request(`/api/v2/players/${PLAYERS.at(-1)}`)).status).toBe(200);
  };
  await connected();
  return {
    economy,
    hub: (): TestHub => hub,
    backUp: (): Promise<void> => rewrite(hub, 'VACUUM INTO ?', backup),
    restore: async (): Promise<void> => {
      await hub.stop();
      restoreSqlite(backup, join(folder, 'hub.db'), new Date());
      hub = await startHub({ folder });
      await connected();
    },
    /** The payments of each player who was paid. */
    paid: (): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const { target } of economy.applied) counts[target] = (counts[target] ?? 0) + 1;
      return counts;
    },
  };
};

const once = (players: readonly string[]) => Object.fromEntries(players.map((id) => [id, 1]));

const batch = (hub: TestHub, changes: object = {}, key = 'salaries'): Promise<Answer> =>
  hub.request('/api/v2/batches', {
    json: { serverId: 'main', name: 'money', params: GIFT, targets: PLAYERS, ...changes },
    headers: { 'Idempotency-Key': key },
  });

/** The commands of a batch by status, after its end. */
const countsOf = async (hub: TestHub, { body: { id } }: Answer): Promise<unknown> => {
  const look = async () => (await hub.request(`/api/v2/batches/${id}`)).body;
  await eventually(async () => (await look())['status']).toBe('settled');
  return (await look())['counts'];
};

describe.skipIf(onPostgres)('a batch after a backup that is restored', () => {
  it('pays each player once under its key, and says that they are paid', async () => {
    const world = await openWorld();
    await world.backUp();
    const first = await batch(world.hub());
    expect(await countsOf(world.hub(), first)).toEqual({ succeeded: 100 });
    await world.restore();
    const again = await batch(world.hub());
    expect(again).toMatchObject({ status: 202, body: { id: first.body.id } });
    expect(again.headers.get('idempotency-replayed')).toBe(null);
    expect(await countsOf(world.hub(), again)).toEqual({ succeeded: 100 });
    expect(world.paid()).toEqual(once(PLAYERS));
  });

  it('adds players, and pays none twice', async () => {
    const world = await openWorld();
    await world.backUp();
    const some = PLAYERS.slice(0, 60);
    await countsOf(world.hub(), await batch(world.hub(), { targets: some }));
    expect(world.paid()).toEqual(once(some));
    await world.restore();
    const everybody = { targets: { online: true } };
    await eventually(async () => (await batch(world.hub(), { ...everybody, dryRun: true })).body['targets']).toBe(100);
    expect(await countsOf(world.hub(), await batch(world.hub(), everybody))).toEqual({ succeeded: 100 });
    expect(world.paid()).toEqual(once(PLAYERS));
  });

  it('with another amount under the key, pays only players who were not paid', async () => {
    const world = await openWorld();
    await world.backUp();
    const some = PLAYERS.slice(0, 60);
    await countsOf(world.hub(), await batch(world.hub(), { targets: some }));
    await world.restore();
    const more = await batch(world.hub(), { params: { ...GIFT, amount: 6 } });
    expect(await countsOf(world.hub(), more)).toEqual({ succeeded: 40, rejected: 60 });
    expect(world.paid()).toEqual(once(PLAYERS));
    const path = `/api/v2/batches/${more.body.id}/commands?status=rejected&limit=1`;
    const [refused] = (await world.hub().request(path)).body['data'] as { error: { code: string } }[];
    expect(refused?.error.code).toBe('fingerprint_mismatch');
  });
});
