import { expect, it } from 'vitest';
import { derivedBatchId } from '../../../server/platform/ids.ts';
import { scheduleOf } from '../../kit/batch-rows.ts';
import { lentTo, type TestHub } from '../../kit/hub.ts';
import { insertCommand } from '../../kit/journal.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { bodyOf, type Route, readRoutes } from '../../kit/routes.ts';
import { connectShop, orderSignature, payment, SECRET, tebexSignature } from '../../kit/shop.ts';
import { eventually } from '../../kit/stage.ts';
import { pathOf, startTenants } from '../../kit/tenants.ts';

/** A batch and two orders of earlier routes may still be written behind the answer, each with a page of 100 in a turn. */
const ROWS_BEHIND = 3 * 100;
/** A page of 200 rows twice, and a few more: the rows, and what each of them names. */
const PAGE_ROWS = 2 * 201 + 20 + ROWS_BEHIND;
/** The bound of a page (2 MiB), and the last portion of 51 rows that is read for it. */
const PAGE_CHARACTERS = 6 * 1024 * 1024;
/** Five pages: a statement without a bound takes more than one. */
const MANY = 1_000;
const BATCH_TARGETS = 10_000;

const ANA = 'char1:ana';
/** The player that is deleted. */
const BOB = 'char1:bob';
const ids = Array.from({ length: BATCH_TARGETS }, (_, n) => `char1:p${n}`);
const changes = (await readRoutes()).filter(({ method }) => method !== 'GET');
/** Further forms of some routes. */
const FORMS: Record<string, string> = { createBatch: 'dryRun', voidBatch: 'voidWhileWritten' };
/** The routes of the document, each once, and their forms. */
const routes = changes.flatMap((route) => [
  route,
  ...Object.entries(FORMS).flatMap(([id, form]) => (route.id === id ? [{ ...route, id: form }] : [])),
]);

type Call = {
  path?: string;
  json?: object;
  headers?: Record<string, string>;
  key?: null;
  /** Waits for work that goes on behind the answer. */
  done?: () => Promise<unknown>;
};
type Stage = Awaited<ReturnType<typeof startTenants>>;

/** Players, waiting commands of the batch, schedules with many targets and a catalogue. */
const fill = async ({ hub, own }: Pick<Stage, 'hub' | 'own'>): Promise<{ waiting: string; other: string }> => {
  const projectId = hub.project.id;
  for (let from = 0; from < MANY; from += 100) {
    const players = ids.slice(from, from + 100).map((id) => playerFrame(id, { online: false }));
    await hub.store.players.upsert(projectId, 'main', players, Date.now());
  }
  const until = Date.now() + 3_600_000;
  const wait = (target: string, more: object) =>
    insertCommand(hub, {
      target,
      params: { target, type: 'bank', amount: 5, action: 'add', reason: 'x'.repeat(500) },
      status: 'waiting',
      settledAt: null,
      expiresAt: until,
      deliver: 'when_online',
      deliverUntil: until,
      round: 0,
      ...more,
    });
  await Promise.all(ids.slice(0, MANY).map((id) => wait(id, { batchId: own.batches })));
  await Promise.all(ids.slice(0, MANY).map((id) => wait(id, {})));
  await hub.store.players.upsert(projectId, 'main', [playerFrame(BOB, { online: false })], Date.now());
  await Promise.all(Array.from({ length: MANY }, () => wait(BOB, {})));
  const task = { name: 'money', params: { type: 'bank', amount: 1, action: 'add' }, targets: ids.slice(0, 1_000) };
  for (let n = 0; n < 198; n += 1) {
    await hub.store.schedules.create(
      scheduleOf(`sch_${n}`, { projectId, task, keyId: hub.keyId, nextAt: null, paused: true }),
    );
  }
  return { waiting: await wait(ids[0] ?? '', {}), other: await wait(ids[1] ?? '', {}) };
};

const fillCatalogue = async ({ hub, bridge }: Pick<Stage, 'hub' | 'bridge'>): Promise<void> => {
  for (let part = 0; part < 20; part += 1) {
    const entries = Array.from({ length: 1_000 }, (_, n) => ({
      name: `item_${part}_${n}`,
      label: `Thing ${n} of ${part}`,
    }));
    bridge.send({ type: 'catalogue', kind: 'items', hash: 'h1', part, last: part === 19, entries });
  }
  await eventually(async () => (await hub.request('/api/v2/servers/main/items')).body['syncedAt']).not.toBe(null);
};

const item = (name: string) => ({ name: 'items', params: { item: name, count: 1, action: 'add' } });

/** The calls of the routes that need more than the ids of a tenant and an example of the body. */
const callsOf = async (
  hub: TestHub,
  { waiting, other, batchId }: { waiting: string; other: string; batchId: string },
): Promise<Record<string, Call>> => {
  const tebex = await connectShop(hub, 'tebex', { 7: [item('item_1_1'), item('item_1_2')] });
  const orders = await connectShop(hub, 'orders', { vip: Array.from({ length: 20 }, (_, n) => item(`item_9_${n}`)) });
  const hook = payment('t1', [{ id: 7, quantity: 500 }], {
    subject: { customer: { username: { id: ANA, username: 'ana' } } },
  });
  const order = { id: 'order-2', type: 'paid', buyer: ANA, packages: [{ id: 'vip', quantity: 100 }] };
  const batch = { serverId: 'main', name: 'money', params: { type: 'bank', amount: 5, action: 'add' }, targets: ids };
  return {
    receiveTebex: {
      path: `${tebex.path}/tebex`,
      key: null,
      json: hook,
      headers: { 'X-Signature': tebexSignature(JSON.stringify(hook)) },
    },
    receiveOrder: {
      path: `${orders.path}/orders`,
      key: null,
      json: order,
      headers: { 'X-Causeway-Signature': orderSignature(JSON.stringify(order), SECRET) },
    },
    testIntegration: { path: `${orders.path}/test`, json: { buyer: ANA, packages: order.packages } },
    createSchedule: {
      json: {
        serverId: 'main',
        label: 'Salary',
        when: { cron: '*/5 * * * *', timeZone: 'Europe/Berlin' },
        task: { name: 'money', params: batch.params, targets: ids.slice(0, 1_000) },
      },
    },
    changeSchedule: { path: '/api/v2/schedules/sch_0', json: { paused: true } },
    createBatch: { json: batch, headers: { 'Idempotency-Key': 'large' } },
    dryRun: { json: { ...batch, dryRun: true }, headers: { 'Idempotency-Key': 'dry' } },
    voidWhileWritten: { path: `/api/v2/batches/${derivedBatchId(hub.project.id, 'main', 'large')}/void` },
    voidCommand: { path: `/api/v2/commands/${waiting}/void` },
    voidBatch: {
      json: {},
      done: () =>
        eventually(async () => (await hub.request(`/api/v2/batches/${batchId}`)).body['status']).toBe('settled'),
    },
    undoBatch: { json: { dryRun: true } },
    repeatCommand: { path: `/api/v2/commands/${waiting}/again`, json: {} },
    undoCommand: { path: `/api/v2/commands/${other}/undo`, json: {} },
    createServer: { json: { serverId: 'another' } },
    decideUnmatched: { json: { dismiss: true, note: 'Done.' } },
    updateServer: { json: { name: 'New' } },
    updateKey: { json: { name: 'New' } },
    signIn: { json: {} },
    deleteIntegration: { path: orders.path },
    deleteSchedule: { path: '/api/v2/schedules/sch_1' },
    deletePlayer: {
      path: `/api/v2/players/${BOB}?serverId=main`,
      done: () =>
        eventually(
          async () => (await hub.request(`/api/v2/commands?target=${BOB}&status=waiting`)).body['data'],
        ).toEqual([]),
    },
  };
};

/** Deletions of large things come last: the others need them. */
const LAST = [
  'revokeKey',
  'deletePlayer',
  'voidBatch',
  'undoBatch',
  'deleteIntegration',
  'deleteSchedule',
  'deleteWebhook',
  'signOut',
  'deleteServer',
];
const inOrder = (all: readonly Route[]): Route[] => [
  ...all.filter(({ id }) => !LAST.includes(id)),
  ...LAST.flatMap((id) => all.filter((route) => route.id === id)),
];

it('no change makes more than one page in a turn of the event loop, so a neighbour is served between two', async () => {
  const stage = await startTenants();
  const { hub, own, call } = stage;
  const neighbour = await lentTo(hub, 'neighbour');
  const bridge = await welcomeRaw(neighbour.bridgeUrl, neighbour.token);
  answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 1 } }));
  await fillCatalogue(stage);
  const calls = await callsOf(hub, { ...(await fill(stage)), batchId: own.batches });
  const over: [string, object][] = [];
  const refused: unknown[] = [];
  for (const route of inOrder(routes)) {
    const { path = pathOf(route, own), json, headers = {}, key, done } = calls[route.id] ?? {};
    const example = route.bodySchema && JSON.stringify(bodyOf(route.bodySchema)).replaceAll('char1:5f3a9c', ANA);
    const turn = await hub.largestTurn(async () => {
      const payment = { target: ANA, type: 'bank', amount: 1, action: 'add' };
      const [paid, changed] = await Promise.all([
        neighbour.request('/api/v2/bridge/main/money', { json: payment }),
        call({
          method: route.method,
          path,
          ...(json === undefined ? (example === undefined ? {} : { body: example }) : { json }),
          ...(key === null && { key }),
          headers: { ...route.headers, ...headers },
        }),
      ]);
      expect(paid.status).toBe(200);
      if (changed.status < 300) await done?.();
      else refused.push([route.id, changed.status, changed.text]);
    });
    if (turn.rows > PAGE_ROWS || turn.characters > PAGE_CHARACTERS) over.push([route.id, turn]);
  }
  expect({ refused, over }).toEqual({ refused: [], over: [] });
});
