import { expect, it } from 'vitest';
import { batchOf } from '../../kit/batch-rows.ts';
import { startHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const MAIN = '/api/v2/servers/main';

it('a batch that was voided does not pay a player who left before the first round', async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const players = [playerFrame(ANA)];
  await reportPlayers(hub, bridge, ...players);
  const made = await hub.request('/api/v2/batches', {
    json: {
      serverId: 'main',
      name: 'money',
      params: { type: 'bank', amount: 5, action: 'add' },
      targets: [ANA],
      deliver: 'when_online',
    },
    headers: { 'Idempotency-Key': 'gift' },
  });
  expect(made.status).toBe(202);
  const path = `/api/v2/batches/${made.body['id']}`;
  const { id } = await bridge.command(1);
  // Without this, the hub takes the bridge for stopped after five seconds.
  bridge.send({ type: 'received', ids: [id] });
  const takeBack = () => hub.request(`${path}/void`, { json: {} });
  expect((await takeBack()).body['endedBy']).toBe('voided');
  const touched = async () => (await hub.store.batches.get(hub.project.id, String(made.body['id'])))?.touchedAt;
  const endedAt = Number(await touched());
  // The hub may have looked at its end already: once more gives it another cause.
  await takeBack();
  // The hub has told about the end, and has no cause to look at the batch again.
  await eventually(touched).toBeGreaterThan(endedAt);
  bridge.send({ type: 'result', id, status: 'rejected', error: { code: 'player_offline', message: 'She left.' } });
  bridge.send({ type: 'players.changed', revision: 2, players, offline: [], removed: [] });
  await eventually(async () => (await hub.request(path)).body['status']).toBe('settled');
  expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(1);
  expect((await hub.request(path)).body['counts']).toEqual({ voided: 1 });
});

it('a batch that was voided does not pay a player whose turn had come and for whom nothing was sent', async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [playerFrame(ANA)] });
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  const params = { type: 'bank', amount: 5, action: 'add' };
  const single = hub.request('/api/v2/bridge/main/money', { json: { target: ANA, ...params } });
  const first = await bridge.command();
  const made = await hub.request('/api/v2/batches', {
    json: { serverId: 'main', name: 'money', params, targets: [ANA] },
    headers: { 'Idempotency-Key': 'gift' },
  });
  const path = `/api/v2/batches/${made.body['id']}`;
  const countsNow = async () => (await hub.request(path)).body['counts'];
  await eventually(countsNow).toEqual({ accepted: 1 });
  expect((await hub.request(`${path}/void`, { json: {} })).body['counts']).toEqual({ voided: 1 });
  const data = { account: 'bank', before: 0, after: 5 };
  bridge.send({ type: 'result', id: first.id, status: 'done', data, sequence: 1 });
  expect((await single).status).toBe(200);
  answerAll(bridge, () => ({ status: 'done', data, sequence: 2 }));
  const next = { target: ANA, ...params, amount: 5 };
  expect((await hub.request('/api/v2/bridge/main/money', { json: next })).status).toBe(200);
  expect(await countsNow()).toEqual({ voided: 1 });
  expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(2);
});

it.each([true, false])('a batch whose server was deleted pays nothing; made again: %s', async (isMadeAgain) => {
  const hub = await startHub({ tuning: { waitingCheckMs: 200 } });
  await welcomeRaw(hub.bridgeUrl, hub.token);
  const at = Date.now();
  expect((await hub.request(MAIN, { method: 'DELETE' })).status).toBe(204);
  const frames: { type: string }[][] = [];
  if (isMadeAgain) {
    const made = await hub.request('/api/v2/servers', { json: { serverId: 'main' } });
    const bridge = await welcomeRaw(hub.bridgeUrl, String(made.body['token']));
    frames.push(bridge.frames);
    await reportPlayers(hub, bridge, ...['char1:a', 'char1:b'].map((id) => playerFrame(id)));
  }
  // As a node leaves it that died while it stored the commands.
  const times = { createdAt: at, touchedAt: at - 60_000, writtenAt: at - 60_000, expiresAt: at + 3_600_000 };
  const batch = batchOf('bat_1', {
    ...times,
    projectId: hub.project.id,
    status: 'writing',
    written: 0,
    deliver: 'now',
  });
  await hub.store.batches.insert(batch);
  const look = async () => (await hub.request('/api/v2/batches/bat_1')).body;
  await eventually(look).toMatchObject({ status: 'settled', endedBy: 'voided' });
  expect(frames.flat().filter(({ type }) => type === 'command')).toEqual([]);
});
