import { describe, expect, it } from 'vitest';
import { shareHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop, linesIn } from '../../kit/shop.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const GIVE = { name: 'money', params: { type: 'bank', amount: 10, action: 'add' } };
const order = (id: string, buyer: string) => ({ id, type: 'paid', buyer, packages: [{ id: 'vip' }] });

const newTenant = shareHub();

/** A hub whose bridge pays everything and has reported no player, and a shop. */
const open = async (more: object = {}) => {
  const hub = await newTenant();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 10 } }));
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [] });
  const shop = await connectShop(hub, 'orders', { vip: [GIVE] }, more);
  let revision = 1;
  /** The bridge reports one more player. */
  const report = (identifier: string, player: Record<string, unknown> = {}): void => {
    revision += 1;
    const players = [playerFrame(identifier, player)];
    bridge.send({ type: 'players.changed', revision, players, offline: [], removed: [] });
  };
  const paidTo = () =>
    bridge.frames.flatMap(({ type, params }) => (type === 'command' ? [(params as { target: string }).target] : []));
  const waits = async (id: string): Promise<void> => {
    await eventually(async () => (await linesIn(hub, shop, id))[0]?.reason).toBe('unknown_buyer');
    expect(await linesIn(hub, shop, id)).toMatchObject([{ state: 'pending', target: null }]);
  };
  return { hub, bridge, shop, report, paidTo, waits };
};

describe('an order of an unknown buyer', () => {
  it.each([
    ['own identifier', 'char1:ana', 'char1:ana', [], null],
    ['linked identifier', 'fivem:5', 'char1:ana', ['license:x', 'fivem:5'], null],
    ['bare FiveM id', '5', 'char1:ana', ['fivem:5'], null],
    ['id of the kind that the project names', '99', 'char1:ana', ['discord:99'], 'discord'],
    ['SteamID64 in digits', '76561197960287930', 'char1:ana', ['steam:1100001000056ba'], null],
    ['SteamID64 in digits, of the kind steam', '76561197960287930', 'char1:ana', ['steam:1100001000056ba'], 'steam'],
  ])('is paid when they play for the first time: %s', async (_what, buyer, identifier, identifiers, identifierKind) => {
    const { hub, shop, report, paidTo, waits } = await open({ identifierKind });
    await shop.send(order('o1', buyer));
    await waits('o1');
    expect(await shop.staff()).toMatchObject([{ state: 'pending', reason: 'unknown_buyer', buyer: { value: buyer } }]);
    expect((await hub.request(shop.path)).body['unmatched']).toBe(1);
    report('char1:bob', { identifiers: ['fivem:55', 'ip:5'] });
    report(identifier, { identifiers });
    await becomes(hub, shop, 'o1', ['delivered']);
    expect(paidTo()).toEqual(['char1:ana']);
    expect(await shop.staff()).toEqual([]);
    expect((await hub.request(shop.path)).body['unmatched']).toBe(0);
  });

  it('is paid when a snapshot has them', async () => {
    const { hub, bridge, shop, paidTo, waits } = await open();
    await shop.send(order('o1', 'fivem:5'));
    await waits('o1');
    const players = [playerFrame('char1:bob'), playerFrame('char1:ana', { identifiers: ['fivem:5'] })];
    bridge.send({ type: 'players.snapshot', revision: 2, part: 0, last: true, players });
    await becomes(hub, shop, 'o1', ['delivered']);
    expect(paidTo()).toEqual(['char1:ana']);
  });

  it('waits on while they are only known as absent', async () => {
    const { hub, shop, report, waits } = await open();
    await shop.send(order('o1', 'fivem:5'));
    await waits('o1');
    report('char1:ana', { identifiers: ['fivem:5'], online: false });
    await eventually(async () => (await hub.request('/api/v2/players/char1:ana')).status).toBe(200);
    await rewrite(hub, 'update shop_lines set due_at = 1');
    await eventually(async () => (await linesIn(hub, shop, 'o1'))[0]?.dueAt).toBeGreaterThan(1);
    await waits('o1');
    report('char1:ana', { identifiers: ['fivem:5'], online: true });
    await becomes(hub, shop, 'o1', ['delivered']);
  });

  it('can be given to another player meanwhile, once', async () => {
    const { hub, shop, report, paidTo, waits } = await open();
    report('char1:bob');
    await shop.send(order('o1', 'fivem:5'));
    await waits('o1');
    const [line] = await shop.staff();
    const decide = () => hub.request(`${shop.path}/unmatched/${line?.id}`, { json: { target: 'char1:bob' } });
    report('char1:ana', { identifiers: ['fivem:5'] });
    const decisions = await Promise.all([decide(), decide(), decide()]);
    expect(decisions.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    await becomes(hub, shop, 'o1', ['delivered']);
    expect(paidTo()).toHaveLength(1);
    const isGiven = decisions.some(({ status }) => status === 200);
    expect(paidTo()).toEqual([isGiven ? 'char1:bob' : 'char1:ana']);
  });

  it('is dismissed for good', async () => {
    const { hub, shop, report, paidTo, waits } = await open();
    await shop.send(order('o1', 'fivem:5'));
    await waits('o1');
    const [line] = await shop.staff();
    const dismissed = await hub.request(`${shop.path}/unmatched/${line?.id}`, {
      json: { dismiss: true, note: 'Settled by hand.' },
    });
    expect(dismissed.body['state']).toBe('dismissed');
    report('char1:ana', { identifiers: ['fivem:5'] });
    await shop.send(order('o2', 'fivem:5'));
    await becomes(hub, shop, 'o2', ['delivered']);
    await becomes(hub, shop, 'o1', ['dismissed']);
    expect(paidTo()).toHaveLength(1);
    expect(await shop.staff()).toEqual([]);
  });

  it('is blocked by a refund', async () => {
    const { hub, shop, report, paidTo, waits } = await open();
    await shop.send(order('o1', 'fivem:5'));
    await waits('o1');
    await shop.send({ id: 'o1', type: 'refunded' });
    await becomes(hub, shop, 'o1', ['blocked']);
    expect(await shop.staff()).toEqual([]);
    report('char1:ana', { identifiers: ['fivem:5'] });
    await shop.send(order('o2', 'fivem:5'));
    await becomes(hub, shop, 'o2', ['delivered']);
    expect(paidTo()).toHaveLength(1);
  });

  it('is not given once its refund was answered, however many orders are refunded', async () => {
    const { hub, shop, report, paidTo } = await open();
    // More than the hub takes back before it looks at the lines that are due.
    const ids = Array.from({ length: 21 }, (_, n) => `o${n}`);
    for (const id of ids) await shop.send(order(id, 'fivem:5'));
    await eventually(async () => (await shop.staff()).length).toBe(ids.length);
    // Another node has the work of the shop, and dies.
    await rewrite(hub, "update integrations set work_node = 'gone', work_until = ?", Date.now() + 3_600_000);
    for (const id of ids) expect((await shop.send({ id, type: 'refunded' })).body).toEqual({ outcome: 'refunded' });
    report('char1:ana', { identifiers: ['fivem:5'] });
    const lines = async () => (await Promise.all(ids.map((id) => linesIn(hub, shop, id)))).flat();
    await eventually(async () => (await lines()).every(({ dueAt }) => (dueAt ?? 0) <= Date.now())).toBe(true);
    await rewrite(hub, 'update integrations set work_until = 0');
    await eventually(async () => (await lines()).filter(({ dueAt }) => dueAt !== null)).toEqual([]);
    expect(paidTo()).toEqual([]);
    expect(new Set((await lines()).map(({ state }) => state))).toEqual(new Set(['blocked']));
  });

  it('goes to the staff for good after 30 days', async () => {
    const { hub, shop, waits } = await open();
    await shop.send(order('o1', 'fivem:5'));
    await waits('o1');
    const [line] = await linesIn(hub, shop, 'o1');
    expect(line?.expiresAt).toBe((line?.createdAt ?? 0) + 30 * 24 * 60 * 60 * 1000);
    await rewrite(hub, 'update shop_lines set expires_at = 1, due_at = 1');
    await becomes(hub, shop, 'o1', ['refused']);
    expect(await shop.staff()).toMatchObject([{ reason: 'expired' }]);
  });

  it('is paid when the project corrects the kind of identifier that the shop sends', async () => {
    const { hub, shop, report, waits } = await open({ identifierKind: 'steam' });
    report('char1:ana', { identifiers: ['discord:99'] });
    await shop.send(order('o1', '99'));
    await waits('o1');
    const changed = await hub.request(shop.path, { method: 'PATCH', json: { identifierKind: 'discord' } });
    expect(changed.status).toBe(200);
    await becomes(hub, shop, 'o1', ['delivered']);
  });
});
