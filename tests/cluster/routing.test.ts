import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerAll, playerFrame, type RawBridge, welcomeRaw } from '../kit/raw-bridge.ts';
import { type Cluster, type ClusterNode, hasServices, startCluster } from './cluster.ts';

const kicked = () => ({ status: 'done', data: { kicked: true } });
const paid = () => ({ status: 'done', data: { account: 'bank', before: 0, after: 5 } });
const money = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' };

describe.runIf(hasServices)('three nodes over PostgreSQL and NATS', () => {
  let cluster: Cluster;
  let [a, b, c]: ClusterNode[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
    [a, b, c] = cluster.nodes;
  });
  afterAll(() => cluster?.dispose());

  const node = (which: ClusterNode | undefined): ClusterNode => which as ClusterNode;
  const connectTo = async (which: ClusterNode | undefined, serverId: string): Promise<RawBridge> =>
    welcomeRaw(node(which).bridgeUrl, await cluster.newServer(serverId), { instance: randomUUID() });
  const kick = (which: ClusterNode | undefined, serverId: string, headers = {}) =>
    cluster.request(node(which), `/api/v2/bridge/${serverId}/kick`, { json: { target: 'char1:ana' }, headers });

  it('kick from a node that does not hold the bridge', async () => {
    const bridge = await connectTo(a, 'one');
    answerAll(bridge, kicked);
    for (const from of [a, b, c])
      expect(await kick(from, 'one')).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    bridge.kill();
  });

  it('pay once for one idempotency key, whichever nodes are asked at the same time', async () => {
    const bridge = await connectTo(b, 'two');
    let count = 0;
    answerAll(bridge, () => {
      count += 1;
      return paid();
    });
    const headers = { 'Idempotency-Key': 'once' };
    const pay = (from: ClusterNode | undefined) =>
      cluster.request(node(from), '/api/v2/bridge/two/money', { json: money, headers });
    const answers = await Promise.all([a, b, c, a, b, c].map(pay));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1);
    expect(count).toBe(1);
    bridge.kill();
  });

  it('close the socket that a bridge left when it comes to another node', async () => {
    const token = await cluster.newServer('three');
    const instance = randomUUID();
    const old = await welcomeRaw(node(a).bridgeUrl, token, { instance });
    const next = await welcomeRaw(node(b).bridgeUrl, token, { instance });
    answerAll(next, kicked);
    expect((await old.closed()).code).toBe(1006);
    for (const from of [a, b, c]) expect((await kick(from, 'three')).status).toBe(200);
    const other = await welcomeRaw(node(c).bridgeUrl, token, { instance: randomUUID() });
    other.send({ type: 'status' });
    expect(await next.closed()).toMatchObject({ code: 4509 });
    other.kill();
  });

  it('show a bridge and its state on every node', async () => {
    const bridge = await connectTo(a, 'four');
    bridge.send({ type: 'status', players: { online: 7, max: 32 } });
    for (const from of [a, b, c]) {
      const view = async () => (await cluster.request(node(from), '/api/v2/servers/four')).body;
      await expect.poll(view).toMatchObject({ connected: true, bridge: { players: { online: 7 } } });
      expect((await cluster.request(node(from), '/api/v2/health')).body['bus']).toEqual({
        engine: 'nats',
        status: 'pass',
      });
    }
    bridge.kill();
  });

  it('find a player that a bridge of another node has just reported', async () => {
    const bridge = await connectTo(a, 'new');
    answerAll(bridge, paid);
    const json = { ...money, target: 'discord:9', deliver: 'when_online' };
    const pay = (from: ClusterNode | undefined) => cluster.request(node(from), '/api/v2/bridge/new/money', { json });
    for (const from of [a, b, c]) expect((await pay(from)).body['code']).toBe('player_not_found');
    const snapshot = (revision: number, players: object[]) =>
      bridge.send({ type: 'players.snapshot', revision, part: 0, last: true, players });
    snapshot(1, []);
    bridge.send({
      type: 'players.changed',
      revision: 2,
      players: [playerFrame('char1:new', { identifiers: ['discord:9'] })],
      offline: [],
      removed: [],
    });
    for (const from of [a, b, c]) {
      // The message from the other node takes a moment, and a lost one a minute.
      const targetFor = async () => (await pay(from)).body['target'];
      await expect.poll(targetFor).toBe('char1:new');
    }
    bridge.kill();
  });

  it('offer and run the commands that a bridge announced, on every node', async () => {
    const bridge = await connectTo(a, 'custom');
    const path = '/api/v2/bridge/custom/actions';
    const announce = (name: string): void => {
      const properties = { count: { type: 'integer' }, pet: { type: 'string' } };
      const params = { type: 'object', properties, required: ['count'] };
      const roles = { player: 'pet', amount: 'count' };
      bridge.send({ type: 'commands.custom', commands: [{ name, description: '', params, roles }] });
    };
    announce('feed');
    answerAll(bridge, () => ({ status: 'done', data: { fed: 3 } }));
    for (const from of [a, b, c]) {
      const names = async () => (await cluster.request(node(from), path)).body['data'];
      await expect.poll(names).toMatchObject([{ name: 'feed' }]);
      const view = (await cluster.request(node(from), '/api/v2/servers/custom')).body;
      expect(view).toMatchObject({ bridge: { customCommands: ['feed'] } });
      const run = (count: unknown) => cluster.request(node(from), `${path}/feed`, { json: { count } });
      expect(await run('three')).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
      expect(await run(3)).toMatchObject({ status: 200, body: { status: 'succeeded', result: { fed: 3 } } });
      const json = { count: 3, pet: 'char1:rex' };
      expect((await cluster.request(node(from), `${path}/feed`, { json })).body).toMatchObject({
        target: 'char1:rex',
        roles: { player: 'pet', amount: 'count' },
      });
    }
    announce('heal');
    const asked = async () => (await cluster.request(node(b), `${path}/feed`, { json: { count: 3 } })).body['code'];
    await expect.poll(asked).toBe('action_not_found');
    expect(bridge.frames.filter(({ name }) => name === 'custom:feed')).toHaveLength(6);
    bridge.kill();
  });

  it('end sockets and keys on every node soon after their revocation', async () => {
    const bridge = await connectTo(a, 'five');
    const { key, row } = await cluster.newKey();
    for (const from of [a, b]) expect((await cluster.request(node(from), '/api/v2/project', { key })).status).toBe(200);
    await cluster.request(node(b), `/api/v2/keys/${row.id}`, { method: 'DELETE' });
    await expect
      .poll(async () => (await cluster.request(node(a), '/api/v2/project', { key })).status, { timeout: 5_000 })
      .toBe(401);
    await cluster.request(node(c), '/api/v2/servers/five', { method: 'DELETE' });
    expect(await bridge.closed()).toMatchObject({ code: 4504 });
  });

  it('answer at once when the node that held a bridge is killed, and settle money when the bridge is back', async () => {
    const token = await cluster.newServer('six');
    const victim = await cluster.newNode('victim');
    await victim.start();
    const instance = randomUUID();
    const bridge = await welcomeRaw(victim.bridgeUrl, token, { instance });
    const asked = cluster.request(node(a), '/api/v2/bridge/six/money', { json: money });
    const { id } = await bridge.command();
    await victim.stop('SIGKILL');
    const refused = await kick(b, 'six');
    expect(refused).toMatchObject({ status: 503, body: { executed: 'no' } });
    expect(refused.ms).toBeLessThan(5_000);
    const back = await welcomeRaw(node(c).bridgeUrl, token, { instance });
    answerAll(back, paid);
    expect(await asked).toMatchObject({ status: 200, body: { id, status: 'succeeded' } });
    back.kill();
  });
});
