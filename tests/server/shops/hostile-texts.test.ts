import { describe, expect, it } from 'vitest';
import { createTurns } from '../../../db/turns.ts';
import { ordersOf } from '../../../server/shops/orders.ts';
import { readTebex } from '../../../server/shops/tebex.ts';
import { engines, useStore } from '../../kit/databases.ts';
import { startHub } from '../../kit/hub.ts';
import { connectShop, payment } from '../../kit/shop.ts';

/** PostgreSQL stores neither NUL nor a lone surrogate. */
const HOSTILE = 'E\0U\ud800R';
const SUM = { amount: '9\0.99', currency: HOSTILE };
const LONG = { amount: 1, currency: '\u{1f4b6}'.repeat(70) };
const paid = (id: string, sum: object) => payment(id, [{ id: 7 }], { subject: { price_paid: sum } });

describe.each(engines)('texts of a shop on $name', ({ open }) => {
  const db = useStore(open);

  it('are stored, whatever is in them', async () => {
    await db.store.integrations.create({
      id: 'int_1',
      projectId: 'p',
      kind: 'tebex',
      name: 'Shop',
      serverId: 'main',
      identifierKind: null,
      secrets: [],
      packages: {},
      maker: { keyId: 'key_1', name: 'A key' },
      createdAt: 1,
      updatedAt: 1,
    });
    const integration = await db.store.integrations.byId('int_1');
    if (integration === undefined) throw new Error('the integration was not stored');
    const lines = { add: async () => true, change: async () => undefined, refund: async () => true };
    const { keep } = ordersOf(db.store, lines, createTurns());
    const sums = [SUM, LONG, { amount: 5 }];
    for (const [n, sum] of sums.entries()) {
      const read = readTebex(paid(`t${n}`, sum));
      if ('fault' in read || !('transaction' in read.notice)) throw new Error('the payment was not read');
      expect(await keep(integration, read.notice, 'req_1')).toBe('stored');
    }
    const stored = await Promise.all(
      sums.map((_, n) => db.store.shopOrders.get({ integrationId: 'int_1', transaction: `t${n}` })),
    );
    expect(stored.map((order) => order?.paid)).toEqual(['9.99 EU\ufffdR', `1 ${'\u{1f4b6}'.repeat(62)}`, '5']);
  });
});

describe('a webhook with hostile texts', () => {
  it('is taken, and listed with its kind', async () => {
    const hub = await startHub();
    const shop = await connectShop(hub, 'tebex', { 7: [] });
    expect((await shop.send(paid('t1', SUM))).body).toEqual({ outcome: 'stored' });
    expect((await shop.send(payment('t2', [], { type: `basket.${HOSTILE}` }))).body).toEqual({ outcome: 'ignored' });
    expect((await shop.deliveries()).map(({ type }) => type)).toEqual(['basket.EU\ufffdR', 'payment.completed']);
  });
});
