import { describe, expect, it } from 'vitest';
import { commandOf, engines, projectOf, useStore } from '../../kit/databases.ts';
import { integrationOf, lineOf } from '../../kit/shop-rows.ts';

const paymentOf = (changes: object = {}) => ({
  integrationId: 'int_1',
  transaction: 't',
  projectId: 'p',
  serverId: 'main',
  plan: [{ package: '7', from: 1, quantity: 2, buyer: null, commands: null }],
  paid: '9.99 EUR',
  requestId: 'req_1',
  at: 2_000,
  ...changes,
});

describe.each(engines)('on $name', ({ open }) => {
  const db = useStore(open);

  describe('integrations', () => {
    it('come back as they were written, and are listed in pages', async () => {
      expect(await db.store.integrations.create(integrationOf('int_1'), 1)).toBe('inserted');
      expect(await db.store.integrations.create(integrationOf('int_2'), 1)).toBe('full');
      const created = await db.store.integrations.byId('int_1');
      expect(created).toStrictEqual({
        ...integrationOf('int_1'),
        maxAmount: null,
        maxDaily: null,
        workNode: null,
        workUntil: null,
        deletedAt: null,
      });
      await db.store.integrations.create(integrationOf('int_2', { serverId: 'other' }));
      await db.store.integrations.create(integrationOf('int_3', { projectId: 'q' }));
      const first = await db.store.integrations.page('p', { limit: 1 });
      expect(first.rows).toStrictEqual([created]);
      const second = await db.store.integrations.page('p', { limit: 1, cursor: String(first.next) });
      expect([second.rows.map(({ id }) => id), second.next]).toEqual([['int_2'], null]);
      const some = await db.store.integrations.page('p', { limit: 9, servers: ['other'] });
      expect(some.rows.map(({ id }) => id)).toEqual(['int_2']);
    });

    it('are not listed, counted or changed when they are deleted, and are still found for their open orders', async () => {
      await db.store.integrations.create(integrationOf('int_1'));
      expect(await db.store.integrations.update('q', 'int_1', { name: 'x' }, 2)).toBeUndefined();
      expect(await db.store.integrations.update('p', 'int_1', { deletedAt: 5 }, 5)).toMatchObject({ deletedAt: 5 });
      expect(await db.store.integrations.update('p', 'int_1', { name: 'x' }, 6)).toBeUndefined();
      expect(await db.store.integrations.create(integrationOf('int_2'), 1)).toBe('inserted');
      expect((await db.store.integrations.page('p', { limit: 9 })).rows).toMatchObject([{ id: 'int_2' }]);
      expect(await db.store.integrations.byId('int_1')).toMatchObject({ deletedAt: 5 });
    });

    it('tell how their secrets are stored', async () => {
      await db.store.integrations.create(integrationOf('int_1'));
      await db.store.integrations.create(integrationOf('int_2', { projectId: 'q', deletedAt: 5 }));
      expect(await db.store.integrations.secrets()).toEqual([{ sealed: 'clear:x', expiresAt: null }]);
    });

    it('are given to one node at a time, until its lease ends', async () => {
      await db.store.integrations.create(integrationOf('int_1'));
      const claims = await Promise.all(
        ['a', 'b', 'c', 'd'].map((node) => db.store.integrations.claim('int_1', node, 60_000)),
      );
      const [winner] = claims.flatMap((row) => row?.workNode ?? []);
      expect(claims.filter((row) => row !== undefined)).toHaveLength(1);
      expect(await db.store.integrations.claim('int_1', String(winner), -1)).toBeDefined();
      expect(await db.store.integrations.claim('int_1', 'next', 60_000)).toMatchObject({ workNode: 'next' });
      await db.store.integrations.release('int_1', 'another');
      expect(await db.store.integrations.claim('int_1', 'last', 60_000)).toBeUndefined();
      await db.store.integrations.release('int_1', 'next');
      expect(await db.store.integrations.claim('int_1', 'last', 60_000)).toBeDefined();
      await db.store.integrations.releaseAll();
      expect(await db.store.integrations.claim('int_1', 'again', 60_000)).toMatchObject({ workNode: 'again' });
      expect(await db.store.integrations.claim('ghost', 'last', 60_000)).toBeUndefined();
    });

    it('have their hundred newest deliveries', async () => {
      for (const integrationId of ['int_1', 'int_2']) {
        for (let n = 0; n < 103; n += 1) {
          const row = {
            projectId: 'p',
            integrationId,
            receivedAt: n,
            type: 't',
            outcome: 'stored' as const,
            detail: null,
          };
          await db.store.integrations.addDelivery({ ...row, transaction: null });
        }
      }
      const rows = await db.store.integrations.deliveries('int_1');
      expect([rows.length, rows[0]?.receivedAt, rows.at(-1)?.receivedAt]).toEqual([100, 102, 3]);
    });

    it('are gone with their project, and so are their orders and lines', async () => {
      await db.store.projects.create(projectOf('p'));
      await db.store.integrations.create(integrationOf('int_1'));
      await db.store.shopOrders.pay(paymentOf());
      await db.store.shopLines.add([lineOf('a')]);
      await db.store.projects.remove('p');
      expect(await db.store.integrations.byId('int_1')).toBeUndefined();
      expect(await db.store.shopOrders.get(paymentOf())).toBeUndefined();
      expect(await db.store.shopLines.get('int_1', 'a')).toBeUndefined();
    });
  });

  describe('orders', () => {
    it('are fixed by the first payment, however many come at once', async () => {
      const payments = Array.from({ length: 10 }, (_, n) =>
        db.store.shopOrders.pay(paymentOf({ requestId: `req_${n}` })),
      );
      const rows = (await Promise.all(payments)).filter((row) => row !== undefined);
      expect(rows).toHaveLength(1);
      const { at, ...payment } = paymentOf();
      const fresh = { isOpen: true, createdAt: at, paidAt: at, refundedAt: null, dispute: null };
      expect(rows[0]).toStrictEqual({ ...payment, ...fresh, requestId: rows[0]?.requestId });
      expect(await db.store.shopOrders.get(paymentOf())).toStrictEqual(rows[0]);
      expect(await db.store.shopOrders.pay(paymentOf({ integrationId: 'int_2' }))).toBeDefined();
    });

    it('that were refunded or disputed first keep that when they are paid', async () => {
      const note = {
        integrationId: 'int_1',
        transaction: 't',
        projectId: 'p',
        serverId: 'main',
        requestId: 'r',
        at: 9,
      };
      await db.store.shopOrders.dispute(note, 'opened');
      await db.store.shopOrders.dispute(note, 'won');
      const refund = { ...note, plan: null, paid: null };
      expect(await db.store.shopOrders.refund(refund, { isPaid: true })).toBeUndefined();
      expect(await db.store.shopOrders.refund(refund, { isPaid: false })).toMatchObject({ dispute: 'won' });
      expect(await db.store.shopOrders.refund(refund, { isPaid: false })).toBeUndefined();
      const paid = await db.store.shopOrders.pay(paymentOf());
      expect(paid).toMatchObject({
        plan: paymentOf().plan,
        paidAt: 2_000,
        refundedAt: 9,
        dispute: 'won',
        isOpen: true,
      });
      expect(await db.store.shopOrders.pay(paymentOf())).toBeUndefined();
    });

    it('are open until the work on them is done as it was read', async () => {
      const row = await db.store.shopOrders.pay(paymentOf());
      if (row === undefined) throw new Error('it was not stored');
      expect(await db.store.shopOrders.integrationsWithOpen()).toEqual(['int_1']);
      const { plan: _p, paid: _q, ...note } = paymentOf();
      await db.store.shopOrders.refund({ ...note, plan: null, paid: null }, { isPaid: true });
      await db.store.shopOrders.close(row);
      const [open] = await db.store.shopOrders.open('int_1', 10);
      expect(open).toMatchObject({ refundedAt: 2_000 });
      if (open !== undefined) await db.store.shopOrders.close(open);
      expect(await db.store.shopOrders.open('int_1', 10)).toEqual([]);
      expect(await db.store.shopOrders.integrationsWithOpen()).toEqual([]);
    });
  });

  describe('lines', () => {
    it('are written once for each place of an order', async () => {
      await db.store.shopLines.add([lineOf('a'), lineOf('b', { number: 2 })]);
      await db.store.shopLines.add([lineOf('c', { params: { amount: 9 } }), lineOf('d', { step: 2 })]);
      const rows = await db.store.shopLines.ofOrder(
        { integrationId: 'int_1', transaction: 't' },
        { after: 0, limit: 10 },
      );
      expect(rows.map(({ id }) => id)).toEqual(['a', 'b', 'd']);
      expect(rows[0]).toStrictEqual({ ...lineOf('a'), outbox: null, seq: rows[0]?.seq });
      expect(await db.store.shopLines.get('int_2', 'a')).toBeUndefined();
    });

    it('change only from the state in which they were read', async () => {
      await db.store.shopLines.add([lineOf('a')]);
      const patch = { state: 'placed', commandId: 'cmd_1' } as const;
      const changes = await Promise.all(
        [1, 2, 3].map(() =>
          db.store.shopLines.change(
            { id: 'a', state: 'pending', attempt: 1, unbound: null, oppositeId: null },
            patch,
            5_000,
          ),
        ),
      );
      expect(changes.filter((row) => row !== undefined)).toMatchObject([{ ...patch, updatedAt: 5_000 }]);
    });

    it('are not changed by a node that has read an earlier attempt', async () => {
      await db.store.shopLines.add([lineOf('a', { attempt: 2 })]);
      const patch = { state: 'placed', commandId: 'cmd_1' } as const;
      const line = { id: 'a', state: 'pending', attempt: 1, unbound: null, oppositeId: null } as const;
      expect(await db.store.shopLines.change(line, patch, 5_000)).toBeUndefined();
      const ofOther = { ...line, attempt: 2, oppositeId: 'cmd_2' };
      expect(await db.store.shopLines.change(ofOther, patch, 5_000)).toBeUndefined();
    });

    it('are found when they are due, for the staff, and by their commands', async () => {
      await db.store.shopLines.add([
        lineOf('a', { dueAt: 3_000 }),
        lineOf('b', { number: 2, dueAt: 2_000 }),
        lineOf('c', { number: 3, dueAt: null, state: 'refused' }),
        lineOf('d', { number: 4, dueAt: null, state: 'owed', commandId: 'cmd_1', oppositeId: 'cmd_2' }),
        lineOf('e', { number: 5, dueAt: null, state: 'delivered', commandId: 'cmd_3' }),
      ]);
      const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id);
      expect(idsOf(await db.store.shopLines.due('int_1', 2_999, 9))).toEqual(['b']);
      expect(idsOf(await db.store.shopLines.due('int_1', 3_000, 9))).toEqual(['b', 'a']);
      expect(await db.store.shopLines.integrationsWithDue(1_999)).toEqual([]);
      expect(await db.store.shopLines.integrationsWithDue(2_000)).toEqual(['int_1']);
      await db.store.shopLines.wake('p', 'main', 1_000);
      expect(idsOf(await db.store.shopLines.due('int_1', 1_000, 9))).toEqual(['a', 'b']);
      const first = await db.store.shopLines.staffPage('int_1', { limit: 1 });
      const second = await db.store.shopLines.staffPage('int_1', { limit: 1, cursor: String(first.next) });
      expect([...idsOf(first.rows), ...idsOf(second.rows), second.next]).toEqual(['c', 'd', null]);
      expect(await db.store.shopLines.staffCounts(['int_1', 'int_2'])).toEqual(new Map([['int_1', 2]]));
      expect(idsOf(await db.store.shopLines.withCommands(['cmd_2', 'cmd_3', 'cmd_9'])).toSorted()).toEqual(['d', 'e']);
    });

    it('count the money that was given since a moment', async () => {
      await db.store.shopLines.add([
        lineOf('a', { amount: 5, placedAt: 10 }),
        lineOf('b', { number: 2, amount: 7, placedAt: 20 }),
        lineOf('c', { number: 3, amount: 9 }),
      ]);
      expect(await db.store.shopLines.paidSince('int_1', 10)).toBe(12);
      expect(await db.store.shopLines.paidSince('int_1', 11)).toBe(7);
      expect(await db.store.shopLines.paidSince('int_2', 0)).toBe(0);
    });

    it('whose command has ended unnoticed are found, and the open ones', async () => {
      const settled = { status: 'succeeded', settledAt: 5, dispatchedAt: 4 } as const;
      await db.store.commands.insert(commandOf('cmd_1', settled), { durable: false });
      await db.store.commands.insert(commandOf('cmd_2'), { durable: false });
      await db.store.shopLines.add([
        lineOf('a', { state: 'placed', commandId: 'cmd_1' }),
        lineOf('b', { number: 2, state: 'placed', commandId: 'cmd_2' }),
        lineOf('c', { number: 3, state: 'reversing', commandId: 'cmd_1', oppositeId: 'cmd_2' }),
        lineOf('d', { number: 4, state: 'delivered', commandId: 'cmd_1', dueAt: null }),
      ]);
      expect((await db.store.shopLines.missed(0, 9)).map(({ id }) => id)).toEqual(['a']);
      expect((await db.store.shopLines.openCommands(9)).toSorted()).toEqual(['cmd_1', 'cmd_2', 'cmd_2']);
    });
  });
});
