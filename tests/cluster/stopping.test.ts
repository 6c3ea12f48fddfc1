import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../kit/folder.ts';
import { createEconomy, startGameServer } from '../kit/game-server.ts';
import { openRaw, welcomeRaw } from '../kit/raw-bridge.ts';
import { ANA } from '../kit/stage.ts';
import { type Answer, type Cluster, type ClusterNode, hasServices, startCluster } from './cluster.ts';

const silenceBus = (node: ClusterNode): void => node.silenceBus();
const silenceBase = (node: ClusterNode): void => node.silenceBase();

describe.runIf(hasServices)('a node that is told to stop', () => {
  let cluster: Cluster;
  let node: ClusterNode | undefined;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 1 });
    [node] = cluster.nodes;
  });
  afterAll(() => cluster?.dispose());

  /** Payments by way of both nodes, from the moment on at which the bridge's node is told to stop. */
  const payWhileItStops = async (server: string, ignoresDrain: boolean): Promise<void> => {
    const staying = node as ClusterNode;
    const leaving = await cluster.newNode(`leaving-${server}`);
    await leaving.start();
    const economy = createEconomy({ [ANA]: 0 });
    let url = leaving.bridgeUrl;
    const token = await cluster.newServer(`of-${server}`);
    startGameServer({ url: () => url, token, folder: newFolder(), economy, ignoresDrain });
    const view = async () => (await cluster.request(staying, `/api/v2/servers/of-${server}`)).body['connected'];
    await expect.poll(view).toBe(true);
    url = staying.bridgeUrl;
    const pay = (from: ClusterNode) =>
      cluster.request(from, `/api/v2/bridge/of-${server}/money`, {
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
    paid.push(await pay(staying));
    expect(paid.filter(({ status }) => status !== 200)).toEqual([]);
    expect(economy.applied).toHaveLength(paid.length);
    expect(paid.length).toBeGreaterThan(refused);
  };

  it('hands its bridges on: commands of that time at either node run once', () => payWhileItStops('moving', false));

  it('hands bridges on that ignore drain: commands of that time wait for them', () => payWhileItStops('deaf', true));

  it('answers every caller that waits for an outcome before it cuts connections', async () => {
    const node = await cluster.newNode('waited-for');
    await node.start();
    const bridge = await welcomeRaw(node.bridgeUrl, await cluster.newServer('hanging'), { instance: randomUUID() });
    const asked = cluster.request(node, '/api/v2/bridge/hanging/money', {
      json: { target: ANA, type: 'bank', amount: 1, action: 'add' },
      headers: { Prefer: 'wait=60' },
    });
    await bridge.command();
    await node.stop();
    expect(await asked).toMatchObject({ status: 202, body: { code: 'in_doubt' } });
  });

  it('wants its bridges elsewhere before its grace is over, and one that comes to it again at the next node at once', async () => {
    const node = await cluster.newNode('leaving');
    await node.start();
    const token = await cluster.newServer('leaving');
    const bridge = await welcomeRaw(node.bridgeUrl, token, { instance: randomUUID() });
    const stopped = node.stop();
    expect(await bridge.frame('drain')).toEqual({ type: 'drain', withinMs: 1_400 });
    const refused = await once(openRaw(node.bridgeUrl, token).socket, 'unexpected-response');
    const { statusCode, headers } = refused[1] as IncomingMessage;
    expect([statusCode, headers['retry-after']]).toEqual([503, '1']);
    bridge.kill();
    await stopped;
  });

  /** Its grace for bridges, two seconds for requests, its grace for commands, two for sockets, five for what it writes. */
  const STOPPED_WITHIN_MS = 2_000 + 2_000 + 2_000 + 2_000 + 5_000;

  it('stops in time though NATS, PostgreSQL or both say nothing, with a bridge, a payment and a socket at its door', async () => {
    const silences = [[silenceBus], [silenceBase], [silenceBus, silenceBase]];
    const stopIn = async (silence: readonly ((node: ClusterNode) => void)[], n: number): Promise<number> => {
      const node = await cluster.newNode(`silent-${n}`);
      await node.start();
      const token = await cluster.newServer(`silent-${n}`);
      const bridge = await welcomeRaw(node.bridgeUrl, token, { instance: randomUUID() });
      const json = { target: ANA, type: 'bank', amount: 1, action: 'add' };
      const pay = () =>
        cluster.request(node, `/api/v2/bridge/silent-${n}/money`, { json }).catch((error: Error) => error.message);
      const asked = pay();
      await bridge.command();
      for (const each of silence) each(node);
      const late = pay();
      openRaw(node.bridgeUrl, await cluster.newServer(`door-${n}`));
      const from = performance.now();
      await node.stop();
      const ms = performance.now() - from;
      await Promise.all([asked, late]);
      return ms;
    };
    const took = await Promise.all(silences.map(stopIn));
    for (const ms of took) expect(ms).toBeLessThan(STOPPED_WITHIN_MS + 1_000);
  });
});
