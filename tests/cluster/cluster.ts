import { openProxy } from '../../chaos/proxy.ts';
import { openDatabase } from '../../db/open.ts';
import { createStore } from '../../db/store.ts';
import type { Tuning } from '../../server/platform/config.ts';
import { newServerDatabase, serverUrl } from '../kit/databases.ts';
import { createKey, createServer, makeTenant } from '../kit/make-tenant.ts';
import { openNode } from './node.ts';

/** A NATS server to test on; undefined: there is none. */
export const natsUrl = process.env['TEST_NATS_URL'];

/** Whether PostgreSQL and NATS are available: `.ci/cluster` starts them. */
export const hasServices = serverUrl !== undefined && natsUrl !== undefined;

export type Answer = { status: number; body: Record<string, unknown>; ms: number };

export type ClusterNodeOptions = { env?: Record<string, string>; tuning?: Partial<Tuning> };

/** A node, and its ways to NATS and PostgreSQL. */
const startNode = async (name: string, databaseUrl: string, { env = {}, tuning = {} }: ClusterNodeOptions) => {
  let isCut = false;
  const nats = new URL(natsUrl ?? '');
  // No server listens on port 1.
  const line = await openProxy(() => (isCut ? 1 : Number(nats.port)));
  const postgres = new URL(databaseUrl);
  let isBaseCut = false;
  const base = await openProxy(() => (isBaseCut ? 1 : Number(new URL(databaseUrl).port)));
  postgres.port = String(base.port);
  const behind = { NATS_URL: `nats://127.0.0.1:${line.port}`, DATABASE_URL: postgres.href };
  const node = await openNode(name, { ...behind, ...env }, tuning);
  const fallSilent = (which: { setCondition: typeof line.setCondition }) => () =>
    which.setCondition({ delayMs: 0, isStalled: true });
  return {
    ...node,
    cutBus: (): void => {
      isCut = true;
      line.cutAfter(0);
    },
    mendBus: (): void => {
      isCut = false;
    },
    cutBase: (): void => {
      isBaseCut = true;
      base.cutAfter(0);
    },
    mendBase: (): void => {
      isBaseCut = false;
    },
    /** From now on, data to and from NATS, or PostgreSQL, is delayed by this time. */
    slowBus: (delayMs: number): void => line.setCondition({ delayMs, isStalled: false }),
    slowBase: (delayMs: number): void => base.setCondition({ delayMs, isStalled: false }),
    /** From now on it accepts data and sends none, like a paused server. */
    silenceBus: fallSilent(line),
    silenceBase: fallSilent(base),
    dispose: async (): Promise<void> => {
      await node.stop('SIGKILL');
      line.close();
      base.close();
    },
  };
};
export type ClusterNode = Awaited<ReturnType<typeof startNode>>;

/** Real hub processes over one PostgreSQL server and one NATS server, with a project, a key and a server `main`. */
export const startCluster = async ({
  nodes: count = 3,
  env = {},
  tuning = {},
}: ClusterNodeOptions & { nodes?: number } = {}) => {
  const { url, drop } = await newServerDatabase(serverUrl ?? '');
  const database = await openDatabase({ url });
  await database.migrate();
  const store = createStore(database);
  const { project, key, keyId, tokens } = await makeTenant(store, 'test', { servers: ['main'] });
  const [token = ''] = tokens;
  const nodes: ClusterNode[] = [];
  const newNode = async (name: string, more: ClusterNodeOptions = {}): Promise<ClusterNode> => {
    const options = { env: { ...env, ...more.env }, tuning: { ...tuning, ...more.tuning } };
    const node = await startNode(name, url, options);
    nodes.push(node);
    return node;
  };
  await Promise.all(Array.from({ length: count }, (_, n) => newNode(`node-${n + 1}`)));
  await Promise.all(nodes.map((node) => node.start()));

  return {
    store,
    project,
    key,
    keyId,
    token,
    nodes,
    newNode,
    newServer: async (id: string) => (await createServer(store, project.id, { id, name: id })) ?? '',
    newKey: () => createKey(store, project.id, { name: 'another' }),
    request: async (
      node: Pick<ClusterNode, 'address'>,
      path: string,
      {
        json,
        headers = {},
        method = json === undefined ? 'GET' : 'POST',
        key: given = key,
      }: { json?: unknown; headers?: Record<string, string>; method?: string; key?: string } = {},
    ): Promise<Answer> => {
      const from = performance.now();
      const response = await fetch(node.address + path, {
        method,
        headers: { 'X-API-Key': given, 'Content-Type': 'application/json', ...headers },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      const text = await response.text();
      const body = text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : {};
      return { status: response.status, body, ms: performance.now() - from };
    },
    dispose: async (): Promise<void> => {
      await Promise.all(nodes.map((node) => node.dispose()));
      await database.close();
      await drop();
    },
  };
};
export type Cluster = Awaited<ReturnType<typeof startCluster>>;
