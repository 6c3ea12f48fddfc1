import { expect } from 'vitest';
import { atEnd } from '../kit/ends.ts';
import { newFolder } from '../kit/folder.ts';
import { startHub } from '../kit/hub.ts';
import { until } from '../kit/until.ts';
import { type Client, createClient } from './client.ts';
import { createServer, type ServerOptions } from './server.ts';

/** A client needs some two seconds to join. */
const JOINS_WITHIN_MS = 30_000;

type Listed = { name: string; online: boolean; accounts: Record<string, number> };
/** A player as the hub shows them. */
export type Player = Listed & {
  inventory: { slot: number; name: string; label: string; count: number; metadata: Record<string, unknown> }[];
  metadata: Record<string, unknown>;
};

type StageOptions = Omit<ServerOptions, 'folder'> & {
  /** Puts files into the world before its server starts for the first time. */
  prepare?: (world: string) => void;
};

/** A real hub, and a real game server whose bridge is connected to it; both end with the test. */
export const openStage = async (options: StageOptions = {}) => {
  const folder = newFolder();
  const hub = await startHub();
  const env = { CAUSEWAY_URL: hub.bridgeUrl, CAUSEWAY_TOKEN: hub.token, ...options.env };
  const server = await createServer({ ...options, folder, env });
  const clients = new Set<Client>();
  atEnd(async () => {
    for (const client of clients) await client.kill();
    await server.kill();
  });
  options.prepare?.(server.world);
  await server.start();

  type Info = { connected: boolean; bridge: { journalClass: string; accounts: string[] } | null };
  const info = async (): Promise<Info> => (await hub.request('/api/v2/servers/main')).body as unknown as Info;
  const isConnected = async (): Promise<boolean> => (await info()).connected;

  const listed = async (): Promise<Listed[]> =>
    (await hub.request('/api/v2/players?limit=200')).body['data'] as Listed[];
  const playerOf = async (name: string, headers: Record<string, string>): Promise<Player> => {
    const answer = await hub.request(`/api/v2/players/${name}`, { headers });
    expect(answer.status).toBe(200);
    return answer.body as unknown as Player;
  };

  return {
    folder,
    hub,
    server,
    info,
    /** The players that the hub lists. */
    listed,
    /** One player as the hub has them. */
    copy: (name: string): Promise<Player> => playerOf(name, {}),
    /** One player as the game has them now. */
    read: (name: string): Promise<Player> => playerOf(name, { 'Cache-Control': 'no-cache' }),
    isOnline: async (name: string): Promise<boolean> =>
      (await listed()).some((player) => player.name === name && player.online),
    connected: (): Promise<void> => until(isConnected, 'the bridge is connected', { withinMs: 30_000, everyMs: 20 }),
    /** Lets a player join; resolves when the server has called its join callbacks. */
    join: async (name: string): Promise<Client> => {
      const joins = (): number => server.told('join').filter(([who]) => who === name).length;
      const before = joins();
      const client = createClient({ folder, port: server.port, name });
      clients.add(client);
      client.start();
      await until(() => joins() > before, `${name} joins; the client said ${client.said()}`, {
        withinMs: JOINS_WITHIN_MS,
      });
      return client;
    },
    /** A player leaves, as when the window is closed. */
    leave: async (name: string, client: Client): Promise<void> => {
      const leaves = (): number => server.told('leave').filter(([who]) => who === name).length;
      const before = leaves();
      await client.kill('SIGTERM');
      await until(() => leaves() > before, `${name} leaves`, { withinMs: JOINS_WITHIN_MS });
    },
    /** Resolves when the hub knows a custom command. */
    offers: (name: string): Promise<void> =>
      until(
        async () => {
          const { body } = await hub.request('/api/v2/bridge/main/actions');
          return (body['data'] as { name: string }[] | undefined)?.some((action) => action.name === name) ?? false;
        },
        `the hub knows ${name}`,
        { withinMs: 30_000 },
      ),
    /** Runs a custom command. */
    act: (name: string, json: object = {}) =>
      hub.request(`/api/v2/bridge/main/actions/${name}`, { json, headers: { Prefer: 'wait=8' } }),
    /** Writes a chat command as an administrator, and resolves with the answer. */
    admin: async (text: string): Promise<string> =>
      String(await server.run(`return select(2, core.registered_chatcommands.causeway.func('admin', '${text}'))`)),
    kick: (target: string, reason = 'Because of tests') =>
      hub.request('/api/v2/bridge/main/kick', { json: { target, reason }, headers: { Prefer: 'wait=8' } }),
    pay: (target: string, amount: number, more: object = {}, headers: Record<string, string> = {}) =>
      hub.request('/api/v2/bridge/main/money', {
        json: { target, type: 'bank', action: amount < 0 ? 'remove' : 'add', amount: Math.abs(amount), ...more },
        headers: { Prefer: 'wait=8', ...headers },
      }),
  };
};
export type Stage = Awaited<ReturnType<typeof openStage>>;
