import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEconomy, startGameServer } from '../support/game-server.ts';
import { ANA, newFolder } from '../support/stage.ts';
import { type Answer, type Cluster, type ClusterNode, hasServices, startCluster } from './cluster.ts';

describe.runIf(hasServices)('a node that is told to stop', () => {
  let cluster: Cluster;
  let [a, b]: ClusterNode[] = [];
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2 });
    [a, b] = cluster.nodes;
  }, 60_000);
  afterAll(() => cluster?.dispose());

  it('hands its bridges on: what is asked meanwhile of either node is done, and once', async () => {
    const [leaving, staying] = [a, b] as [ClusterNode, ClusterNode];
    const economy = createEconomy({ [ANA]: 0 });
    let url = leaving.bridgeUrl;
    const folder = await newFolder();
    startGameServer({ url: () => url, token: cluster.token, folder, economy });
    const view = async () => (await cluster.request(staying, '/api/v2/servers/main')).body['connected'];
    await expect.poll(view, { timeout: 5_000 }).toBe(true);
    url = staying.bridgeUrl;
    const pay = (node: ClusterNode) =>
      cluster.request(node, '/api/v2/bridge/main/money', {
        json: { target: ANA, type: 'bank', amount: 1, action: 'add' },
      });
    let isOver = false;
    const stopped = leaving.stop().then(() => {
      isOver = true;
    });
    const paid: Answer[] = [];
    let refused = 0;
    while (!isOver) {
      paid.push(await pay(staying));
      const other = await pay(leaving).catch(() => undefined);
      if (other?.status === 503 || other === undefined) refused += 1;
      else paid.push(other);
    }
    await stopped;
    expect(paid.filter(({ status }) => status !== 200)).toEqual([]);
    expect(economy.applied).toHaveLength(paid.length);
    expect(paid.length).toBeGreaterThan(refused);
  });
});
