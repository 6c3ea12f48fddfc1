import { describe, expect, it } from 'vitest';
import { shareHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const offline = { status: 'rejected', error: { code: 'player_offline', message: 'Ana is not online.' } };

const pay = (hub: TestHub, changes: object = {}, headers: Record<string, string> = {}) =>
  hub.request('/api/v2/bridge/main/money', {
    json: { target: ANA, type: 'bank', amount: 5, action: 'add', deliver: 'when_online', ...changes },
    headers,
  });
const commandOf = (hub: TestHub, id: unknown) => hub.request(`/api/v2/commands/${String(id)}`);
const statusOf = async (hub: TestHub, id: unknown) => (await commandOf(hub, id)).body['status'];

/** A balance that each payment raises, as a bridge reports it. */
const purse = () => {
  let balance = 100;
  const paid: string[] = [];
  return {
    paid,
    pay: ({ id, params }: { id: string; params: Record<string, unknown> }) => {
      paid.push(id);
      const before = balance;
      balance += Number(params['amount']);
      return { status: 'done', data: { account: 'bank', before, after: balance }, sequence: paid.length };
    },
  };
};

const snapshot = (bridge: RawBridge, online: boolean, more: object = {}): void =>
  bridge.send({
    type: 'players.snapshot',
    revision: 1,
    part: 0,
    last: true,
    players: [playerFrame(ANA, { online, ...more })],
  });
let revision = 1;
const changed = (bridge: RawBridge, change: Record<string, unknown>): void => {
  revision += 1;
  bridge.send({
    type: 'players.changed',
    revision,
    players: [playerFrame(ANA, change)],
    offline: [],
    removed: [],
  });
};

const newTenant = shareHub();
/** A connected bridge that has reported Ana. */
const stage = async (online: boolean, more: object = {}) => {
  revision = 1;
  const hub = await newTenant();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  snapshot(bridge, online, more);
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  return { hub, bridge };
};

describe('a command for a player who is away', () => {
  it('waits for the player, and is done once they play', async () => {
    const { hub, bridge } = await stage(false);
    const { paid, pay: carryOut } = purse();
    answerAll(bridge, carryOut);
    const { status, body, headers } = await pay(hub);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      code: 'waiting',
      status: 'waiting',
      waitingFor: 'player',
      deliver: 'when_online',
      executed: 'no',
    });
    expect(headers.get('location')).toBe(`/api/v2/commands/${String(body['id'])}`);
    expect(paid).toEqual([]);
    changed(bridge, { online: true });
    await eventually(() => statusOf(hub, body['id'])).toBe('succeeded');
    expect(paid).toEqual([`${String(body['id'])}.1`]);
    expect((await commandOf(hub, body['id'])).body).toMatchObject({ result: { before: 100, after: 105 } });
  });

  it('waits for a player who is online and cannot play yet', async () => {
    const { hub, bridge } = await stage(true, { playable: false });
    answerAll(bridge, purse().pay);
    const { body } = await pay(hub);
    expect(body).toMatchObject({ status: 'waiting', waitingFor: 'player' });
    changed(bridge, { online: true, playable: true });
    await eventually(() => statusOf(hub, body['id'])).toBe('succeeded');
  });

  it('is answered with its outcome if the player plays', async () => {
    const { hub, bridge } = await stage(true);
    answerAll(bridge, purse().pay);
    await eventually(async () => (await pay(hub)).status).toBe(200);
  });

  it('waits again with another id if the player has left in the middle', async () => {
    const { hub, bridge } = await stage(false);
    const { paid, pay: carryOut } = purse();
    answerAll(bridge, (command) => (command.id.endsWith('.1') ? { ...offline, sequence: 1 } : carryOut(command)));
    const { body } = await pay(hub);
    changed(bridge, { online: true });
    await bridge.command(1);
    changed(bridge, { online: false });
    changed(bridge, { online: true });
    await eventually(() => statusOf(hub, body['id'])).toBe('succeeded');
    expect(paid).toEqual([`${String(body['id'])}.2`]);
  });

  it('is not done twice if the bridge repeats its answer to an earlier round', async () => {
    const { hub, bridge } = await stage(false);
    answerAll(bridge, () => undefined);
    const { body } = await pay(hub);
    changed(bridge, { online: true });
    const { id } = await bridge.command(1);
    for (let n = 0; n < 3; n += 1) bridge.send({ type: 'result', id, ...offline, sequence: 1 });
    const again = await bridge.command(2);
    expect(again.id).toBe(`${String(body['id'])}.2`);
    bridge.send({ type: 'result', id, ...offline, sequence: 1 });
    bridge.send({ type: 'result', id: again.id, ...purse().pay(again) });
    await eventually(() => statusOf(hub, body['id'])).toBe('succeeded');
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(2);
  });

  it('leaves in the order of the requests, one at a time', async () => {
    const { hub, bridge } = await stage(false);
    const ids: unknown[] = [];
    for (const amount of [1, 2, 3]) ids.push((await pay(hub, { amount })).body['id']);
    changed(bridge, { online: true });
    const { pay: carryOut } = purse();
    for (const n of [1, 2, 3]) {
      const command = await bridge.command(n);
      expect(command.params['amount']).toBe(n);
      expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(n);
      bridge.send({ type: 'result', id: command.id, ...carryOut(command) });
      await eventually(() => statusOf(hub, ids[n - 1])).toBe('succeeded');
    }
  });

  it('is taken back while it waits, and never leaves', async () => {
    const { hub, bridge } = await stage(false);
    const { body } = await pay(hub);
    const taken = await hub.request(`/api/v2/commands/${String(body['id'])}/void`, { method: 'POST' });
    expect(taken).toMatchObject({ status: 200, body: { status: 'voided', executed: 'no' } });
    changed(bridge, { online: true });
    await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['online']).toBe(true);
    expect(bridge.frames.some(({ type }) => type === 'command')).toBe(false);
  });

  it('ends as taken back if that is asked while it is on its way', async () => {
    const { hub, bridge } = await stage(false);
    const { body } = await pay(hub);
    changed(bridge, { online: true });
    const { id } = await bridge.command(1);
    const asked = hub.request(`/api/v2/commands/${String(body['id'])}/void`, { method: 'POST' });
    expect((await bridge.frame('void'))['id']).toBe(id);
    bridge.send({ type: 'result', id, status: 'voided', sequence: 1 });
    expect(await asked).toMatchObject({ status: 200, body: { status: 'voided' } });
  });

  it('is the same command for the same key, whatever it says of waiting', async () => {
    const { hub } = await stage(false);
    const first = await pay(hub, {}, { 'Idempotency-Key': 'one' });
    const again = await pay(hub, { deliver: 'now', expiresInSeconds: 5 }, { 'Idempotency-Key': 'one' });
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ id: first.body['id'], status: 'waiting' });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('a command whose time is over', () => {
  it('is expired within seconds, and holds up no other command of its player', async () => {
    const { hub, bridge } = await stage(false);
    const { body: first } = await pay(hub, { expiresInSeconds: 1 });
    const { body: second } = await pay(hub);
    await eventually(() => statusOf(hub, first['id'])).toBe('expired');
    answerAll(bridge, purse().pay);
    changed(bridge, { online: true });
    await eventually(() => statusOf(hub, second['id'])).toBe('succeeded');
  });

  it('is expired when its player comes, before the next one leaves', async () => {
    const { hub, bridge } = await stage(false);
    const { body: first } = await pay(hub);
    const { body: second } = await pay(hub);
    await rewrite(hub, 'UPDATE commands SET deliver_until = 1, expires_at = 1 WHERE id = ?', String(first['id']));
    const { paid, pay: carryOut } = purse();
    answerAll(bridge, carryOut);
    changed(bridge, { online: true });
    await eventually(() => statusOf(hub, second['id'])).toBe('succeeded');
    expect(paid).toEqual([`${String(second['id'])}.1`]);
    expect(await statusOf(hub, first['id'])).toBe('expired');
  });
});

describe('a player who is refused by the game again and again', () => {
  it('is still paid after many rounds and a lost connection', async () => {
    const { hub, bridge } = await stage(false);
    const { body } = await pay(hub);
    await rewrite(hub, 'UPDATE commands SET round = 20, attempts = 20 WHERE project_id = ?', hub.project.id);
    changed(bridge, { online: true });
    await bridge.command();
    bridge.kill();
    await eventually(() => hub.sizes().sessions).toBe(0);
    const next = await welcomeRaw(hub.bridgeUrl, hub.token);
    const command = await next.command();
    expect(command).toMatchObject({ id: `${String(body['id'])}.21`, attempt: 22 });
    next.send({ type: 'result', id: command.id, ...purse().pay(command) });
    await eventually(() => statusOf(hub, body['id'])).toBe('succeeded');
  });

  it('is asked for three times at once, and then not before ten seconds are over', async () => {
    const { hub, bridge } = await stage(false);
    let asked = 0;
    answerAll(bridge, () => {
      asked += 1;
      return { ...offline, sequence: asked };
    });
    const { body } = await pay(hub);
    changed(bridge, { online: true });
    await eventually(async () => [asked, await statusOf(hub, body['id'])]).toEqual([3, 'waiting']);
    await rewrite(hub, 'UPDATE commands SET not_before = not_before + 3600000 WHERE project_id = ?', hub.project.id);
    for (let n = 1; n <= 10; n += 1) {
      changed(bridge, { online: true, accounts: { bank: n } });
      await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['accounts']).toEqual({ bank: n });
    }
    expect(await statusOf(hub, body['id'])).toBe('waiting');
    expect(asked).toBe(3);
  });
});

describe('a custom command', () => {
  const GIVE = {
    name: 'give_item',
    description: 'Puts items into the inventory of a player',
    params: { type: 'object', properties: { to: { type: 'string' }, item: { type: 'string' } } },
  };
  const give = (hub: TestHub, json: object) =>
    hub.request('/api/v2/bridge/main/actions/give_item?deliver=when_online', { json });
  const custom = async (roles: object = {}) => {
    const { hub, bridge } = await stage(false);
    bridge.send({ type: 'commands.custom', commands: [{ ...GIVE, ...roles }] });
    await eventually(async () => (await hub.request('/api/v2/bridge/main/actions')).body['data']).toHaveLength(1);
    return { hub, bridge };
  };

  it('waits for the player that its own parameter names', async () => {
    const { hub, bridge } = await custom({ roles: { player: 'to' } });
    const { status, body } = await give(hub, { to: ANA, item: 'bread' });
    expect([status, body['waitingFor'], body['target']]).toEqual([202, 'player', ANA]);
    answerAll(bridge, () => ({ status: 'done', data: {}, sequence: 1 }));
    changed(bridge, { online: true });
    await eventually(() => statusOf(hub, body['id'])).toBe('succeeded');
  });

  it('is refused at once if the hub knows no player of it', async () => {
    const { hub } = await custom();
    const { status, body } = await give(hub, { to: ANA, item: 'bread' });
    expect([status, body['errors']]).toMatchObject([422, [{ pointer: '/deliver' }]]);
  });
});

describe('a command for a server that is away', () => {
  it('waits for the server, and then for the player', async () => {
    const { hub, bridge } = await stage(true);
    bridge.kill();
    await eventually(() => hub.sizes().sessions).toBe(0);
    const { status, body } = await pay(hub);
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'waiting', waitingFor: 'server' });
    const back = await welcomeRaw(hub.bridgeUrl, hub.token);
    answerAll(back, purse().pay);
    expect((await commandOf(hub, body['id'])).body).toMatchObject({ waitingFor: 'player' });
    snapshot(back, true);
    await eventually(() => statusOf(hub, body['id'])).toBe('succeeded');
  });

  it('leaves with the server alone if it need not wait for the player', async () => {
    const { hub, bridge } = await stage(true);
    bridge.kill();
    await eventually(() => hub.sizes().sessions).toBe(0);
    const { body } = await pay(hub, { deliver: 'when_connected' });
    const back = await welcomeRaw(hub.bridgeUrl, hub.token);
    answerAll(back, () => ({ ...offline, sequence: 1 }));
    await eventually(() => statusOf(hub, body['id'])).toBe('rejected');
  });

  it('is refused if the server has never been connected', async () => {
    const hub = await newTenant();
    expect(await pay(hub)).toMatchObject({ status: 503, body: { code: 'bridge_offline' } });
  });

  it('is refused for a player that the server does not have', async () => {
    const { hub } = await stage(true);
    expect(await pay(hub, { target: 'char1:nobody' })).toMatchObject({
      status: 404,
      body: { code: 'player_not_found' },
    });
  });
});

describe('the bounds of waiting', () => {
  it('are 100 commands for a player', async () => {
    const { hub } = await stage(false);
    for (let n = 0; n < 90; n += 10) await Promise.all(Array.from({ length: 10 }, () => pay(hub)));
    const last = await Promise.all(Array.from({ length: 20 }, () => pay(hub)));
    expect(last.filter(({ status }) => status === 202)).toHaveLength(10);
    const refused = await pay(hub);
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 'waiting_full', executed: 'no', waiting: { of: 'player', most: 100 } },
    });
    expect((await hub.request('/api/v2/project')).body).toMatchObject({ commands: { waiting: 100 } });
  });

  it.each([
    ['a kick', 'kick', { target: ANA, deliver: 'when_online' }],
    ['a time over 30 days', 'money', { expiresInSeconds: 2_592_001 }],
    ['a time over an hour without waiting', 'money', { deliver: 'now', expiresInSeconds: 3_601 }],
    ['a word that does not exist', 'money', { deliver: 'later' }],
  ])('refuse %s', async (_, name, body) => {
    const { hub } = await stage(false);
    const json =
      name === 'kick' ? body : { target: ANA, type: 'bank', amount: 5, action: 'add', deliver: 'when_online', ...body };
    expect(await hub.request(`/api/v2/bridge/main/${name}`, { json })).toMatchObject({
      status: 422,
      body: { code: 'invalid_request' },
    });
  });
});
