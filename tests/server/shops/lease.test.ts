import { expect, it, onTestFinished, vi } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { becomes, connectShop, linesIn } from '../../kit/shop.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: 1, action: 'add' } };

it('a node stops in the middle of an order when another one has got the work of the shop', async () => {
  // Nobody is thought silent while time is skipped.
  const hub = await startHub({ tuning: { pingEveryMs: 3_600_000, pingTimeoutMs: 3_600_000 } });
  const shop = await connectShop(hub, 'orders', { vip: [GIVE] });
  await shop.send({ id: 'o1', type: 'paid', buyer: null, packages: [{ id: 'vip', quantity: 3 }] });
  await becomes(hub, shop, 'o1', ['unmatched', 'unmatched', 'unmatched']);
  const rightNow = performance.now.bind(performance);
  let skipped = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => rightNow() + skipped);
  onTestFinished(() => clock.mockRestore());
  const claims: unknown[] = [];
  for (const { shopLines, integrations } of hub.hubs.map(({ store }) => store)) {
    const { change } = shopLines;
    const { claim } = integrations;
    vi.spyOn(shopLines, 'change').mockImplementation(async (line, patch, at) => {
      // The first line takes longer than its node has the work.
      if (skipped === 0)
        await rewrite(hub, "update integrations set work_node = 'other', work_until = ?", at + 3_600_000);
      skipped = 20_000;
      return change(line, patch, at);
    });
    vi.spyOn(integrations, 'claim').mockImplementation(async (...asked) => {
      const integration = await claim(...asked);
      if (skipped > 0) claims.push(integration);
      return integration;
    });
  }
  await shop.send({ id: 'o1', type: 'refunded' });
  // The work that it had, and that it asks for again.
  await eventually(() => claims.length).toBeGreaterThan(1);
  expect(claims).toEqual(claims.map(() => undefined));
  expect((await linesIn(hub, shop, 'o1')).map(({ state }) => state)).toEqual(['blocked', 'unmatched', 'unmatched']);
  await rewrite(hub, 'update integrations set work_until = 0');
  await becomes(hub, shop, 'o1', ['blocked', 'blocked', 'blocked']);
});
