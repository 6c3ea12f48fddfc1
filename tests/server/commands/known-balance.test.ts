import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { playerFrame, type RawBridge, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const BEN = 'char1:ben';
const GIVE = { type: 'bank', amount: 5, action: 'add' };

const report = (hub: TestHub, bridge: RawBridge): Promise<void> =>
  reportPlayers(
    hub,
    bridge,
    playerFrame(BEN, { accounts: {} }),
    playerFrame(ANA, { accounts: { bank: 700, cash: 3 } }),
  );

/** A hub with a payment on its way to the game server. */
const open = async (target = ANA) => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
  await report(hub, bridge);
  const sent = await hub.request('/api/v2/bridge/main/money', {
    json: { ...GIVE, target },
    headers: { Prefer: 'respond-async' },
  });
  const id = String(sent.body['id']);
  await bridge.command();
  return { hub, bridge, id, read: async () => (await hub.request(`/api/v2/commands/${id}`)).body };
};

type Read = { dispatchedAt: string; knownBalance?: { at: string } };

describe('a payment whose outcome becomes unknown', () => {
  it('tells the balance that the hub knew before, also when a person has resolved it', async () => {
    const { hub, bridge, id, read } = await open();
    bridge.send({
      type: 'result',
      id,
      status: 'indeterminate',
      error: { code: 'internal_error', message: 'crashed', details: { knownBalance: 'forged', more: 1 } },
    });
    await eventually(read).toMatchObject({
      status: 'indeterminate',
      knownBalance: { account: 'bank', balance: 700 },
      error: { code: 'indeterminate', details: { more: 1 } },
    });
    const { knownBalance, dispatchedAt } = (await read()) as unknown as Read;
    expect(Date.parse(knownBalance?.at ?? '')).toBeLessThanOrEqual(Date.parse(dispatchedAt));
    expect((await read())['error']).not.toHaveProperty('details.knownBalance');
    await hub.request(`/api/v2/commands/${id}/resolve`, { json: { applied: true, note: 'seen in the game' } });
    expect(await read()).toMatchObject({ status: 'resolved_applied', knownBalance: { balance: 700 } });
  });

  it('tells it when the game server comes back with another journal, and no more when its outcome is known', async () => {
    const { hub, bridge, id, read } = await open();
    bridge.kill();
    const other = { instance: 'two', journal: { class: 'durable', id: 'other', sequence: 1 } };
    const next = await welcomeRaw(hub.bridgeUrl, hub.token, other);
    await eventually(read).toMatchObject({ status: 'indeterminate', knownBalance: { account: 'bank', balance: 700 } });
    next.kill();
    const back = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    back.send({ type: 'result', id, status: 'done', data: { account: 'bank', before: 700, after: 705 } });
    await eventually(read).toMatchObject({ status: 'succeeded' });
    expect(await read()).not.toHaveProperty('knownBalance');
  });

  it('tells none if the hub knows no such account, whatever the game server writes', async () => {
    const { bridge, id, read } = await open(BEN);
    const details = { knownBalance: { account: 'bank', balance: 1, at: 1 } };
    bridge.send({
      type: 'result',
      id,
      status: 'indeterminate',
      error: { code: 'internal_error', message: 'crashed', details },
    });
    await eventually(read).toMatchObject({ status: 'indeterminate' });
    expect(await read()).not.toHaveProperty('knownBalance');
  });
});
