import { join } from 'node:path';
import type { Tuning } from '../server/platform/config.ts';
import { HUB_PROGRAM } from '../tests/kit/hub-arguments.ts';
import { makeTenantAt, type Tenant } from '../tests/kit/make-tenant.ts';
import { type Child, type Core, startChild } from './children.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import type { BridgeKind } from './load/bridges.ts';
import { createDatabase } from './postgres.ts';

const NO_LIMIT = 10_000_000;

/** A running server of the comparison, without connected bridges. */
export type Contestant = {
  name: string;
  server: Child;
  port: number;
  prefix: string;
  headers: Record<string, string>;
  bridges: BridgeKind;
  servers: readonly string[];
  tokens: readonly string[];
  close: () => Promise<void>;
};

type Start = { core: Core | undefined; servers: readonly string[] };
const PROBE = ['--expose-gc', '--import', './bench/probe.ts'];

const portOf = async (server: Child, name: string): Promise<number> => {
  const { port } = await server.next<{ port: number }>(`${name} listens`);
  return port;
};

const startPeer =
  (name: string, bridges: BridgeKind, args: (folder: string) => string[] = () => []) =>
  async ({ core, servers }: Start): Promise<Contestant> => {
    const folder = temporaryFolder();
    const server = startChild({ args: [...PROBE, `bench/peers/${name}.ts`, ...args(folder)], core });
    return {
      name,
      server,
      port: await portOf(server, name),
      prefix: '/bridge',
      headers: { 'X-API-Key': KEY },
      bridges,
      servers,
      tokens: [],
      close: async () => {
        await server.stop();
        removeFolder(folder);
      },
    };
  };
const KEY = 'cw_bench_not_a_secret_0123456789abcdef';

/** Our hub with its default settings and all features; only the rate limits are raised. */
export const startCauseway = async ({
  core,
  servers,
  env = {},
  tuning = {},
  folder = temporaryFolder(),
  on,
}: Start & {
  env?: Record<string, string>;
  tuning?: Partial<Tuning>;
  folder?: string;
  /** The path of an existing database, which is kept. */
  on?: Pick<Tenant, 'key' | 'tokens'> & { url: string };
}): Promise<Contestant> => {
  const url = on?.url ?? `file:${join(folder, 'hub.db')}`;
  const { key, tokens } = on ?? (await makeTenantAt(url, 'bench', { servers }));
  const server = startChild({
    args: [...PROBE, HUB_PROGRAM, JSON.stringify({ connectsPerMinute: NO_LIMIT, ...tuning })],
    env: {
      DATABASE_URL: url,
      PORT: '0',
      HOST: '127.0.0.1',
      ADMISSIONS_PER_SECOND: String(NO_LIMIT),
      ...env,
    },
    core,
  });
  return {
    name: 'causeway',
    server,
    port: await portOf(server, 'causeway'),
    prefix: '/api/v2/bridge',
    headers: { 'X-API-Key': key },
    bridges: 'causeway',
    servers,
    tokens,
    close: async () => {
      await server.stop();
      removeFolder(folder);
    },
  };
};

/** Our hub on a new database of the PostgreSQL server of `BENCH_POSTGRES_URL`; the database is dropped at the end. */
const startOnPostgres = async (start: Start): Promise<Contestant> => {
  const database = await createDatabase(process.env['BENCH_POSTGRES_URL'] ?? '', `causeway_bench_${process.pid}`);
  const { servers } = start;
  const { key, tokens } = await makeTenantAt(database.url, 'bench', { servers });
  const hub = await startCauseway({ ...start, on: { url: database.url, key, tokens } });
  return {
    ...hub,
    close: async () => {
      await hub.close();
      await database.drop();
    },
  };
};

/** A description of each program in the comparison, for `--help`. */
export const ABOUT: Record<string, string> = {
  causeway: 'this hub with default settings and every feature; only its rate limits are raised',
  'causeway-postgres': 'this hub on PostgreSQL, which shares the core of callers and bridges',
  limit: 'node:http and ws without any feature: the most that this runtime can do',
  'by-hand-frozen':
    'limit, plus what the promise needs: API key, rate limit, validation, the table of 2026-11-23, headers, a log line',
  'express-socketio': 'Express and Socket.IO, with key, limit, validation and journal',
};

/** All contestants that carry out commands, by name. */
export const CONTESTANTS: Record<string, (start: Start) => Promise<Contestant>> = {
  causeway: startCauseway,
  'causeway-postgres': startOnPostgres,
  limit: startPeer('limit', 'json'),
  'by-hand-frozen': startPeer('by-hand-frozen', 'json', (folder) => [join(folder, 'journal.db'), KEY]),
  'express-socketio': startPeer('express-socketio', 'socket.io', (folder) => [join(folder, 'journal.db'), KEY]),
};
