import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LONGEST_PAUSE_MS, pauseOf } from '../../../server/shops/order-lines.ts';
import { shareHub, startHub } from '../../kit/hub.ts';
import { becomes, connectShop, linesIn, payment, type Shop } from '../../kit/shop.ts';
import { ANA, commandsOf, createGate, eventually, openStage, PAY, type Stage } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: PAY, action: 'add', reason: 'Shop' } };
const VIP = { vip: [GIVE] };
const order = (id: string, packages: object[] = [{ id: 'vip' }], changes: object = {}) => ({
  id,
  type: 'paid',
  buyer: ANA,
  packages,
  ...changes,
});
const refund = (id: string, changes: object = {}) => ({ id, type: 'refunded', ...changes });

const newTenant = shareHub();

const open = async (packages: Parameters<typeof connectShop>[2] = VIP, start = newTenant) => {
  const stage = await openStage({ start });
  const hub = stage.hub();
  const shop = await connectShop(hub, 'orders', packages);
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  return { stage, hub, shop };
};

/** The game's own account of what it did. */
const given = (stage: Stage): number => stage.economy.applied.reduce((sum, { delta }) => sum + delta, 0);

describe('a paid order', () => {
  it('becomes a command of the shop, with an idempotency key of its own', async () => {
    const { stage, hub, shop } = await open();
    expect((await shop.send(order('o1'))).body).toEqual({ outcome: 'stored' });
    await becomes(hub, shop, 'o1', ['delivered']);
    expect(stage.bank()).toBe(PAY);
    const [line] = await linesIn(hub, shop, 'o1');
    const { body } = await hub.request(`/api/v2/commands/${line?.commandId}`);
    expect(body).toMatchObject({
      name: 'money',
      target: ANA,
      status: 'succeeded',
      actor: { keyId: shop.id, name: 'The shop' },
      params: { amount: PAY, reason: 'Shop' },
    });
    const row = await hub.store.commands.get(hub.project.id, String(line?.commandId));
    expect(row?.idempotencyKey).toBe(`shop/${shop.id}/o1/vip/1.1`);
  });

  it('may have a number as its id, and fields that the hub does not know', async () => {
    const { stage, hub, shop } = await open();
    const price = { currency: 'EUR', price: 9.99 };
    const sent = { ...order('o1', [{ id: 'vip', name: 'VIP' }]), id: 1001, ...price };
    expect((await shop.send(sent)).body).toEqual({ outcome: 'stored' });
    await becomes(hub, shop, '1001', ['delivered']);
    expect(stage.bank()).toBe(PAY);
  });

  it('is delivered once, however often and at whatever moments it comes', async () => {
    const { stage, hub, shop } = await open();
    const sent = await Promise.all(Array.from({ length: 10 }, () => shop.send(order('o1'))));
    expect(sent.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(sent.filter(({ body }) => body['outcome'] === 'stored')).toHaveLength(1);
    await becomes(hub, shop, 'o1', ['delivered']);
    expect((await shop.send(order('o1'))).body).toEqual({ outcome: 'duplicate' });
    await becomes(hub, shop, 'o1', ['delivered']);
    expect(stage.economy.applied).toHaveLength(1);
  });

  it('of three with two commands each becomes six commands', async () => {
    const { stage, hub, shop } = await open({ pair: [GIVE, { ...GIVE, params: { ...GIVE.params, amount: 1 } }] });
    await shop.send(order('o1', [{ id: 'pair', quantity: 3 }]));
    await becomes(hub, shop, 'o1', Array(6).fill('delivered'));
    const lines = await linesIn(hub, shop, 'o1');
    expect(lines.map(({ number, step }) => [number, step])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
      [2, 2],
      [3, 1],
      [3, 2],
    ]);
    expect(given(stage)).toBe(3 * (PAY + 1));
  });

  it('counts packages of one id on through all products, each for its own buyer', async () => {
    const { stage, hub } = await open();
    const shop = await connectShop(hub, 'tebex', { 7: [GIVE] });
    const products = [
      { id: 7, quantity: 2 },
      { id: 7, username: { id: ANA, username: 'Ana' } },
    ];
    await shop.send(payment('tbx-1', products, { subject: { customer: { username: { id: ANA } } } }));
    await becomes(hub, shop, 'tbx-1', ['delivered', 'delivered', 'delivered']);
    expect((await linesIn(hub, shop, 'tbx-1')).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(given(stage)).toBe(3 * PAY);
  });

  it('keeps the commands of its first receipt when the mapping changes', async () => {
    const { stage, hub, shop } = await open();
    await shop.send(order('o1'));
    await becomes(hub, shop, 'o1', ['delivered']);
    const packages = { vip: [GIVE, GIVE], other: [GIVE] };
    expect((await hub.request(shop.path, { method: 'PATCH', json: { packages } })).status).toBe(200);
    expect((await shop.send(order('o1'))).body).toEqual({ outcome: 'duplicate' });
    expect((await shop.send(order('o1', [{ id: 'other' }]))).body).toEqual({ outcome: 'duplicate' });
    await shop.send(order('o2'));
    await becomes(hub, shop, 'o2', ['delivered', 'delivered']);
    expect(given(stage)).toBe(3 * PAY);
    expect(await linesIn(hub, shop, 'o1')).toHaveLength(1);
  });

  it('is answered while the game server is away, and delivered when it is back', async () => {
    const { stage, hub, shop } = await open(VIP, startHub);
    await stage.game().stop();
    await eventually(() => hub.sizes().sessions).toBe(0);
    expect((await shop.send(order('o1'))).body).toEqual({ outcome: 'stored' });
    await stage.nextGame();
    await becomes(hub, shop, 'o1', ['delivered']);
    expect(stage.bank()).toBe(PAY);
  });

  it('is refused with 503 where nothing could be stored, and delivered once when it is repeated', async () => {
    const { stage, hub, shop } = await open(VIP, startHub);
    hub.breakDatabase('writes');
    expect(await shop.send(order('o1'))).toMatchObject({ status: 503, body: { code: 'store_unavailable' } });
    hub.breakDatabase('none');
    expect((await shop.send(order('o1'))).body).toEqual({ outcome: 'stored' });
    await becomes(hub, shop, 'o1', ['delivered']);
    expect(stage.economy.applied).toHaveLength(1);
  });
});

describe('a hub that is killed', () => {
  it.each([
    ['after the order is stored, before its lines are', 'integrations.claim', 'before'],
    ['before the command of a line', 'commands.insert', 'before'],
    ['after the command of a line, before the line knows it', 'commands.insert', 'after'],
  ] as const)('%s delivers once when it is back', async (_when, statement, when) => {
    const { stage, hub, shop } = await open(VIP, startHub);
    hub.stopAt({ statement, when });
    expect((await shop.send(order('o1', [{ id: 'vip', quantity: 3 }]))).body).toEqual({ outcome: 'stored' });
    await eventually(hub.hasStopped).toBe(true);
    await hub.crash();
    const next = await stage.nextHub();
    expect((await shop.send(order('o1', [{ id: 'vip', quantity: 3 }]), { at: next })).body['outcome']).toBe(
      'duplicate',
    );
    await becomes(next, shop, 'o1', ['delivered', 'delivered', 'delivered']);
    expect(given(stage)).toBe(3 * PAY);
    expect(await commandsOf(next)).toHaveLength(3);
  });

  it('between a command and a refund takes the command back', async () => {
    const { stage, hub, shop } = await open(VIP, startHub);
    hub.stopAt({ statement: 'commands.insert', when: 'after' });
    await shop.send(order('o1'));
    await eventually(hub.hasStopped).toBe(true);
    await hub.crash();
    const next = await stage.nextHub();
    await shop.send(refund('o1'), { at: next });
    await eventually(async () => {
      const [line] = await linesIn(next, shop, 'o1');
      return ['blocked', 'reversed'].includes(line?.state ?? '');
    }).toBe(true);
    expect(stage.bank()).toBe(0);
  });
});

describe('a refund', () => {
  /** Tebex has refunded a part of the payment. */
  const partOf = (amount = 0) => {
    const subject = { price_paid: { amount, currency: 'EUR' } };
    return payment('tbx-1', [{ id: 7 }], { type: 'payment.refunded', subject });
  };
  const states = (hub: Stage['hub'], shop: Shop, id: string) => linesIn(hub(), shop, id);

  it('becomes the opposite command, once', async () => {
    const { stage, hub, shop } = await open();
    await shop.send(order('o1', [{ id: 'vip', quantity: 2 }]));
    await becomes(hub, shop, 'o1', ['delivered', 'delivered']);
    const refunds = await Promise.all(Array.from({ length: 5 }, () => shop.send(refund('o1'))));
    expect(refunds.filter(({ body }) => body['outcome'] === 'refunded')).toHaveLength(1);
    await becomes(hub, shop, 'o1', ['reversed', 'reversed']);
    expect(stage.bank()).toBe(0);
    expect(stage.economy.applied).toHaveLength(4);
    const [line] = await states(stage.hub, shop, 'o1');
    const { body } = await hub.request(`/api/v2/commands/${line?.oppositeId}`);
    expect(body).toMatchObject({ params: { action: 'remove', amount: PAY }, actor: { keyId: shop.id } });
    expect(body['params']).toMatchObject({ reason: `Refund of ${line?.commandId}` });
  });

  it('that comes before its payment blocks it', async () => {
    const { stage, hub, shop } = await open();
    expect((await shop.send(refund('o1'))).body).toEqual({ outcome: 'refunded' });
    expect((await shop.send(order('o1'))).body).toEqual({ outcome: 'blocked' });
    await becomes(hub, shop, 'o1', ['blocked']);
    expect(stage.bank()).toBe(0);
    expect(await commandsOf(hub)).toEqual([]);
  });

  it('while the payment is being carried out waits for its outcome', async () => {
    const gate = createGate();
    const stage = await openStage({ before: gate.pass });
    const hub = stage.hub();
    const shop = await connectShop(hub, 'orders', VIP);
    await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
    await shop.send(order('o1'));
    await eventually(gate.reached).toBe(1);
    await shop.send(refund('o1'));
    await becomes(hub, shop, 'o1', ['refunding']);
    gate.open();
    await becomes(hub, shop, 'o1', ['reversed']);
    expect(stage.bank()).toBe(0);
    expect(stage.economy.applied.map(({ delta }) => delta)).toEqual([PAY, -PAY]);
  });

  it('of money that is spent is owed: it stays on the list of the staff', async () => {
    const { stage, hub, shop } = await open();
    await shop.send(order('o1'));
    await becomes(hub, shop, 'o1', ['delivered']);
    await hub.request('/api/v2/bridge/main/money', {
      json: { target: ANA, type: 'bank', amount: PAY, action: 'remove' },
    });
    await shop.send(refund('o1'));
    await becomes(hub, shop, 'o1', ['owed']);
    expect(await shop.staff()).toMatchObject([{ state: 'owed', reason: 'insufficient_funds', package: 'vip' }]);
    expect(stage.bank()).toBe(0);
    const [line] = await shop.staff();
    const path = `${shop.path}/unmatched/${line?.id}`;
    expect((await hub.request(path, { json: { target: ANA } })).body.code).toBe('already_decided');
    expect((await hub.request(path, { json: { dismiss: true, note: 'Settled by hand.' } })).body['state']).toBe(
      'dismissed',
    );
    expect(await shop.staff()).toEqual([]);
  });

  it('of what a member of the staff has undone does nothing more', async () => {
    const { stage, hub, shop } = await open();
    await shop.send(order('o1'));
    await becomes(hub, shop, 'o1', ['delivered']);
    const [line] = await linesIn(hub, shop, 'o1');
    await hub.request(`/api/v2/commands/${line?.commandId}/undo`, { json: { reason: 'By hand' } });
    await shop.send(refund('o1'));
    await becomes(hub, shop, 'o1', ['reversed']);
    expect(stage.economy.applied).toHaveLength(2);
  });

  it('and undos of the staff at the same moment take one payment back once', async () => {
    const { stage, hub, shop } = await open();
    const orders = Array.from({ length: 10 }, (_, n) => `o${n}`);
    for (const id of orders) await shop.send(order(id));
    for (const id of orders) await becomes(hub, shop, id, ['delivered']);
    const lines = (await Promise.all(orders.map((id) => linesIn(hub, shop, id)))).flat();
    const undo = ({ commandId }: { commandId: string | null }, reason: string) =>
      hub.request(`/api/v2/commands/${commandId}/undo`, { json: { reason } });
    const undos = await Promise.all([
      ...lines.map((line) => undo(line, 'ben')),
      ...orders.map((id) => shop.send(refund(id))),
      ...lines.map((line) => undo(line, 'eve')),
    ]);
    expect(undos.map(({ status }) => status)).toEqual(undos.map(() => 200));
    for (const id of orders) await becomes(hub, shop, id, ['reversed']);
    expect(stage.bank()).toBe(0);
    expect(stage.economy.applied).toHaveLength(20);
  });

  it('of a part goes to the staff and takes nothing back', async () => {
    const { stage, hub, shop } = await open();
    await shop.send(order('o1', [{ id: 'vip', quantity: 3 }]));
    await becomes(hub, shop, 'o1', Array(3).fill('delivered'));
    const answer = await shop.send(refund('o1', { packages: [{ id: 'vip', quantity: 1 }] }));
    expect(answer.body).toEqual({ outcome: 'partial_refund' });
    expect(await shop.staff()).toMatchObject([{ state: 'owed', reason: 'partial_refund', package: '' }]);
    expect(stage.bank()).toBe(3 * PAY);
  });

  it('of a second part is on the list of the staff again after the first was dismissed', async () => {
    const { hub } = await open();
    const shop = await connectShop(hub, 'tebex', { 7: [] });
    const refundOf = (amount: number) => shop.send(partOf(amount));
    await shop.send(payment('tbx-1', [{ id: 7 }]));
    await refundOf(1);
    await refundOf(2);
    const [line] = await shop.staff();
    const detail = 'A part was refunded: 1 EUR. A part was refunded: 2 EUR.';
    expect(line).toMatchObject({ reason: 'partial_refund', detail });
    for (let n = 0; n < 2; n += 1) await refundOf(2);
    // Whether this is a repeat, only the shop knows.
    const more = `${detail} This came again, repeated or as one more refund: 2 EUR.`;
    expect(await shop.staff()).toMatchObject([{ id: line?.id, detail: more }]);
    await hub.request(`${shop.path}/unmatched/${line?.id}`, { json: { dismiss: true, note: 'Settled by hand.' } });
    expect(await shop.staff()).toEqual([]);
    expect((await refundOf(3)).body).toEqual({ outcome: 'partial_refund' });
    const again = { id: line?.id, state: 'owed', reason: 'partial_refund', detail: 'A part was refunded: 3 EUR.' };
    expect(await shop.staff()).toMatchObject([again]);
    expect((await hub.request(shop.path)).body['unmatched']).toBe(1);
  });

  it('of two parts at the same moment is on the list of the staff with both', async () => {
    const { hub } = await open();
    const shop = await connectShop(hub, 'tebex', { 7: [] });
    let comes: () => Promise<unknown> = async () => undefined;
    for (const { shopLines } of hub.hubs.map(({ store }) => store)) {
      const { get } = shopLines;
      const looks = vi.spyOn(shopLines, 'get').mockImplementation(async (...asked) => {
        const known = await get(...asked);
        const second = comes;
        comes = async () => undefined;
        await second();
        return known;
      });
      onTestFinished(() => looks.mockRestore());
    }
    await shop.send(payment('tbx-1', [{ id: 7 }]));
    for (const [first, second] of [
      [1, 2],
      [3, 4],
    ]) {
      // It comes when the first has looked what the staff knows, and has not written yet.
      comes = () => shop.send(partOf(second));
      await shop.send(partOf(first));
    }
    const [line, ...others] = await shop.staff();
    expect(others).toEqual([]);
    expect(line?.['detail']).toBe([2, 1, 4, 3].map((amount) => `A part was refunded: ${amount} EUR.`).join(' '));
  });

  it('of Tebex is whole when price and packages are those of the payment, and a lost dispute always is', async () => {
    const { stage, hub } = await open();
    const shop = await connectShop(hub, 'tebex', { 7: [GIVE] }, { identifierKind: 'license' });
    const subject = { customer: { username: { id: 'char1-ana', username: 'Ana' } } };
    const hook = (type: string, changes: object = {}) =>
      shop.send(payment('tbx-1', [{ id: 7 }], { type, subject: { ...subject, ...changes } }));
    await hook('payment.completed');
    await becomes(hub, shop, 'tbx-1', ['delivered']);
    expect((await hook('payment.dispute.opened')).body).toEqual({ outcome: 'marked' });
    expect(stage.bank()).toBe(PAY);
    const part = await hook('payment.refunded', { price_paid: { amount: 1, currency: 'EUR' } });
    expect(part.body).toEqual({ outcome: 'partial_refund' });
    expect((await hook('payment.dispute.lost')).body).toEqual({ outcome: 'refunded' });
    await eventually(async () => (await linesIn(hub, shop, 'tbx-1')).map(({ state }) => state)).toEqual([
      'reversed',
      'owed',
    ]);
    expect((await hook('payment.refunded')).body).toEqual({ outcome: 'duplicate' });
    expect(stage.bank()).toBe(0);
    const row = await hub.store.shopOrders.get({ integrationId: shop.id, transaction: 'tbx-1' });
    expect(row).toMatchObject({ dispute: 'lost' });
  });
});

describe('the pause before a line of an order is tried again', () => {
  // PostgreSQL refuses a fraction of a millisecond, and the whole work of shops stops for a second.
  it.each([
    [4_999, 2_499],
    [100, 2_000],
    [3_600_000, LONGEST_PAUSE_MS],
  ])('is a whole number of milliseconds, %i ms after the order: %i', (age, pause) => {
    expect(pauseOf({ createdAt: 1_000 }, 'bridge_offline', 1_000 + age)).toBe(pause);
  });
});
