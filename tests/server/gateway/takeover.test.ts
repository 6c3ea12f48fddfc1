import { describe, expect, it } from 'vitest';
import { shareHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, helloFrame, openRaw, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';

const newTenant = shareHub();

const connect = (hub: TestHub, instance: string): Promise<RawBridge> =>
  welcomeRaw(hub.bridgeUrl, hub.token, { instance });
const kick = (hub: TestHub) => hub.request('/api/v2/bridge/main/kick', { json: { target: 'char1:ana' } });
const kicked = () => ({ status: 'done', data: { kicked: true } });

describe('the newest socket of a server', () => {
  it('is the one that commands go to, and an earlier one of the same process is cut without a word', async () => {
    const hub = await newTenant();
    const first = await connect(hub, 'one');
    const second = await connect(hub, 'one');
    answerAll(second, kicked);
    expect((await kick(hub)).status).toBe(200);
    expect((await first.closed()).code).toBe(1006);
  });

  it('of another process stops the earlier one once it has said something', async () => {
    const hub = await newTenant();
    const first = await connect(hub, 'one');
    const second = await connect(hub, 'two');
    expect(first.isClosed()).toBe(false);
    second.send({ type: 'status' });
    expect(await first.closed()).toEqual({ code: 4509, reason: '{"code":"replaced"}' });
  });

  it('that dies before it has said anything calls the living one back', async () => {
    const hub = await newTenant();
    const living = await connect(hub, 'one');
    const dead = await connect(hub, 'zero');
    dead.kill();
    expect(await living.closed()).toMatchObject({ code: 4005 });
    answerAll(await connect(hub, 'one'), kicked);
    expect((await kick(hub)).status).toBe(200);
  });

  it('alone changes players, and an outcome from the earlier one still counts', async () => {
    const hub = await newTenant();
    const first = await connect(hub, 'one');
    const json = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' };
    const answer = hub.request('/api/v2/bridge/main/money', { json });
    const { id } = await first.command();
    await connect(hub, 'two');
    const player = { identifier: 'ghost', name: 'Ghost', online: true };
    first.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [player] });
    first.send({ type: 'result', id, status: 'done', data: { account: 'bank', before: 1, after: 6 }, sequence: 1 });
    expect((await answer).status).toBe(200);
    expect((await hub.request('/api/v2/players/ghost')).status).toBe(404);
  });

  it('does not change hands for ever: the fourth turn of two processes within a minute is refused', async () => {
    const hub = await newTenant();
    for (const instance of ['one', 'two', 'one', 'two']) (await connect(hub, instance)).send({ type: 'status' });
    const loser = openRaw(hub.bridgeUrl, hub.token);
    await loser.opened();
    loser.send(helloFrame({ instance: 'one' }));
    const { code, reason } = await loser.closed();
    expect([code, JSON.parse(reason)]).toEqual([4029, { code: 'instances_fight', r: 60_000 }]);
    expect((await hub.request('/api/v2/servers/main')).body['connected']).toBe(true);
  });
});
