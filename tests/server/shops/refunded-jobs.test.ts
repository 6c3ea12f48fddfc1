import { expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop } from '../../kit/shop.ts';

const ANA = 'char1:ana';
const VIP = { job: 'vip', grade: 1 };
const FORMER = { job: 'taxi', grade: 0 };
const order = (id: string, packages: object[] = [{ id: 'vip' }]) => ({ id, type: 'paid', buyer: ANA, packages });
const refund = (id: string) => ({ id, type: 'refunded' });

/** A hub whose bridge keeps the job of one player, and does not report it. */
const open = async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['money@1', 'job@1'] });
  let held: object = FORMER;
  answerAll(bridge, ({ params }) => {
    const before = held;
    held = { job: params['job'], grade: params['grade'] };
    return { status: 'done', data: { before, after: held } };
  });
  await reportPlayers(hub, bridge, playerFrame(ANA));
  const shop = await connectShop(hub, 'orders', { vip: [{ name: 'job', params: VIP }] });
  const setJob = async (json: object, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await hub.request('/api/v2/bridge/main/job', { json: { target: ANA, ...json }, headers });
    expect(answer.status, answer.text).toBe(200);
    return String(answer.body['id']);
  };
  const buyTwo = async (between: () => Promise<unknown> = async () => undefined): Promise<void> => {
    await shop.send(order('o1'));
    await becomes(hub, shop, 'o1', ['delivered']);
    await between();
    await shop.send(order('o2'));
    await becomes(hub, shop, 'o2', ['delivered']);
  };
  return { hub, bridge, shop, setJob, buyTwo, held: () => held };
};

it.each([
  ['first', 'o1', 'o2'],
  ['second', 'o2', 'o1'],
])('the refund of the %s of two equal orders leaves the job, and is owed', async (_which, refunded, other) => {
  const { hub, shop, held, buyTwo } = await open();
  await buyTwo();
  await shop.send(refund(refunded));
  await becomes(hub, shop, refunded, ['owed']);
  const [line] = await shop.staff();
  expect(line).toMatchObject({ state: 'owed', reason: 'still_claimed', transaction: refunded });
  expect(line?.['detail']).toContain(other);
  expect(held()).toEqual(VIP);
});

it('the refund of all of an order takes the job, however often it was bought', async () => {
  const { hub, shop, held } = await open();
  await shop.send(order('o1', [{ id: 'vip', quantity: 3 }]));
  await becomes(hub, shop, 'o1', ['delivered', 'delivered', 'delivered']);
  await shop.send(refund('o1'));
  await becomes(hub, shop, 'o1', ['reversed', 'reversed', 'reversed']);
  expect(held()).toEqual(FORMER);
  expect(await shop.staff()).toEqual([]);
});

it.each([
  ['first', ['o1', 'o2']],
  ['second', ['o2', 'o1']],
])('after both of two equal orders were refunded, the %s one first, the job goes once', async (_which, refunds) => {
  const { hub, bridge, shop, held, buyTwo } = await open();
  await buyTwo();
  const [one = '', other = ''] = refunds;
  await shop.send(refund(one));
  await becomes(hub, shop, one, ['owed']);
  await shop.send(refund(other));
  await becomes(hub, shop, other, ['reversed']);
  await becomes(hub, shop, one, ['reversed']);
  expect(await shop.staff()).toEqual([]);
  expect(held()).toEqual(FORMER);
  expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(3);
});

it.each([
  ['first', ['o1', 'o2']],
  ['second', ['o2', 'o1']],
])(
  'the job that two orders gave with another one in between goes once, the %s one refunded first',
  async (_, refunds) => {
    const { hub, bridge, shop, setJob, buyTwo, held } = await open();
    await buyTwo(() => setJob({ job: 'police', grade: 2 }));
    const [one = '', other = ''] = refunds;
    await shop.send(refund(one));
    await becomes(hub, shop, one, ['owed']);
    await shop.send(refund(other));
    await becomes(hub, shop, other, ['reversed']);
    await becomes(hub, shop, one, ['reversed']);
    expect(await shop.staff()).toEqual([]);
    expect(held()).not.toEqual(VIP);
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(4);
  },
);

it('a job that the staff has set again stays, unless they have undone it', async () => {
  const { hub, shop, setJob, held } = await open();
  await shop.send(order('o1'));
  await becomes(hub, shop, 'o1', ['delivered']);
  await setJob(VIP);
  await shop.send(refund('o1'));
  await becomes(hub, shop, 'o1', ['owed']);
  expect(await shop.staff()).toMatchObject([{ reason: 'still_claimed' }]);
  expect(held()).toEqual(VIP);

  await shop.send(order('o2'));
  await becomes(hub, shop, 'o2', ['delivered']);
  const other = await setJob({ job: 'police', grade: 2 });
  expect((await hub.request(`/api/v2/commands/${other}/undo`, { json: {} })).status).toBe(200);
  await shop.send(refund('o2'));
  await becomes(hub, shop, 'o2', ['reversed']);
});
