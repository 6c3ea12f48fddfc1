import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { shareHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop, linesIn, payment, type Shop } from '../../kit/shop.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const BOB = 'char1:bob';
const money = (amount: number) => ({ name: 'money', params: { type: 'bank', amount, action: 'add' } });
const BOX = { name: 'custom:give_box', params: { size: 2 } };
const CUSTOM = { name: 'give_box', description: '', params: { type: 'object', properties: {} } };
const order = (id: string, packages: object[] = [{ id: 'vip' }]) => ({ id, type: 'paid', buyer: null, packages });
const refund = (id: string) => ({ id, type: 'refunded' });

const newTenant = shareHub();

type Asked = { method?: string; json: object };

/** A hub with the banks of two players, and a shop whose orders name no buyer. */
const open = async ({ isBobHere = true } = {}) => {
  const hub = await newTenant();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const banks = new Map([
    [ANA, 0],
    [BOB, 0],
  ]);
  answerAll(bridge, ({ name, params }) => {
    if (name !== 'money') return { status: 'done', data: {} };
    const target = String(params['target']);
    const before = banks.get(target) ?? 0;
    const after = before + (params['action'] === 'add' ? 1 : -1) * Number(params['amount']);
    if (after < 0)
      return { status: 'rejected', error: { code: 'insufficient_funds', message: 'There is too little.' } };
    banks.set(target, after);
    return { status: 'done', data: { account: 'bank', before, after } };
  });
  bridge.send({ type: 'commands.custom', commands: [CUSTOM] });
  const players = [playerFrame(ANA), playerFrame(BOB, { online: isBobHere })];
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
  await eventually(async () => (await hub.request('/api/v2/players')).body['data']).toHaveLength(2);
  const shop = await connectShop(hub, 'orders', { vip: [money(10)], two: [money(3), money(4)], box: [BOX] });
  const send = (path: string, { json }: Asked, key = hub.key) => hub.request(`${shop.path}${path}`, { json, key });
  const decide = (id: string | undefined, json: object, key?: string) => send(`/unmatched/${id}`, { json }, key);
  const decideAll = (json: object, key?: string) => send('/unmatched', { json }, key);
  const decided = async () => (await hub.request(`${shop.path}/decided`)).body['data'] as Record<string, unknown>[];
  const effects = () =>
    bridge.frames.flatMap(({ type, params }) => (type === 'command' ? [params as Record<string, unknown>] : []));
  /** The id of the line of an order that the staff has to decide. */
  const toDecide = async (id: string): Promise<string> => {
    await shop.send(order(id));
    await becomes(hub, shop, id, ['unmatched']);
    return (await linesIn(hub, shop, id))[0]?.id ?? '';
  };
  return { hub, bridge, shop, banks, decide, decideAll, decided, effects, toDecide };
};

const SCOPES = ['integrations:write', 'commands:money'] as const;

/** Another node has the work of the shop from now on, as soon as the hub has done what it began. */
const holdWork = async (hub: TestHub, shop: Shop): Promise<void> => {
  await eventually(async () => (await hub.store.integrations.byId(shop.id))?.workNode).toBeNull();
  await rewrite(hub, "update integrations set work_node = 'gone', work_until = ?", Date.now() + 3_600_000);
};

/** Lets something happen after a row was read for a decision, and before it is decided. */
const between = (hub: TestHub, what: () => Promise<unknown>): void => {
  let isFirst = true;
  for (const { shopLines } of hub.hubs.map(({ store }) => store)) {
    const { get } = shopLines;
    const looks = vi.spyOn(shopLines, 'get').mockImplementation(async (...asked) => {
      const known = await get(...asked);
      if (isFirst) {
        isFirst = false;
        await what();
      }
      return known;
    });
    onTestFinished(() => looks.mockRestore());
  }
};

describe('a gift of the staff', () => {
  it('that two undo, and that goes to another player then, is all that the refund takes back', async () => {
    const { hub, shop, banks, decide, effects, toDecide } = await open();
    const id = await toDecide('o1');
    const second = await hub.newKey([...SCOPES]);
    expect((await decide(id, { target: BOB })).body).toMatchObject({ state: 'pending', decision: { is: 'given' } });
    await becomes(hub, shop, 'o1', ['delivered']);
    expect(banks.get(BOB)).toBe(10);

    const undone = await Promise.all([decide(id, { undo: true }), decide(id, { undo: true }, second)]);
    expect(undone.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(undone.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'already_decided',
      executed: 'no',
    });
    await becomes(hub, shop, 'o1', ['unmatched']);
    expect(banks.get(BOB)).toBe(0);
    expect(await shop.staff()).toMatchObject([{ id, reason: 'undone', target: null, commandId: null }]);

    expect((await decide(id, { target: ANA }, second)).status).toBe(200);
    await becomes(hub, shop, 'o1', ['delivered']);
    expect([banks.get(ANA), banks.get(BOB)]).toEqual([10, 0]);

    expect((await shop.send(refund('o1'))).body).toEqual({ outcome: 'refunded' });
    await becomes(hub, shop, 'o1', ['reversed']);
    expect([banks.get(ANA), banks.get(BOB)]).toEqual([0, 0]);
    expect(effects().map(({ action, target }) => `${action} ${target}`)).toEqual([
      `add ${BOB}`,
      `remove ${BOB}`,
      `add ${ANA}`,
      `remove ${ANA}`,
    ]);
    expect(await shop.staff()).toEqual([]);
  });

  it('has who decided it in the journal, beside the shop; its refund is of the shop alone', async () => {
    const { hub, shop, decide, toDecide } = await open();
    const id = await toDecide('o1');
    await decide(id, { target: BOB }, await hub.newKey([...SCOPES]));
    await becomes(hub, shop, 'o1', ['delivered']);
    await shop.send(refund('o1'));
    await becomes(hub, shop, 'o1', ['reversed']);
    const journal = (await hub.request('/api/v2/commands')).body['data'] as Record<string, { name?: string }>[];
    expect(journal.map(({ actor, decidedBy }) => [actor?.name, decidedBy?.name])).toEqual([
      ['The shop', undefined],
      ['The shop', 'other key'],
    ]);
  });

  it('that waits for its player is cancelled by Undo, and never reaches them', async () => {
    const { hub, bridge, shop, banks, decide, toDecide } = await open({ isBobHere: false });
    const id = await toDecide('o1');
    await decide(id, { target: BOB });
    await becomes(hub, shop, 'o1', ['placed']);
    expect((await decide(id, { undo: true })).body['state']).toBe('undoing');
    await becomes(hub, shop, 'o1', ['unmatched']);
    await decide(id, { target: ANA });
    bridge.send({ type: 'players.changed', revision: 2, players: [playerFrame(BOB)], offline: [], removed: [] });
    await becomes(hub, shop, 'o1', ['delivered']);
    expect([banks.get(ANA), banks.get(BOB)]).toEqual([10, 0]);
  });

  it('that has no command yet never gets one after Undo', async () => {
    const { hub, shop, banks, decide, toDecide } = await open();
    const id = await toDecide('o1');
    await holdWork(hub, shop);
    await decide(id, { target: BOB });
    expect((await decide(id, { undo: true })).body['state']).toBe('undoing');
    await rewrite(hub, 'update integrations set work_until = 0');
    await becomes(hub, shop, 'o1', ['unmatched']);
    const [stopped] = (await hub.request('/api/v2/commands')).body['data'] as object[];
    expect(stopped).toMatchObject({ status: 'voided', executed: 'no', target: BOB, attempts: 0 });
    await decide(id, { target: ANA });
    await becomes(hub, shop, 'o1', ['delivered']);
    expect([banks.get(ANA), banks.get(BOB)]).toEqual([10, 0]);
  });

  it('whose player has spent it stays theirs after Undo, which says why; a later Undo tries again', async () => {
    const { hub, shop, banks, decide, decided, toDecide } = await open();
    const id = await toDecide('o1');
    await decide(id, { target: BOB });
    await becomes(hub, shop, 'o1', ['delivered']);
    banks.set(BOB, 0);
    await decide(id, { undo: true });
    const reason = async () => (await decided())[0]?.['reason'];
    await eventually(reason).toBe('insufficient_funds');
    expect(await decided()).toMatchObject([{ id, state: 'delivered', target: BOB }]);
    expect(await shop.staff()).toEqual([]);
    banks.set(BOB, 25);
    await decide(id, { undo: true });
    await becomes(hub, shop, 'o1', ['unmatched']);
    expect(banks.get(BOB)).toBe(15);
  });

  it('whose Undo failed is taken by the refund, which tries again', async () => {
    const { hub, shop, banks, decide, decided, toDecide } = await open();
    const id = await toDecide('o1');
    await decide(id, { target: BOB });
    await becomes(hub, shop, 'o1', ['delivered']);
    banks.set(BOB, 0);
    await decide(id, { undo: true });
    await eventually(async () => (await decided())[0]?.['reason']).toBe('insufficient_funds');
    banks.set(BOB, 10);
    await shop.send(refund('o1'));
    await becomes(hub, shop, 'o1', ['reversed']);
    expect(banks.get(BOB)).toBe(0);
  });

  it('in doubt stays off the list after Undo, until a person has resolved its command', async () => {
    const { hub, bridge, shop, banks, decide, toDecide } = await open();
    bridge.socket.removeAllListeners('message');
    answerAll(bridge, () => ({ status: 'indeterminate', error: { code: 'internal_error', message: 'It crashed.' } }));
    const id = await toDecide('o1');
    await decide(id, { target: BOB });
    await becomes(hub, shop, 'o1', ['failed']);
    const [line] = await shop.staff();
    expect(line).toMatchObject({ reason: 'indeterminate' });
    expect((await decide(id, { target: ANA })).body['detail']).toContain('is indeterminate; resolve it first');
    expect((await decide(id, { undo: true })).body['detail']).toContain('It is on the list');
    const path = `/api/v2/commands/${line?.['commandId']}/resolve`;
    await hub.request(path, { json: { applied: false, note: 'Not there.' } });
    await decide(id, { target: ANA });
    await eventually(async () => (await linesIn(hub, shop, 'o1'))[0]?.attempt).toBe(2);
    expect(banks.get(BOB)).toBe(0);
  });

  it('by a command without an opposite cannot be undone, and the answer says so', async () => {
    const { hub, shop, decide } = await open();
    await shop.send(order('o1', [{ id: 'box' }]));
    await becomes(hub, shop, 'o1', ['unmatched']);
    const [{ id = '' } = {}] = await shop.staff();
    await decide(id, { target: BOB });
    await becomes(hub, shop, 'o1', ['delivered']);
    const answer = await decide(id, { undo: true });
    expect(answer.body).toMatchObject({ code: 'already_decided', detail: expect.stringContaining('no opposite') });
    await becomes(hub, shop, 'o1', ['delivered']);
  });

  it('that is refunded while it is undone is taken back once, and not given again', async () => {
    const { hub, shop, banks, decide, effects, toDecide } = await open();
    const id = await toDecide('o1');
    await decide(id, { target: BOB });
    await becomes(hub, shop, 'o1', ['delivered']);
    await holdWork(hub, shop);
    await decide(id, { undo: true });
    await shop.send(refund('o1'));
    await rewrite(hub, 'update integrations set work_until = 0');
    await becomes(hub, shop, 'o1', ['reversed']);
    expect(banks.get(BOB)).toBe(0);
    expect(effects()).toHaveLength(2);
    expect((await decide(id, { target: ANA })).body['detail']).toContain('refunded meanwhile');
  });
});

describe('two decisions at the same moment', () => {
  it.each([
    ['a gift', { target: BOB }, 'gave it to char1:bob'],
    ['a dismissal', { dismiss: true, note: 'Known.' }, 'took it off the list'],
  ])('are one, and the slower one hears what the other was: %s', async (_what, first, told) => {
    const { hub, shop, decide, effects, toDecide } = await open();
    const id = await toDecide('o1');
    between(hub, () => decide(id, first));
    const late = await decide(id, { target: ANA }, await hub.newKey([...SCOPES]));
    expect(late.status).toBe(409);
    expect(late.body).toMatchObject({ code: 'already_decided', detail: expect.stringContaining(told) });
    expect(late.body['detail']).toMatch(/^tenant-\d+ key /);
    await becomes(hub, shop, 'o1', ['target' in first ? 'delivered' : 'dismissed']);
    expect(effects().map(({ target }) => target)).toEqual('target' in first ? [BOB] : []);
  });

  it('a gift and a refund: the later one hears of the refund, and nothing is given', async () => {
    const { hub, shop, decide, effects, toDecide } = await open();
    const id = await toDecide('o1');
    between(hub, async () => {
      await shop.send(refund('o1'));
      await becomes(hub, shop, 'o1', ['blocked']);
    });
    expect((await decide(id, { target: ANA })).body['detail']).toMatch(/refunded/);
    expect(effects()).toEqual([]);
  });

  it('a decision from before a gift that was undone is refused', async () => {
    const { hub, shop, banks, decide, toDecide } = await open();
    const id = await toDecide('o1');
    between(hub, async () => {
      await decide(id, { target: BOB });
      await becomes(hub, shop, 'o1', ['delivered']);
      await decide(id, { undo: true });
      await becomes(hub, shop, 'o1', ['unmatched']);
    });
    expect((await decide(id, { target: ANA })).status).toBe(409);
    expect([banks.get(ANA), banks.get(BOB)]).toEqual([0, 0]);
  });
});

describe('a line that is taken off the list', () => {
  it.each([
    ['no note', { dismiss: true }],
    ['a blank note', { dismiss: true, note: ' \n' }],
    ['a note of 1001 characters', { dismiss: true, note: 'x'.repeat(1_001) }],
    ['a note for a gift', { target: ANA, note: 'For Ana.' }],
  ])('needs a note of at most 1000 characters, and has %s', async (_what, json) => {
    const { shop, decide, toDecide } = await open();
    const answer = await decide(await toDecide('o1'), json);
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toMatchObject([{ pointer: '/note' }]);
    expect(await shop.staff()).toHaveLength(1);
  });

  it('is on the list of decisions with its note, and back as it was when that is undone', async () => {
    const { hub, shop, decide, decided, toDecide } = await open();
    const id = await toDecide('o1');
    const [before] = await shop.staff();
    const note = '=1+1 <b>\u202eevil</b>';
    expect((await decide(id, { dismiss: true, note })).body['state']).toBe('dismissed');
    expect(await shop.staff()).toEqual([]);
    const by = { keyId: hub.keyId };
    expect(await decided()).toMatchObject([
      { id, state: 'dismissed', decision: { is: 'dismissed', by, note, undo: null } },
    ]);
    const { decision, updatedAt, ...back } = (await decide(id, { undo: true })).body;
    expect(decision).toMatchObject({ note, undo: { by } });
    expect(before).toMatchObject(back);
    expect(await shop.staff()).toMatchObject([back]);
    expect(await decided()).toEqual([]);
    expect((await decide(id, { undo: true })).body['detail']).toContain('It is on the list');
    expect((await decide(id, { target: ANA })).status).toBe(200);
    await becomes(hub, shop, 'o1', ['delivered']);
  });

  it('waits for its buyer again when that is undone', async () => {
    const { hub, bridge, shop, banks, decide } = await open();
    await shop.send({ ...order('o1'), buyer: 'fivem:5' });
    await eventually(async () => (await shop.staff()).map(({ reason }) => reason)).toEqual(['unknown_buyer']);
    const [{ id = '' } = {}] = await shop.staff();
    await decide(id, { dismiss: true, note: 'Who is that?' });
    await decide(id, { undo: true });
    await eventually(async () => (await shop.staff()).map(({ state, reason }) => [state, reason])).toEqual([
      ['pending', 'unknown_buyer'],
    ]);
    const players = [playerFrame(BOB, { identifiers: ['fivem:5'] })];
    bridge.send({ type: 'players.changed', revision: 2, players, offline: [], removed: [] });
    await eventually(async () => (await hub.request(`/api/v2/players/${BOB}`)).text).toContain('fivem:5');
    // Its second look comes after ten seconds.
    await rewrite(hub, 'update shop_lines set due_at = 1 where due_at is not null');
    await becomes(hub, shop, 'o1', ['delivered']);
    expect(banks.get(BOB)).toBe(10);
  });

  it('is blocked when that is undone after a refund', async () => {
    const { hub, shop, decide, toDecide } = await open();
    const id = await toDecide('o1');
    await decide(id, { dismiss: true, note: 'A test.' });
    await shop.send(refund('o1'));
    await eventually(
      async () => (await hub.store.shopOrders.get({ integrationId: shop.id, transaction: 'o1' }))?.isOpen,
    ).toBe(false);
    expect((await decide(id, { undo: true })).body['state']).toBe('blocked');
    expect(await shop.staff()).toEqual([]);
  });

  it('cannot be taken back after 30 days, and is not on the list of decisions then', async () => {
    const { hub, decide, decided, toDecide } = await open();
    const id = await toDecide('o1');
    await decide(id, { dismiss: true, note: 'Old.' });
    const DAYS_30 = 30 * 86_400_000;
    await rewrite(hub, `update shop_lines set decided_at = decided_at - ${DAYS_30 - 60_000} where id = ?`, id);
    expect(await decided()).toHaveLength(1);
    await rewrite(hub, 'update shop_lines set decided_at = decided_at - 60001 where id = ?', id);
    expect(await decided()).toEqual([]);
    expect((await decide(id, { undo: true })).body['detail']).toContain('more than 30 days ago');
  });
});

describe('the lines of one order and one buyer', () => {
  const many = order('o1', [{ id: 'two' }, { id: 'vip' }, { id: 'ghost' }]);

  it('are decided by one request, each by its own command; one that cannot be is told', async () => {
    const { hub, shop, banks, decideAll, decided } = await open();
    await shop.send(many);
    await becomes(hub, shop, 'o1', ['unmatched', 'unmatched', 'unmatched', 'unmatched']);
    const ids = (await shop.staff()).map(({ id }) => id);
    const answer = await decideAll({ lines: [...ids, 'lin_none'], target: ANA });
    expect(answer.status).toBe(200);
    const told = answer.body['data'] as { id: string; line?: { state: string }; problem: string | null }[];
    expect(told.map(({ id }) => id)).toEqual([...ids, 'lin_none']);
    expect(told.map(({ line, problem }) => line?.state ?? problem)).toEqual([
      'pending',
      'pending',
      'pending',
      'already_decided',
      'line_not_found',
    ]);
    await becomes(hub, shop, 'o1', ['delivered', 'delivered', 'delivered', 'unmatched']);
    expect(banks.get(ANA)).toBe(17);
    const given = (await decided()).map(({ id, commandId }) => ({ id, commandId }));
    expect(new Set(given.map(({ commandId }) => commandId)).size).toBe(3);
    await decideAll({ lines: given.map(({ id }) => id), undo: true });
    await becomes(hub, shop, 'o1', ['unmatched', 'unmatched', 'unmatched', 'unmatched']);
    expect(banks.get(ANA)).toBe(0);
  });

  it('are decided once by two at the same moment', async () => {
    const { hub, shop, banks, decideAll } = await open();
    await shop.send(order('o1', [{ id: 'vip', quantity: 5 }]));
    await becomes(hub, shop, 'o1', Array(5).fill('unmatched'));
    const lines = (await shop.staff()).map(({ id }) => id);
    const answers = await Promise.all([ANA, BOB].map((target) => decideAll({ lines, target })));
    const done = answers.flatMap(({ body }) =>
      (body['data'] as { line?: object }[]).filter(({ line }) => line !== undefined),
    );
    expect(done).toHaveLength(5);
    await becomes(hub, shop, 'o1', Array(5).fill('delivered'));
    expect((banks.get(ANA) ?? 0) + (banks.get(BOB) ?? 0)).toBe(50);
  });

  it('are no lines of another order or buyer, not the same line twice, and at most 200', async () => {
    const { shop, decideAll, toDecide } = await open();
    const lines = [await toDecide('o1'), await toDecide('o2')];
    for (const wrong of [lines, [lines[0], lines[0]], [], Array(201).fill('lin_x')]) {
      const answer = await decideAll({ lines: wrong, target: ANA });
      expect(answer.status).toBe(422);
      expect(answer.body['errors']).toMatchObject([{ pointer: '/lines' }]);
    }
    expect(await shop.staff()).toHaveLength(2);
  });

  it('are given only by a key that may give them, and it hears so for each line', async () => {
    const { hub, shop, decideAll, toDecide } = await open();
    const lines = [await toDecide('o1')];
    const key = await hub.newKey(['integrations:write']);
    const answer = await decideAll({ lines, target: ANA }, key);
    expect(answer.body['data']).toMatchObject([{ problem: 'insufficient_scope' }]);
    expect(await shop.staff()).toHaveLength(1);
  });
});

describe('the name of a bought package', () => {
  it('is kept with its lines as text for people, cut, whatever the shop sends', async () => {
    const { hub } = await open();
    const shop = await connectShop(hub, 'tebex', { 7: [money(1)], 8: [money(2)] });
    const hostile = `\0<img src=x> \u202e${'é'.repeat(200)}`;
    const products = [
      { id: 7, name: hostile },
      { id: 8, name: { not: 'a text' } },
      { id: 9, name: '  VIP gold  ' },
      { id: 7, name: null },
    ];
    const subject = { customer: { username: null } };
    expect((await shop.send(payment('t1', products, { subject }))).body).toEqual({ outcome: 'stored' });
    await becomes(hub, shop, 't1', Array(4).fill('unmatched'));
    const names = (await shop.staff()).map(({ product }) => product);
    expect(names).toEqual([[...hostile.replace('\0', '')].slice(0, 128).join(''), null, 'VIP gold', null]);
  });

  it('may come from any other shop, too', async () => {
    const { hub, shop } = await open();
    await shop.send(
      order('o1', [
        { id: 'vip', name: 'VIP' },
        { id: 'vip', name: 5 },
      ]),
    );
    await becomes(hub, shop, 'o1', ['unmatched', 'unmatched']);
    expect((await shop.staff()).map(({ product }) => product)).toEqual(['VIP', null]);
  });
});
