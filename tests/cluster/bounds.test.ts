import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playerOf } from '../kit/databases.ts';
import { type RawBridge, welcomeRaw } from '../kit/raw-bridge.ts';
import { type Answer, type Cluster, hasServices, startCluster } from './cluster.ts';

const MOST = 20;
const PAY = { type: 'bank', amount: 5, action: 'add' };

describe.runIf(hasServices)('the bounds of a project, with requests at two nodes at the same moment', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2 });
    const { store, project } = cluster;
    const players = Array.from({ length: 2 * MOST }, (_, n) => playerOf(`char1:${n}`, { online: false }));
    await store.players.upsert(project.id, 'main', players, Date.now());
    await store.projects.update(project.id, { maxWaiting: MOST, rateLimit: 10_000 }, Date.now());
  });
  afterAll(() => cluster?.dispose());

  /** Both nodes know the bound, and a bridge that answers no command. */
  const prepare = async (): Promise<RawBridge> => {
    for (const node of cluster.nodes) {
      const bound = async () => (await cluster.request(node, '/api/v2/project')).body['maxWaiting'];
      await expect.poll(bound, { timeout: 30_000 }).toBe(MOST);
    }
    return welcomeRaw(cluster.nodes[0]?.bridgeUrl ?? '', cluster.token);
  };
  /** Sends this number of requests at once, each to the next node. */
  const ask = (many: number, path: string, jsonOf: (n: number) => object): Promise<Answer[]> =>
    Promise.all(
      Array.from({ length: many }, (_, n) => {
        const node = cluster.nodes[n % cluster.nodes.length];
        if (node === undefined) throw new Error('There is no node.');
        return cluster.request(node, path, { json: jsonOf(n), headers: { 'Idempotency-Key': `${path} ${n}` } });
      }),
    );
  const countOf = (answers: readonly Answer[], status: number): number =>
    answers.filter((answer) => answer.status === status).length;

  it('five batches are at work, and not one more', async () => {
    const bridge = await prepare();
    const batch = (n: number) => ({ serverId: 'main', name: 'money', params: PAY, targets: [`char1:${n}`] });
    const answers = await ask(40, '/api/v2/batches', (n) => ({ ...batch(n), deliver: 'now' }));
    expect([countOf(answers, 202), countOf(answers, 429)]).toEqual([5, 35]);
    bridge.kill();
  });

  it('commands wait up to the bound, and not one more', async () => {
    (await prepare()).kill();
    const wait = () => ({ ...PAY, target: 'char1:0', deliver: 'when_connected' });
    const answers = await ask(2 * MOST, '/api/v2/bridge/main/money', wait);
    expect([countOf(answers, 202), countOf(answers, 503)]).toEqual([MOST, MOST]);
  });
});
