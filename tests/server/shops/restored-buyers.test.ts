import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop, linesIn } from '../../kit/shop.ts';

const ANA = 'char1:ana';
const params = { type: 'bank', amount: 5, action: 'add' };
const PAID = { id: 'o1', type: 'paid', buyer: 'license:a', packages: [{ id: 'vip' }] };
const REFUND = { id: 'o1', type: 'refunded' };
const DONE = { status: 'done', data: { account: 'bank', before: 0, after: 5 } };
const MISMATCH = { status: 'rejected', error: { code: 'fingerprint_mismatch', message: 'Another command.' } };
const ofAna = (identifier: string, online: boolean) => playerFrame(identifier, { online, identifiers: ['license:a'] });

/** A hub that was restored a moment ago, its game server with one character, and a shop. */
const open = async (online: boolean) => {
  const first = await startHub();
  await first.store.commands.markRestored(Date.now());
  await first.crash();
  const hub = await startHub({ folder: first.folder });
  const bridge = await welcomeRaw(hub.bridgeUrl, first.token);
  await reportPlayers(hub, bridge, ofAna(ANA, online));
  const shop = await connectShop(hub, 'orders', { vip: [{ name: 'money', params }] });
  const reasons = async () => (await shop.staff()).map(({ state, reason }) => [state, reason]);
  return { hub, bridge, shop, reasons };
};

it('a restored hub gives a line to the buyer’s other character if the game deletes the first', async () => {
  const { hub, bridge, shop } = await open(false);
  await shop.send(PAID);
  await becomes(hub, shop, 'o1', ['placed']);
  answerAll(bridge, () => DONE);
  bridge.socket.on('message', (data) => {
    const { type, id } = JSON.parse(data.toString());
    if (type === 'void') bridge.send({ type: 'result', id, sequence: 1, status: 'voided' });
  });
  bridge.send({ type: 'players.changed', revision: 2, players: [ofAna('char2:ana', true)], removed: [ANA] });
  await becomes(hub, shop, 'o1', ['delivered']);
  expect((await linesIn(hub, shop, 'o1'))[0]?.target).toBe('char2:ana');
});

describe('a line that was given to another character before a restore', () => {
  it('is on the staff’s list, which says so, also after its refund', async () => {
    const { hub, bridge, shop, reasons } = await open(true);
    answerAll(bridge, () => MISMATCH);
    await shop.send(PAID);
    await becomes(hub, shop, 'o1', ['failed']);
    expect(await reasons()).toEqual([['failed', 'given_before']]);
    await shop.send(REFUND);
    await becomes(hub, shop, 'o1', ['owed']);
    expect(await reasons()).toEqual([['owed', 'given_before']]);
  });

  it('is for the staff if it was refunded before the game server answered', async () => {
    const { hub, bridge, shop, reasons } = await open(true);
    await shop.send(PAID);
    const { id } = await bridge.command();
    await shop.send(REFUND);
    await becomes(hub, shop, 'o1', ['refunding']);
    bridge.send({ type: 'result', id, sequence: 1, ...MISMATCH });
    await becomes(hub, shop, 'o1', ['owed']);
    expect(await reasons()).toEqual([['owed', 'given_before']]);
  });
});
