import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStream } from '../kit/event-stream.ts';
import { answerAll, playerFrame, type RawBridge, welcomeRaw } from '../kit/raw-bridge.ts';
import { type Cluster, type ClusterNode, hasServices, startCluster } from './cluster.ts';

const SLOW = { timeout: 60_000, interval: 50 };
const PAYMENTS = 60;

describe.runIf(hasServices)('events that last, over two nodes', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2 });
    const { store, project } = cluster;
    await store.projects.update(project.id, { rateLimit: 100_000 }, Date.now());
    await store.events.setKeeping(project.id, true, Date.now());
  });
  afterAll(() => cluster?.dispose());

  const at = (n: number): ClusterNode => cluster.nodes[n] as ClusterNode;
  const connect = async (node: ClusterNode): Promise<RawBridge> => {
    const bridge = await welcomeRaw(node.bridgeUrl, cluster.token, { instance: 'one' });
    answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 0, after: 5 } }));
    bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [playerFrame('ana')] });
    return bridge;
  };
  const pay = (node: ClusterNode, key: string) =>
    cluster
      .request(node, '/api/v2/bridge/main/money', {
        json: { target: 'ana', type: 'bank', amount: 5, action: 'add' },
        headers: { 'Idempotency-Key': key },
      })
      .catch(() => undefined);
  const settled = async (): Promise<string[]> =>
    (await cluster.store.events.after(cluster.project.id, 0, 10_000))
      .filter(({ type }) => type === 'command.settled')
      .map(({ subject }) => subject);
  const ended = async (): Promise<string[]> => {
    const { rows } = await cluster.store.commands.list({ projectId: cluster.project.id, limit: 500 });
    return rows.flatMap(({ id, settledAt }) => (settledAt === null ? [] : [id]));
  };
  const streamAt = (node: ClusterNode, lastId = '') =>
    openStream({ address: node.address, key: cluster.key }, { lastId, query: '?types=command.settled' });

  it('each payment is told once, at both nodes in one order, and a stream goes on at the other node', async () => {
    const since = async () => (await cluster.store.projects.byId(cluster.project.id))?.eventsSince;
    await expect.poll(since, SLOW).toBeGreaterThan(0);
    const bridge = await connect(at(0));
    const [one, two] = [await streamAt(at(0)), await streamAt(at(1))];
    await Promise.all(Array.from({ length: PAYMENTS }, (_, n) => pay(at(n % 2), `first ${n}`)));
    await expect.poll(() => one.events().length, SLOW).toBe(PAYMENTS);
    await expect.poll(() => two.events().length, SLOW).toBe(PAYMENTS);
    expect(one.events()).toEqual(two.events());
    expect((await settled()).toSorted()).toEqual((await ended()).toSorted());
    const half = one.events()[PAYMENTS / 2]?.id ?? '';
    const resumed = await streamAt(at(1), half);
    await expect.poll(() => resumed.events(), SLOW).toEqual(one.events().slice(PAYMENTS / 2 + 1));
    bridge.kill();
  });

  it('a node that is killed takes no event with it, and none is told twice', async () => {
    const bridge = await connect(at(1));
    const paying = Array.from({ length: PAYMENTS }, (_, n) => pay(at(1), `second ${n}`));
    await paying[20];
    await at(0).stop('SIGKILL');
    await Promise.all(paying);
    await expect.poll(async () => (await ended()).length, SLOW).toBe(2 * PAYMENTS);
    await expect.poll(async () => (await settled()).length, SLOW).toBe(2 * PAYMENTS);
    expect((await settled()).toSorted()).toEqual((await ended()).toSorted());
    bridge.kill();
  });
});
