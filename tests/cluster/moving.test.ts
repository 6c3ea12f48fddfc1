import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerAll, helloFrame, openRaw, playerFrame, type RawBridge, welcomeRaw } from '../kit/raw-bridge.ts';
import { type Cluster, type ClusterNode, type ClusterNodeOptions, hasServices, startCluster } from './cluster.ts';

const done = ({ name }: { name: string }) => ({
  status: 'done',
  data: name === 'kick' ? { kicked: true } : { account: 'bank', before: 0, after: 5 },
});
const money = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' };
const player = { target: 'char1:ana' };
const NOTICE_MS = 1_500;
const SLOW_MS = 250;
/** Shorter than a welcome waits for the old node. */
const SLIGHT_MS = 60;
const MOVED = 'char1:moved';

describe.runIf(hasServices)('a bridge that changes nodes', () => {
  let cluster: Cluster;
  let [b, c]: ClusterNode[] = [];
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 2 });
    [b, c] = cluster.nodes;
  });
  afterAll(() => cluster?.dispose());

  const node = (which: ClusterNode | undefined): ClusterNode => which as ClusterNode;
  const newNode = async (name: string, options: ClusterNodeOptions = {}): Promise<ClusterNode> => {
    const made = await cluster.newNode(name, options);
    await made.start();
    return made;
  };
  const ask = (from: ClusterNode | undefined, path: string, json: object, headers = {}) =>
    cluster.request(node(from), `/api/v2/bridge/${path}`, { json, headers });
  const sessionOf = (serverId: string) => cluster.store.sessions.get(cluster.project.id, serverId);
  /** Answers all commands, and counts those of money. */
  const serve = (bridge: RawBridge) => {
    const paid = { count: 0 };
    answerAll(bridge, (command) => {
      if (command.name === 'money') paid.count += 1;
      return done(command);
    });
    return paid;
  };

  it('is found at its new node by one that believes in its old one, which has ended', async () => {
    const old = await newNode('old');
    const token = await cluster.newServer('believed');
    const instance = randomUUID();
    serve(await welcomeRaw(old.bridgeUrl, token, { instance }));
    expect((await ask(c, 'believed/kick', player)).status).toBe(200);
    const paid = serve(await welcomeRaw(node(b).bridgeUrl, token, { instance }));
    await old.stop('SIGKILL');
    const answers = await Promise.all([ask(c, 'believed/money', money), ask(c, 'believed/kick', player)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(paid.count).toBe(1);
  });

  it('is found at its new node from the moment on at which its session is written', async () => {
    const slow = await newNode('slow');
    const bridge = openRaw(slow.bridgeUrl, await cluster.newServer('arriving'));
    const paid = serve(bridge);
    await bridge.opened();
    slow.slowBase(SLOW_MS);
    bridge.send(helloFrame());
    // The hello needs some statements, each of which is slow now.
    await expect.poll(() => sessionOf('arriving'), { interval: 5 }).toMatchObject({ connected: true });
    const answers = await Promise.all([ask(c, 'arriving/money', money), ask(c, 'arriving/kick', player)]);
    expect(bridge.frames[0]).toMatchObject({ type: 'welcome' });
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(paid.count).toBe(1);
    bridge.kill();
    await slow.stop('SIGKILL');
  });

  it('is welcomed when what its old socket says of players counts no more', async () => {
    const slow = await newNode('far');
    const token = await cluster.newServer('reporting');
    const old = await welcomeRaw(slow.bridgeUrl, token, { instance: randomUUID() });
    const players = (revision: number, bank: number) => ({
      revision,
      players: [playerFrame(MOVED, { accounts: { bank } })],
    });
    const isKnown = async () => (await cluster.request(node(b), `/api/v2/players/${MOVED}`)).body;
    old.send({ type: 'players.snapshot', part: 0, last: true, ...players(1, 1) });
    await expect.poll(isKnown).toMatchObject({ accounts: { bank: 1 } });
    slow.slowBus(SLIGHT_MS);
    const next = await welcomeRaw(node(b).bridgeUrl, token, { instance: randomUUID() });
    old.send({ type: 'players.changed', ...players(2, 2) });
    // Its first frame shows that the new socket lives, and the old one is closed.
    next.send({ type: 'unheard' });
    await old.closed();
    expect(await isKnown()).toMatchObject({ accounts: { bank: 1 } });
    await slow.stop('SIGKILL');
  });

  it('is paid once when it is back, though its node was killed before the payment', async () => {
    const victim = await newNode('victim');
    const token = await cluster.newServer('killed');
    const instance = randomUUID();
    await welcomeRaw(victim.bridgeUrl, token, { instance });
    await victim.stop('SIGKILL');
    const headers = { 'Idempotency-Key': 'killed' };
    const asked = ask(b, 'killed/money', money, headers);
    const rows = async () =>
      (await cluster.store.commands.list({ projectId: cluster.project.id, servers: ['killed'], limit: 9 })).rows;
    await expect.poll(rows).toMatchObject([{ status: 'accepted' }]);
    const paid = serve(await welcomeRaw(node(c).bridgeUrl, token, { instance }));
    expect(await asked).toMatchObject({ status: 200, body: { status: 'succeeded', executed: 'yes' } });
    expect((await ask(c, 'killed/money', money, headers)).status).toBe(200);
    expect(paid.count).toBe(1);
  });

  it('is paid when it is back, though it had left before the payment; one that said goodbye is not waited for', async () => {
    const token = await cluster.newServer('gone');
    const leave = async (how: (bridge: RawBridge) => void): Promise<void> => {
      how(await welcomeRaw(node(b).bridgeUrl, token));
      await expect.poll(() => sessionOf('gone'), { interval: 5 }).toMatchObject({ connected: false });
    };
    await leave((bridge) => bridge.send({ type: 'bye', reason: 'test' }));
    expect(await ask(c, 'gone/money', money)).toMatchObject({ status: 503, body: { code: 'bridge_offline' } });
    await leave((bridge) => bridge.kill());
    const asked = ask(c, 'gone/money', money);
    expect(await ask(c, 'gone/kick', player)).toMatchObject({ status: 503, body: { code: 'bridge_offline' } });
    const paid = serve(await welcomeRaw(node(b).bridgeUrl, token));
    expect((await asked).status).toBe(200);
    expect(paid.count).toBe(1);
  });

  it('is kicked at its new node, though another kick has just found the old one gone', async () => {
    const victim = await newNode('victim-3');
    const [moved, left] = [await cluster.newServer('moved'), await cluster.newServer('left')];
    const instance = randomUUID();
    serve(await welcomeRaw(victim.bridgeUrl, moved, { instance }));
    await welcomeRaw(victim.bridgeUrl, left);
    // Node b knows the place of the bridge from now on.
    expect((await ask(b, 'moved/kick', player)).status).toBe(200);
    await victim.stop('SIGKILL');
    serve(await welcomeRaw(node(c).bridgeUrl, moved, { instance }));
    expect((await ask(b, 'left/kick', player)).body['code']).toBe('routing_unavailable');
    expect(await ask(b, 'moved/kick', player)).toMatchObject({ status: 200, body: { status: 'succeeded' } });
  });

  it('is kicked from under the key of a kick that no node took, for nothing was stored of that', async () => {
    const victim = await newNode('victim-2');
    const token = await cluster.newServer('kicked');
    const instance = randomUUID();
    await welcomeRaw(victim.bridgeUrl, token, { instance });
    await victim.stop('SIGKILL');
    const headers = { 'Idempotency-Key': 'kicked' };
    const refused = await ask(b, 'kicked/kick', player, headers);
    expect(refused).toMatchObject({ status: 503, body: { code: 'routing_unavailable', executed: 'no' } });
    expect(refused.body).not.toHaveProperty('command');
    serve(await welcomeRaw(node(c).bridgeUrl, token, { instance }));
    expect(await ask(b, 'kicked/kick', player, headers)).toMatchObject({ status: 200 });
  });

  it('is paid under the key of a payment that was refused because its game server restarts', async () => {
    const bridge = await welcomeRaw(node(b).bridgeUrl, await cluster.newServer('restarting'));
    const paid = serve(bridge);
    const isDraining = async () =>
      (await cluster.request(node(b), '/api/v2/servers/restarting')).body['bridge'] as { draining: boolean };
    const headers = { 'Idempotency-Key': 'restarting' };
    bridge.send({ type: 'status', draining: true });
    await expect.poll(isDraining).toMatchObject({ draining: true });
    const refused = await ask(c, 'restarting/money', money, headers);
    expect(refused).toMatchObject({ status: 503, body: { code: 'server_restarting', executed: 'no' } });
    expect(refused.body).not.toHaveProperty('command');
    bridge.send({ type: 'status', draining: false });
    await expect.poll(isDraining).toMatchObject({ draining: false });
    expect((await ask(c, 'restarting/money', money, headers)).status).toBe(200);
    expect(paid.count).toBe(1);
  });

  it('is asked through a node that holds none and stops, for as long as proxies need to see that', async () => {
    serve(await welcomeRaw(node(b).bridgeUrl, await cluster.newServer('noticed')));
    const leaving = await cluster.newNode('leaving', { tuning: { shutdownNoticeMs: NOTICE_MS } });
    // It is told to stop as soon as it listens, while its start still reads.
    leaving.slowBase(SLIGHT_MS);
    const started = leaving.start().catch(() => undefined);
    await expect.poll(() => cluster.request(leaving, '/livez').catch(() => undefined), { interval: 5 }).toBeDefined();
    leaving.slowBase(0);
    const from = performance.now();
    const stopped = leaving.stop();
    await expect.poll(async () => (await cluster.request(leaving, '/readyz')).status, { interval: 5 }).toBe(503);
    expect((await ask(leaving, 'noticed/money', money)).status).toBe(200);
    await Promise.all([started, stopped]);
    expect(performance.now() - from).toBeGreaterThanOrEqual(NOTICE_MS);
  });
});
