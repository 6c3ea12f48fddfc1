import { describe, expect, it } from 'vitest';
import { REAL } from '../../bridge/checkouts.ts';
import { ESX, QBCORE, QBOX, RSG, type World } from '../../bridge/frameworks.ts';
import { openWorld } from '../../bridge/stage.ts';
import { eventually } from '../../kit/stage.ts';

const RESOURCES: Record<string, string> = {
  esx: 'es_extended',
  qbcore: 'qb-core',
  qbox: 'qbx_core',
  rsg: 'rsg-core',
};
const resourceOf = (world: World): string => RESOURCES[world.name.replace('real-', '')] ?? '';

describe.each([ESX, QBCORE, QBOX, RSG, ...REAL])('$name', (world) => {
  const { ana, bo, account } = world;

  it('has no player online while the framework is stopped, and the loaded ones after its next start', async () => {
    const { server, recall, pay, stored, load } = await openWorld(world);
    const isOnline = async (): Promise<unknown[]> => [(await recall(ana))?.online, (await recall(bo))?.online];
    const before = await stored(ana);
    await server.stop(resourceOf(world));
    await eventually(isOnline).toEqual([false, false]);
    for (const action of ['add', 'remove'] as const) {
      const answer = await pay({ target: ana, action, amount: 5 });
      expect(answer).toMatchObject({ status: 409, body: { code: 'player_offline', executed: 'no' } });
    }
    expect(await stored(ana)).toEqual(before);

    await server.restart(resourceOf(world));
    await load(1, ana);
    await eventually(isOnline).toEqual([true, false]);
    const { [account]: had = 0 } = before;
    expect((await pay({ target: ana, amount: 5 })).body['result']).toMatchObject({ before: had, after: had + 5 });
    expect(server.errors).toEqual([]);
  });

  it('stores unsaved payments when the framework stops, and then reports them', async () => {
    const { server, mysql, payUnsaved, recall, stored } = await openWorld(world);
    const { [account]: before = 0 } = await stored(ana);
    const { paying } = await payUnsaved({ target: ana });
    await server.stop(resourceOf(world));
    mysql.down(false);
    expect(await paying).toMatchObject({ status: 200, body: { result: { before, after: before + 50 } } });
    expect((await stored(ana))[account]).toBe(before + 50);
    await eventually(async () => (await recall(ana))?.online).toBe(false);
  });
});
