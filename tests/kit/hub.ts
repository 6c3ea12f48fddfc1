import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../db/store.ts';
import { addProject } from '../../server/admin/projects.ts';
import type { Scope } from '../../server/auth/credentials.ts';
import type { Tuning } from '../../server/platform/config.ts';
import { atEnd, shared } from './ends.ts';
import { createClient } from './hub-client.ts';
import { hubDatabase, nodeCount } from './hub-database.ts';
import { type HubNode, openHubNode } from './hub-node.ts';
import { createKey, createServer, makeTenant, type Tenant } from './make-tenant.ts';

export type { Answer } from './hub-client.ts';

/** Requests per minute, more than a test sends. A hub keeps room for as many times, for each project. */
const RATE_LIMIT = 100_000;

export type HubOptions = {
  env?: Record<string, string>;
  tuning?: Partial<Tuning>;
  folder?: string;
  rateLimit?: number;
  logTo?: string[];
  /** Whether it serves the panel. */
  panel?: boolean;
};

/** One after the other, for ever. */
const rotation = (ports: readonly number[]): (() => number) => {
  let turn = -1;
  return () => {
    turn = (turn + 1) % ports.length;
    return ports[turn] ?? 0;
  };
};

/** A test that names its own database creates its own cluster. */
const openNodes = async (options: HubOptions & { folder: string }): Promise<HubNode[]> => {
  const { env = {}, tuning = {}, folder, logTo, panel } = options;
  const named = env['DATABASE_URL'];
  const count = named === undefined ? nodeCount : 1;
  const natsUrl = count > 1 ? process.env['TEST_NATS_URL'] : undefined;
  const databaseUrl = named ?? (await hubDatabase(folder));
  const nodes: HubNode[] = [];
  for (let n = 0; n < count; n += 1) nodes.push(await openHubNode({ env, tuning, databaseUrl, natsUrl, logTo, panel }));
  return nodes;
};

type Owner = Pick<Tenant, 'project' | 'key' | 'keyId'> & { token: string };

/** A hub as one tenant sees it. */
const viewOf = (place: { address: string }, store: Store, owner: Owner) => ({
  ...owner,
  request: createClient(place, owner.key),
  newKey: async (scopes: readonly Scope[], servers: string[] | null = null) =>
    (await createKey(store, owner.project.id, { name: 'other key', scopes, servers })).key,
  newServer: async (id: string) => (await createServer(store, owner.project.id, { id, name: id })) ?? '',
});

/**
 * A real hub on a free port with its own database, until the test or its file ends. With TEST_NODES it is a cluster:
 * each read of its address returns the next node.
 */
export const startHub = async (options: HubOptions = {}) => {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'causeway-test-')));
  const nodes = await openNodes({ ...options, folder });
  const [first] = nodes as [HubNode];
  const { hub, store } = first;
  const existing = await store.projects.bySlug('test');
  const project =
    existing ?? (await addProject(store, { slug: 'test', name: 'Test', rateLimit: options.rateLimit ?? RATE_LIMIT }));
  if (project === undefined) throw new Error('the project could not be made');
  const { key, row } = await createKey(store, project.id, { name: 'test key' });
  const token = (await createServer(store, project.id, { id: 'main', name: 'Main' })) ?? '';
  const ports = await Promise.all(nodes.map(async (node) => (await node.hub.start()).port));
  const nextForCallers = rotation(ports);
  const nextForBridges = rotation(ports);
  const place = {
    /** Of the node that is asked next. */
    get port(): number {
      return nextForCallers();
    },
    get address(): string {
      return `http://127.0.0.1:${nextForCallers()}`;
    },
    get bridgePort(): number {
      return nextForBridges();
    },
    /** Bridges dial the nodes in turn. */
    get bridgeUrl(): string {
      return `ws://127.0.0.1:${nextForBridges()}/bridge`;
    },
  };
  let stopping: Promise<unknown> | undefined;
  const stop = async (): Promise<void> => {
    stopping ??= Promise.all(nodes.map((node) => node.hub.stop()));
    await stopping;
  };
  const crash = async (): Promise<void> => {
    stopping = Promise.all(nodes.map(({ kill }) => kill()));
    await stopping;
  };
  atEnd(async () => {
    // A stop would wait three seconds for what a test left open.
    await (stopping ?? crash());
    await rm(folder, { recursive: true, force: true });
  });
  const onAll =
    <A extends unknown[]>(act: (breakable: HubNode['breakable']) => (...args: A) => void) =>
    (...args: A): void => {
      for (const { breakable } of nodes) act(breakable)(...args);
    };
  const sum = (count: (node: HubNode) => number): number => nodes.reduce((total, node) => total + count(node), 0);

  return Object.assign(place, {
    /** The only node, or the first. */
    hub,
    hubs: nodes.map((node) => node.hub),
    store,
    breakDatabase: onAll(({ break: breakAll }) => breakAll),
    loseAnswer: onAll(({ loseAnswer }) => loseAnswer),
    /** Lets a statement never return: the moment in which this hub is about to crash. */
    stopAt: onAll(({ stopAt }) => stopAt),
    holdReads: onAll(({ holdReads }) => holdReads),
    /** The largest turn of the event loop of the only node while the work was done. */
    largestTurn: (work: () => Promise<unknown>) => first.counted.during(work),
    holdAnswers: (until: Promise<unknown>, work: () => unknown): Promise<unknown> =>
      Promise.all(nodes.map(({ breakable }) => breakable.holdAnswers(until, work))),
    holdAnswersOf: (statement: string, until: Promise<unknown>): Promise<void> =>
      Promise.race(nodes.map(({ breakable }) => breakable.holdAnswersOf(statement, until))),
    hasStopped: (): boolean => nodes.some(({ breakable }) => breakable.hasStopped()),
    ...viewOf(place, store, { project, key, keyId: row.id, token }),
    folder,
    stop,
    /** The process dies; the next hub may be started on the same folder. */
    crash,
    /** The numbers of connections and commands, on all nodes. */
    sizes: () => ({
      connections: sum((node) => node.hub.gateway.sizes().connections),
      sessions: sum((node) => node.hub.gateway.sizes().sessions),
      queued: sum((node) => node.hub.commands.sizes().queued),
      inFlight: sum((node) => node.hub.commands.sizes().inFlight),
    }),
    /** The work of each node once a minute. */
    tidy: async (): Promise<void> => {
      for (const node of nodes) await node.hub.commands.tidy();
    },
    /** Another tenant of the same hub. */
    newProject: (slug: string, rateLimit = RATE_LIMIT) => makeTenant(store, slug, { rateLimit }),
  });
};
export type TestHub = Awaited<ReturnType<typeof startHub>>;

/** The same hub for another tenant, who has a server `main`, too. */
export const lentTo = async (hub: TestHub, slug: string): Promise<TestHub> => {
  const { tokens, ...owner } = await makeTenant(hub.store, slug, { servers: ['main'], rateLimit: RATE_LIMIT });
  return Object.assign(Object.create(hub) as TestHub, viewOf(hub, hub.store, { ...owner, token: tokens[0] ?? '' }));
};

/** One hub for all tests of a file. Each test that asks is a new tenant of it, who has a server `main`. */
export const shareHub = (options: HubOptions = {}): (() => Promise<TestHub>) => {
  const hub = shared(() => startHub(options));
  let tenants = 0;
  return () => {
    tenants += 1;
    return lentTo(hub(), `tenant-${tenants}`);
  };
};
