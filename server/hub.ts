import type { Database } from '../db/database.ts';
import { createStore } from '../db/store.ts';
import { serverAdmin } from './admin/servers.ts';
import { createListener } from './app.ts';
import { createCredentials } from './auth/credentials.ts';
import { createRateLimit, createSharedRateLimit } from './auth/limits.ts';
import { PanelSessions } from './auth/panel-sessions.ts';
import { type Bus, type Handlers, localBus } from './cluster/bus.ts';
import { Events } from './cluster/events.ts';
import { Membership } from './cluster/membership.ts';
import { Router } from './cluster/router.ts';
import { createCommands } from './commands/commands.ts';
import { KeptEvents } from './events/kept.ts';
import { createGateway } from './gateway/gateway.ts';
import { httpFaultAnswer } from './http/answer.ts';
import { watchWrites } from './http/routes/health.ts';
import { openServer } from './http/server.ts';
import { createLifecycle } from './lifecycle.ts';
import { Catalogues } from './panel/catalogues.ts';
import { Statistics } from './panel/statistics.ts';
import { Background } from './platform/background.ts';
import { createBackups } from './platform/backups.ts';
import { type Config, TUNING, type Tuning, VERSION } from './platform/config.ts';
import { useFaultWords } from './platform/fields.ts';
import { newId } from './platform/ids.ts';
import type { Log } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { createPlayers } from './players/players.ts';
import type { PresenceWatch } from './players/sync.ts';
import { createSchedules } from './schedules/schedules.ts';
import { createShops } from './shops/shops.ts';
import { createWebhooks } from './webhooks/webhooks.ts';

/** The whole hub: one object graph, one HTTP server. Nothing runs before `start`; after `stop` nothing does. */
export const createHub = (given: {
  database: Database;
  bus?: Bus;
  config: Config;
  /** Settings that differ from the defaults. */
  tuning?: Partial<Tuning>;
  log: Log;
  panelFolder?: string;
}) => {
  useFaultWords();
  const { config, log, bus = localBus } = given;
  const tuning = { ...TUNING, ...given.tuning };
  const { database, areWritesFailing } = watchWrites(given.database);
  const phase = { isLeaving: false, isDraining: false };
  const store = createStore(database);
  const background = new Background(log);
  const metrics = createMetrics();
  const node = newId('nod');
  const events = new Events(node, bus);
  const router = new Router(node, bus, store);
  const { grant } = database;
  const membership = new Membership({ id: node, name: config.NODE_NAME, bus: bus.engine }, database, store, log);
  const rateLimit = grant === undefined ? createRateLimit() : createSharedRateLimit({ grant, background });
  const credentials = createCredentials({ store, tuning });
  const panelSessions = new PanelSessions(store, background);
  // Each node counts the requests of the panel and of single keys with a limit of their own: those are few.
  const nodeRateLimit = createRateLimit();
  const statistics = new Statistics(store, router);
  const backups = createBackups({ config, database, background, metrics, log, tuning });
  const commands = createCommands({
    store,
    router,
    bus,
    events,
    metrics,
    background,
    log,
    phase,
    count: (row) => statistics.count(row),
  });
  const isAlone = bus.engine === 'local';
  const catalogues = new Catalogues(store);
  const shops = createShops({
    store,
    catalogues,
    commands,
    events,
    metrics,
    background,
    config,
    log,
    node,
    isAlone,
    phase,
  });
  events.onEach(shops.heardOf);
  const presence: PresenceWatch = {
    ...commands.presence,
    reported: (session, reported) => {
      commands.presence.reported(session, reported);
      shops.reported(session, reported);
    },
  };
  const readTimeoutMs = tuning.playerReadTimeoutMs;
  const players = createPlayers({
    store,
    router,
    events,
    metrics,
    presence,
    readTimeoutMs,
    scanWaitMs: tuning.scanWaitMs,
    log,
    readElsewhere: commands.readElsewhere,
  });
  const shared = {
    store,
    router,
    bus,
    membership,
    catalogues,
    commands,
    players,
    credentials,
    events,
    metrics,
    background,
    config,
    tuning,
    log,
    phase,
  };
  const forgetKeys = (): void => {
    credentials.forget();
    bus.spread({ type: 'forget' });
  };
  const keptEvents = new KeptEvents({ ...shared, forgetKeys });
  const webhooks = createWebhooks({ ...shared, keptEvents, node });
  const schedules = createSchedules(shared);
  const gateway = createGateway(shared);
  const { closeServer } = gateway;
  const servers = serverAdmin({ store, closeServer, endCommands: commands.endAll });
  const handlers: Handlers = {
    ...commands.heard,
    ...gateway.heard,
    read: players.refreshHere,
    reports: (message) => router.reports(message),
    forget: credentials.forget,
    told: ({ projectId }) => keptEvents.heard(projectId),
    event: ({ projectId, event }) => {
      events.receive(projectId, event);
      shops.heardOf(projectId, event);
      return commands.heardOf(projectId, event);
    },
  };

  const parts = {
    ...shared,
    node,
    database,
    areWritesFailing,
    rateLimit,
    nodeRateLimit,
    panelSessions,
    statistics,
    version: VERSION,
    startedAt: Date.now(),
    backups,
    servers,
    shops,
    webhooks,
    panelFolder: given.panelFolder,
    keptEvents,
    forgetKeys,
  };
  const server = openServer(tuning.maxHttpConnections + config.MAX_BRIDGES, createListener(parts), httpFaultAnswer);
  gateway.listen(server);
  const { start, stop } = createLifecycle({ ...parts, handlers, gateway, schedules, server });
  return {
    store,
    commands,
    gateway,
    keptEvents,
    players,
    server,
    background,
    node,
    join: () => membership.join(),
    start,
    stop,
  };
};
export type Hub = ReturnType<typeof createHub>;
