import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Background } from '../../../server/platform/background.ts';
import { readConfig } from '../../../server/platform/config.ts';
import { createMetrics } from '../../../server/platform/metrics.ts';
import { Seal } from '../../../server/platform/seal.ts';
import { isTroubled } from '../../../server/webhooks/retries.ts';
import { createWebhooks } from '../../../server/webhooks/webhooks.ts';
import { attemptOf } from '../../kit/batch-rows.ts';
import { engines, projectOf, useStore } from '../../kit/databases.ts';
import { startReceiver, tell } from '../../kit/receiver.ts';
import { eventually } from '../../kit/stage.ts';

const [{ open }] = engines as [(typeof engines)[0]];
const db = useStore(open);

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const DAY = 24 * HOUR;
const START = Date.parse('2026-11-20T12:00:00Z');

/** What is told of an event that is sent again. */
const NOTHING = { commands: false, names: false };

type Reply = Parameters<typeof startReceiver>[0];

/** A webhook whose sender has a clock of its own, and no chance. */
const stage = async (reply: Reply, most = 1) => {
  const receiver = await startReceiver(reply);
  const clock = { now: START };
  const log = pino({ level: 'silent' });
  const metrics = createMetrics();
  const { store } = db;
  await store.projects.create(projectOf('p'));
  const webhooks = createWebhooks({
    keptEvents: { keep: () => Promise.resolve(START), onTold: () => () => undefined, heard: () => undefined },
    ...{ store, background: new Background(log), log, node: 'n', phase: { isDraining: false } },
    metrics,
    config: readConfig({ WEBHOOKS_MAY_REACH: '127.0.0.1' }),
    now: () => clock.now,
    random: () => 0,
  });
  const settings = { name: null, format: 'json', types: null, servers: null, names: true } as const;
  const { row } = await webhooks.create({ id: 'p' }, { keyId: 'k', name: 'k' }, { ...settings, url: receiver.url });
  for (let n = 0; n < most; n += 1) await tell(store, 'p');
  const read = async () => (await store.webhooks.get('p', row.id)) ?? row;
  return {
    receiver,
    clock,
    webhooks,
    metrics,
    read,
    id: row.id,
    run: () => webhooks.sender.run(row.id),
    attempts: async () => (await store.webhooks.attempts(row.id, { limit: 100 })).rows,
    /** The time of the next attempt. */
    next: async (): Promise<number> => {
      const { restUntil } = await read();
      const oldest = await store.webhooks.oldestWaiting(row.id);
      return restUntil ?? oldest?.dueAt ?? Number.POSITIVE_INFINITY;
    },
  };
};

it('an event has ten attempts in 75 hours and 35 minutes, then it is given up and can be sent again', async () => {
  const { receiver, clock, run, attempts, next, webhooks, read } = await stage(() => ({ status: 500 }));
  // The webhook rests after five failures, and then follows the table from its second delay on.
  const delays: number[] = [];
  for (let n = 1; n < 10; n += 1) {
    await run();
    const [row] = await attempts();
    expect(row).toMatchObject({ attempts: n, state: 'waiting' });
    delays.push((row?.dueAt ?? 0) - clock.now);
    clock.now = Math.max(row?.dueAt ?? 0, await next());
    // Nobody switches it off in this test.
    await db.store.webhooks.update('p', (await read()).id, { failingSince: clock.now }, clock.now);
  }
  expect(delays).toEqual([
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    DAY,
  ]);
  expect(delays.reduce((sum, each) => sum + each)).toBe(75 * HOUR + 35 * MINUTE + 5 * SECOND);
  await run();
  expect(await attempts()).toMatchObject([{ attempts: 10, state: 'given_up', dueAt: null, status: 500 }]);
  clock.now += 30 * DAY;
  await run();
  expect(receiver.posts).toHaveLength(10);
  const [row] = await attempts();
  await webhooks.retry(await read(), row?.eventId ?? '', NOTHING);
  await run();
  expect(receiver.posts).toHaveLength(11);
  expect(new Set(receiver.ids()).size).toBe(1);
});

it('nothing is sent before its time, and a clock that goes back an hour only waits longer', async () => {
  const { receiver, clock, run } = await stage(() => ({ status: 503 }));
  await run();
  clock.now += 4_999;
  await run();
  expect(receiver.posts).toHaveLength(1);
  clock.now -= HOUR;
  await run();
  expect(receiver.posts).toHaveLength(1);
  clock.now += HOUR + 1;
  await run();
  expect(receiver.posts).toHaveLength(2);
});

it('Retry-After counts when it asks for more time: seconds or a date, a day at most', async () => {
  const asked = [120, new Date(START + 20 * MINUTE).toUTCString(), 9_999_999, 'soon'];
  const { clock, run, attempts, read } = await stage((_got, nth) => ({
    status: 429,
    headers: { 'retry-after': String(asked[nth - 1]) },
  }));
  await run();
  expect(await read()).toMatchObject({ restUntil: START + 120 * SECOND });
  expect(await attempts()).toMatchObject([{ dueAt: START + 120 * SECOND }]);
  clock.now = START + 120 * SECOND;
  await run();
  expect(await attempts()).toMatchObject([{ attempts: 2, dueAt: START + 20 * MINUTE }]);
  clock.now = START + 20 * MINUTE;
  await run();
  expect(await attempts()).toMatchObject([{ attempts: 3, dueAt: clock.now + DAY }]);
  clock.now += DAY;
  await run();
  expect(await attempts()).toMatchObject([{ attempts: 4, dueAt: clock.now + 2 * HOUR }]);
});

it('after five failures in a row, one probe at a time follows the table; the first success makes all due', async () => {
  let isDown = true;
  const { receiver, clock, run, read, attempts } = await stage(() => ({ status: isDown ? 502 : 200 }), 20);
  await run();
  // Two at a time, and posts that fail together are one failure.
  expect(receiver.posts).toHaveLength(10);
  expect(await read()).toMatchObject({ failures: 5, restUntil: START + 5 * MINUTE, fault: 'The answer was 502.' });
  const tried = receiver.ids();
  clock.now = START + 5 * MINUTE;
  await run();
  expect(receiver.ids().slice(10)).toEqual([tried[0]]);
  expect(await read()).toMatchObject({ failures: 6, restUntil: clock.now + 30 * MINUTE });
  isDown = false;
  clock.now += 30 * MINUTE;
  await run();
  expect(await read()).toMatchObject({ failures: 0, failingSince: null, restUntil: null });
  const rows = await attempts();
  expect(rows).toHaveLength(20);
  expect(rows.every(({ state }) => state === 'delivered')).toBe(true);
});

it.each(['a test that arrives', 'an event that a person sends again', 'a replay'])('%s ends the rest', async (what) => {
  let isDown = true;
  const { receiver, webhooks, run, read, attempts } = await stage(() => ({ status: isDown ? 502 : 200 }), 20);
  await run();
  await webhooks.test(await read());
  expect((await read()).restUntil).not.toBeNull();
  isDown = false;
  if (what.startsWith('a test')) await webhooks.test(await read());
  else if (what.startsWith('an event')) await webhooks.retry(await read(), receiver.ids()[0] ?? '', NOTHING);
  else await webhooks.replay(await read(), 0);
  await run();
  await run();
  expect(await read()).toMatchObject({ failures: 0, restUntil: null });
  const rows = await attempts();
  expect(rows).toHaveLength(20);
  expect(rows.every(({ state }) => state === 'delivered')).toBe(true);
});

it('one bad event does not hold up the others', async () => {
  const { receiver, run, attempts } = await stage(({ id }) => ({ status: id === receiver.ids()[0] ? 500 : 200 }), 9);
  await run();
  const rows = await attempts();
  expect(rows.filter(({ state }) => state === 'delivered')).toHaveLength(8);
  expect(rows.filter(({ state }) => state === 'waiting')).toHaveLength(1);
});

it('no success in five days with failures on two of them switches it off', async () => {
  const { clock, run, read, next, receiver } = await stage(() => ({ status: 500 }), 3);
  for (let n = 0; n < 100 && (await read()).off === null; n += 1) {
    await run();
    clock.now = Math.max(clock.now + 1, Math.min(await next(), clock.now + 2 * DAY));
  }
  const { off, offAt } = await read();
  expect(off).toBe('failing');
  const events = await db.store.events.after('p', 0, 10);
  expect(events.at(-1)).toMatchObject({ type: 'webhook.off', at: offAt });
  expect(offAt).toBeGreaterThanOrEqual(START + 5 * DAY);
  const { length } = receiver.posts;
  clock.now += 10 * DAY;
  await run();
  expect(receiver.posts).toHaveLength(length);
});

it('a quiet webhook that failed long ago gets another chance', async () => {
  const { clock, run, read } = await stage((_got, nth) => ({ status: nth === 2 ? 200 : 500 }));
  await run();
  clock.now += 30 * DAY;
  await run();
  expect(await read()).toMatchObject({ off: null, failures: 0 });
});

it('an event that is not kept any more is given up', async () => {
  const { clock, run, attempts } = await stage(() => ({ status: 500 }));
  await run();
  await db.store.events.pruneOld(Date.now() + DAY, 10);
  clock.now += MINUTE;
  await run();
  expect(await attempts()).toMatchObject([{ state: 'given_up', attempts: 1, dueAt: null }]);
});

it('a webhook whose address was sealed with another key says so', async () => {
  const { receiver, run, read, id } = await stage(() => ({ status: 200 }));
  const { url } = await read();
  await db.store.webhooks.update('p', id, { url: new Seal('another key').seal(receiver.url, id) }, START);
  await run();
  expect(await read()).toMatchObject({ fault: 'The secret is sealed, and SECRET_KEY is not set.' });
  expect(receiver.posts).toEqual([]);
  await db.store.webhooks.update('p', id, { url }, START);
  await run();
  expect(await read()).toMatchObject({ fault: null });
  expect(receiver.posts).toHaveLength(1);
});

it('another node that has the work sends, and this one does not', async () => {
  const { receiver, run, id } = await stage(() => ({ status: 200 }));
  expect(await db.store.webhooks.claim(id, 'other', 60_000)).toBeDefined();
  await run();
  expect(receiver.posts).toEqual([]);
  expect(await db.store.webhooks.withWork(START)).toEqual([]);
  await db.store.webhooks.release(id, 'other');
  expect(await db.store.webhooks.withWork(START)).toEqual([id]);
  await run();
  expect(receiver.posts).toHaveLength(1);
});

it('a node that was paused too long changes nothing of what another one has done meanwhile', async () => {
  const { receiver, run, id, read, attempts } = await stage(() => 'hang');
  const running = run();
  await eventually(() => receiver.posts.length).toBe(1);
  await db.store.webhooks.release(id, 'n');
  const row = await db.store.webhooks.claim(id, 'other', 60_000);
  const [event] = await db.store.events.after('p', 0, 1);
  const delivered = attemptOf(id, event?.id ?? '', { at: START });
  const patch = { ...(row ?? (await read())), cursor: event?.seq ?? 0 };
  expect(await db.store.webhooks.record(await read(), 'other', { patch, rows: [delivered] })).toBe(true);
  receiver.letGo();
  await running;
  expect(await attempts()).toEqual([delivered]);
  expect(await read()).toMatchObject({ failures: 0, cursor: event?.seq });
});

it('a webhook that is deleted during a post leaves nothing behind', async () => {
  const { receiver, run, webhooks, read, attempts } = await stage(() => 'hang');
  const running = run();
  await eventually(() => receiver.posts.length).toBe(1);
  await webhooks.remove(await read());
  receiver.letGo();
  await running;
  expect(await attempts()).toEqual([]);
  expect(await db.store.webhooks.totals()).toMatchObject({ waiting: 0 });
});

it('metrics say how posts ended, what is sent again, how old the rest is, and what is off', async () => {
  const { run, webhooks, metrics, read } = await stage((_got, nth) => ({ status: nth === 1 ? 500 : 200 }), 0);
  const said = async (): Promise<string[]> => {
    await webhooks.tidy();
    return (await metrics.registry.metrics()).split('\n');
  };
  await tell(db.store, 'p', [{ at: START - MINUTE }]);
  expect(await said()).toContain('causeway_webhooks_behind_seconds 60');
  await run();
  const after = await said();
  for (const line of [
    'causeway_webhook_posts_total{result="refused"} 1',
    'causeway_webhook_posts_total{result="delivered"} 0',
    'causeway_webhook_events_waiting 1',
    'causeway_webhooks_behind_seconds 0',
    'causeway_webhooks_off 0',
  ]) {
    expect(after).toContain(line);
  }
  await webhooks.change(await read(), { keyId: 'k', name: 'k' }, { on: false });
  await tell(db.store, 'p', [{ at: START - MINUTE }]);
  const paused = await said();
  expect(paused).toContain('causeway_webhooks_off 1');
  expect(paused).toContain('causeway_webhooks_behind_seconds 0');
});

it.each([
  ['failed once, a moment ago', { failures: 1, failingSince: START }, 9, false],
  ['has failed for ten minutes', { failures: 1, failingSince: START }, 10, true],
  ['has failed five times', { failures: 5, failingSince: START }, 1, true],
  ['works', { failures: 0, failingSince: null }, 60, false],
])('a webhook that %s is told or not', (_what, health, minutes, told) => {
  const at = START + minutes * MINUTE;
  expect(isTroubled({ off: null, ...health }, at)).toBe(told);
  expect(isTroubled({ off: 'paused', ...health }, at)).toBe(false);
});
