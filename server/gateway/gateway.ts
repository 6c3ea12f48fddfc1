import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { CLOSE_CODES, LIMITS, SUBPROTOCOL } from '../../bridge-protocol/index.ts';
import type { Store } from '../../db/store.ts';
import type { Background } from '../background.ts';
import type { Commands } from '../commands.ts';
import type { Config } from '../config.ts';
import type { Credentials } from '../credentials.ts';
import type { Events } from '../events.ts';
import type { Metrics } from '../metrics.ts';
import type { Players } from '../players.ts';
import type { Router } from '../router.ts';
import { type Connection, close, createConnection, settleTakeover, terminate } from './connection.ts';
import { createFrames } from './frames.ts';
import { createGreet } from './greet.ts';
import { createRevocations } from './revocations.ts';
import { createSweep } from './sweep.ts';
import { createTurnstile } from './turnstile.ts';
import { createDoor, writeRefusal } from './upgrade.ts';

type Deps = {
  store: Store;
  router: Router;
  commands: Commands;
  players: Players;
  credentials: Credentials;
  events: Events;
  metrics: Metrics;
  background: Background;
  config: Config;
  log: Logger;
  isDraining: () => boolean;
  now?: () => number;
};

/** The side of the hub that bridges see: sockets in, sessions out. */
export const createGateway = (deps: Deps) => {
  const { store, router, commands, players, credentials, events, metrics, background, config, log, isDraining } = deps;
  const now = deps.now ?? Date.now;
  const connections = new Set<Connection>();
  const bySession = new Map<string, Connection>();
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // Twice the bound of a frame: up to here the bridge is told 4513, beyond it the socket is closed unread with 1009.
    maxPayload: LIMITS.frameBytes * 2,
    maxFragments: 16,
    closeTimeout: 5_000,
    handleProtocols: () => SUBPROTOCOL,
  };
  const sockets = new WebSocketServer(options);
  const greet = createGreet({
    store,
    router,
    commands,
    players,
    events,
    background,
    config,
    bySession,
    log,
    now,
  });
  const frames = createFrames({ store, commands, players, greet, background, metrics, log, now });
  const sweep = createSweep({ config, commands, frames, now });
  const door = createDoor({ config, credentials, isDraining, count: () => connections.size, now });
  const revocations = createRevocations({ store, connections, now });

  const turn = createTurnstile();

  const depart = (connection: Connection, given: number): void => {
    connections.delete(connection);
    connection.phase = 'closed';
    const { closeName } = connection;
    // What the hub said is why, whether or not the other end has answered it.
    const code = closeName === undefined || closeName === 'bye' || closeName === 'cut' ? given : CLOSE_CODES[closeName];
    metrics.closes.inc({ reason: connection.closeName ?? 'cut' });
    settleTakeover(connection, connection.closeName === 'replaced' ? 'replaced' : 'fenced');
    const { session } = connection;
    if (session === undefined) return;
    bySession.delete(session.id);
    frames.saveJournal(connection);
    const { projectId, serverId, epoch } = session;
    background.run('close session', () =>
      store.sessions.close({ projectId, serverId, epoch, at: now(), closeCode: code }),
    );
    if (!router.detach(session)) return;
    commands.detach(session);
    metrics.bridges.set(router.count());
    background.run('players of a closed bridge', () => players.disconnected(session));
    events.publish(projectId, { type: 'bridge.disconnected', serverId, data: { code } });
    log.info({ serverId, epoch, code, reason: connection.closeName ?? 'cut' }, 'bridge disconnected');
  };

  const accept = (socket: WebSocket, identity: Parameters<typeof createConnection>[1]): void => {
    const connection = createConnection(socket, identity);
    connections.add(connection);
    revocations.watch(connection);
    socket.on('error', (error) => log.debug({ err: error, serverId: identity.server.id }, 'socket error'));
    socket.on('close', (code) => depart(connection, code));
    socket.on('message', (data, isBinary) => {
      if (isBinary) frames.refuseBinary(connection);
      else frames.take(connection, data.toString());
    });
  };

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    // Before anything is awaited: a reset during the lookup would otherwise end the process.
    socket.on('error', () => socket.destroy());
    await turn();
    if (socket.destroyed) return;
    const decision = await door(request);
    if (socket.destroyed) return;
    if ('code' in decision) return writeRefusal(socket, decision);
    const address = request.socket.remoteAddress ?? '';
    sockets.handleUpgrade(request, socket, head, (accepted) =>
      accept(accepted, { ...decision, stream: socket, address }),
    );
  };

  return {
    listen: (server: Server): void => {
      server.on('upgrade', (request, socket, head) => background.run('upgrade', () => upgrade(request, socket, head)));
    },
    sweep: (): void => {
      sweep(connections);
      metrics.bridges.set(router.count());
    },
    checkRevocations: revocations.check,
    /** Closes the sockets of a server at once: its token was revoked, it was disabled or deleted. */
    closeServer: (projectId: string, serverId: string, name: 'invalid_token' | 'disabled' | 'deleted'): void => {
      for (const connection of connections) {
        if (connection.project.id === projectId && connection.server.id === serverId) close(connection, name);
      }
    },
    /** Asks every bridge to open its next socket elsewhere within `withinMs`. */
    drain: (withinMs: number): void => {
      for (const { session } of connections) session?.send({ type: 'drain', withinMs });
    },
    /** Closes every socket, and resolves when none is left. */
    stop: async (): Promise<void> => {
      for (const connection of connections) close(connection, 'shutting_down', 2_000);
      const deadline = performance.now() + 2_000;
      while (connections.size > 0 && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 20));
      for (const connection of connections) terminate(connection);
    },
    sizes: () => ({ connections: connections.size, sessions: bySession.size }),
  };
};
