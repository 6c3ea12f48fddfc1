import { mkdtemp, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNatsServer, openPostgresServer } from '../../chaos/cluster/services.ts';
import { openProxy } from '../../chaos/proxy.ts';
import { bundled } from '../../tests/kit/bundled.ts';
import { freePort } from '../../tests/kit/free-port.ts';
import { makeTenantAt } from '../../tests/kit/make-tenant.ts';
import { until } from '../../tests/kit/until.ts';
import { createCaller } from './caller.ts';
import { type Cpu, cpuOf, endedCpu, ownCpu } from './cpu.ts';
import { openGames } from './games.ts';
import { openProcess } from './processes.ts';

const HEALTH_EVERY_MS = 250;

type Cluster = { folder: string; key: string; env: Record<string, string> };

/** A node as shipped; it can be stopped as in an update. */
const openNode = async (name: string, { folder, key, env }: Cluster) => {
  const port = await freePort();
  const caller = createCaller({ port, key });
  const logFile = join(folder, `${name}.log`);
  const program = await bundled();
  const start = () =>
    openProcess([program, 'start'], { logFile, env: { ...env, NODE_NAME: name, PORT: String(port) } });
  let running = start();
  await until(caller.isReady, `${name} is ready`);
  const node = {
    port,
    bridgeUrl: `ws://127.0.0.1:${port}/bridge`,
    caller,
    pid: () => running.child.pid,
    /** The node's readiness as the load balancer saw it last. */
    isGood: true,
    look: async (): Promise<void> => {
      node.isGood = await caller.isReady();
    },
    restart: async (): Promise<void> => {
      running.child.kill('SIGTERM');
      await running.ended();
      running = start();
      const pid = running.child.pid ?? 0;
      // A new node starts with low priority: on its own machine it would take no CPU from the other nodes.
      setPriority(pid, constants.priority.PRIORITY_LOW);
      await until(caller.isReady, `${name} is ready again`);
      setPriority(pid, constants.priority.PRIORITY_NORMAL);
    },
    close: async (): Promise<void> => {
      caller.close();
      await running.kill();
    },
  };
  return node;
};

/** Nodes with their own PostgreSQL and NATS server; callers and bridges use the ready nodes in turn. */
export const openNodes = async (servers: readonly string[], count: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-rolling-'));
  const natsPort = await freePort();
  const nats = await openNatsServer(natsPort);
  const postgres = await openPostgresServer(await freePort());
  const { key, tokens } = await makeTenantAt(postgres.url, 'promises', { servers });
  const env = { DATABASE_URL: postgres.url, NATS_URL: `nats://127.0.0.1:${natsPort}`, LOG_LEVEL: 'warn' };
  const nodes: Awaited<ReturnType<typeof openNode>>[] = [];
  for (let n = 1; n <= count; n += 1) nodes.push(await openNode(`node-${n}`, { folder, key, env }));
  let turn = 0;
  const next = () => {
    turn += 1;
    const good = nodes.filter(({ isGood }) => isGood);
    return good[turn % good.length] ?? nodes[0];
  };
  const door = await openProxy(() => next()?.port ?? 0);
  const health = setInterval(() => {
    for (const node of nodes) void node.look();
  }, HEALTH_EVERY_MS);
  const hub = {
    folder,
    url: `ws://127.0.0.1:${door.port}/bridge`,
    tokenOf: (id: string) => tokens[servers.indexOf(id)] ?? '',
  };
  const gameServers = openGames(hub, 'games');
  return {
    games: gameServers,
    nodes,
    next,
    /** CPU seconds of all processes so far; those of the nodes are a sum that includes stopped nodes. */
    cpu: async (): Promise<Cpu> => ({
      nodes: (await Promise.all(nodes.map((node) => cpuOf(node.pid())))).reduce(
        (sum, each) => sum + each,
        await endedCpu(),
      ),
      PostgreSQL: await cpuOf(postgres.pid()),
      NATS: await cpuOf(nats.pid()),
      'game servers': await cpuOf(gameServers.pid),
      callers: await ownCpu(),
    }),
    close: async (): Promise<void> => {
      clearInterval(health);
      door.close();
      for (const node of nodes) await node.close();
      await postgres.close();
      await nats.end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
};
