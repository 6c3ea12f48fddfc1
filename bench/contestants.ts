import { join } from 'node:path';
import type { Tuning } from '../server/platform/tuning.ts';
import { HUB_PROGRAM } from '../tests/testkit/hub-arguments.ts';
import { makeTenantAt, type Tenant } from '../tests/testkit/make-tenant.ts';
import { type Child, type Core, startChild } from './children.ts';
import { removeFolder, temporaryFolder } from './folders.ts';
import type { BridgeKind } from './load/bridges.ts';

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
  nodeArgs = [],
  on,
}: Start & {
  env?: Record<string, string>;
  tuning?: Partial<Tuning>;
  folder?: string;
  nodeArgs?: readonly string[];
  /** The path of an existing database, which is kept. */
  on?: Pick<Tenant, 'key' | 'tokens'> & { url: string };
}): Promise<Contestant> => {
  const url = on?.url ?? `file:${join(folder, 'hub.db')}`;
  const { key, tokens } = on ?? (await makeTenantAt(url, 'bench', { servers }));
  const server = startChild({
    args: [...nodeArgs, ...PROBE, HUB_PROGRAM, JSON.stringify({ connectsPerMinute: NO_LIMIT, ...tuning })],
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

/** All contestants that carry out commands, by name. */
export const CONTESTANTS: Record<string, (start: Start) => Promise<Contestant>> = {
  causeway: startCauseway,
  limit: startPeer('limit', 'json'),
  'by-hand': startPeer('by-hand', 'json', (folder) => [join(folder, 'journal.db'), KEY]),
  'express-socketio': startPeer('express-socketio', 'socket.io', (folder) => [join(folder, 'journal.db'), KEY]),
  'express-socketio-bare': startPeer('express-socketio-bare', 'socket.io'),
  'fastify-ocpp': startPeer('fastify-ocpp', 'ocpp'),
  'fastify-ws': startPeer('fastify-ws', 'json'),
  birpc: startPeer('birpc', 'birpc'),
  'ws-idle': startPeer('ws-idle', 'json'),
  'socketio-idle': startPeer('socketio-idle', 'socket.io'),
};
