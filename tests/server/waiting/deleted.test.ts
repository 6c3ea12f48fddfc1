import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop, linesIn } from '../../kit/shop.ts';
import { eventually, rewrite } from '../../kit/stage.ts';
import { batch, look } from './batch-stage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ANA = 'char1:ana';
const DONE = { status: 'done', data: { account: 'bank', before: 0, after: 5 } };
const NOT_THERE = { status: 'rejected', executed: 'no', error: { code: 'player_not_found' } };
const away = (identifier: string, more: object = {}) =>
  playerFrame(identifier, { online: false, identifiers: ['license:a'], ...more });

/** A hub and a game server whose players are all away. */
const open = async (players = [away(ANA), away('char1:bob', { identifiers: ['license:b'] })]) => {
  const hub = await startHub({ rateLimit: 100_000 });
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  let revision = 0;
  const snapshot = (list: object[], complete?: boolean): void => {
    revision += 1;
    bridge.send({ type: 'players.snapshot', revision, part: 0, last: true, players: list, complete });
  };
  const change = (content: object): void => {
    revision += 1;
    bridge.send({ type: 'players.changed', revision, ...content });
  };
  const total = async () => (await hub.request('/api/v2/players')).body['pagination'];
  snapshot(players);
  await eventually(total).toMatchObject({ total: players.length });
  const post = async (path: string, json: object) => {
    const answer = await hub.request(`/api/v2/bridge/main/${path}`, { json });
    expect(answer.status, answer.text).toBe(202);
    return String(answer.body.id);
  };
  const wait = (target: string, deliver = 'when_online') =>
    post('money', { target, type: 'bank', amount: 5, action: 'add', deliver });
  const commandOf = async (id: string) => (await hub.request(`/api/v2/commands/${id}`)).body;
  return { hub, bridge, snapshot, change, total, wait, post, commandOf };
};

describe('what waits for a character that the game deletes', () => {
  it('ends at once, a batch too, and what waits for others goes on', async () => {
    const { hub, change, wait, commandOf } = await open();
    const [mine, his] = [await wait(ANA), await wait('char1:bob')];
    const made = await batch(hub, { targets: [ANA, 'char1:bob'], deliver: 'when_online' });
    expect(made.status, made.text).toBe(202);
    const counts = async () => (await look(hub, made)).counts;
    await eventually(counts).toMatchObject({ waiting: 2 });
    change({ removed: [ANA] });
    await eventually(() => commandOf(mine)).toMatchObject(NOT_THERE);
    await eventually(counts).toMatchObject({ waiting: 1, rejected: 1 });
    expect((await hub.request(`/api/v2/players/${ANA}`)).status).toBe(404);
    expect(await commandOf(his)).toMatchObject({ status: 'waiting' });
  });

  it('ends at once when an operator deletes the record, also while the game server is away', async () => {
    const { hub, bridge, wait, commandOf } = await open();
    bridge.kill();
    await eventually(async () => (await hub.request('/api/v2/servers/main')).body['connected']).toBe(false);
    const ids = [await wait(ANA), await wait(ANA, 'when_connected')];
    expect((await hub.request(`/api/v2/players/${ANA}?serverId=main`, { method: 'DELETE' })).status).toBe(204);
    for (const id of ids) expect(await commandOf(id)).toMatchObject(NOT_THERE);
  });

  it.each([
    ['done', DONE, { status: 'succeeded', executed: 'yes' }],
    [
      'in doubt',
      { status: 'indeterminate', error: { code: 'indeterminate', message: 'The game server crashed.' } },
      { status: 'indeterminate', executed: 'unknown' },
    ],
    [
      'not possible now',
      { status: 'rejected', error: { code: 'player_offline', message: 'Ana is not online.' } },
      { status: 'rejected', executed: 'no' },
    ],
  ])('first ends its open round: %s', async (_name, answer, outcome) => {
    const { bridge, change, wait, commandOf } = await open();
    const [flying, behind] = [await wait(ANA), await wait(ANA)];
    change({ players: [away(ANA, { online: true })] });
    const { id } = await bridge.command();
    change({ removed: [ANA] });
    await eventually(() => commandOf(behind)).toMatchObject(NOT_THERE);
    expect(await commandOf(flying)).toMatchObject({ executed: 'unknown' });
    bridge.send({ type: 'result', id, ...answer });
    await eventually(() => commandOf(flying)).toMatchObject(outcome);
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(1);
  });

  it('ends a day after a complete snapshot lacked them, and never if they came back', async () => {
    const { hub, snapshot, change, total, wait, commandOf } = await open();
    const [mine, his] = [await wait(ANA), await wait('char1:bob')];
    snapshot([], true);
    await eventually(total).toMatchObject({ total: 0 });
    change({ players: [away('char1:bob')] });
    await eventually(total).toMatchObject({ total: 1 });
    expect(await commandOf(mine)).toMatchObject({ status: 'waiting' });
    await rewrite(hub, `UPDATE players SET gone_at = gone_at - ${DAY_MS}`);
    snapshot([away('char1:bob')], true);
    await eventually(() => commandOf(mine)).toMatchObject(NOT_THERE);
    expect(await commandOf(his)).toMatchObject({ status: 'waiting' });
  });

  it('ends a day later if the record was deleted while the command was stored', async () => {
    const { hub, snapshot, wait, commandOf } = await open();
    const [old, young] = [await wait(ANA), await wait('char1:bob')];
    await rewrite(hub, 'DELETE FROM players');
    await rewrite(hub, `UPDATE commands SET created_at = created_at - ${DAY_MS} WHERE id = '${old}'`);
    snapshot([], true);
    await eventually(() => commandOf(old)).toMatchObject(NOT_THERE);
    expect(await commandOf(young)).toMatchObject({ status: 'waiting' });
  });
});

describe('a shop line of a character that the game deletes', () => {
  const params = { type: 'bank', amount: 5, action: 'add' };
  const sold = async (buyer: string) => {
    const stage = await open([away(ANA), away('char1:bob', { identifiers: ['license:b'] })]);
    const shop = await connectShop(stage.hub, 'orders', { vip: [{ name: 'money', params }] });
    await shop.send({ id: 'o1', type: 'paid', buyer, packages: [{ id: 'vip' }] });
    return { ...stage, shop, line: async () => (await linesIn(stage.hub, shop, 'o1'))[0] };
  };
  const bought = async (buyer: string) => {
    const stage = await sold(buyer);
    await becomes(stage.hub, stage.shop, 'o1', ['placed']);
    return stage;
  };

  it('is given to the buyer’s other character, once', async () => {
    const { hub, bridge, shop, change, line } = await bought('license:a');
    expect((await line())?.target).toBe(ANA);
    answerAll(bridge, () => DONE);
    change({ players: [away('char2:ana', { online: true })], removed: [ANA] });
    await becomes(hub, shop, 'o1', ['delivered']);
    expect((await line())?.target).toBe('char2:ana');
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(1);
  });

  it('is for the staff if the buyer has no other', async () => {
    const { hub, shop, change } = await bought('license:a');
    change({ removed: [ANA] });
    await becomes(hub, shop, 'o1', ['failed']);
    expect(await shop.staff()).toMatchObject([{ reason: 'player_not_found', target: ANA }]);
  });

  it('is for the staff if they have chosen the player, and the buyer comes later', async () => {
    const { hub, shop, change, line } = await sold('license:c');
    await becomes(hub, shop, 'o1', ['pending']);
    const path = `${shop.path}/unmatched/${(await line())?.id}`;
    await eventually(async () => (await hub.request(path, { json: { target: ANA } })).status).toBe(200);
    await becomes(hub, shop, 'o1', ['placed']);
    const cem = away('char1:cem', { identifiers: ['license:c'], online: true });
    change({ players: [cem], removed: [ANA] });
    await becomes(hub, shop, 'o1', ['failed']);
    const [mine] = await shop.staff();
    expect(mine).toMatchObject({ reason: 'player_not_found', target: ANA });
    expect(mine?.['buyer']).toEqual({ value: 'license:c', name: 'license:c' });
  });
});
