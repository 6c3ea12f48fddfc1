import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop, linesIn, payment } from '../../kit/shop.ts';

const ENTRIES = 20_000;
const item = (name: string) => ({ name: 'items', params: { item: name, count: 1, action: 'add' } });

/** A hub with a catalogue of 20,000 items. */
const open = async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['items@1'] });
  for (let part = 0; part < ENTRIES / 1_000; part += 1) {
    const entries = Array.from({ length: 1_000 }, (_, n) => ({
      name: `item_${part}_${n}`,
      label: `Thing of part ${part} with number ${n}`,
    }));
    const last = part === ENTRIES / 1_000 - 1;
    bridge.send({ type: 'catalogue', kind: 'items', hash: 'h1', part, last, entries });
  }
  await expect.poll(async () => (await hub.request('/api/v2/servers/main/items')).body['syncedAt']).not.toBe(null);
  return hub;
};

/** Sends many requests at once, then one of another project. Returns how many were answered before that one. */
const answeredBefore = async (hub: TestHub, many: number, ask: () => Promise<unknown>): Promise<number> => {
  const { key } = await hub.newProject('neighbour');
  // Each request has a connection of its own from the start, so that they come in this order.
  await Promise.all(Array.from({ length: many + 1 }, () => hub.request('/api/v2/project')));
  let answered = 0;
  const all = Array.from({ length: many }, async () => {
    await ask();
    answered += 1;
  });
  const neighbour = await hub.request('/api/v2/project', { key });
  const before = answered;
  expect(neighbour.status).toBe(200);
  await Promise.all(all);
  return before;
};

describe('another project need not wait', () => {
  it('for fifty tests of orders of a hundred thousand packages', async () => {
    const hub = await open();
    const commands = Array.from({ length: 20 }, (_, n) => item(`Item_9_${n}`));
    const shop = await connectShop(hub, 'orders', { vip: commands });
    const packages = Array.from({ length: 100 }, () => ({ id: 'vip', quantity: 1_000 }));
    const before = await answeredBefore(hub, 50, async () => {
      const answer = await hub.request(`${shop.path}/test`, { json: { buyer: 'char1:ana', packages } });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body['data']).toHaveLength(200);
    });
    expect(before).toBeLessThan(10);
  });

  it('for a hundred searches of a catalogue', async () => {
    const hub = await open();
    const before = await answeredBefore(hub, 100, async () => {
      const answer = await hub.request('/api/v2/servers/main/items?search=number%201&limit=50');
      expect(answer.body['data']).toHaveLength(50);
    });
    expect(before).toBeLessThan(50);
  });
});

it('an order of many lines is written and blocked in steps, each line once', async () => {
  const hub = await startHub();
  const shop = await connectShop(hub, 'tebex', { 7: [item('bread'), item('water')] });
  await shop.send(payment('t1', [{ id: 7, quantity: 125 }], { subject: { customer: { username: null } } }));
  await becomes(hub, shop, 't1', Array(250).fill('unmatched'));
  const lines = await linesIn(hub, shop, 't1');
  expect(new Set(lines.map(({ number, step }) => `${number}.${step}`)).size).toBe(250);
  await shop.send(payment('t1', [{ id: 7, quantity: 125 }], { type: 'payment.refunded' }));
  await becomes(hub, shop, 't1', Array(250).fill('blocked'));
});
