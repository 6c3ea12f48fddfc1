import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { startReceiver, tell } from '../../kit/receiver.ts';
import { eventually } from '../../kit/stage.ts';

const RUNS = 25;
const env = { WEBHOOKS_MAY_REACH: '127.0.0.1' };

it(`hubs that crash at random moments: each event arrives, and always with the same bytes (${RUNS} runs)`, {
  timeout: 600_000,
}, async () => {
  const bodies = new Map<string, Set<string>>();
  let fails = 0;
  const receiver = await startReceiver(({ id, text }) => {
    bodies.set(id, (bodies.get(id) ?? new Set()).add(text));
    fails += 1;
    // Some are tried again.
    return { status: fails % 17 === 0 ? 503 : 200 };
  });
  let hub: TestHub = await startHub({ env });
  await hub.request('/api/v2/webhooks', { json: { url: receiver.url } });
  const ids: string[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    ids.push(
      ...(await tell(
        hub.store,
        hub.project.id,
        Array.from({ length: 20 }, () => ({})),
      )),
    );
    const moment = 1 + Math.floor(Math.random() * 20);
    const seen = receiver.posts.length;
    await eventually(() => receiver.posts.length).toBeGreaterThanOrEqual(seen + moment);
    await hub.crash();
    hub = await startHub({ env, folder: hub.folder });
    // The lease of the dead process is waited for once, and then shortened.
    const [row] = await hub.store.webhooks.list(hub.project.id);
    if (run > 0) await hub.store.webhooks.release(row?.id ?? '', row?.workNode ?? '');
  }
  const { body } = await hub.request('/api/v2/webhooks');
  const [{ id }] = body['data'] as [{ id: string }];
  // What failed is due at once.
  await hub.request(`/api/v2/webhooks/${id}`, { method: 'PATCH', json: { on: true } });
  await eventually(() => ids.filter((each) => !bodies.has(each))).toEqual([]);
  await eventually(async () => (await hub.request(`/api/v2/webhooks/${id}`)).body['behind']).toBe(0);
  expect([...bodies.values()].filter((texts) => texts.size > 1)).toEqual([]);
  expect(bodies.size).toBe(ids.length);
});

it('on a full disk an event comes again with the same bytes, and the next one when there is room', async () => {
  const logTo: string[] = [];
  const hub = await startHub({ env, logTo });
  const receiver = await startReceiver((_got, nth) => {
    // What was sent can not be noted.
    if (nth === 1) hub.breakDatabase('writes');
    return { status: 200 };
  });
  const made = await hub.request('/api/v2/webhooks', { json: { url: receiver.url } });
  const read = async () => (await hub.request(`/api/v2/webhooks/${made.body.id}`)).body;
  const [first] = await tell(hub.store, hub.project.id);
  await eventually(() => logTo.some((line) => line.includes('"task":"webhooks"'))).toBe(true);
  expect(await read()).toMatchObject({ behind: 1 });
  hub.breakDatabase('none');
  const [second] = await tell(hub.store, hub.project.id);
  await eventually(read).toMatchObject({ behind: 0, failures: 0, waiting: 0 });
  expect(receiver.ids()).toEqual([first, first, second]);
  expect(new Set(receiver.posts.map(({ text }) => text)).size).toBe(2);
});

it('a replay of 100,000 events brings each of them to a webhook that got few before', {
  timeout: 900_000,
}, async () => {
  const hub = await startHub({ env });
  const receiver = await startReceiver();
  const json = { url: receiver.url, types: ['batch.settled'] };
  const made = await hub.request('/api/v2/webhooks', { json });
  const path = `/api/v2/webhooks/${made.body.id}`;
  const all: string[] = [];
  for (let n = 0; n < 200; n += 1) {
    const few = Array.from({ length: 500 }, (_, nth) => (nth === 250 ? { type: 'batch.settled' as const } : {}));
    all.push(...(await tell(hub.store, hub.project.id, few)));
  }
  const behind = async () => (await hub.request(path)).body['behind'];
  const PATIENCE = { interval: 500, timeout: 600_000 };
  await expect.poll(behind, PATIENCE).toBe(0);
  const wanted = all.filter((_id, nth) => nth % 500 === 250);
  expect(receiver.ids().toSorted()).toEqual(wanted.toSorted());
  await hub.request(path, { method: 'PATCH', json: { types: null } });
  await hub.request(`${path}/replay`, { method: 'POST', json: { since: '2020-01-01T00:00:00Z' } });
  await expect.poll(() => receiver.posts.length, PATIENCE).toBe(100_200);
  await expect.poll(behind, PATIENCE).toBe(0);
  expect(receiver.ids().slice(200).toSorted()).toEqual(all.toSorted());
});
