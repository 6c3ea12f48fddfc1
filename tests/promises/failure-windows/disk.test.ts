import { describe, expect, it } from 'vitest';
import { newFolder } from '../../kit/folder.ts';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { ANA, commandsOf, createGate, eventually, openStage, PAY, pay } from '../../kit/stage.ts';

const FRESH = { headers: { 'Cache-Control': 'no-cache' } };

describe('a hub whose disk is full', () => {
  it('confirms nothing, turns red, and has lost nothing when there is room again', async () => {
    const gate = createGate();
    const stage = await openStage({ before: gate.pass });
    const hub = stage.hub();
    const health = async () => (await hub.request('/api/v2/health')).body;
    const told = pay(hub);
    await eventually(gate.reached).toBe(1);
    hub.breakDatabase('writes');
    gate.open();
    await eventually(stage.bank).toBe(PAY);
    await eventually(async () => (await health())['status']).toBe('fail');
    const settled = [{ status: 'done', acknowledged: false }];
    await eventually(() => stage.game().journal.open()).toMatchObject(settled);
    // Every frame of the hub about the result arrives before the second of these.
    for (const _ of ['result', 'ack']) await hub.request(`/api/v2/players/${ANA}`, FRESH);
    expect(await health()).toMatchObject({ databases: [{ name: 'hub', status: 'fail' }], bridges: { connected: 1 } });
    expect(stage.game().journal.open()).toMatchObject(settled);
    const refused = await pay(hub, { 'Idempotency-Key': 'another' });
    expect(refused).toMatchObject({ status: 503, body: { code: 'store_unavailable', executed: 'no' } });
    expect(await commandsOf(hub)).toMatchObject([{ status: 'dispatched', executed: 'unknown' }]);
    hub.breakDatabase('none');
    expect(await told).toMatchObject({ status: 200, body: { executed: 'yes' } });
    await eventually(() => stage.game().journal.open()).toEqual([]);
    expect((await health())['status']).toBe('pass');
    expect((await stage.ending()).status).toBe('succeeded');
    expect(stage.bank()).toBe(PAY);
  });

  it('shows in its health that writing works again, without a command that tries', async () => {
    const { hub: current } = await openStage();
    const hub = current();
    hub.breakDatabase('writes');
    const healthAfterPay = async (): Promise<number> => {
      expect(await pay(hub)).toMatchObject({ status: 503 });
      return (await hub.request('/api/v2/health')).status;
    };
    // A write that was in progress when the disk failed may still succeed after the payment has failed.
    await eventually(healthAfterPay).toBe(503);
    hub.breakDatabase('none');
    expect((await hub.request('/api/v2/health')).status).toBe(200);
  });
});

describe('two game servers with one token', () => {
  it('never run a command twice: the later one gets new commands, and open ones stay indeterminate', async () => {
    const gate = createGate();
    const stage = await openStage({ before: gate.pass });
    const hub = stage.hub();
    const told = pay(hub);
    await eventually(gate.reached).toBe(1);
    const economy = createEconomy({ [ANA]: 0 });
    const copy = startGameServer({ url: () => stage.line.url, token: hub.token, folder: newFolder(), economy });
    expect(await told).toMatchObject({ status: 409, body: { code: 'indeterminate', executed: 'unknown' } });
    await eventually(() => stage.game().bridge.state).toBe('stopped');
    gate.open();
    await eventually(stage.bank).toBe(PAY);
    expect(await pay(hub, { 'Idempotency-Key': 'another' })).toMatchObject({ status: 200 });
    expect([stage.economy.applied.length, economy.applied.length]).toEqual([1, 1]);
    expect((await commandsOf(hub)).map(({ status }) => status)).toEqual(['succeeded', 'indeterminate']);
    expect(copy.bridge.state).toBe('welcomed');
  });
});
