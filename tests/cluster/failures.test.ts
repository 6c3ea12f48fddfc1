import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../kit/folder.ts';
import { createEconomy, startGameServer } from '../kit/game-server.ts';
import { answerAll, type RawBridge, welcomeRaw } from '../kit/raw-bridge.ts';
import { ANA } from '../kit/stage.ts';
import { type Cluster, type ClusterNode, hasServices, startCluster } from './cluster.ts';

const kicked = () => ({ status: 'done', data: { kicked: true } });
const paid = () => ({ status: 'done', data: { account: 'bank', before: 0, after: 5 } });
const money = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' };

/** How far the clock of a node is ahead. */
const APART_MS = 10_000;

describe.runIf(hasServices)('two nodes', () => {
  let cluster: Cluster;
  let a: ClusterNode;
  let b: ClusterNode;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2 });
    [a, b] = cluster.nodes as [ClusterNode, ClusterNode];
  });
  afterAll(() => cluster?.dispose());

  const connectTo = async (node: ClusterNode, serverId: string): Promise<RawBridge> =>
    welcomeRaw(node.bridgeUrl, await cluster.newServer(serverId), { instance: randomUUID() });
  const kick = (node: ClusterNode, serverId: string) =>
    cluster.request(node, `/api/v2/bridge/${serverId}/kick`, { json: { target: 'char1:ana' } });
  const rows = async (): Promise<number> =>
    ((await cluster.request(a, '/api/v2/commands?limit=200')).body['data'] as unknown[]).length;

  it('refuse a third one that does not know the bus, and say why', async () => {
    const { code, said } = await (await cluster.newNode('stranger', { env: { NATS_URL: '' } })).refusal();
    expect(code).not.toBe(0);
    expect(said).toMatch(/NATS_URL: the node "node-\d" .* uses this database too/);
  });

  it('serve their own bridges without NATS, refuse the others’ before anything is stored, and recover', async () => {
    const own = await connectTo(a, 'own');
    answerAll(own, kicked);
    expect((await kick(b, 'own')).status).toBe(200);
    for (const node of [a, b]) node.cutBus();
    await expect.poll(async () => (await kick(b, 'own')).body['code']).toBe('routing_unavailable');
    const before = await rows();
    const refused = await kick(b, 'own');
    expect(refused).toMatchObject({ status: 503, body: { code: 'routing_unavailable', executed: 'no' } });
    expect(refused.ms).toBeLessThan(2_000);
    expect(await rows()).toBe(before);
    expect((await kick(a, 'own')).status).toBe(200);
    expect((await cluster.request(a, '/api/v2/health')).body).toMatchObject({
      status: 'warn',
      bus: { status: 'fail' },
    });
    for (const node of [a, b]) node.mendBus();
    await expect.poll(async () => (await kick(b, 'own')).status).toBe(200);
    own.kill();
  });

  it('wait for a NATS server that is still starting, alive and not ready', async () => {
    const late = await cluster.newNode('late');
    late.cutBus();
    const started = late.start();
    const status = async (path: string) =>
      fetch(late.address + path).then(
        (answer) => answer.status,
        () => 0,
      );
    await expect.poll(() => status('/livez'), { timeout: 20_000 }).toBe(200);
    expect(await status('/readyz')).toBe(503);
    late.mendBus();
    await started;
    expect(late.said()).toContain('waiting for the NATS server');
    await late.stop();
  });

  it('never let a paused node send a command that another node has taken over', async () => {
    const token = await cluster.newServer('sleepy');
    const instance = randomUUID();
    const old = await welcomeRaw(a.bridgeUrl, token, { instance });
    a.pause();
    const asked = cluster.request(b, '/api/v2/bridge/sleepy/money', { json: money, headers: { Prefer: 'wait=10' } });
    const accepted = async () =>
      (await cluster.store.commands.list({ projectId: cluster.project.id, servers: ['sleepy'], limit: 9 })).rows.length;
    await expect.poll(accepted).toBe(1);
    const next = await welcomeRaw(b.bridgeUrl, token, { instance });
    let count = 0;
    answerAll(next, () => {
      count += 1;
      return paid();
    });
    expect(await asked).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    a.resume();
    await old.closed();
    expect(old.frames.filter(({ type }) => type === 'command')).toEqual([]);
    expect(count).toBe(1);
    next.kill();
  });

  it('never send to two game servers with one token what one of them has got, while they do not hear each other', async () => {
    for (const node of [a, b]) node.cutBus();
    const bus = async (node: ClusterNode) => (await cluster.request(node, '/api/v2/health')).body['bus'];
    for (const node of [a, b]) await expect.poll(() => bus(node)).toMatchObject({ status: 'fail' });
    const journal = (id: string) => ({ class: 'atomic', id, sequence: 10 });
    /** Undefined: its node has noticed that the game server is at the other one, which it does every few seconds. */
    const payFirst = async (serverId: string) => {
      const token = await cluster.newServer(serverId);
      const first = await welcomeRaw(a.bridgeUrl, token, { instance: 'one', journal: journal('one') });
      const second = await welcomeRaw(b.bridgeUrl, token, { instance: 'two', journal: journal('two') });
      const path = `/api/v2/bridge/${serverId}/money`;
      const told = await cluster.request(a, path, { json: money, headers: { Prefer: 'wait=5' } });
      return told.status === 503 || first.isClosed() ? undefined : { first, second, told };
    };
    const { first, second, told } = (await payFirst('twins')) ?? (await payFirst('other-twins')) ?? {};
    const { id } = (await first?.command()) ?? {};
    expect(told).toMatchObject({ status: 409, body: { code: 'indeterminate', executed: 'unknown', command: { id } } });
    first?.send({ type: 'result', id, ...paid(), sequence: 11 });
    const state = async () => (await cluster.request(b, `/api/v2/commands/${id}`)).body['status'];
    await expect.poll(state).toBe('succeeded');
    expect(second?.frames.filter(({ type }) => type === 'command' || type === 'void')).toEqual([]);
    for (const node of [a, b]) node.mendBus();
    for (const node of [a, b]) await expect.poll(() => bus(node)).toMatchObject({ status: 'pass' });
  });

  it('wake after the end of their lease, and run the commands of that time once', async () => {
    const token = await cluster.newServer('dozing');
    const economy = createEconomy({ [ANA]: 0 });
    startGameServer({ url: () => a.bridgeUrl, token, folder: newFolder(), economy });
    const isConnected = async () => (await cluster.request(b, '/api/v2/servers/dozing')).body['connected'];
    await expect.poll(isConnected).toBe(true);
    a.pause();
    const pay = (node: ClusterNode, key: number) =>
      cluster.request(node, '/api/v2/bridge/dozing/money', {
        json: money,
        headers: { 'Idempotency-Key': `dozing ${key}`, Prefer: 'wait=5' },
      });
    const keys = Array.from({ length: 8 }, (_, key) => key);
    const asked = keys.map((key) => pay(a, key).catch(() => undefined));
    await expect.poll(isConnected, { timeout: 15_000, interval: 250 }).toBe(false);
    a.resume();
    await expect.poll(isConnected, { timeout: 10_000 }).toBe(true);
    await Promise.all(asked);
    // A node may find in its first turn that its bridge has gone: then the command ends unsent, and says so.
    const endOf = async (key: number): Promise<unknown> => (await pay(b, key)).body['executed'];
    const ends: unknown[] = [];
    for (const key of keys) {
      await expect.poll(() => endOf(key)).toMatch(/^(?:yes|no)$/);
      ends.push(await endOf(key));
    }
    const paidKeys = ends.filter((executed) => executed === 'yes').length;
    expect(economy.applied).toHaveLength(paidKeys);
    expect(economy.banks.get(ANA)).toBe(paidKeys * money.amount);
  });

  it('with different clocks pay once or report no payment, and log the difference', async () => {
    const clock = `const now = Date.now; Date.now = () => now() + ${APART_MS}`;
    const ahead = await cluster.newNode('ahead', {
      env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(clock)}` },
    });
    await ahead.start();
    const warning = /"aheadMs":(?:[5-9]\d{3}|10\d{3}),.*the clock of this node differs from the clock of the database/;
    await expect.poll(ahead.said).toMatch(warning);
    const bridge = await connectTo(ahead, 'ahead');
    let count = 0;
    answerAll(bridge, () => {
      count += 1;
      return paid();
    });
    const pay = (more: object) =>
      cluster.request(a, '/api/v2/bridge/ahead/money', { json: { ...money, ...more } }).then(({ body }) => body);
    expect(await pay({ expiresInSeconds: 60 })).toMatchObject({ status: 'succeeded', executed: 'yes' });
    expect(await pay({ expiresInSeconds: 5 })).toMatchObject({ code: 'expired', executed: 'no' });
    expect(count).toBe(1);
    bridge.kill();
    await ahead.stop();
  });

  it('show no server as connected whose bridge left while its node could not write', async () => {
    const bridge = await connectTo(a, 'unwritten');
    const view = async () => (await cluster.request(b, '/api/v2/servers/unwritten')).body['connected'];
    expect(await view()).toBe(true);
    a.cutBase();
    bridge.kill();
    await expect.poll(a.said).toMatch(/"task":"close session"/);
    a.mendBase();
    expect(await view()).toBe(true);
    expect(await kick(b, 'unwritten')).toMatchObject({ status: 503, body: { code: 'bridge_offline', executed: 'no' } });
    await expect.poll(view, { timeout: 15_000, interval: 250 }).toBe(false);
    // A bridge that is there stays.
    const next = await connectTo(a, 'there');
    answerAll(next, kicked);
    expect((await kick(b, 'there')).status).toBe(200);
    next.kill();
  });

  it('show no server as connected to a dead node after its lease', async () => {
    const token = await cluster.newServer('orphan');
    const victim = await cluster.newNode('victim');
    await victim.start();
    await welcomeRaw(victim.bridgeUrl, token, { instance: randomUUID() });
    const view = async () => (await cluster.request(a, '/api/v2/servers/orphan')).body['connected'];
    expect(await view()).toBe(true);
    await victim.stop('SIGKILL');
    await expect.poll(view, { timeout: 15_000, interval: 250 }).toBe(false);
  });
});
