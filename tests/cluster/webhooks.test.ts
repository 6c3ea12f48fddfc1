import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReceiver, tell } from '../kit/receiver.ts';
import { type Cluster, type ClusterNode, hasServices, startCluster } from './cluster.ts';

const SLOW = { timeout: 60_000, interval: 50 };
/** How long a node has the work of a webhook without asking for more time. */
const LEASE_MS = 10_000;

describe.runIf(hasServices)('webhooks of two nodes', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2, env: { WEBHOOKS_MAY_REACH: '127.0.0.1' } });
  }, 60_000);
  afterAll(() => cluster?.dispose());

  /** A webhook whose first post hangs at the node that has its work. */
  const openHanging = async () => {
    const receiver = await startReceiver((_got, nth) => (nth === 1 ? 'hang' : { status: 200 }));
    const [first] = cluster.nodes as [ClusterNode];
    const made = await cluster.request(first, '/api/v2/webhooks', { json: { url: receiver.url } });
    expect(made.status).toBe(201);
    const id = String(made.body['id']);
    const [event = ''] = await tell(cluster.store, cluster.project.id);
    await expect.poll(receiver.ids, SLOW).toEqual([event]);
    const read = () => cluster.store.webhooks.get(cluster.project.id, id);
    const nodeId = (await read())?.workNode;
    const name = (await cluster.store.nodes.living()).find((node) => node.id === nodeId)?.name;
    const holder = cluster.nodes.find((node) => node.name === name) as ClusterNode;
    const attempts = async () => (await cluster.store.webhooks.attempts(id, { limit: 9 })).rows;
    const remove = () => cluster.request(first, `/api/v2/webhooks/${id}`, { method: 'DELETE' });
    return { receiver, event, read, nodeId, holder, attempts, remove };
  };

  it('a node that waits for an answer keeps the work for longer than its lease; no other one posts', async () => {
    const { receiver, event, read, nodeId, remove } = await openHanging();
    const until = (await read())?.workUntil ?? 0;
    // It has asked for more time twice.
    await expect.poll(async () => (await read())?.workUntil, SLOW).toBeGreaterThan(until + LEASE_MS / 2);
    expect((await read())?.workNode).toBe(nodeId);
    expect(receiver.ids()).toEqual([event]);
    await remove();
  });

  it('a paused node loses the work; the other one sends the event again, and what the first one says late is nothing', async () => {
    const { receiver, event, read, holder, attempts, remove } = await openHanging();
    const pausedAt = performance.now();
    holder.pause();
    await expect.poll(receiver.ids, SLOW).toEqual([event, event]);
    expect(performance.now() - pausedAt).toBeGreaterThan(LEASE_MS / 2);
    await expect.poll(attempts, SLOW).toMatchObject([{ eventId: event, state: 'delivered' }]);
    holder.resume();
    receiver.letGo();
    // The paused node works again: it takes what comes.
    const more = await tell(cluster.store, cluster.project.id, [{}, {}]);
    await expect.poll(receiver.ids, SLOW).toEqual(expect.arrayContaining(more));
    await expect
      .poll(async () => (await attempts()).map(({ state }) => state), SLOW)
      .toEqual(Array(3).fill('delivered'));
    expect(await read()).toMatchObject({ failures: 0, off: null });
    expect(receiver.ids().filter((id) => id === event)).toHaveLength(2);
    await remove();
  });

  it('a node that dies leaves its webhooks to the other one', async () => {
    const { receiver, event, holder, attempts, read } = await openHanging();
    await holder.stop('SIGKILL');
    await expect.poll(receiver.ids, SLOW).toEqual([event, event]);
    await expect.poll(attempts, SLOW).toMatchObject([{ eventId: event, state: 'delivered', attempts: 1 }]);
    expect(await read()).toMatchObject({ failures: 0, off: null });
  });
});
