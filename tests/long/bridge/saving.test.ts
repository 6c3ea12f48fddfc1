import { describe, expect, it } from 'vitest';
import { REAL } from '../../bridge/checkouts.ts';
import { ESX, QBCORE, QBOX, type World } from '../../bridge/frameworks.ts';
import { openWorld } from '../../bridge/stage.ts';
import type { Mysql } from '../../fxserver/mysql.ts';
import { eventually } from '../../kit/stage.ts';

const isEsx = ({ tables }: World): boolean => tables.includes('users');

/** Stores a player's row; the returned function restores it. */
const copyOf = async (mysql: Mysql, world: World, target: string): Promise<() => Promise<unknown>> => {
  const [table, key, money] = isEsx(world) ? ['users', 'identifier', 'accounts'] : ['players', 'citizenid', 'money'];
  const row = await mysql.look(`SELECT ${money} AS money, metadata FROM ${table} WHERE ${key} = ?`, [target]);
  const sql = `UPDATE ${table} SET ${money} = ?, metadata = ? WHERE ${key} = ?`;
  return () => mysql.run(sql, [row?.['money'], row?.['metadata'], target]);
};

describe.each([ESX, QBCORE, QBOX, ...REAL])('saving players of $name', (world) => {
  const { ana, cy } = world;

  const open = async (speed = 5) => {
    const opened = await openWorld(world, { speed });
    const { hub, server } = opened;
    return {
      ...opened,
      earn: (amount: number) => world.earn(server, 1, amount),
      leave: () => {
        server.emit('playerDropped', 1, 'gone', '', 2);
        server.players.leave(1);
      },
      newest: async () =>
        ((await hub.request('/api/v2/commands')).body['data'] as { status: string; result?: object }[])[0],
    };
  };

  it('overwrites nothing that a player left with', async () => {
    const { mysql, pay, earn, leave, stored } = await open();
    mysql.hold(true);
    const paying = pay({ target: ana });
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    earn(7);
    leave();
    mysql.releaseNewestFirst();
    expect(await paying).toMatchObject({ status: 200, body: { result: { before: 5000, after: 5050 } } });
    expect((await stored(ana))['bank']).toBe(5057);
  });

  it('overwrites nothing that was saved since, when a save has to be repeated', async () => {
    const { mysql, payUnsaved, earn, server, stored } = await open();
    const { paying } = await payUnsaved({ target: ana });
    mysql.down(false);
    earn(7);
    server.emit('fake:save', '');
    await mysql.quiet();
    expect(await paying).toMatchObject({ status: 200, body: { result: { before: 5000, after: 5050 } } });
    expect((await stored(ana))['bank']).toBe(5057);
  });

  it('says that it never happened when the player was loaded anew without it', async () => {
    const { mysql, payUnsaved, leave, join, server, stored, look } = await open();
    const { paying } = await payUnsaved({ target: ana });
    // The next attempt waits for a tick.
    server.run(2 ** 30);
    leave();
    await mysql.quiet();
    mysql.down(false);
    await join(ana);
    server.run(5);
    // ESX keeps the player's data of the time they left, with the payment, and will save it too.
    expect(await paying).toMatchObject({ body: { executed: isEsx(world) ? 'unknown' : 'no' } });
    expect((await look(ana)).accounts['bank']).toBe(5000);
    expect((await stored(ana))['bank']).toBe(5000);
  });

  it('does not say that it happened when the player was loaded anew without it, and has left again', async () => {
    const { mysql, payUnsaved, leave, join, server, stored, newest } = await open(50);
    const { paying } = await payUnsaved({ target: ana });
    server.run(2 ** 30);
    leave();
    await mysql.quiet();
    mysql.down(false);
    server.drop(await join(ana), 'left');
    await mysql.quiet();
    server.run(5);
    await paying;
    await eventually(newest).toMatchObject({ status: isEsx(world) ? 'indeterminate' : 'failed' });
    expect((await stored(ana))['bank']).toBe(5000);
  });

  it.each([
    ['plays', ana, 5000],
    ['does not play', cy, 900],
  ])(
    'does not report money as stored for a player who %s when an old copy of them comes and goes meanwhile',
    async (_, target, before) => {
      const { mysql, pay, leave, load, server, stored, newest } = await open(50);
      mysql.hold(true, /^(UPDATE|INSERT)/);
      const paying = pay({ target });
      await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
      if (target === ana) leave();
      await eventually(() => mysql.heldBack()).toBeGreaterThan(target === ana ? 1 : 0);
      const putBack = await copyOf(mysql, world, target);
      const source = server.join('Again', world.licenses[target] ?? []);
      mysql.hold(false);
      await mysql.quiet();
      server.run(2 ** 30);
      // The row that the player is loaded from was read before.
      await putBack();
      await load(source, target);
      server.drop(source, 'left');
      server.run(5);
      await paying;
      await eventually(newest).toMatchObject({ status: 'failed' });
      expect((await stored(target))['bank']).toBe(before);
    },
  );

  it('is in doubt while a returned player has no character yet, and no longer', async () => {
    const { mysql, pay, leave, server, stored, newest } = await open(50);
    mysql.hold(true);
    const paying = pay({ target: ana }, undefined, 3);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    leave();
    const source = server.join('Ana', world.licenses[ana] ?? []);
    mysql.hold(false);
    // Three seconds here are minutes in the game.
    expect(await paying).toMatchObject({ body: { code: 'in_doubt', executed: 'unknown' } });
    server.drop(source, 'left');
    await eventually(newest).toMatchObject({ status: 'succeeded', result: { before: 5000, after: 5050 } });
    expect((await stored(ana))['bank']).toBe(5050);
  });

  it.each([
    ['plays', ana, 5000],
    ['does not play', cy, 900],
  ])('pays a player once who %s when the answers of the database are lost', async (_, target, before) => {
    const { mysql, pay, stored, newest } = await open();
    mysql.hold(true, /^UPDATE/);
    const paying = pay({ target });
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    mysql.deafen(true);
    mysql.hold(false);
    await mysql.quiet();
    mysql.deafen(false);
    await paying;
    await eventually(newest).toMatchObject({ status: 'succeeded', result: { before, after: before + 50 } });
    expect((await stored(target))['bank']).toBe(before + 50);
  });
});

it('a character whose row is still on its way is paid', async () => {
  const { mysql, server, pay, stored } = await openWorld(QBCORE);
  await mysql.run('DELETE FROM players WHERE citizenid = ?', [QBCORE.ana]);
  mysql.statements();
  const paying = pay({ target: QBCORE.ana });
  await eventually(() => mysql.statements().filter((sql) => /AS identifier/.test(sql)).length).toBe(1);
  server.emit('fake:save', '');
  expect(await paying).toMatchObject({ status: 200, body: { result: { before: 5000, after: 5050 } } });
  expect((await stored(QBCORE.ana))['bank']).toBe(5050);
});

it('ESX is paid with a mark though the database was away when it was asked whether there are any', async () => {
  const { mysql, server, pay, restartBridge } = await openWorld(ESX);
  mysql.hold(true, /metadata FROM users LIMIT 1/);
  await restartBridge();
  await eventually(() => mysql.heldBack()).toBe(1);
  mysql.down(true);
  mysql.next();
  await mysql.quiet();
  mysql.down(false);
  mysql.hold(false);
  await eventually(async () => (await pay({ target: ESX.ana })).status).toBe(200);
  const sql = 'SELECT metadata FROM users WHERE identifier = ?';
  expect((await mysql.look(sql, [ESX.ana]))?.['metadata']).toContain('5000 5050 bank');
  expect(server.errors).toEqual([]);
});

describe('a player who has left', () => {
  it('is not paid in the table while the framework may be saving them', async () => {
    const { mysql, server, pay, kick, stored } = await openWorld(QBOX);
    server.run(2 ** 30);
    mysql.hold(true);
    const kicking = kick(QBOX.ana);
    await eventually(() => {
      // Qbox saves in the tick after.
      server.tick();
      return mysql.heldBack();
    }).toBeGreaterThan(0);
    await kicking;
    const paying = pay({ target: QBOX.ana });
    await eventually(() => mysql.heldBack()).toBeGreaterThan(1);
    mysql.releaseNewestFirst();
    expect(await paying).toMatchObject({ status: 409, body: { code: 'player_offline', executed: 'no' } });
    server.run(5);
    await eventually(async () => (await pay({ target: QBOX.ana })).status).toBe(200);
    expect((await stored(QBOX.ana))['bank']).toBe(5050);
  });

  it('is not paid while ESX keeps their old data', async () => {
    const { mysql, server, pay, join, restartBridge, stored } = await openWorld(ESX);
    mysql.down(true);
    server.drop(1, 'gone');
    await eventually(() => server.players.get(1)).toBe(undefined);
    await mysql.quiet();
    mysql.down(false);
    const refused = { status: 409, body: { code: 'player_offline', executed: 'no' } };
    expect(await pay({ target: ESX.ana })).toMatchObject(refused);
    await restartBridge();
    await eventually(async () => (await pay({ target: ESX.bo })).status).toBe(200);
    expect(await pay({ target: ESX.ana })).toMatchObject(refused);
    await join(ESX.ana, { identifiers: ['license:a11a'] });
    expect(await pay({ target: ESX.ana })).toMatchObject(refused);
    server.emit('fake:save', '');
    await mysql.quiet();
    expect((await stored(ESX.ana))['bank']).toBe(5000);
  });
});
