import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { CLOSE_CODES, LIMITS, SUBPROTOCOL } from '../../bridge-protocol/index.ts';
import type { BusMessageOf } from '../cluster/bus.ts';
import type { GatewayDeps } from '../parts/parts.ts';
import { Tally } from '../platform/windows.ts';
import { createAdmissionBatches, createDoor, drainingOf, type Refusal, writeRefusal } from './door.ts';
import { createFrames } from './frames.ts';
import { createGreet } from './greet.ts';
import { createRevocations } from './revocations.ts';
import { Connection, type Identity } from './socket.ts';
import { socketSweep } from './sweep.ts';
import { createTakeover } from './takeover.ts';

const CLOSED_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 20;
/** Bridges are asked to leave at this part of the grace period, so that a failed move can be retried. */
const DRAINED_SHARE = 0.7;

const until = async (holds: () => boolean, withinMs: number): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!holds() && performance.now() < deadline) await sleep(LOOK_EVERY_MS);
};

/** The WebSocket side of the hub: it turns sockets of bridges into sessions. */
export const createGateway = (deps: GatewayDeps) => {
  const { store, router, bus, commands, players, events, metrics, background, log, phase } = deps;
  const connections = new Map<WebSocket, Connection>();
  const bySession = new Map<string, Connection>();
  /** Open connections by project. */
  const open = new Tally();
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
  const takeover = createTakeover({ ...deps, bySession });
  const greet = createGreet({ ...deps, bySession, takeover });
  const frames = createFrames({ ...deps, greet: greet.greet });
  const sweep = socketSweep({ ...deps, frames });
  const closed = (): Refusal | undefined => (phase.isLeaving ? drainingOf(router) : undefined);
  const door = createDoor({ ...deps, closed, open });
  const closeHere = (projectId: string, serverId: string, name: BusMessageOf<'close'>['name']): void => {
    for (const connection of connections.values()) {
      if (connection.projectId === projectId && connection.serverId === serverId) connection.close(name);
    }
    if (name === 'deleted') background.run('take back', () => commands.takeBackAll({ projectId, serverId }));
  };
  const revocations = createRevocations({ ...deps, connections, closeHere });
  const admitted = createAdmissionBatches();

  const depart = (connection: Connection, given: number): void => {
    if (connections.delete(connection.socket)) open.change(connection.projectId, -1);
    connection.phase = 'closed';
    const { closeName } = connection;
    // The hub's own reason counts, even if the bridge has not answered the close frame.
    const code = closeName === undefined || closeName === 'bye' || closeName === 'cut' ? given : CLOSE_CODES[closeName];
    metrics.closes.inc({ reason: connection.closeName ?? 'cut' });
    connection.settleTakeover(connection.closeName === 'replaced' ? 'replaced' : 'fenced');
    const { session } = connection;
    if (session === undefined) return;
    bySession.delete(session.id);
    frames.saveJournal(connection);
    const { projectId, serverId, epoch } = session;
    const isAddressed = router.detach(session);
    background.run('close session', async () => {
      // Before its session ends, because the deletion waits for that.
      if (closeName === 'deleted')
        await commands
          .renounce(session)
          .catch((error: unknown) =>
            log.error({ err: error, serverId }, 'commands of a deleted server were not ended; its deletion ends them'),
          );
      const ended = await store.sessions.close({ projectId, serverId, epoch, at: Date.now(), closeCode: code });
      if (ended !== undefined && isAddressed) await players.disconnected(session);
    });
    if (!isAddressed) return;
    commands.detach(session);
    metrics.bridges.set(router.count());
    events.publish(projectId, { type: 'bridge.disconnected', serverId, data: { code } });
    log.info({ serverId, epoch, code, reason: connection.closeName ?? 'cut' }, 'bridge disconnected');
  };

  // Listeners are shared: per-socket closures would use more memory than the rest of the connection state.
  function onError(this: WebSocket, error: Error): void {
    log.debug({ err: error, serverId: connections.get(this)?.serverId }, 'socket error');
  }
  function onClose(this: WebSocket, code: number): void {
    const connection = connections.get(this);
    if (connection !== undefined) depart(connection, code);
  }
  function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
    const connection = connections.get(this);
    if (connection === undefined) return;
    if (isBinary) frames.refuseBinary(connection);
    else frames.take(connection, data.toString(), (data as Buffer).length);
  }
  function destroy(this: Duplex): void {
    this.destroy();
  }

  const accept = (socket: WebSocket, stream: Duplex, identity: Identity): void => {
    // ws has its own listener now.
    stream.off('error', destroy);
    const connection = new Connection(socket, stream, identity);
    connections.set(socket, connection);
    open.change(connection.projectId, 1);
    revocations.watch(connection);
    socket.on('error', onError);
    socket.on('close', onClose);
    socket.on('message', onMessage);
  };

  const upgrade = async (request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> => {
    // Before the first await: a reset during the look-up would otherwise end the process.
    stream.on('error', destroy);
    await admitted();
    if (stream.destroyed) return;
    const asked = await door(request);
    if (stream.destroyed) return;
    // The hub began to stop during the look-up and would not close this socket.
    const decision = closed() ?? asked;
    if ('code' in decision) return writeRefusal(stream, decision);
    sockets.handleUpgrade(request, stream, head, (socket) => accept(socket, stream, decision));
  };

  return {
    listen: (server: Server): void => {
      server.on('upgrade', (request, stream, head) => {
        background.run('upgrade', () => upgrade(request, stream, head));
      });
    },
    sweep: (): void => {
      sweep(connections.values());
      metrics.bridges.set(router.count());
    },
    checkRevocations: revocations.check,
    takeover,
    /** Closes the sockets of a server at once, on every node: its token was revoked, it was disabled or deleted. */
    closeServer: (...[projectId, serverId, name]: Parameters<typeof closeHere>): void => {
      closeHere(projectId, serverId, name);
      bus.spread({ type: 'close', projectId, serverId, name });
    },
    /** Asks each bridge to open its next socket, in a cluster at another node, before the grace period ends. */
    drain: (graceMs: number): void => {
      const withinMs = router.engine === 'nats' ? Math.round(graceMs * DRAINED_SHARE) : graceMs;
      for (const { session } of connections.values()) session?.send({ type: 'drain', withinMs });
    },
    /** Resolves when this node holds no bridge, or after `withinMs`. */
    left: (withinMs: number): Promise<void> => until(() => router.count() === 0, withinMs),
    /** Closes every socket, and resolves when none is left. */
    stop: async (): Promise<void> => {
      for (const connection of connections.values()) connection.close('shutting_down', CLOSED_WITHIN_MS);
      await until(() => connections.size === 0, CLOSED_WITHIN_MS);
      for (const connection of connections.values()) connection.terminate();
    },
    /** Handlers of other nodes' messages about sockets. */
    heard: {
      turn: greet.countReplacement,
      fence: ({ sessionId, cut }: BusMessageOf<'fence'>): void => takeover.fence(sessionId, cut),
      dismiss: ({ sessionId, name }: BusMessageOf<'dismiss'>): void => takeover.dismiss(sessionId, name),
      close: ({ projectId, serverId, name }: BusMessageOf<'close'>): void => closeHere(projectId, serverId, name),
    },
    sizes: () => ({ connections: connections.size, sessions: bySession.size }),
  };
};
