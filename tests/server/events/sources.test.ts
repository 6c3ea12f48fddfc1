import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EventRow } from '../../../db/queries/events.ts';
import { MAX_KEPT } from '../../../server/events/kept.ts';
import { openWorkplace } from '../../kit/cli.ts';
import { openStream } from '../../kit/event-stream.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { backUp, restoreBackup } from '../../kit/restore-hub.ts';
import { connectShop } from '../../kit/shop.ts';
import { eventually, rewrite } from '../../kit/stage.ts';
import { come, makeSchedule, openScheduleStage } from '../waiting/schedule-stage.ts';

const keep = (hub: TestHub) => hub.hub.keptEvents.keep(hub.project.id);
const keptOf = async (hub: TestHub, ...types: string[]): Promise<EventRow[]> =>
  (await hub.store.events.after(hub.project.id, 0, 1_000)).filter(({ type }) => types.includes(type));
const dataOf = ({ body }: EventRow) => (JSON.parse(body) as { data: Record<string, unknown> }).data;

describe('events that last', () => {
  it('tell of runs of schedules, of runs that did not happen, and of the pause', async () => {
    const { hub } = await openScheduleStage();
    await keep(hub);
    const id = await makeSchedule(hub);
    const plannedAt = new Date(await come(hub, id)).toISOString();
    await eventually(() => keptOf(hub, 'schedule.run')).toHaveLength(1);
    const [ran] = await keptOf(hub, 'schedule.run');
    expect(ran && dataOf(ran)).toMatchObject({ id, label: 'Salary', plannedAt, status: 'done' });
    expect(ran && dataOf(ran)['madeId']).toMatch(/^cmd_/);
    await rewrite(hub, 'UPDATE schedules SET key_id = ?', 'key_that_is_gone');
    const stream = await openStream(hub, { query: '?types=schedule.refused,schedule.paused' });
    await come(hub, id);
    await eventually(() => stream.types().toSorted()).toEqual(['schedule.paused', 'schedule.refused']);
    const [refused] = await keptOf(hub, 'schedule.refused');
    expect(refused && dataOf(refused)).toMatchObject({ id, status: 'refused', code: 'insufficient_scope' });
    const { body } = await hub.request(`/api/v2/schedules/${id}`, { method: 'PATCH', json: { paused: false } });
    expect(body['paused']).toBe(false);
    await rewrite(hub, 'UPDATE schedules SET key_id = ?', 'key_that_is_gone');
    await come(hub, id);
    await eventually(async () => (await keptOf(hub, 'schedule.paused')).map(({ revision }) => revision)).toEqual([
      1, 2,
    ]);
  });

  it('tell of lines of shops that need a person, and of those that were delivered', async () => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 10 } }));
    await reportPlayers(hub, bridge, playerFrame('char1:ana'));
    await keep(hub);
    const vip = [{ name: 'money', params: { type: 'bank', amount: 10, action: 'add' } }];
    const shop = await connectShop(hub, 'orders', { vip });
    const order = (id: string, buyer: string | null) => ({ id, type: 'paid', buyer, packages: [{ id: 'vip' }] });
    await shop.send(order('o1', null));
    await shop.send(order('o2', 'char1:ana'));
    await eventually(() => keptOf(hub, 'shop.line.unmatched', 'shop.line.delivered')).toHaveLength(2);
    const [unmatched] = await keptOf(hub, 'shop.line.unmatched');
    expect(unmatched && dataOf(unmatched)).toMatchObject({ transaction: 'o1', package: 'vip', state: 'unmatched' });
    const [delivered] = await keptOf(hub, 'shop.line.delivered');
    expect(delivered && dataOf(delivered)).toMatchObject({ transaction: 'o2', target: 'char1:ana', name: 'money' });
    const id = unmatched && dataOf(unmatched)['id'];
    await hub.request(`${shop.path}/unmatched/${id}`, { json: { target: 'char1:ana' } });
    const told = async () =>
      (await keptOf(hub, 'shop.line.unmatched', 'shop.line.delivered'))
        .filter((row) => dataOf(row)['id'] === id)
        .map(({ type, revision }) => [type, revision]);
    await eventually(told).toEqual([
      ['shop.line.unmatched', 1],
      ['shop.line.delivered', 2],
    ]);
  });

  it('stay for their days, and at most so many of a project: the oldest go, and the log says so', async () => {
    const logTo: string[] = [];
    const hub = await startHub({ logTo, env: { EVENTS_KEEP_DAYS: '2' } });
    await keep(hub);
    const { id } = hub.project;
    const fill = (many: number, name: string, at: number): Promise<void> =>
      rewrite(
        hub,
        `INSERT INTO events (id, project_id, server_id, type, subject, revision, at, body)
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${many})
          SELECT '${name}' || n, '${id}', 'main', 'command.settled', '${name}' || n, 3, ${at}, '{}' FROM numbers`,
      );
    const now = Date.now();
    await fill(1_200, 'old', now - 3 * 24 * 60 * 60 * 1000);
    await fill(700, 'surplus', now - 1_000);
    await fill(MAX_KEPT, 'kept', now);
    await hub.hub.keptEvents.tidy();
    const first = await hub.store.events.after(id, 0, 1);
    expect(first.map((row) => row.id)).toEqual(['kept1']);
    expect(await hub.store.events.countAfter(id, 0, 1_000_000)).toBe(MAX_KEPT);
    const logged = logTo.map((line) => JSON.parse(line)).filter(({ msg }) => String(msg).includes('too many events'));
    expect(logged).toMatchObject([{ projectId: id, pruned: 700, most: MAX_KEPT }]);
    const metrics = await (await fetch(`${hub.address}/metrics`)).text();
    expect(metrics).toContain('causeway_events_pruned_total{reason="age"} 1200');
    expect(metrics).toContain('causeway_events_pruned_total{reason="number"} 700');
    expect(metrics).toContain(`causeway_events_stored ${MAX_KEPT}`);
    expect(metrics).toContain('causeway_events_owed_seconds 0');
  }, 60_000);

  it('are kept as the command line says, and no more when it says so', async () => {
    const hub = await startHub();
    const { verb } = openWorkplace(onTestFinished);
    const set = (value: string) =>
      verb(['project', 'set', 'test', '--keep-events', value], { DATABASE_URL: `file:${join(hub.folder, 'hub.db')}` });
    expect(await set('true')).toMatchObject({ code: 0 });
    const project = () => hub.store.projects.byId(hub.project.id);
    await eventually(async () => (await project())?.eventsSince).toBeGreaterThan(0);
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 100 } }));
    await reportPlayers(hub, bridge, playerFrame('ana'));
    const pay = (key: string) =>
      hub.request('/api/v2/bridge/main/money', {
        json: { target: 'ana', type: 'bank', amount: 100, action: 'add' },
        headers: { 'Idempotency-Key': key },
      });
    await pay('one');
    await eventually(() => keptOf(hub, 'command.settled')).toHaveLength(1);
    await set('false');
    expect(await project()).toMatchObject({ keepEvents: false, eventsSince: null });
    await eventually(async () => {
      await hub.hub.keptEvents.tick();
      return hub.hub.keptEvents.keeps(hub.project.id);
    }).toBe(false);
    const stream = await openStream(hub);
    await pay('two');
    await eventually(stream.types).toContain('command.settled');
    await hub.hub.keptEvents.tidy();
    await eventually(() => hub.store.events.projectsThatOwe()).toEqual([]);
    expect(await keptOf(hub, 'command.settled')).toHaveLength(1);
  });

  it('after a restored backup, a receiver that acts once for each command and status acts once', async () => {
    const hub = await startHub();
    await keep(hub);
    const first = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    await reportPlayers(hub, first, playerFrame('ana'));
    const { body } = await hub.request('/api/v2/bridge/main/money', {
      json: { target: 'ana', type: 'bank', amount: 100, action: 'add' },
      headers: { 'Idempotency-Key': 'one', Prefer: 'respond-async' },
    });
    await first.command();
    await eventually(async () => (await hub.request(`/api/v2/commands/${body.id}`)).body['status']).toBe('dispatched');
    await backUp(hub);
    const result = {
      type: 'result',
      id: body.id,
      status: 'done',
      data: { account: 'bank', before: 0, after: 100 },
      sequence: 1,
    };
    first.send(result);
    await eventually(() => keptOf(hub, 'command.settled')).toHaveLength(1);
    const before = await keptOf(hub, 'command.settled');
    await restoreBackup(hub);
    const next = await startHub({ folder: hub.folder });
    const again = await welcomeRaw(next.bridgeUrl, hub.token, { instance: 'one' });
    again.send(result);
    await eventually(() => keptOf(next, 'command.settled')).toHaveLength(1);
    const received = [...before, ...(await keptOf(next, 'command.settled'))];
    expect(new Set(received.map(({ id }) => id)).size).toBe(2);
    expect(new Set(received.map((row) => `${dataOf(row)['id']} ${dataOf(row)['status']}`)).size).toBe(1);
  });
});
