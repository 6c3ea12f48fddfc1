import { describe, expect, it } from 'vitest';
import { ESX, QBCORE, QBOX, type World } from '../../bridge/frameworks.ts';
import { openWorld } from '../../bridge/stage.ts';
import { luaFake } from '../../fxserver/game.ts';
import { eventually } from '../../kit/stage.ts';

const SPEED = 50;
const WRITES = /^(UPDATE|INSERT)/;
/** Also matches the query by which the bridge measures the database. */
const SLOWLY = /^(UPDATE|INSERT|SELECT 1$)/;
const FOREVER = 2 ** 30;
const REFUSED = { status: 409, body: { code: 'player_offline', executed: 'no' } };

/** A player joins, leaves and joins again while a statement is in flight. */
const open = async (world: World, speed = SPEED) => {
  const opened = await openWorld(world, { speed });
  const { hub } = opened;
  /** By the game's clock; by default longer than the bridge waits for the framework's save of a player who left. */
  const pass = async (seconds = 6): Promise<void> => {
    const until = performance.now() + (seconds * 1_000) / speed;
    await eventually(() => performance.now()).toBeGreaterThan(until);
  };
  return {
    ...opened,
    pass,
    /** This many unknown players join and leave. */
    leave: async (others: number): Promise<void> => {
      const sources = Array.from({ length: others }, (_, nth) =>
        opened.server.join('Other', [`license:o${nth}`, `discord:${nth}`]),
      );
      for (const source of sources) opened.server.drop(source, 'left');
      for (const source of sources) await eventually(() => opened.server.players.get(source)).toBe(undefined);
    },
    newest: async () =>
      ((await hub.request('/api/v2/commands')).body['data'] as { status: string; result?: object }[])[0],
  };
};

describe.each([ESX, QBCORE, QBOX])('visits of players of $name', (world) => {
  const { ana, cy } = world;

  it('are not over for a paid player while the visit before is still being saved', async () => {
    const { mysql, server, pay, join, stored, look } = await open(world);
    mysql.hold(true, SLOWLY);
    server.drop(1, 'left');
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    await join(ana);
    // ESX keeps the player's old data until it is saved.
    if (world === ESX) return expect(await pay({ target: ana })).toMatchObject(REFUSED);
    const paying = pay({ target: ana });
    const before = mysql.heldBack();
    await eventually(() => mysql.heldBack()).toBeGreaterThan(before);
    mysql.releaseNewestFirst();
    expect(await paying).toMatchObject({ status: 200, body: { result: { before: 5000, after: 5050 } } });
    expect((await stored(ana))['bank']).toBe(5050);
    expect((await look(ana)).accounts['bank']).toBe(5050);
  });

  it.each([6, 90])('are over offline only when the database has their last data, %i s late', async (seconds) => {
    const { mysql, server, pay, pass, stored } = await open(world);
    mysql.hold(true, SLOWLY);
    server.drop(1, 'left');
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    await pass(seconds);
    expect(await pay({ target: ana })).toMatchObject(REFUSED);
    mysql.releaseNewestFirst();
    await eventually(async () => (await pay({ target: ana })).status).toBe(200);
    expect((await stored(ana))['bank']).toBe(5050);
  });

  it.each([0, 600])('may come and go while a player is paid in the table, and %i others afterwards', async (others) => {
    const { mysql, server, pay, leave, pass, stored, newest } = await open(world);
    mysql.hold(true, WRITES);
    const paying = pay({ target: cy });
    await eventually(() => mysql.heldBack()).toBe(1);
    const source = server.join('Cy', world.licenses[cy] ?? []);
    server.emit('fake:load', '', source, cy);
    await mysql.quiet();
    server.emit('fake:spawn', '', source);
    server.drop(source, 'left');
    await eventually(() => server.players.get(source)).toBe(undefined);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(1);
    await leave(others);
    await pass();
    mysql.hold(false);
    await paying;
    await eventually(newest).toMatchObject({ status: 'failed' });
    expect((await stored(cy))['bank']).toBe(900);
  });

  // QBCore saves a player in two statements, which a pool may carry out in either order.
  it.each(['first', 'last'])('may have ended while the resource was not running, saved oldest %s', async (oldest) => {
    // After a minute by the game's clock the bridge leaves the command indeterminate.
    const { mysql, server, payUnsaved, restartBridge, stored, newest } = await open(world, 5);
    const { paying } = await payUnsaved({ target: ana });
    mysql.down(false);
    await server.stop('causeway');
    mysql.hold(true, SLOWLY);
    server.drop(1, 'left');
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    mysql.statements();
    await restartBridge();
    let looks = 0;
    await eventually(() => {
      looks += mysql.statements().filter((sql) => /AS identifier/.test(sql)).length;
      return looks;
    }).toBeGreaterThan(2);
    if (oldest === 'first') mysql.hold(false);
    else mysql.releaseNewestFirst();
    await paying;
    await eventually(newest).toMatchObject({ status: 'succeeded', result: { before: 5000, after: 5050 } });
    expect((await stored(ana))['bank']).toBe(5050);
  });

  it('do not count for a player who leaves while they are loaded, and the framework may save them', async () => {
    const { mysql, server, pay, pass, stored } = await open(world);
    // No player is new any more.
    await eventually(async () => (await pay({ target: cy, amount: 1 })).status).toBe(200);
    mysql.hold(true, /^SELECT (\*|1$)/);
    const source = server.join('Cy', world.licenses[cy] ?? []);
    server.emit('fake:load', '', source, cy);
    server.drop(source, 'left');
    await eventually(() => server.players.get(source)).toBe(undefined);
    await pass();
    expect(await pay({ target: cy })).toMatchObject(REFUSED);
    mysql.hold(false);
    await mysql.quiet();
    await pass();
    // Each of the two keeps the player, and may save them for as long as it runs.
    expect(await pay({ target: cy })).toMatchObject(REFUSED);
    expect((await stored(cy))['bank']).toBe(901);
  });

  it('belong to the online player, not to their earlier connection that left before it was loaded', async () => {
    const { mysql, server, pay, stored } = await open(world);
    const come = (): number => {
      const source = server.join('Ana', world.licenses[ana] ?? []);
      server.emit('fake:load', '', source, ana);
      return source;
    };
    const go = async (source: number): Promise<void> => {
      server.drop(source, 'left');
      await eventually(() => server.players.get(source)).toBe(undefined);
    };
    await go(1);
    await mysql.quiet();
    mysql.hold(true, /^SELECT \*/);
    await go(come());
    const back = come();
    mysql.releaseNewestFirst();
    await mysql.quiet();
    server.emit('fake:spawn', '', back);
    const paid = await pay({ target: ana });
    // ESX will save both of them.
    expect(paid).toMatchObject(world === ESX ? REFUSED : { status: 200 });
    await go(back);
    await mysql.quiet();
    await eventually(async () => (await stored(ana))['bank']).toBe(world === ESX ? 5000 : 5050);
  });
});

describe.each([ESX, QBCORE])('characters of $name that are changed untold', (world) => {
  it('are not mistaken for the paid player', async () => {
    const { mysql, server, pay, stored, newest } = await open(world);
    mysql.hold(true, WRITES);
    const paying = pay({ target: world.ana });
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    server.emit('fake:switch', '', 1, world.cy);
    await mysql.quiet();
    server.emit('fake:switch', '', 1, world.ana);
    await mysql.quiet();
    mysql.hold(false);
    await paying;
    await eventually(newest).toMatchObject({ status: 'failed' });
    server.emit('fake:save', '');
    await mysql.quiet();
    expect((await stored(world.ana))['bank']).toBe(5000);
  });
});

describe('ESX', () => {
  it('keeps a payment to a player who was leaving', async () => {
    const { mysql, server, pay, stored } = await open(ESX, 5);
    server.hear('esx:playerDropped', (source: number) =>
      server.emit('fake:call', '', source, 'addAccountMoney', 'bank', 3, 'stake'),
    );
    mysql.hold(true);
    const paying = pay({ target: ESX.ana });
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    mysql.down(true);
    mysql.hold(false);
    await mysql.quiet();
    server.run(FOREVER);
    mysql.down(false);
    server.drop(1, 'left');
    await eventually(() => server.players.get(1)).toBe(undefined);
    await mysql.quiet();
    server.run(5);
    expect(await paying).toMatchObject({ status: 200, body: { result: { before: 5000, after: 5050 } } });
    expect((await stored(ESX.ana))['bank']).toBe(5053);
  });

  it('without metadata is paid in the table once, although others join and leave meanwhile', async () => {
    const install = luaFake('es_extended', 'esx.lua', '__noMetadata = true');
    const without = (sql: string): string => sql.replace(/ metadata LONGTEXT( NULL DEFAULT NULL)?,/, '');
    const old = { ...ESX, install, tables: without(ESX.tables), realTables: without(ESX.realTables) };
    const { mysql, server, pay, pass, stored, newest } = await open(old);
    await eventually(async () => (await pay({ target: ESX.cy, amount: 1 })).status).toBe(200);
    mysql.hold(true, WRITES);
    const paying = pay({ target: ESX.cy });
    await eventually(() => mysql.heldBack()).toBe(1);
    server.run(FOREVER);
    const source = server.join('Cy', ESX.licenses[ESX.cy] ?? []);
    server.emit('fake:load', '', source, ESX.cy);
    await mysql.quiet();
    server.drop(source, 'left');
    await eventually(() => server.players.get(source)).toBe(undefined);
    mysql.hold(false);
    await mysql.quiet();
    await pass();
    server.run(5);
    await paying;
    await eventually(newest).toMatchObject({ status: 'indeterminate' });
    expect((await stored(ESX.cy))['bank']).toBe(951);
  });
});
