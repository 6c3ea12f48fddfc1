import { describe, expect, it } from 'vitest';
import { eventually } from '../kit/stage.ts';
import { REAL_OX_CORE } from './built-worlds.ts';
import { REAL, REAL_REDM } from './checkouts.ts';
import { WORLDS } from './frameworks.ts';
import { openWorld } from './stage.ts';

describe.each([...WORLDS, ...REAL, ...REAL_REDM, ...REAL_OX_CORE])('$name', (world) => {
  const { ana, bo, cy, account } = world;
  const {
    ana: { [account]: anas = 0 },
    bo: { [account]: bos = 0 },
    cy: { [account]: cys = 0 },
  } = world.money;

  it('lists online and offline players with all their fields', async () => {
    const { hub, look, recall, server } = await openWorld(world);
    await eventually(async () => (await hub.request('/api/v2/players')).body['data']).toHaveLength(3);
    expect(await recall(cy)).toMatchObject({ online: false, name: 'Cy Om', accounts: world.money.cy });
    const seen = await look(ana);
    expect(seen).toMatchObject({ online: true, name: 'Ana Souza', accounts: world.money.ana });
    if (world.hasVehicles) expect(seen.vehicles).toMatchObject([{ plate: 'ABC 123', stored: true, garage: 'legion' }]);
    // The cash of RSG is an item.
    const inventory = seen.inventory.filter(({ name }) => name !== 'dollar');
    expect(inventory).toMatchObject([{ name: 'bread', count: 3 }]);
    expect(seen.identifiers).toContain(world.licenses[ana]?.[0]);
    expect(seen.identifiers.join()).not.toContain('ip:');
    expect(server.errors).toEqual([]);
  });

  it('names its framework and the version of it to the hub', async () => {
    const { hub } = await openWorld(world);
    const software = {
      framework: world.name.replace('real-', ''),
      frameworkVersion: expect.stringMatching(/^\d+\.\d+/),
    };
    expect((await hub.request('/api/v2/servers/main')).body['bridge']).toMatchObject({ software });
  });

  it('shows names as they are, whatever is in them', async () => {
    const first = '</b>%s{0}☃𝕐;--';
    const { recall, look, join } = await openWorld({ ...world, rows: world.rows.replaceAll('Cy', first) });
    await eventually(async () => (await recall(cy))?.name).toBe(`${first} Om`);
    await join(cy);
    expect(await look(cy)).toMatchObject({ online: true, name: `${first} Om` });
  });

  it('gives and takes, in memory and in the database', async () => {
    const { pay, look, stored } = await openWorld(world);
    expect((await pay({ target: ana })).body['result']).toMatchObject({ before: anas, after: anas + 50 });
    expect(await stored(ana)).toMatchObject({ [account]: anas + 50 });
    expect((await pay({ target: ana, action: 'remove', amount: 70 })).body['result']).toMatchObject({
      before: anas + 50,
      after: anas - 20,
    });
    expect(await stored(ana)).toMatchObject({ [account]: anas - 20 });
    expect((await look(ana)).accounts).toMatchObject({ [account]: anas - 20 });
  });

  it('tells the hub when the game itself moves money', async () => {
    const { server, recall } = await openWorld(world);
    world.earn(server, 1, 25);
    await eventually(async () => (await recall(ana))?.accounts[account]).toBe(anas + 25);
  });

  it('does not take more than the balance, unless debts are allowed', async () => {
    const { pay, stored } = await openWorld(world);
    const refused = await pay({ target: bo, action: 'remove', amount: bos + 1 });
    expect(refused).toMatchObject({ status: 409, body: { code: 'insufficient_funds', executed: 'no' } });
    expect(refused.body['balance']).toBe(bos);
    expect(await stored(bo)).toMatchObject({ [account]: bos });
    const owed = await pay({ target: bo, action: 'remove', amount: bos + 1, allowNegative: true });
    if (!world.mayOwe) expect(owed).toMatchObject({ status: 409, body: { code: 'insufficient_funds' } });
    else expect(owed).toMatchObject({ status: 200, body: { result: { before: bos, after: -1 } } });
  });

  it('knows its accounts', async () => {
    const { pay } = await openWorld(world);
    const answer = await pay({ target: ana, type: 'bitcoin' });
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_request', executed: 'no' } });
    expect((await pay({ target: ana, type: 'BANK' })).body).toMatchObject({ executed: 'no' });
  });

  it('pays offline players where that is safe, and no unknown player', async () => {
    const { pay, stored } = await openWorld(world);
    const answer = await pay({ target: cy, amount: 10 });
    if (world.isOfflinePaid) {
      expect(answer.body['result']).toMatchObject({ before: cys, after: cys + 10 });
      expect(await stored(cy)).toMatchObject({ [account]: cys + 10 });
      const all = await pay({ target: cy, action: 'remove', amount: cys + 11 });
      expect(all.body['code']).toBe('insufficient_funds');
    } else expect(answer).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    expect(await pay({ target: world.nobody })).toMatchObject({ status: 404, body: { code: 'player_not_found' } });
  });

  it('takes no other spelling for the same player, whatever the database thinks of letters', async () => {
    const { pay, stored } = await openWorld(world);
    for (const [who, balance] of [
      [ana, anas],
      [cy, cys],
    ] as const) {
      const other = who === who.toUpperCase() ? who.toLowerCase() : who.toUpperCase();
      for (const target of [other, `${who} `]) {
        expect((await pay({ target })).body).toMatchObject({ executed: 'no' });
      }
      expect(await stored(who)).toMatchObject({ [account]: balance });
    }
  });

  it('does not give more than the column holds', async () => {
    const { pay, look, stored } = await openWorld(world);
    if (world.most === undefined) return;
    expect((await pay({ target: ana, amount: world.most })).body).toMatchObject({ executed: 'no' });
    expect((await look(ana)).accounts[account]).toBe(anas);
    expect(await stored(ana)).toMatchObject({ [account]: anas });
  });

  it('kicks, and says so when they are gone', async () => {
    const { kick, recall, server } = await openWorld(world);
    const answer = await kick(ana, 'Rude "words" ☃');
    expect(answer).toMatchObject({ status: 200, body: { result: { kicked: true, said: 'Rude "words" ☃' } } });
    expect(server.players.all().map(({ source }) => source)).toEqual([2]);
    await eventually(async () => (await recall(ana))?.online).toBe(false);
    expect(await kick(ana)).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    expect(await kick(world.nobody)).toMatchObject({ status: 404, body: { code: 'player_not_found' } });
  });

  it('keeps the money of a player who was kicked before they spawned', async () => {
    const { pay, kick, join, stored } = await openWorld(world);
    await join(cy, { isSpawned: false });
    expect(await pay({ target: cy })).toMatchObject({ status: 200 });
    expect(await kick(cy)).toMatchObject({ status: 200 });
    expect(await stored(cy)).toMatchObject({ [account]: cys + 50 });
  });

  it('reports the outcome of a command that a stop interrupted, and does not pay again', async () => {
    const { hub, mysql, pay, restartBridge, server, recall } = await openWorld(world);
    await eventually(async () => (await recall(cy))?.name).toBe('Cy Om');
    mysql.hold(true);
    const paying = pay({ target: ana }, 'once').catch(() => undefined);
    await eventually(() => mysql.heldBack()).toBeGreaterThan(0);
    await restartBridge();
    mysql.hold(false);
    await paying;
    const status = async (): Promise<unknown> =>
      ((await hub.request('/api/v2/commands')).body['data'] as { status: string }[])[0]?.status;
    await eventually(status).toBe(world.hasMarks ? 'succeeded' : 'indeterminate');
    const again = await pay({ target: ana }, 'once');
    expect(again.body['executed']).not.toBe('no');
    // The bridge did not call ox_core before the stop, so no money moved.
    const expected = /ox_core/.test(world.name) ? anas : anas + 50;
    await eventually(async () => (await recall(ana))?.accounts[account]).toBe(expected);
    expect(server.errors).toEqual([]);
  });

  it('reports no outcome while the database does not answer, and the true one when it does', async () => {
    const { hub, pay, mysql, look, stored } = await openWorld(world);
    mysql.down(true);
    const { body } = await pay({ target: ana }, undefined, 2);
    mysql.down(false);
    if (body['executed'] === 'no') return expect((await look(ana)).accounts[account]).toBe(anas);
    expect(body).toMatchObject({ code: 'in_doubt', executed: 'unknown' });
    const command = async () => (await hub.request(`/api/v2/commands/${String(body['id'])}`)).body;
    await eventually(async () => (await command())['result']).toMatchObject({ before: anas, after: anas + 50 });
    expect(await stored(ana)).toMatchObject({ [account]: anas + 50 });
  });
});
