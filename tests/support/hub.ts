import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../db/database.ts';
import { createStore } from '../../db/store.ts';
import { createKey, createProject, createServer } from '../../server/cli/provision.ts';
import { readConfig } from '../../server/config.ts';
import type { Scope } from '../../server/credentials.ts';
import { createHub } from '../../server/hub.ts';
import { createLogger } from '../../server/logging.ts';
import { breakableDatabase } from './breakable-database.ts';
import { hubDatabase } from './hub-database.ts';
import { type Contract, createContract, type OpenApiDocument } from './openapi.ts';

export type Answer = {
  status: number;
  headers: Headers;
  text: string;
  // Answers are read as what the test expects; the contract has already checked their shape.
  body: { id?: string; code?: string; [field: string]: unknown };
};

export type RequestOptions = {
  key?: string | null;
  method?: string;
  json?: unknown;
  body?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

type HubOptions = { env?: Record<string, string>; folder?: string; rateLimit?: number; logTo?: string[] };

const openHub = async ({ env = {}, folder, logTo }: HubOptions & { folder: string }) => {
  const config = readConfig({
    PORT: '0',
    SWEEP_EVERY_MS: '20',
    REVOCATION_CHECK_MS: '50',
    CONNECTS_PER_MINUTE: '100000',
    ADMISSIONS_PER_SECOND: '100000',
    WRONG_KEYS_PER_MINUTE: '100000',
    SHUTDOWN_GRACE_MS: '1000',
    LOG_LEVEL: logTo === undefined ? 'silent' : 'debug',
    ...env,
    DATABASE_URL: env['DATABASE_URL'] ?? (await hubDatabase(folder)),
  });
  const log = createLogger(config.LOG_LEVEL, { write: (line) => logTo?.push(line) });
  const database = await openDatabase({ url: config.DATABASE_URL });
  await database.migrate();
  const store = createStore(database);
  const breakable = breakableDatabase(database);
  const { DATABASE_READ_URL: readUrl } = config;
  const replica = readUrl === undefined ? undefined : await openDatabase({ url: readUrl });
  const hub = createHub({ database: breakable.database, ...(replica && { replica }), config, log });
  return { hub, store, database, breakable };
};
type OpenHub = Awaited<ReturnType<typeof openHub>>;

/** Ends a hub as a SIGKILL does: sockets, timers and database go at once, nothing more is said or written. */
const crasher = ({ hub, database, breakable }: OpenHub) => {
  const sockets = new Set<Socket>();
  hub.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return async (): Promise<void> => {
    breakable.kill();
    hub.server.close();
    for (const socket of sockets) socket.destroy();
    await hub.commands.settled(0);
    await hub.background.drain();
    await database.close();
  };
};

const createClient = (address: string, defaultKey: string) => {
  let contract: Contract | undefined;
  const check = async (): Promise<Contract> => {
    contract ??= createContract((await (await fetch(`${address}/api/v2/openapi.json`)).json()) as OpenApiDocument);
    return contract;
  };
  /** Sends a request as a caller would; every answer is held against the OpenAPI document. */
  return async (path: string, options: RequestOptions = {}): Promise<Answer> => {
    const { key = defaultKey, json, body, headers = {} } = options;
    const method = options.method ?? (json === undefined && body === undefined ? 'GET' : 'POST');
    const payload = json === undefined ? body : JSON.stringify(json);
    const response = await fetch(address + path, {
      method,
      headers: {
        ...(key === null ? {} : { 'X-API-Key': key }),
        ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const text = await response.text();
    const contentType = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
    const pathname = path.split('?', 1)[0] ?? path;
    (await check())({ method, path: pathname, status: response.status, contentType, text });
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: contentType.endsWith('json') ? JSON.parse(text) : {},
    };
  };
};

/** A real hub on a free port over a database file of its own; it is gone when the test is. */
export const startHub = async (options: HubOptions = {}) => {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'causeway-test-')));
  const opened = await openHub({ ...options, folder });
  const { hub, store, breakable } = opened;
  const kill = crasher(opened);
  const existing = await store.projects.bySlug('test');
  const project =
    existing ?? (await createProject(store, { slug: 'test', name: 'Test', rateLimit: options.rateLimit ?? 1_000_000 }));
  if (project === undefined) throw new Error('the project could not be made');
  const { key, row } = await createKey(store, project.id, { name: 'test key' });
  const token = (await createServer(store, project.id, { id: 'main', name: 'Main' })) ?? '';
  const { port } = await hub.start();
  const address = `http://127.0.0.1:${port}`;
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= hub.stop();
    return stopping;
  };
  onTestFinished(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    hub,
    store,
    breakDatabase: breakable.break,
    loseAnswer: breakable.loseAnswer,
    /** Lets a statement never return: the moment in which this hub is about to crash. */
    stopAt: breakable.stopAt,
    hasStopped: breakable.hasStopped,
    project,
    key,
    keyId: row.id,
    token,
    folder,
    port,
    address,
    bridgeUrl: `ws://127.0.0.1:${port}/bridge`,
    request: createClient(address, key),
    stop,
    /** The process dies; the next hub may be started on the same folder. */
    crash: (): Promise<void> => {
      stopping = kill();
      return stopping;
    },
    newKey: async (scopes: readonly Scope[], servers: string[] | null = null) =>
      (await createKey(store, project.id, { name: 'other key', scopes, servers })).key,
    newServer: async (id: string) => (await createServer(store, project.id, { id, name: id })) ?? '',
    /** Another tenant of the same hub. */
    newProject: async (slug: string, rateLimit = 1_000_000) => {
      const other = await createProject(store, { slug, name: slug, rateLimit });
      if (other === undefined) throw new Error('the slug is taken');
      const made = await createKey(store, other.id, { name: `${slug} key` });
      return { project: other, key: made.key, keyId: made.row.id };
    },
  };
};
export type TestHub = Awaited<ReturnType<typeof startHub>>;
