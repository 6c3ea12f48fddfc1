import { describe, expect, it, onTestFinished } from 'vitest';
import { SLOTS } from '../../../simulator/inventories.ts';
import { simulate } from '../../../simulator/simulate.ts';
import { startHub } from '../../kit/hub.ts';
import { answerAll, welcomeRaw } from '../../kit/raw-bridge.ts';

/** A hub with a simulated game server whose players do nothing. */
const start = async () => {
  const hub = await startHub();
  const { world, stop } = simulate({ url: hub.bridgeUrl, token: hub.token, players: 2, lifeEveryMs: 0 });
  onTestFinished(stop);
  await expect
    .poll(async () => ((await hub.request('/api/v2/project')).body['totals'] as { players: number }).players)
    .toBe(2);
  const [ana = '', bob = ''] = world.identifiers();
  const send = async (name: string, json: object) => {
    const { status, body } = await hub.request(`/api/v2/bridge/main/${name}`, { json: { target: ana, ...json } });
    return { ...body, httpStatus: status } as Record<string, unknown>;
  };
  return { world, ana, bob, send };
};

describe('two of the staff at the same time', () => {
  it('give an item into the last free slot: one of them does it, the other is told', async () => {
    const { world, ana, send } = await start();
    const stack = (slot: number) => ({ slot, name: 'bread', label: 'Bread', count: 1, metadata: { slot } });
    const taken = Array.from({ length: SLOTS - 1 }, (_, nth) => stack(nth + 1));
    world.transact((edit) => edit.setInventory(ana, taken));
    const gifts = ['water', 'phone'].map((item) => send('items', { item, count: 1, action: 'add' }));
    const codes = (await Promise.all(gifts)).map(({ code }) => code);
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes.filter((code) => code === 'inventory_full')).toHaveLength(1);
    expect(world.player(ana)?.inventory).toHaveLength(SLOTS);
  });

  it('take the last of an item: it is taken once', async () => {
    const { world, ana, send } = await start();
    const stack = { slot: 1, name: 'bread', label: 'Bread', count: 3, metadata: {} };
    world.transact((edit) => edit.setInventory(ana, [stack]));
    const order = { item: 'bread', count: 2, action: 'remove' };
    const answers = await Promise.all([send('items', order), send('items', order)]);
    expect(answers.map(({ httpStatus }) => httpStatus).sort()).toEqual([200, 409]);
    expect(answers.find(({ httpStatus }) => httpStatus === 409)).toMatchObject({ code: 'not_enough_items', count: 1 });
    expect(world.player(ana)?.inventory).toEqual([{ ...stack, count: 1 }]);
  });

  it('give a vehicle with the same plate: one of them has it', async () => {
    const { world, ana, bob, send } = await start();
    const gifts = [ana, bob].map((target) =>
      send('vehicles', { target, action: 'give', model: 'adder', plate: 'one' }),
    );
    const answers = await Promise.all(gifts);
    expect(answers.map(({ httpStatus }) => httpStatus).sort()).toEqual([200, 409]);
    expect(answers.find(({ httpStatus }) => httpStatus === 409)).toMatchObject({ code: 'plate_taken', executed: 'no' });
    const owned = [ana, bob].flatMap((who) => world.player(who)?.vehicles ?? []).filter(({ plate }) => plate === 'ONE');
    expect(owned).toHaveLength(1);
  });
});

describe('a plate', () => {
  it('is the same with spaces and small letters, and belongs to one vehicle', async () => {
    const { bob, send } = await start();
    const gift = { action: 'give', model: 'adder' };
    expect(await send('vehicles', { ...gift, plate: '  lucky 7 ' })).toMatchObject({ result: { plate: 'LUCKY 7' } });
    const again = await send('vehicles', { ...gift, target: bob, plate: 'Lucky 7' });
    expect(again).toMatchObject({ httpStatus: 409, code: 'plate_taken' });
    expect(await send('vehicles', { target: bob, action: 'take', plate: 'LUCKY 7' })).toMatchObject({
      code: 'vehicle_not_found',
    });
    expect(await send('vehicles', { action: 'take', plate: 'lucky 7 ' })).toMatchObject({ executed: 'yes' });
  });
});

describe('a job', () => {
  it('that was removed while a player holds it is told as it was, and cannot be set again', async () => {
    const { world, ana, send } = await start();
    const metadata = { ...world.player(ana)?.metadata, job: 'ghostbuster', jobGrade: 9 };
    world.transact((edit) => edit.setMetadata(ana, metadata));
    const before = { job: 'ghostbuster', grade: 9 };
    expect(await send('job', { job: 'police', grade: 1 })).toMatchObject({ executed: 'yes', result: { before } });
    expect(await send('job', before)).toMatchObject({ httpStatus: 422, code: 'unknown_job', executed: 'no' });
    expect(world.player(ana)?.metadata).toMatchObject({ job: 'police', jobGrade: 1 });
  });
});

describe('an item that has vanished from the list since it was found', () => {
  it('is refused by the game server, and is not found any more', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['items@1'] });
    const error = { code: 'unknown_item', message: 'This server has no item "bread".' };
    answerAll(bridge, () => ({ status: 'rejected', error, sequence: 1 }));
    const list = (hash: string, names: readonly string[]): void =>
      bridge.send({
        type: 'catalogue',
        kind: 'items',
        hash,
        part: 0,
        last: true,
        entries: names.map((name) => ({ name, label: name })),
      });
    const found = async () => (await hub.request('/api/v2/servers/main/items?search=bread')).body['data'];
    list('h1', ['bread', 'water']);
    await expect.poll(found).toHaveLength(1);
    list('h2', ['water']);
    await expect.poll(found).toEqual([]);
    const json = { target: 'char1:ana', item: 'bread', count: 1, action: 'add' };
    const { status, body } = await hub.request('/api/v2/bridge/main/items', { json });
    expect([status, body['code'], body['executed']]).toEqual([422, 'unknown_item', 'no']);
  });
});
