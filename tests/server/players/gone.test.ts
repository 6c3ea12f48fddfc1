import { describe, expect, it, onTestFinished } from 'vitest';
import { openWorkplace } from '../../kit/cli.ts';
import { examine } from '../../kit/doctor.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { hubDatabase } from '../../kit/hub-database.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

type Listed = { identifier: string };
type Frames = ReturnType<typeof playerFrame>[];

const HOUR_MS = 60 * 60 * 1000;
const linked = (identifier: string, more: object = {}) =>
  playerFrame(identifier, { identifiers: ['license:a', 'discord:1'], online: false, ...more });

const open = async (options: Parameters<typeof startHub>[0] = {}) => {
  const hub = await startHub({ rateLimit: 100_000, ...options });
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  answerAll(bridge, () => ({ status: 'done', data: { kicked: true } }));
  let revision = 0;
  const snapshot = (players: Frames, complete?: boolean): void => {
    revision += 1;
    bridge.send({ type: 'players.snapshot', revision, part: 0, last: true, players, complete });
  };
  const change = (content: object): void => {
    revision += 1;
    bridge.send({ type: 'players.changed', revision, ...content });
  };
  return { hub, bridge, snapshot, change, ...viewOf(hub) };
};

const viewOf = (hub: TestHub) => {
  const list = async (query = '') => {
    const { body } = await hub.request(`/api/v2/players?limit=200&sort=name${query}`);
    const found = (body['data'] as Listed[]).map(({ identifier }) => identifier);
    return [found, (body['pagination'] as { total: number }).total];
  };
  return {
    list,
    read: (identifier: string, headers = {}) => hub.request(`/api/v2/players/${identifier}`, { headers }),
    kick: async (target: string) => {
      const { status, body } = await hub.request('/api/v2/bridge/main/kick', { json: { target } });
      return status === 200 ? body['target'] : body['code'];
    },
  };
};

it('an identifier of a removed player means the one who has it as a link, also for a command that waits', async () => {
  const { hub, snapshot, change, kick, list } = await open();
  snapshot([playerFrame('license:a')]);
  await eventually(() => list()).toEqual([['license:a'], 1]);
  expect(await kick('license:a')).toBe('license:a');
  change({ removed: ['license:a'], players: [linked('char1:a')] });
  await eventually(() => list()).toEqual([['char1:a'], 1]);
  const json = { target: 'license:a', type: 'bank', amount: 5, action: 'add', deliver: 'when_online' };
  const kept = await hub.request('/api/v2/bridge/main/money', { json });
  expect(kept).toMatchObject({ status: 202, body: { status: 'waiting', target: 'char1:a' } });
});

describe('players that a complete snapshot lacks', () => {
  it('leave lists, totals, searches and linked identifiers, and are back when they are reported', async () => {
    const { hub, snapshot, change, list, read, kick } = await open();
    snapshot([linked('char1:a'), linked('char2:a'), playerFrame('char1:b')]);
    await eventually(() => list()).toEqual([['char1:a', 'char1:b', 'char2:a'], 3]);
    expect(await kick('discord:1')).toBe('player_ambiguous');
    snapshot([linked('char2:a'), playerFrame('char1:b')], true);
    await eventually(() => list()).toEqual([['char1:b', 'char2:a'], 2]);
    expect(await list('&search=char1')).toEqual([['char1:b'], 1]);
    expect(await kick('discord:1')).toBe('char2:a');
    expect((await read('discord:1')).body).toMatchObject({ identifier: 'char2:a', alsoKnown: [], goneAt: null });
    expect((await read('char1:a')).body).toMatchObject({ online: false, goneAt: expect.any(String) });
    const batch = { serverId: 'main', name: 'money', params: { type: 'bank', amount: 5, action: 'add' } };
    const dryRun = await hub.request('/api/v2/batches', {
      json: { ...batch, targets: { online: true }, dryRun: true },
      headers: { 'Idempotency-Key': 'online' },
    });
    expect(dryRun.body, dryRun.text).toMatchObject({ targets: 1 });
    change({ players: [linked('char1:a')] });
    await eventually(() => list()).toEqual([['char1:a', 'char1:b', 'char2:a'], 3]);
    expect((await read('char1:a')).body['goneAt']).toBe(null);
    // A snapshot that confirms a record in the same words brings its player back as well.
    snapshot([linked('char2:a'), playerFrame('char1:b')], true);
    await eventually(async () => (await list())[1]).toBe(2);
    snapshot([linked('char1:a'), linked('char2:a'), playerFrame('char1:b')]);
    await eventually(async () => (await list())[1]).toBe(3);
  });

  it('stay if the snapshot is not complete', async () => {
    const { snapshot, list } = await open();
    snapshot([playerFrame('a'), playerFrame('b')]);
    snapshot([playerFrame('a')], false);
    snapshot([playerFrame('a'), playerFrame('c')]);
    await eventually(() => list()).toEqual([['a', 'b', 'c'], 3]);
  });

  it('stay for an hour if they are over twenty and more than half, and the log and doctor say so', async () => {
    const logTo: string[] = [];
    const { hub, snapshot, list } = await open({ logTo });
    const people = (count: number): Frames => Array.from({ length: count }, (_, n) => playerFrame(`p${100 + n}`));
    const total = async () => (await list())[1];
    const told = () => logTo.filter((line) => line.includes('many players are missing')).length;
    snapshot(people(44), true);
    await eventually(total).toBe(44);
    // Exactly half are believed.
    snapshot(people(22), true);
    await eventually(total).toBe(22);
    snapshot(people(44), true);
    await eventually(total).toBe(44);
    snapshot(people(21), true);
    await eventually(told).toBe(1);
    expect(await total()).toBe(44);
    snapshot(people(1), true);
    await eventually(told).toBe(2);
    expect(await total()).toBe(44);
    const place = openWorkplace(onTestFinished);
    const env = { DATABASE_URL: await hubDatabase(hub.folder) };
    const { of } = await examine(place, env);
    expect(of('players')).toMatchObject({ status: 'warn', text: expect.stringContaining('main (43)') });
    await rewrite(hub, `UPDATE sessions SET missing_since = missing_since - ${HOUR_MS}`);
    snapshot(people(1), true);
    await eventually(total).toBe(1);
    expect((await examine(place, env)).of('players')?.status).toBe('ok');
    // Few are believed at once, whatever their share.
    snapshot([playerFrame('other')], true);
    await eventually(() => list()).toEqual([['other'], 1]);
  });

  it('are not made few by others that the same snapshot, or one in doubt, reports for the first time', async () => {
    const logTo: string[] = [];
    const { hub, bridge, snapshot, list } = await open({ logTo });
    const people = (kind: string, count = 60): Frames =>
      Array.from({ length: count }, (_, n) => playerFrame(`${kind}${100 + n}`));
    const total = async () => (await list())[1];
    const told = () => logTo.filter((line) => line.includes('many players are missing')).length;
    snapshot(people('a'), true);
    await eventually(total).toBe(60);
    // A part of a snapshot that the bridge begins again.
    bridge.send({ type: 'players.snapshot', revision: 50, part: 0, last: false, players: people('b') });
    snapshot(people('b', 120), true);
    await eventually(told).toBe(1);
    expect(await total()).toBe(180);
    snapshot(people('b', 120), true);
    await eventually(told).toBe(2);
    expect(await total()).toBe(180);
    await rewrite(hub, `UPDATE sessions SET missing_since = missing_since - ${HOUR_MS}`);
    snapshot(people('b', 120), true);
    await eventually(total).toBe(120);
  });

  it('are those that a fresh read does not find, too', async () => {
    const { bridge, snapshot, list, read } = await open();
    snapshot([linked('char1:a'), linked('char2:a'), playerFrame('char1:c')]);
    await eventually(async () => (await list())[1]).toBe(3);
    const answer = (n: number, error: object) =>
      bridge.frame('players.read', n).then(({ id }) => bridge.send({ type: 'players.record', id, error }));
    const fresh = { 'Cache-Control': 'no-cache' };
    const [unsure] = await Promise.all([
      read('char1:c', fresh),
      answer(1, { code: 'internal_error', message: 'The table is locked.' }),
    ]);
    expect(unsure.body).toMatchObject({ identifier: 'char1:c', goneAt: null });
    const [sure] = await Promise.all([
      read('char1:a', fresh),
      answer(2, { code: 'player_not_found', message: 'There is no such player.' }),
    ]);
    expect(sure.body).toMatchObject({ identifier: 'char1:a', goneAt: expect.any(String) });
    expect(await list()).toEqual([['char1:c', 'char2:a'], 2]);
    expect((await read('discord:1')).body['identifier']).toBe('char2:a');
  });
});

describe('DELETE /players/{identifier}', () => {
  const remove = (hub: TestHub, identifier: string, query = '?serverId=main', key = hub.key) =>
    hub.request(`/api/v2/players/${identifier}${query}`, { method: 'DELETE', key });

  it('deletes the record of one server, and needs players:write', async () => {
    const { hub, snapshot, list } = await open();
    snapshot([linked('char1:a'), linked('char2:a')]);
    await eventually(async () => (await list())[1]).toBe(2);
    expect((await remove(hub, 'char1:a', '?serverId=main', await hub.newKey(['players:read']))).status).toBe(403);
    expect((await remove(hub, 'char1:a', '')).status).toBe(422);
    expect((await remove(hub, 'char1:a', '?serverId=nowhere')).body['code']).toBe('server_not_found');
    // A linked identifier may mean another character tomorrow.
    expect((await remove(hub, 'discord:1')).body['code']).toBe('player_not_found');
    expect((await remove(hub, 'char1:a', '?serverId=main', await hub.newKey(['players:write']))).status).toBe(204);
    expect(await list()).toEqual([['char2:a'], 1]);
    expect((await remove(hub, 'char1:a')).body['code']).toBe('player_not_found');
  });
});
