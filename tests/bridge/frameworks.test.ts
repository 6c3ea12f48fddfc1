import { describe, expect, it } from 'vitest';
import { eventually } from '../support/stage.ts';
import { WORLDS } from './frameworks.ts';
import { openWorld } from './stage.ts';

describe.each(WORLDS)('$name', (world) => {
  const { ana, bo, cy } = world;

  it('lists who plays and who does not, with all that is theirs', async () => {
    const { hub, look, recall, server } = await openWorld(world);
    await eventually(async () => (await hub.request('/api/v2/players')).body['data']).toHaveLength(3);
    expect(await recall(cy)).toMatchObject({ online: false, name: 'Cy Om', accounts: world.money.cy });
    const seen = await look(ana);
    expect(seen).toMatchObject({ online: true, name: 'Ana Souza', accounts: world.money.ana });
    expect(seen.vehicles).toMatchObject([{ plate: 'ABC 123', stored: true, garage: 'legion' }]);
    expect(seen.inventory).toMatchObject([{ name: 'bread', count: 3 }]);
    expect(seen.identifiers).toContain(world.licenses[ana]?.[0]);
    expect(seen.identifiers.join()).not.toContain('ip:');
    expect(server.errors).toEqual([]);
  });

  it('gives and takes, in memory and in the database', async () => {
    const { pay, look, stored } = await openWorld(world);
    const { bank = 0 } = world.money.ana;
    expect((await pay({ target: ana })).body['result']).toMatchObject({ before: bank, after: bank + 50 });
    expect(stored(ana)).toMatchObject({ bank: bank + 50 });
    expect((await pay({ target: ana, action: 'remove', amount: 70 })).body['result']).toMatchObject({
      before: bank + 50,
      after: bank - 20,
    });
    expect(stored(ana)).toMatchObject({ bank: bank - 20 });
    expect((await look(ana)).accounts).toMatchObject({ bank: bank - 20 });
  });

  it('tells the hub when the game itself moves money', async () => {
    const { server, recall } = await openWorld(world);
    const { bank = 0 } = world.money.ana;
    world.earn(server, 1, 25);
    await eventually(async () => (await recall(ana))?.accounts['bank']).toBe(bank + 25);
  });

  it('does not take what is not there, unless debts are allowed', async () => {
    const { pay, stored } = await openWorld(world);
    const { bank = 0 } = world.money.bo;
    const refused = await pay({ target: bo, action: 'remove', amount: bank + 1 });
    expect(refused).toMatchObject({ status: 409, body: { code: 'insufficient_funds', executed: 'no' } });
    expect(refused.body['balance']).toBe(bank);
    expect(stored(bo)).toMatchObject({ bank });
    const owed = await pay({ target: bo, action: 'remove', amount: bank + 1, allowNegative: true });
    if (!world.mayOwe) expect(owed).toMatchObject({ status: 409, body: { code: 'insufficient_funds' } });
    else expect(owed).toMatchObject({ status: 200, body: { result: { before: bank, after: -1 } } });
  });

  it('knows its accounts', async () => {
    const { pay } = await openWorld(world);
    const answer = await pay({ target: ana, type: 'bitcoin' });
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_request', executed: 'no' } });
    expect((await pay({ target: ana, type: 'BANK' })).body).toMatchObject({ executed: 'no' });
  });

  it('pays who does not play where that is safe, and nobody unknown', async () => {
    const { pay, stored } = await openWorld(world);
    const { bank = 0 } = world.money.cy;
    const answer = await pay({ target: cy, amount: 10 });
    if (world.isOfflinePaid) {
      expect(answer.body['result']).toMatchObject({ before: bank, after: bank + 10 });
      expect(stored(cy)).toMatchObject({ bank: bank + 10 });
      const all = await pay({ target: cy, action: 'remove', amount: bank + 11 });
      expect(all.body['code']).toBe('insufficient_funds');
    } else expect(answer).toMatchObject({ status: 409, body: { code: 'player_offline' } });
    expect(await pay({ target: world.nobody })).toMatchObject({ status: 404, body: { code: 'player_not_found' } });
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

  it('keeps money of somebody who was thrown out before he had spawned', async () => {
    const { pay, kick, join, stored } = await openWorld(world);
    const { bank = 0 } = world.money.cy;
    await join(cy, { isSpawned: false });
    expect(await pay({ target: cy })).toMatchObject({ status: 200 });
    expect(await kick(cy)).toMatchObject({ status: 200 });
    expect(stored(cy)).toMatchObject({ bank: bank + 50 });
  });

  it('is in doubt when it stops before the money is saved, and does not pay again', async () => {
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
    await eventually(status).toMatch(/^(succeeded|indeterminate)$/);
    const again = await pay({ target: ana }, 'once');
    expect(again.body['executed']).not.toBe('no');
    const { bank = 0 } = world.money.ana;
    await eventually(async () => (await recall(ana))?.accounts['bank']).toBe(bank + 50);
    expect(server.errors).toEqual([]);
  });

  it('says that it does not know when the database does not answer', async () => {
    const { pay, mysql, look } = await openWorld(world);
    const { bank = 0 } = world.money.ana;
    mysql.down(true);
    const { body } = await pay({ target: ana });
    mysql.down(false);
    const after = (await look(ana)).accounts['bank'];
    if (body['executed'] === 'no') expect(after).toBe(bank);
    else expect(body).toMatchObject({ code: 'indeterminate', executed: 'unknown' });
  });
});
