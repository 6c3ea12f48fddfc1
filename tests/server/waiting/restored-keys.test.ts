import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { playerFrame, type RawBridge, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const BEN = 'char1:ben';
/** A linked identifier that both have had. */
const FAMILY = 'discord:family';
const GIFT = { type: 'bank', amount: 5, action: 'add' };
const DAY_MS = 24 * 60 * 60 * 1000;
/** The payload of an acknowledged outcome is gone. */
const DONE = { status: 'done' };
const VOIDED = { status: 'voided' };

type Row = { id: string; target: string; status: string; executed: string; error?: { code: string } };

/** A bridge whose journal has these rounds as done, from before the restore. */
const connect = async (hub: TestHub, done: readonly string[], players: object[] = []): Promise<RawBridge> => {
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  let sequence = 0;
  bridge.socket.on('message', (data) => {
    const { type, id } = JSON.parse(data.toString());
    if (type !== 'command' && type !== 'void') return;
    sequence += 1;
    bridge.send({ type: 'result', id, sequence, ...(done.includes(id) ? DONE : VOIDED) });
  });
  if (players.length > 0) bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
  return bridge;
};

/** A hub that was restored a moment ago, and knows Ana and Ben. Its game server is away. */
const restored = async (): Promise<TestHub> => {
  const hub = await startHub({ rateLimit: 100_000 });
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  await reportPlayers(
    hub,
    bridge,
    ...[ANA, BEN].map((id) => playerFrame(id, { online: false, identifiers: [`license:${id}`, FAMILY] })),
  );
  bridge.kill();
  await eventually(() => hub.sizes().sessions).toBe(0);
  await hub.store.commands.markRestored(Date.now());
  await hub.crash();
  return { ...(await startHub({ folder: hub.folder, rateLimit: 100_000 })), token: hub.token };
};

/** A batch whose key the restored hub has forgotten, when its commands are stored. */
const batch = async (hub: TestHub, targets: string[]) => {
  const json = { serverId: 'main', name: 'money', params: GIFT, targets, deliver: 'when_connected' };
  const made = await hub.request('/api/v2/batches', { json, headers: { 'Idempotency-Key': 'salaries' } });
  expect(made.status, made.text).toBe(202);
  const path = `/api/v2/batches/${String(made.body['id'])}`;
  await eventually(async () => (await hub.request(path)).body['status']).not.toBe('writing');
  const commands = async () => (await hub.request(`${path}/commands`)).body['data'] as unknown as Row[];
  const of = async (target: string) => (await commands()).find((each) => each.target === target);
  return { path, of };
};

it('a payment that comes again while its game server is away is in doubt, not without effect', async () => {
  const hub = await restored();
  const json = { ...GIFT, target: ANA };
  const pay = (headers: Record<string, string>) => hub.request('/api/v2/bridge/main/money', { json, headers });
  const key = { 'Idempotency-Key': 'reward' };
  const doubt = { code: 'bridge_offline', executed: 'unknown', retryable: true };
  expect(await pay(key)).toMatchObject({ status: 503, body: doubt });
  // A new payment certainly had no effect.
  expect(await pay({})).toMatchObject({ status: 503, body: { code: 'bridge_offline', executed: 'no' } });
  const { of } = await batch(hub, [ANA]);
  expect(await of(ANA)).toMatchObject({ status: 'waiting', executed: 'unknown' });
});

it('a payment that comes again for an identifier that means two players now is in doubt', async () => {
  const hub = await restored();
  const json = { ...GIFT, target: FAMILY };
  const pay = (headers: Record<string, string>) => hub.request('/api/v2/bridge/main/money', { json, headers });
  const doubt = { code: 'player_ambiguous', executed: 'unknown' };
  expect(await pay({ 'Idempotency-Key': 'reward' })).toMatchObject({ status: 409, body: doubt });
  expect(await pay({})).toMatchObject({ status: 409, body: { code: 'player_ambiguous', executed: 'no' } });
});

it('a payment that comes again for a player who came after the backup is asked about before it is refused', async () => {
  const hub = await restored();
  const pay = (key: string, target: string) => {
    const json = { ...GIFT, target, deliver: 'when_connected' };
    return hub.request('/api/v2/bridge/main/money', {
      json,
      headers: { 'Idempotency-Key': key, Prefer: 'respond-async' },
    });
  };
  const ids: string[] = [];
  for (const target of ['char1:paid', 'char1:once', 'char1:none']) {
    const made = await pay(target, target);
    expect(made).toMatchObject({ status: 202, body: { executed: 'unknown' } });
    ids.push(String(made.body['id']));
  }
  // The second one was paid before it could wait.
  await connect(hub, [`${ids[0]}.1`, `${ids[1]}`]);
  const ends = async () =>
    Promise.all(ids.map(async (id) => (await hub.request(`/api/v2/commands/${id}`)).body['executed']));
  await eventually(ends).toEqual(['yes', 'yes', 'no']);
  expect(await pay('char1:none', 'char1:none')).toMatchObject({ status: 404, body: { code: 'player_not_found' } });
});

describe('a batch that comes again after a restore, while its game server is away', () => {
  it.each([
    ['expires', 'expired'],
    ['is taken back', 'voided'],
  ])('and %s: its bridge is asked first', async (what, end) => {
    const hub = await restored();
    const { path, of } = await batch(hub, [ANA, BEN]);
    if (what === 'expires') await rewrite(hub, 'UPDATE commands SET expires_at = 1, deliver_until = 1');
    else await hub.request(`${path}/void`, { method: 'POST' });
    for (const id of [ANA, BEN]) await eventually(() => of(id)).toMatchObject({ executed: 'unknown' });
    await connect(hub, [`${(await of(ANA))?.id}.1`]);
    await eventually(() => of(ANA)).toMatchObject({ status: 'succeeded', executed: 'yes' });
    await eventually(() => of(BEN)).toMatchObject({ status: end, executed: 'no' });
  });

  it('is not refused for players who came after the backup before its bridge was asked', async () => {
    const hub = await restored();
    const { of } = await batch(hub, ['char1:paid', 'char1:none']);
    for (const id of ['char1:paid', 'char1:none']) expect(await of(id)).toMatchObject({ executed: 'unknown' });
    await connect(hub, [`${(await of('char1:paid'))?.id}.1`]);
    await eventually(() => of('char1:paid')).toMatchObject({ status: 'succeeded', executed: 'yes' });
    const refused = { status: 'rejected', executed: 'no', error: { code: 'player_not_found' } };
    await eventually(() => of('char1:none')).toMatchObject(refused);
  });
});

it('a batch that comes again while its bridge is connected is asked about at once', async () => {
  const hub = await restored();
  await connect(hub, []);
  const { of } = await batch(hub, ['char1:none']);
  await eventually(() => of('char1:none')).toMatchObject({ status: 'rejected', error: { code: 'player_not_found' } });
});

describe('a restored hub: a command that waits under a key for a player that the game deletes', () => {
  const pay = async (hub: TestHub, target: string): Promise<string> => {
    const json = { ...GIFT, target, deliver: 'when_online' };
    const answer = await hub.request('/api/v2/bridge/main/money', { json, headers: { 'Idempotency-Key': target } });
    expect(answer.status, answer.text).toBe(202);
    return String(answer.body['id']);
  };
  const isOver = async (hub: TestHub, paid: string, unpaid: string): Promise<void> => {
    const commandOf = async (id: string) => (await hub.request(`/api/v2/commands/${id}`)).body;
    await eventually(() => commandOf(paid)).toMatchObject({ status: 'succeeded', executed: 'yes' });
    const refused = { status: 'rejected', executed: 'no', error: { code: 'player_not_found' } };
    await eventually(() => commandOf(unpaid)).toMatchObject(refused);
  };

  it('ends as its bridge says when the game server tells it', async () => {
    const hub = await restored();
    const [paid, unpaid] = [await pay(hub, ANA), await pay(hub, BEN)];
    const away = [ANA, BEN].map((id) => playerFrame(id, { online: false }));
    const bridge = await connect(hub, [`${paid}.1`], away);
    bridge.send({ type: 'players.changed', revision: 2, removed: [ANA, BEN] });
    await isOver(hub, paid, unpaid);
  });

  it('ends as its bridge says when an operator deletes the record', async () => {
    const hub = await restored();
    const [paid, unpaid] = [await pay(hub, ANA), await pay(hub, BEN)];
    for (const id of [ANA, BEN]) {
      expect((await hub.request(`/api/v2/players/${id}?serverId=main`, { method: 'DELETE' })).status).toBe(204);
    }
    expect((await hub.request(`/api/v2/commands/${unpaid}`)).body).toMatchObject({ executed: 'unknown' });
    await connect(hub, [`${paid}.1`]);
    await isOver(hub, paid, unpaid);
  });

  it('ends as its bridge says a day after a complete snapshot lacked them', async () => {
    const hub = await restored();
    const [paid, unpaid] = [await pay(hub, ANA), await pay(hub, BEN)];
    await rewrite(hub, `UPDATE players SET gone_at = ${Date.now() - DAY_MS}`);
    const bridge = await connect(hub, [`${paid}.1`]);
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [], complete: true });
    await isOver(hub, paid, unpaid);
  });
});

describe('a payment that comes again after a restore', () => {
  const repeat = async (target: string, kept: object = {}) => {
    const hub = await restored();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    bridge.socket.on('message', (data) => {
      const { type, id } = JSON.parse(data.toString());
      if (type === 'command') bridge.send({ type: 'result', id, sequence: 1, ...DONE, ...kept });
    });
    const headers = { 'Idempotency-Key': 'payday' };
    const { body } = await hub.request('/api/v2/bridge/main/money', { json: { ...GIFT, target }, headers });
    expect(body).toMatchObject({ status: 'succeeded', target: BEN });
    const undo = await hub.request(`/api/v2/commands/${String(body['id'])}/undo`, { json: {} });
    return { body, undo };
  };

  it.each([
    ['nothing', {}],
    ['the result', { data: { account: 'bank', before: 0, after: 5 } }],
  ])('has no opposite if its target is a linked identifier, and its bridge has kept %s', async (_what, kept) => {
    const { body, undo } = await repeat(`license:${BEN}`, kept);
    expect(body).not.toHaveProperty('opposite');
    expect(undo.body.code).toBe('no_opposite');
  });

  it('is undone by its parameters if its target is the player', async () => {
    const { body, undo } = await repeat(BEN);
    expect(body).toHaveProperty('opposite');
    expect(undo.status).toBe(200);
  });
});
