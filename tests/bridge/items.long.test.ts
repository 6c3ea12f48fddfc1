import { describe, expect, it } from 'vitest';
import { createMysql } from '../fxserver/mysql.ts';
import { eventually } from '../kit/stage.ts';
import { ESX, QBCORE } from './frameworks.ts';
import { openItems } from './item-stage.ts';
import { ESX_HALF, ESX_OWN, ITEM_WORLDS, RSG_OWN } from './item-worlds.ts';
import { openWorld } from './stage.ts';

type Announced = { commands: string[]; journalClass: string; classes: Record<string, string> };

describe.each(ITEM_WORLDS)('$name', (world) => {
  const { ana, bo, cy, nobody, hasMarks } = world;
  const isOwnEsx = world.slots === 0;

  it('gives and takes: the answer, the memory and the row have the same count', async () => {
    const { items, agree, server } = await openItems(world);
    expect((await items({ count: 2 })).body['result']).toEqual({ item: 'bread', before: 3, after: 5 });
    await agree('bread', 5);
    expect((await items({ count: 4, action: 'remove' })).body['result']).toEqual({
      item: 'bread',
      before: 5,
      after: 1,
    });
    await agree('bread', 1);
    expect((await items({ action: 'remove' })).body['result']).toMatchObject({ before: 1, after: 0 });
    await agree('bread', 0);
    expect((await items({ target: bo, item: 'water', count: 7 })).body['result']).toMatchObject({
      before: 0,
      after: 7,
    });
    expect(server.errors).toEqual([]);
  });

  it('announces items as saved', async () => {
    const { hub } = await openItems(world);
    const { bridge } = (await hub.request('/api/v2/servers/main')).body as { bridge: Announced };
    const { commands, journalClass, classes } = bridge;
    expect(commands).toContain('items@1');
    expect(classes['items@1'] ?? journalClass).toBe('saved');
  });

  it('takes no more than there are, unless a part is enough', async () => {
    const { items, agree } = await openItems(world);
    const order = { count: 4, action: 'remove' };
    const refused = await items(order);
    expect(refused).toMatchObject({ status: 409, body: { code: 'not_enough_items', executed: 'no', count: 3 } });
    await agree('bread', 3);
    const part = await items({ ...order, allowPartial: true });
    expect(part.body['result']).toEqual({ item: 'bread', before: 3, after: 0, applied: 3 });
    await agree('bread', 0);
    expect(await items({ ...order, allowPartial: true })).toMatchObject({
      status: 409,
      body: { code: 'not_enough_items', count: 0 },
    });
  });

  it('gives nothing that is too heavy, unless a part is enough', async () => {
    const { items, agree, server } = await openItems(world);
    const dropped: unknown[] = [];
    server.hear('fake:dropped', (...what) => dropped.push(what));
    const anvils = { item: 'anvil', count: 3 };
    expect(await items(anvils)).toMatchObject({
      status: 409,
      body: { code: 'too_heavy', executed: 'no', fits: 2 },
    });
    await agree('anvil', 0);
    const part = await items({ ...anvils, allowPartial: true });
    expect(part.body['result']).toEqual({ item: 'anvil', before: 0, after: 2, applied: 2 });
    await agree('anvil', 2);
    expect(await items({ ...anvils, allowPartial: true })).toMatchObject({ body: { code: 'too_heavy', fits: 0 } });
    expect(await items({ item: 'feather', count: 1_000_000 })).toMatchObject({
      body: { result: { before: 0, after: 1_000_000 } },
    });
    expect(dropped).toEqual([]);
  });

  it('gives nothing to a full inventory but what joins a stack', async () => {
    if (world.carry === undefined) return expect(isOwnEsx).toBe(true);
    const full = Array.from({ length: world.slots }, (_, index) => ({
      slot: index + 1,
      name: 'bread',
      count: 1,
      metadata: index === 0 ? {} : { number: index },
    }));
    const { items, agree } = await openItems({ ...world, rows: world.rows + world.carry(bo, full) });
    expect(await items({ target: bo, item: 'water' })).toMatchObject({
      status: 409,
      body: { code: 'inventory_full', executed: 'no', fits: 0 },
    });
    await agree('water', 0, bo);
    const more = await items({ target: bo, count: 2 });
    expect(more.body['result']).toMatchObject({ before: world.slots, after: world.slots + 2 });
    await agree('bread', world.slots + 2, bo);
  });

  it('gives and takes stacks with equal metadata only, where it is asked for them', async () => {
    const { items, agree, held } = await openItems(world);
    const rye = { kind: 'rye', of: [1, { farm: 'north' }] };
    if (isOwnEsx) {
      expect(await items({ metadata: rye })).toMatchObject({ status: 422, body: { executed: 'no' } });
      expect((await items({ metadata: {} })).body['result']).toMatchObject({ before: 3, after: 4 });
      return;
    }
    expect((await items({ count: 2, metadata: rye })).body['result']).toMatchObject({ before: 0, after: 2 });
    await agree('bread', 5);
    expect(await held(ana)).toContainEqual({ name: 'bread', count: 2, metadata: rye });
    expect((await items({ metadata: rye })).body['result']).toMatchObject({ before: 2, after: 3 });
    expect((await items({})).body['result']).toMatchObject({ before: 6, after: 7 });
    const white = await items({ action: 'remove', metadata: { kind: 'white' } });
    expect(white.body).toMatchObject({ code: 'not_enough_items', count: 0 });
    const all = await items({ action: 'remove', count: 3, metadata: rye });
    expect(all.body['result']).toMatchObject({ before: 3, after: 0 });
    await agree('bread', 4);
  });

  it('takes from several stacks', async () => {
    if (world.carry === undefined) return expect(isOwnEsx).toBe(true);
    const stacks = [1, 2, 3].map((slot) => ({ slot, name: 'bread', count: 2, metadata: slot === 1 ? {} : { slot } }));
    const { items, agree } = await openItems({ ...world, rows: world.rows + world.carry(bo, stacks) });
    const taken = await items({ target: bo, action: 'remove', count: 5 });
    expect(taken.body['result']).toMatchObject({ before: 6, after: 1 });
    await agree('bread', 1, bo);
  });

  it('knows its items by their exact names', async () => {
    const { items, held } = await openItems(world);
    for (const item of ['sword', 'BREAD', "bread'; --", ';bread 1 2']) {
      expect(await items({ item })).toMatchObject({ status: 422, body: { code: 'unknown_item', executed: 'no' } });
    }
    expect((await held(ana)).filter(({ name }) => name !== 'money' && name !== 'dollar')).toMatchObject([
      { name: 'bread', count: 3 },
    ]);
  });

  it('refuses items that stand for an account', async () => {
    const { accountItem } = world;
    if (accountItem === undefined) return expect(world.name).toMatch(/own|qbcore|ox_core/);
    const { items, look, held, stored } = await openItems(world);
    const before = { accounts: (await look(ana)).accounts, held: await held(ana), stored: await stored(ana) };
    for (const action of ['add', 'remove']) {
      const answer = await items({ item: accountItem, action });
      expect(answer).toMatchObject({ status: 422, body: { executed: 'no' } });
      expect(JSON.stringify(answer.body)).toContain('Use the command money');
    }
    const after = { accounts: (await look(ana)).accounts, held: await held(ana), stored: await stored(ana) };
    expect(after).toEqual(before);
  });

  it('changes nothing while the inventory is locked', async () => {
    const { lock } = world;
    if (lock === undefined) return expect(isOwnEsx).toBe(true);
    const { items, agree, server } = await openItems(world);
    await lock(server, true);
    for (const action of ['add', 'remove']) {
      expect(await items({ action })).toMatchObject({
        status: 409,
        body: { code: 'inventory_locked', executed: 'no' },
      });
    }
    await lock(server, false);
    await agree('bread', 3);
    expect(await items({})).toMatchObject({ status: 200 });
  });

  it('refuses offline and unknown players', async () => {
    const { items, held } = await openItems(world);
    const before = await held(cy);
    for (const action of ['add', 'remove']) {
      const answer = await items({ target: cy, item: 'water', action });
      expect(answer).toMatchObject({ status: 409, body: { code: 'player_offline', executed: 'no' } });
    }
    expect(await items({ target: nobody })).toMatchObject({ status: 404, body: { code: 'player_not_found' } });
    expect(await held(cy)).toEqual(before);
  });

  it('takes a part back that the inventory gave by itself, unless a part is enough', async () => {
    const { giver } = world;
    if (giver === undefined) return expect(world.slots).not.toBe(50);
    const { items, agree } = await openItems(world);
    const order = { item: giver.item, count: giver.asked };
    expect(await items(order)).toMatchObject({ status: 409, body: { code: 'inventory_full', fits: giver.given } });
    await agree(giver.item, 0);
    const part = await items({ ...order, allowPartial: true });
    expect(part.body['result']).toEqual({ item: giver.item, before: 0, after: giver.given, applied: giver.given });
    await agree(giver.item, giver.given);
  });

  it('takes items back that got other metadata than the caller asked for', async () => {
    const { changed } = world;
    if (changed === undefined) return expect(world.slots).not.toBe(50);
    const { items, agree } = await openItems(world);
    const answer = await items({ item: changed, metadata: { from: 'shop' } });
    expect(answer).toMatchObject({ status: 422, body: { executed: 'no' } });
    await agree(changed, 0);
    expect((await items({ item: changed })).body['result']).toMatchObject({ before: 0, after: 1 });
  });

  it('reports a command that a stop of the bridge interrupted, and gives nothing again', async () => {
    const { items, mysql, restartBridge, statusOf, agree } = await openItems(world);
    mysql.hold(true);
    const giving = items({ count: 2 }, 'once').catch(() => undefined);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    await restartBridge();
    mysql.hold(false);
    await giving;
    await eventually(statusOf).toBe(hasMarks ? 'succeeded' : 'indeterminate');
    expect((await items({ count: 2 }, 'once')).body['executed']).not.toBe('no');
    if (hasMarks) await agree('bread', 5);
  });

  it('says after a crash before the row was written that nothing happened, or that it is unknown', async () => {
    const { items, mysql, reboot, statusOf, held } = await openItems(world);
    mysql.hold(true);
    const giving = items({ count: 2 }, 'lost', 1).catch(() => undefined);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    await giving;
    await reboot();
    await eventually(statusOf).toBe(world.lost);
    expect(await held(ana)).toContainEqual({ name: 'bread', count: 3, metadata: {} });
  });

  it('says after a crash after the row was written that it happened, and gives nothing again', async () => {
    const { items, mysql, reboot, statusOf, held } = await openItems(world);
    mysql.deafen(true);
    await items({ count: 2 }, 'kept', 1);
    await mysql.quiet();
    expect(await held(ana)).toContainEqual({ name: 'bread', count: 5, metadata: {} });
    await reboot();
    await eventually(statusOf).toBe(hasMarks ? 'succeeded' : 'indeterminate');
    expect((await items({ count: 2 }, 'kept')).body['executed']).not.toBe('no');
    expect(await held(ana)).toContainEqual({ name: 'bread', count: 5, metadata: {} });
  });

  it('gives the truth when the player leaves before the row is written, and keeps the items', async () => {
    const { items, mysql, server, statusOf, join, agree, recall, look } = await openItems(world);
    mysql.hold(true);
    const giving = items({ count: 2 }, 'left', 1).catch(() => undefined);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    server.drop(1, 'left');
    await eventually(() => server.players.get(1)).toBeUndefined();
    mysql.hold(false);
    await giving;
    await eventually(statusOf).toBe('succeeded');
    await eventually(async () => (await recall(ana))?.online).toBe(false);
    await mysql.quiet();
    await join(ana);
    await eventually(async () => (await look(ana)).online).toBe(true);
    await agree('bread', 5);
  });
});

it('takes back what ESX gave if that was not all, unless a part is enough', async () => {
  const { items, agree } = await openItems(ESX_HALF);
  const order = { item: 'water', count: 3 };
  expect(await items(order)).toMatchObject({ status: 409, body: { code: 'inventory_full', executed: 'no', fits: 1 } });
  await agree('water', 0);
  const part = await items({ ...order, allowPartial: true });
  expect(part.body['result']).toEqual({ item: 'water', before: 0, after: 1, applied: 1 });
  await agree('water', 1);
});

it('is indeterminate, with both counts, when a script gives more at the same moment', async () => {
  const { items, server, hub } = await openItems(ESX_OWN);
  server.hear('esx:onAddInventoryItem', (source: number, name: string, count: number) => {
    if (count < 6) server.emit('fake:call', '', source, 'addInventoryItem', name, 1);
  });
  const { body } = await items({ count: 2 });
  expect(body).toMatchObject({ code: 'indeterminate', executed: 'unknown' });
  const { id } = body['command'] as { id: string };
  const command = (await hub.request(`/api/v2/commands/${id}`)).body;
  expect(command).toMatchObject({ error: { details: { before: 3, after: 6 } } });
});

it.each([ESX, QBCORE])('$name stores no inventory with a payment', async (world) => {
  const mysql = createMysql();
  const { pay } = await openWorld(world, { mysql });
  mysql.statements();
  expect(await pay({ target: world.ana })).toMatchObject({ status: 200 });
  const writes = mysql.statements().filter((sql) => sql.startsWith('UPDATE'));
  expect(writes).toHaveLength(1);
  expect(writes.join()).not.toContain('inventory');
});

it('RSG puts items of another quality into a slot of their own', async () => {
  const apples = RSG_OWN.carry?.(RSG_OWN.ana, [
    { slot: 1, name: 'apple', count: 2, metadata: { quality: 50 } },
    { slot: 2, name: 'bread', count: 3 },
  ]);
  const { items, held } = await openItems({ ...RSG_OWN, rows: RSG_OWN.rows + apples });
  expect((await items({ item: 'apple' })).body['result']).toMatchObject({ before: 2, after: 3 });
  const all = (await held(RSG_OWN.ana)).filter(({ name }) => name === 'apple');
  expect(all.map(({ count, metadata }) => [count, metadata])).toEqual([
    [2, { quality: 50 }],
    [1, { quality: 100 }],
  ]);
});
