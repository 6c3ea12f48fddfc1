import { describe, expect, it } from 'vitest';
import { batchOf } from '../../kit/batch-rows.ts';
import { type Answer, startHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';
import { batch, idOf, look, purses, settled, stage } from './batch-stage.ts';

const HOUR_MS = 3_600_000;
const AWAY = 8;
/** A stage whose last player is away; all others are online. */
const withAbsent = () => stage(AWAY + 1, (n) => n !== AWAY);

describe('the five batches that a project may have at work', () => {
  it('are not those that only wait for an absent player', async () => {
    const { hub, bridge } = await withAbsent();
    const { paid, pay } = purses();
    answerAll(bridge, pay);
    const days = Array.from({ length: 8 }, (_, day) => idOf(day));
    for (const target of days) {
      const salary = await batch(hub, { targets: [target, idOf(AWAY)], deliver: 'when_online' });
      expect(salary.status, target).toBe(202);
      await eventually(async () => (await look(hub, salary)).counts).toEqual({ succeeded: 1, waiting: 1 });
    }
    expect((await batch(hub, { targets: [idOf(0)] })).status).toBe(202);
    bridge.send({
      type: 'players.changed',
      revision: 2,
      players: [playerFrame(idOf(AWAY), { online: true })],
      offline: [],
      removed: [],
    });
    await eventually(() => paid.get(idOf(AWAY))).toBe(days.length);
  });

  it('are those with a command on its way', async () => {
    const { hub, bridge } = await withAbsent();
    const first = await batch(hub, { targets: [idOf(0)], deliver: 'when_online' });
    for (let n = 1; n < 5; n += 1) await batch(hub, { targets: [idOf(n)], deliver: 'when_online' });
    const sent = await bridge.command(5);
    await eventually(async () => (await look(hub, first)).status).toBe('running');
    expect(await batch(hub, { targets: [idOf(5)], deliver: 'when_online' })).toMatchObject({
      status: 429,
      body: {
        code: 'rate_limited',
        executed: 'no',
        detail: '5 batches of the project are at work, and no more may. Try again in 10 s.',
      },
    });
    bridge.send({ type: 'result', id: sent.id, ...purses().pay(sent) });
    await eventually(async () => (await batch(hub, { targets: [idOf(5)], deliver: 'when_online' })).status).toBe(202);
  });

  it('are those with `now` until they end, also while no command is on its way', async () => {
    const { hub, bridge } = await withAbsent();
    bridge.kill();
    await eventually(() => hub.sizes().sessions).toBe(0);
    const open: Answer[] = [];
    for (let n = 0; n < 5; n += 1) open.push(await batch(hub, { targets: [idOf(n)] }));
    for (const each of open) await eventually(async () => (await look(hub, each)).status).toBe('running');
    expect((await batch(hub, { targets: [idOf(5)] })).status).toBe(429);
    await hub.request(`/api/v2/batches/${open[0]?.body.id}/void`, { method: 'POST' });
    await settled(hub, open[0] as Answer);
    expect((await batch(hub, { targets: [idOf(5)] })).status).toBe(202);
  });
});

it('a project may have a thousand open batches', async () => {
  const { hub } = await withAbsent();
  const { project, store } = hub;
  // They have no commands, so the hub would settle them at its next look.
  const touchedAt = Date.now() + HOUR_MS;
  const open = Array.from({ length: 999 }, (_, n) => batchOf(`bat_${n}`, { projectId: project.id, touchedAt }));
  for (let n = 0; n < open.length; n += 50) await Promise.all(open.slice(n, n + 50).map(store.batches.insert));
  const wait = () => batch(hub, { targets: [idOf(AWAY)], deliver: 'when_online' });
  expect((await wait()).status).toBe(202);
  expect(await wait()).toMatchObject({
    status: 429,
    body: {
      code: 'rate_limited',
      detail: '1000 batches of the project have not ended, and no more may. Try again in 60 s.',
    },
  });
});

it('commands take no places that a batch has already, while it is written', async () => {
  const most = 300;
  const ids = Array.from({ length: most }, (_, n) => `char1:p${n}`);
  const params = { type: 'bank', amount: 5, action: 'add' };
  const hub = await startHub();
  await hub.store.projects.update(hub.project.id, { maxWaiting: most }, Date.now());
  await eventually(async () => (await hub.request('/api/v2/project')).body['maxWaiting']).toBe(most);
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  await reportPlayers(hub, bridge, ...ids.map((id) => playerFrame(id, { online: false })));
  const made = hub.request('/api/v2/batches', {
    json: { serverId: 'main', name: 'money', params, targets: ids, deliver: 'when_online' },
    headers: { 'Idempotency-Key': 'gift' },
  });
  const wait = (target: string) =>
    hub.request('/api/v2/bridge/main/money', { json: { ...params, target, deliver: 'when_online' } });
  expect((await made).status).toBe(202);
  const sent = await Promise.all(ids.slice(0, 40).map(wait));
  expect(sent.map(({ body }) => body['code'])).toEqual(sent.map(() => 'waiting_full'));
  const path = '/api/v2/commands?status=waiting&limit=200';
  await eventually(async () => ((await hub.request(path)).body['data'] as unknown[]).length).toBe(200);
});
