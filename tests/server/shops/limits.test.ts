import { describe, expect, it, vi } from 'vitest';
import { DatabaseError } from '../../../db/errors.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop, linesIn } from '../../kit/shop.ts';
import { ANA, commandsOf, eventually, rewrite } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: 60, action: 'add' } };
const order = (id: string) => ({ id, type: 'paid', buyer: ANA, packages: [{ id: 'vip' }] });

/** The hub makes the next command of a shop, and cannot write that its line has one. */
const loseNote = ({ hubs }: TestHub): void => {
  let isLost = false;
  for (const { shopLines } of hubs.map(({ store }) => store)) {
    const { change } = shopLines;
    vi.spyOn(shopLines, 'change').mockImplementation(async (line, patch, at) => {
      if (isLost || patch.state !== 'placed') return change(line, patch, at);
      isLost = true;
      throw new DatabaseError('unavailable', 'The disk is gone.');
    });
  }
};

/** A shop that may give 100 a day, and a hub whose bridge pays everything to Ana. */
const open = async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 60 } }));
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [playerFrame(ANA)] });
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  const shop = await connectShop(hub, 'orders', { vip: [GIVE] }, { maxDaily: 100 });
  return { hub, shop };
};

describe('a package that was given, though the note of it was lost', () => {
  it('counts against the limit of the day, and is told as delivered', async () => {
    const { hub, shop } = await open();
    loseNote(hub);
    await shop.send(order('o1'));
    await eventually(async () => (await linesIn(hub, shop, 'o1'))[0]?.reason).toBe('store_unavailable');
    await shop.send(order('o2'));
    await becomes(hub, shop, 'o2', ['refused']);
    await becomes(hub, shop, 'o1', ['delivered']);
    expect((await commandsOf(hub)).map(({ status }) => status)).toEqual(['succeeded']);
  });

  it('is told as delivered after the end of its time', async () => {
    const { hub, shop } = await open();
    loseNote(hub);
    await shop.send(order('o1'));
    await eventually(async () => (await linesIn(hub, shop, 'o1'))[0]?.reason).toBe('store_unavailable');
    await rewrite(hub, 'update shop_lines set expires_at = 1, due_at = 1');
    await becomes(hub, shop, 'o1', ['delivered']);
    expect(await shop.staff()).toEqual([]);
  });
});
