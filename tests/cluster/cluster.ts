import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openDatabase } from '../../db/database.ts';
import { createStore } from '../../db/store.ts';
import { createKey, createProject, createServer } from '../../server/cli/provision.ts';
import { freePort, startNats, startPostgres, until } from './services.ts';

const root = join(import.meta.dirname, '../..');

const ENV = {
  LOG_LEVEL: 'warn',
  CONNECTS_PER_MINUTE: '100000',
  ADMISSIONS_PER_SECOND: '100000',
  WRONG_KEYS_PER_MINUTE: '100000',
  SHUTDOWN_GRACE_MS: '2000',
};

export type Answer = { status: number; body: Record<string, unknown>; ms: number };

/** One process of the hub. */
const startNode = async (name: string, env: Record<string, string>) => {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let said = '';

  const launch = (): ChildProcess => {
    const launched = spawn(process.execPath, ['server/cli/causeway.js', 'start'], {
      cwd: root,
      env: { ...process.env, ...ENV, ...env, NODE_NAME: name, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [launched.stdout, launched.stderr]) {
      stream?.on('data', (text) => {
        said = (said + String(text)).slice(-20_000);
      });
    }
    return launched;
  };
  const isReady = (): Promise<boolean> =>
    fetch(`${address}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const start = async (): Promise<void> => {
    const launched = launch();
    child = launched;
    await until(async () => {
      if (launched.exitCode !== null) throw new Error(`${name} ended: ${said}`);
      return isReady();
    }, `${name} is ready`);
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    const dying = child;
    child = undefined;
    if (dying === undefined || dying.exitCode !== null) return;
    const exited = once(dying, 'exit');
    dying.kill('SIGCONT');
    dying.kill(signal);
    await exited;
  };
  return {
    name,
    port,
    address,
    bridgeUrl: `ws://127.0.0.1:${port}/bridge`,
    start,
    stop,
    /** The exit code of one that is expected to refuse to start. */
    refusal: async (): Promise<{ code: number | null; said: string }> => {
      const launched = launch();
      child = launched;
      if (launched.exitCode === null) await once(launched, 'exit');
      return { code: launched.exitCode, said };
    },
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    said: () => said,
  };
};
export type ClusterNode = Awaited<ReturnType<typeof startNode>>;

/** Real hub processes over one PostgreSQL server and one NATS server, with a project, a key and a server `main`. */
export const startCluster = async ({
  nodes: count = 3,
  env = {},
}: {
  nodes?: number;
  env?: Record<string, string>;
} = {}) => {
  const [nats, postgres] = await Promise.all([startNats(), startPostgres()]);
  const database = await openDatabase({ url: postgres.url });
  await database.migrate();
  const store = createStore(database);
  const project = await createProject(store, { slug: 'test', name: 'Test', rateLimit: 10_000_000 });
  if (project === undefined) throw new Error('the project could not be made');
  const { key, row } = await createKey(store, project.id, { name: 'test key' });
  const token = (await createServer(store, project.id, { id: 'main', name: 'Main' })) ?? '';
  const newNode = (name: string, more: Record<string, string> = {}) =>
    startNode(name, { DATABASE_URL: postgres.url, NATS_URL: nats.url, ...env, ...more });
  const nodes = await Promise.all(Array.from({ length: count }, (_, n) => newNode(`node-${n + 1}`)));
  await Promise.all(nodes.map((node) => node.start()));

  return {
    nats,
    postgres,
    store,
    project,
    key,
    keyId: row.id,
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
      await Promise.all(nodes.map((node) => node.stop('SIGKILL')));
      await database.close();
      await nats.stop('SIGKILL');
      await postgres.dispose();
    },
  };
};
export type Cluster = Awaited<ReturnType<typeof startCluster>>;
