import { describe, expect, it } from 'vitest';
import { shareHub, type TestHub } from '../../kit/hub.ts';
import { playerFrame, type RawBridge, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { becomes, connectShop, linesIn, type Shop } from '../../kit/shop.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const GIVE = { name: 'money', params: { type: 'bank', amount: 10, action: 'add' } };
const PAID = { id: 'o1', type: 'paid', buyer: ANA, packages: [{ id: 'vip' }] };
const REFUND = { id: 'o1', type: 'refunded' };
const given = { status: 'done', data: { account: 'bank', before: 0, after: 10 } };
const taken = { status: 'done', data: { account: 'bank', before: 10, after: 0 } };
const unknown = { status: 'indeterminate', error: { code: 'internal_error', message: 'It crashed.' } };

const newTenant = shareHub();

const connect = (hub: TestHub, journal: string): Promise<RawBridge> =>
  welcomeRaw(hub.bridgeUrl, hub.token, { journal: { class: 'durable', id: journal, sequence: 1 } });

/** A shop with a paid order, whose command its bridge has got. */
const open = async () => {
  const hub = await newTenant();
  const bridge = await connect(hub, 'own');
  await reportPlayers(hub, bridge, playerFrame(ANA));
  const shop = await connectShop(hub, 'orders', { vip: [GIVE] });
  await shop.send(PAID);
  await bridge.command();
  return { hub, bridge, shop };
};

/** Answers the newest command. */
const answer = (bridge: RawBridge, outcome: object): void =>
  bridge.send({ type: 'result', id: bridge.frames.findLast(({ type }) => type === 'command')?.['id'], ...outcome });

const reasons = async (hub: TestHub, shop: Shop) =>
  (await linesIn(hub, shop, 'o1')).map(({ state, reason }) => [state, reason]);

/** Another journal comes in the place of the bridge: the hub gives the command up, until the bridge is back. */
const lose = async (hub: TestHub, bridge: RawBridge): Promise<string> => {
  const id = String(bridge.frames.findLast(({ type }) => type === 'command')?.['id']);
  bridge.kill();
  await connect(hub, 'other');
  return id;
};

const resolve = async (hub: TestHub, id: string | null | undefined, applied: boolean): Promise<void> => {
  const json = { applied, note: 'Looked into the game.' };
  expect((await hub.request(`/api/v2/commands/${id}/resolve`, { json })).status).toBe(200);
};

describe('a line in doubt', () => {
  it('is delivered when its bridge comes back later and tells so', async () => {
    const { hub, bridge, shop } = await open();
    const id = await lose(hub, bridge);
    await eventually(() => reasons(hub, shop)).toEqual([['failed', 'indeterminate']]);
    (await connect(hub, 'own')).send({ type: 'result', id, ...given });
    await becomes(hub, shop, 'o1', ['delivered']);
  });

  it('of a refund is over when the bridge comes back later and tells so', async () => {
    const { hub, bridge, shop } = await open();
    answer(bridge, given);
    await becomes(hub, shop, 'o1', ['delivered']);
    await shop.send(REFUND);
    await bridge.command(2);
    const id = await lose(hub, bridge);
    await eventually(() => reasons(hub, shop)).toEqual([['owed', 'indeterminate']]);
    (await connect(hub, 'own')).send({ type: 'result', id, ...taken });
    await becomes(hub, shop, 'o1', ['reversed']);
  });

  it('that a person resolves while it is off the list is as they said when it is back', async () => {
    const { hub, bridge, shop } = await open();
    answer(bridge, unknown);
    await becomes(hub, shop, 'o1', ['failed']);
    const [line] = await shop.staff();
    const decide = (json: object) => hub.request(`${shop.path}/unmatched/${line?.id}`, { json });
    expect((await decide({ dismiss: true, note: 'Later.' })).status).toBe(200);
    await resolve(hub, line?.['commandId'] as string, true);
    expect((await decide({ undo: true })).body).toMatchObject({ state: 'failed', reason: 'indeterminate' });
    await rewrite(hub, 'update shop_lines set due_at = 1 where id = ?', line?.id ?? '');
    await becomes(hub, shop, 'o1', ['delivered']);
  });

  it('that is off the list is taken back by a refund when its bridge tells that it was given', async () => {
    const { hub, bridge, shop } = await open();
    const id = await lose(hub, bridge);
    await eventually(() => reasons(hub, shop)).toEqual([['failed', 'indeterminate']]);
    const [line] = await shop.staff();
    await hub.request(`${shop.path}/unmatched/${line?.id}`, { json: { dismiss: true, note: 'Never mind.' } });
    await shop.send(REFUND);
    await becomes(hub, shop, 'o1', ['refunding']);
    const back = await connect(hub, 'own');
    back.send({ type: 'result', id, ...given });
    expect((await back.command()).params).toMatchObject({ target: ANA, action: 'remove', amount: 10 });
    answer(back, taken);
    await becomes(hub, shop, 'o1', ['reversed']);
  });

  it('is looked at again by a hub that missed how its command ended', async () => {
    const { hub, bridge, shop } = await open();
    answer(bridge, unknown);
    await becomes(hub, shop, 'o1', ['failed']);
    const [line] = await linesIn(hub, shop, 'o1');
    // As another process resolves it, whose event is lost.
    const row = {
      projectId: hub.project.id,
      id: line?.commandId ?? '',
      applied: true,
      note: 'Looked.',
      at: Date.now(),
    };
    await hub.store.commands.resolve({ ...row, actor: { keyId: 'key_1', name: 'operator' } });
    expect(line?.dueAt).toBeGreaterThan(Date.now());
    await rewrite(hub, 'update shop_lines set due_at = 1 where id = ?', line?.id ?? '');
    await becomes(hub, shop, 'o1', ['delivered']);
  });

  it('of a refund whose numbers do not fit is over when a person has resolved it', async () => {
    const { hub, bridge, shop } = await open();
    answer(bridge, given);
    await becomes(hub, shop, 'o1', ['delivered']);
    await shop.send(REFUND);
    await bridge.command(2);
    answer(bridge, given);
    await eventually(() => reasons(hub, shop)).toEqual([['owed', 'indeterminate']]);
    await resolve(hub, (await linesIn(hub, shop, 'o1'))[0]?.oppositeId, true);
    await becomes(hub, shop, 'o1', ['reversed']);
  });

  it('that a person resolves as not applied is not in doubt any more', async () => {
    const { hub, bridge, shop } = await open();
    answer(bridge, unknown);
    await eventually(() => reasons(hub, shop)).toEqual([['failed', 'indeterminate']]);
    await resolve(hub, (await linesIn(hub, shop, 'o1'))[0]?.commandId, false);
    await eventually(() => reasons(hub, shop)).toEqual([['failed', 'voided']]);
  });
});
