import { describe, expect, it } from 'vitest';
import { REAL } from '../../bridge/checkouts.ts';
import { ESX, QBCORE, QBOX, RSG, type World } from '../../bridge/frameworks.ts';
import { openWorld } from '../../bridge/stage.ts';
import { eventually } from '../../kit/stage.ts';

const REFUSED = { status: 409, body: { code: 'player_offline', executed: 'no' } };
/** The framework's last query before a player is in its memory. */
const LAST_READ = /^SELECT (\*|`accounts`.*) FROM .?users|^SELECT inventory|^SELECT job|player_groups/;

/** A player connects, and the framework begins to load them. */
const beginLoading = async (world: World) => {
  const opened = await openWorld(world);
  const { mysql, server } = opened;
  const source = server.join('Cy', world.licenses[world.cy] ?? []);
  const load = (): void => server.emit('fake:load', '', source, world.cy);
  const vanish = (): void => {
    server.emit('playerDropped', source, 'gone', '', 2);
    server.players.leave(source);
  };
  const vanishMeanwhile = async (): Promise<void> => {
    mysql.hold(true, LAST_READ);
    load();
    await eventually(() => mysql.heldBack()).toBe(1);
    vanish();
  };
  const saveAll = async (): Promise<void> => {
    server.emit('fake:save', '');
    // Qbox does that in the tick after.
    server.tick();
    await mysql.quiet();
  };
  return { ...opened, load, vanish, vanishMeanwhile, saveAll };
};

describe.each([ESX, QBCORE, QBOX, RSG, ...REAL])('$name, with a player who leaves while they are loaded', (world) => {
  const { bo, cy } = world;

  it('pays nothing into a row that the framework has read and may write', async () => {
    const { mysql, pay, stored, vanishMeanwhile, saveAll } = await beginLoading(world);
    await vanishMeanwhile();
    expect(await pay({ target: cy })).toMatchObject(REFUSED);
    mysql.hold(false);
    await mysql.quiet();
    await saveAll();
    expect((await stored(cy))['bank']).toBe(900);
  });

  it('pays nothing that the framework may undo, because it has loaded the player all the same', async () => {
    const { mysql, pay, stored, vanishMeanwhile, restartBridge, saveAll } = await beginLoading(world);
    await vanishMeanwhile();
    mysql.hold(false);
    await mysql.quiet();
    await restartBridge();
    await eventually(async () => (await pay({ target: bo })).status).toBe(200);
    const answer = await pay({ target: cy });
    // Newer versions of ESX check whether the player is still online.
    if (answer.status !== 200) expect(answer).toMatchObject(REFUSED);
    else expect(world.name).toBe('real-esx');
    await saveAll();
    expect((await stored(cy))['bank']).toBe(answer.status === 200 ? 950 : 900);
  });
});

describe.each([QBOX, ...REAL.filter(({ name }) => name === 'real-qbox')])('$name', (world) => {
  it('does not pay in the row of a player who joined before the event and is being saved', async () => {
    const { mysql, server, pay, stored, load, vanish } = await beginLoading(world);
    server.emit('fake:slow', '', true);
    load();
    await mysql.quiet();
    // It saves in the tick after.
    server.run(2 ** 30);
    vanish();
    const { body } = await pay({ target: world.cy }, undefined, 2);
    server.tick();
    await mysql.quiet();
    expect(body).toMatchObject({ executed: 'no' });
    expect((await stored(world.cy))['bank']).toBe(900);
  });
});
