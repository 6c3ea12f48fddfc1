import { createServer, type IncomingMessage, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { createStore } from '../db/store.ts';
import { createBackground } from './background.ts';
import { createCommands } from './commands.ts';
import type { Config } from './config.ts';
import { createCredentials } from './credentials.ts';
import { createEvents } from './events.ts';
import { createGateway } from './gateway/gateway.ts';
import { createMetrics } from './metrics.ts';
import { createPanelSessions } from './panel-sessions.ts';
import { createPlayers } from './players.ts';
import { createRateLimit } from './rate-limit.ts';
import { createApp } from './rest/app.ts';
import { createCommandLane } from './rest/command-lane.ts';
import { createLocalRouter } from './router.ts';
import { createSharedRateLimit } from './shared-rate-limit.ts';
import { createStatistics } from './statistics.ts';
import { VERSION } from './version.ts';
import { watchWrites } from './writes.ts';

const TIDY_EVERY_MS = 60_000;
const LAST_USE_EVERY_MS = 5_000;
const STATISTICS_EVERY_MS = 5_000;
/** After a restart every bridge comes back at once; whoever finds the kernel's queue full waits for seconds. */
const LISTEN_BACKLOG = 4_096;

/** Where a built panel is, if there is one. */
const PANEL_FOLDER = fileURLToPath(new URL('../dist/panel', import.meta.url));

/** Reads what an answered caller still sends, so that the connection is free for the next request; in `requestTimeout`. */
const discardRest = (request: IncomingMessage): void => {
  if (request.complete) return;
  // Who was to read the body would stop it again.
  request.removeAllListeners('data');
  request.resume();
};

const listen = (server: Server, { PORT, HOST }: Config): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: PORT, host: HOST, backlog: LISTEN_BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });

type Parts = { database: Database; replica?: Database; config: Config; log: Logger; panelFolder?: string };

/** The whole hub: one object graph, one HTTP server. Nothing runs before `start`; after `stop` nothing does. */
export const createHub = (given: Parts) => {
  const { config, log, replica } = given;
  const { database, areWritesFailing } = watchWrites(given.database);
  let draining = false;
  const isDraining = (): boolean => draining;
  const store = createStore(database, replica);
  const background = createBackground({ log });
  const metrics = createMetrics();
  const events = createEvents();
  const router = createLocalRouter();
  const { grant } = database;
  const rateLimit = grant === undefined ? createRateLimit() : createSharedRateLimit({ grant, background });
  // Of each node: what a person can press is little, and no part of the project's limit.
  const panelRateLimit = createRateLimit();
  const credentials = createCredentials({ store, config });
  const panelSessions = createPanelSessions({ store, background });
  const statistics = createStatistics({ store, router, events });
  const players = createPlayers({
    store,
    router,
    events,
    metrics,
    readTimeoutMs: config.PLAYER_READ_TIMEOUT_MS,
  });
  const commands = createCommands({ store, router, events, metrics, background, log, isDraining });
  const shared = {
    store,
    router,
    commands,
    players,
    credentials,
    events,
    metrics,
    background,
    config,
    log,
    isDraining,
  };
  const gateway = createGateway(shared);
  const { closeServer } = gateway;
  const rest = {
    ...shared,
    database,
    replica,
    areWritesFailing,
    rateLimit,
    panelRateLimit,
    panelSessions,
    statistics,
    version: VERSION,
    startedAt: Date.now(),
    closeServer,
    panelFolder: given.panelFolder ?? PANEL_FOLDER,
  };
  // Its own way gives up after half a second and cuts the connection, even under the next request.
  const serve = getRequestListener(createApp(rest).fetch, { autoCleanupIncoming: false });
  const serveCommand = createCommandLane(rest);

  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 8_192,
    },
    (request, response) => {
      if (serveCommand(request, response)) return;
      response.once('finish', () => discardRest(request));
      serve(request, response);
    },
  );
  server.maxConnections = config.MAX_HTTP_CONNECTIONS + config.MAX_BRIDGES;
  gateway.listen(server);

  return {
    store,
    commands,
    gateway,
    players,
    server,
    background,
    /** Brings the tables into the state of a hub without bridges, then listens. */
    start: async (): Promise<{ port: number }> => {
      await store.sessions.disconnectAll(undefined, Date.now());
      await players.forgetOnline();
      await commands.restore();
      await listen(server, config);
      background.every('sweep', config.SWEEP_EVERY_MS, async () => {
        gateway.sweep();
        commands.sweep();
        players.sweep();
      });
      background.every('revocations', config.REVOCATION_CHECK_MS, gateway.checkRevocations);
      background.every('last uses', LAST_USE_EVERY_MS, credentials.writeLastUses);
      background.every('tidy', TIDY_EVERY_MS, async () => {
        rateLimit.sweep();
        panelRateLimit.sweep();
        await commands.tidy();
        await panelSessions.tidy();
      });
      background.every('statistics', STATISTICS_EVERY_MS, statistics.sweep);
      const address = server.address();
      return { port: typeof address === 'object' && address !== null ? address.port : config.PORT };
    },
    /** Readiness off, no new commands, what is in flight ends, bridges are told, everything is written. */
    stop: async (): Promise<void> => {
      draining = true;
      gateway.drain(config.SHUTDOWN_GRACE_MS);
      await commands.settled(config.SHUTDOWN_GRACE_MS);
      const closed = new Promise((resolve) => server.close(resolve));
      await gateway.stop();
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), 2_000);
      await closed;
      clearTimeout(cut);
      // A disk that is full must not keep the rest from ending well.
      await credentials.writeLastUses().catch((error: unknown) => log.warn({ err: error }, 'last uses are lost'));
      await statistics.flush().catch((error: unknown) => log.warn({ err: error }, 'statistics are lost'));
      await background.drain();
      await replica?.close();
      await database.close();
    },
  };
};
export type Hub = ReturnType<typeof createHub>;
