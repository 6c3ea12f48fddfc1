import { expect, it, onTestFinished, vi } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { answerAll, type CommandFrame, playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop } from '../../kit/shop.ts';
import { ANA, eventually, openStage, rewrite } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: 10, action: 'add' } };
const paid = (id: string, bought = 'vip') => ({ id, type: 'paid', buyer: ANA, packages: [{ id: bought }] });

/** Holds the next reading of a command back: the line that it is read for is older then than its row. */
const holdNext = (hub: TestHub, id: string) => {
  let letGo = (): void => undefined;
  let isHeld = false;
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const { commands } = hub.hub.store;
  const { get } = commands;
  const reads = vi.spyOn(commands, 'get').mockImplementation(async (project, asked) => {
    const row = await get(project, asked);
    if (asked === id && !isHeld) {
      isHeld = true;
      await until;
    }
    return row;
  });
  onTestFinished(() => reads.mockRestore());
  return { isHeld: () => isHeld, letGo };
};

/** A hub of one node: one part of it reads a line, and another part works on it. */
it.skipIf(onPostgres)('a refund that was tried in vain meanwhile is not tried again for an older reading', async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const held: CommandFrame[] = [];
  answerAll(bridge, (command) => {
    const { action } = command.params;
    if (held.length === 0) return void held.push(command);
    if (action === 'add') return { status: 'done', data: { account: 'bank', before: 0, after: 10 } };
    return { status: 'rejected', error: { code: 'insufficient_funds', message: 'It is spent.' } };
  });
  await reportPlayers(hub, bridge, playerFrame(ANA));
  const shop = await connectShop(hub, 'orders', { vip: [GIVE], nothing: [] });
  /** Lets the hub look at all lines, by an order of nothing. */
  const look = async (order: string): Promise<void> => {
    await rewrite(hub, 'update shop_lines set due_at = 1 where due_at is not null');
    await shop.send(paid(order, 'nothing'));
  };
  await shop.send(paid('o1'));
  await eventually(() => held.length).toBe(1);
  await shop.send({ id: 'o1', type: 'refunded' });
  await becomes(hub, shop, 'o1', ['refunding']);

  const [gift] = held;
  const reading = holdNext(hub, gift?.id.split('.')[0] ?? '');
  bridge.send({ type: 'result', id: gift?.id, status: 'done', data: { account: 'bank', before: 0, after: 10 } });
  await eventually(reading.isHeld).toBe(true);
  await look('o2');
  await becomes(hub, shop, 'o1', ['reversing']);
  await eventually(async () => (await hub.request('/api/v2/commands?status=rejected')).body['data']).toHaveLength(1);
  await look('o3');
  await becomes(hub, shop, 'o1', ['owed']);
  reading.letGo();

  // The ends of commands are noted one after the other.
  await shop.send(paid('o4'));
  await becomes(hub, shop, 'o4', ['delivered']);
  const actions = bridge.frames.flatMap(({ type, params }) =>
    type === 'command' ? [(params as Record<string, unknown>)['action']] : [],
  );
  expect(actions).toEqual(['add', 'remove', 'add']);
  await becomes(hub, shop, 'o1', ['owed']);
});

it('what is about to be given when its refund is answered is not given', async () => {
  const stage = await openStage();
  const hub = stage.hub();
  const shop = await connectShop(hub, 'orders', { vip: [GIVE] });
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  await hub.hub.keptEvents.keep(hub.project.id);
  const { shopOrders, events } = hub.hub.store;
  const { get } = shopOrders;
  let isAnswered = false;
  const reads = vi.spyOn(shopOrders, 'get').mockImplementation(async (key) => {
    const order = await get(key);
    if (order?.paidAt == null || order.refundedAt !== null || isAnswered) return order;
    // The gift has read its order. The reading of the refund itself goes on.
    isAnswered = true;
    expect((await shop.send({ id: 'o1', type: 'refunded' })).body).toEqual({ outcome: 'refunded' });
    return order;
  });
  onTestFinished(() => reads.mockRestore());
  await shop.send(paid('o1'));
  await becomes(hub, shop, 'o1', ['blocked']);
  expect(isAnswered).toBe(true);
  expect(stage.economy.applied).toEqual([]);
  expect(await shop.staff()).toEqual([]);
  await eventually(async () => (await events.after(hub.project.id, 0, 10)).map(({ body }) => body)).toContainEqual(
    expect.stringMatching(/"type":"command\.settled".*"status":"voided"/),
  );
});
