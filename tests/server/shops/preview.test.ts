import { describe, expect, it } from 'vitest';
import { shareHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop } from '../../kit/shop.ts';
import { eventually } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const COMMANDS = ['money@1', 'items@1', 'vehicles@1', 'job@1'];
const GIVE = { name: 'money', params: { type: 'bank', amount: 100, action: 'add' } };
const item = (name: string) => ({ name: 'items', params: { item: name, count: 1, action: 'add' } });
const vehicle = (model: string) => ({ name: 'vehicles', params: { model, action: 'give' } });
const job = (name: string, grade: number) => ({ name: 'job', params: { job: name, grade } });

type Previewed = { problem: string | null; detail: string | null; hints: { code: string; detail: string }[] };

const newTenant = shareHub();

/** A hub with one player, a bridge that pays, and a shop. */
const open = async (more: object = {}) => {
  const hub = await newTenant();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: COMMANDS });
  answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 100 } }));
  await reportPlayers(hub, bridge, playerFrame(ANA));
  const shop = await connectShop(hub, 'orders', { vip: [GIVE] }, more);
  const preview = async (packages: object, { buyer = ANA as string | null, quantity = 1, change = {} } = {}) => {
    const json = { buyer, packages: [{ id: 'try', quantity }], change: { packages: { try: packages }, ...change } };
    const { status, body, text } = await hub.request(`${shop.path}/test`, { json });
    expect(status, text).toBe(200);
    return body['data'] as Previewed[];
  };
  const sendList = async (kind: string, entries: object[]): Promise<void> => {
    bridge.send({ type: 'catalogue', kind, hash: 'h1', part: 0, last: true, entries });
    const list = async () => (await hub.request(`/api/v2/servers/main/${kind}`)).body['syncedAt'];
    await eventually(list).not.toBe(null);
  };
  return { hub, bridge, shop, preview, sendList };
};

describe('the preview of an order', () => {
  it('hints at items, models, jobs and grades that the stored catalogue lacks, and refuses none', async () => {
    const { bridge, hub, preview, sendList } = await open();
    const entry = (name: string) => ({ name, label: name });
    await sendList('items', [entry('bread')]);
    await sendList('vehicles', [entry('adder')]);
    await sendList('jobs', [{ ...entry('police'), grades: [{ grade: 0, label: 'Cadet' }] }]);
    const known = [item('bread'), vehicle('Adder'), job('police', 0)];
    const unknown = [item('Bread'), vehicle('t20'), job('chef', 0), job('police', 7)];
    const told = await preview([...known, ...unknown]);
    expect(told.map(({ problem }) => problem)).toEqual(told.map(() => null));
    expect(told.map(({ hints }) => hints.map(({ code }) => code))).toEqual([
      ...[[], [], []],
      ...[['unknown_item'], ['unknown_model'], ['unknown_job'], ['unknown_grade']],
    ]);
    expect(told[3]?.hints[0]?.detail).toBe('The list of items that the game server sent has no "Bread".');
    // The lists stay while the bridge is away.
    bridge.socket.close();
    await eventually(async () => (await hub.request('/api/v2/servers/main')).body['connected']).toBe(false);
    expect((await preview([item('Bread')]))[0]).toMatchObject({
      problem: 'bridge_offline',
      hints: [{ code: 'unknown_item' }],
    });
  });

  it('has no hints about a list that the game server does not send', async () => {
    const { preview } = await open();
    expect((await preview([item('bread')]))[0]).toMatchObject({ problem: null, hints: [] });
  });

  it('names a command that the bridge does not announce any more, also while it is away or the buyer is unknown', async () => {
    const { bridge, hub, preview } = await open();
    expect((await preview([item('bread')]))[0]?.problem).toBe(null);
    bridge.socket.close();
    const later = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['money@1'] });
    expect((await preview([item('bread')]))[0]).toMatchObject({ problem: 'unsupported', hints: [] });
    expect((await preview([item('bread')], { buyer: null }))[0]).toMatchObject({
      problem: 'no_buyer',
      hints: [{ code: 'unsupported' }],
    });
    later.socket.close();
    await eventually(async () => (await hub.request('/api/v2/servers/main')).body['connected']).toBe(false);
    const away = await preview([item('bread'), GIVE]);
    expect(away.map(({ problem }) => problem)).toEqual(['unsupported', 'bridge_offline']);
  });

  it('counts the money of the day with what the order gives before', async () => {
    const { hub, shop, preview } = await open({ maxDaily: 350 });
    await shop.send({ id: 'o1', type: 'paid', buyer: ANA, packages: [{ id: 'vip' }] });
    await becomes(hub, shop, 'o1', ['delivered']);
    const told = await preview([GIVE], { quantity: 4 });
    expect(told.map(({ problem }) => problem)).toEqual([null, null, 'invalid_request', 'invalid_request']);
    expect(told[2]?.detail).toBe('The integration allows 350 in one day (UTC). With this command it would be 400.');
    const more = await preview([GIVE], { quantity: 4, change: { maxDaily: 500 } });
    expect(more.map(({ problem }) => problem)).toEqual([null, null, null, null]);
    // The order itself ends as the preview said.
    await shop.send({ id: 'o2', type: 'paid', buyer: ANA, packages: [{ id: 'vip', quantity: 3 }] });
    await becomes(hub, shop, 'o2', ['delivered', 'delivered', 'refused']);
    expect((await shop.staff())[0]).toMatchObject({ reason: 'invalid_request', detail: told[2]?.detail });
  });
});
