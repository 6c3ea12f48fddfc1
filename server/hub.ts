import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../db/port/database.ts';
import type { ServerRow } from '../db/queries/servers.ts';
import { createStore } from '../db/store.ts';
import { warmUp } from '../db/warm-up.ts';
import { createCredentials } from './auth/credentials.ts';
import { createRateLimit, recallRequests } from './auth/rate-limit.ts';
import { createSharedRateLimit } from './auth/shared-rate-limit.ts';
import type { Bus, Handlers } from './cluster/bus.ts';
import { createExchange } from './cluster/bus-local.ts';
import { createEvents } from './cluster/events.ts';
import { createMembership, RENEW_EVERY_MS } from './cluster/membership.ts';
import { createRouter } from './cluster/router.ts';
import { createSessionViews } from './cluster/session-views.ts';
import { createCommands } from './commands/commands.ts';
import { createDeletion } from './commands/deletion.ts';
import { reportLosses } from './commands/losses.ts';
import { createEntrance } from './entrance.ts';
import { createGateway } from './gateway/gateway.ts';
import { createListener } from './listener.ts';
import { createPanel } from './panel-api/panel.ts';
import { createBackground } from './platform/background.ts';
import type { Config } from './platform/config.ts';
import { listen, openServer, stopAccepting, stopListening } from './platform/http.ts';
import { newId } from './platform/ids.ts';
import { createMetrics } from './platform/metrics.ts';
import { endInTurn } from './platform/shutdown.ts';
import { TUNING, type Tuning } from './platform/tuning.ts';
import { VERSION } from './platform/version.ts';
import { watchWrites } from './platform/write-health.ts';
import { createPlayers } from './players/players.ts';
import { httpFaultAnswer } from './rest/answer.ts';

const TIDY_EVERY_MS = 60_000;
const LAST_USE_EVERY_MS = 5_000;
const STATISTICS_EVERY_MS = 5_000;
const WATCH_EVERY_MS = 500;
const TAKEOVER_CHECK_EVERY_MS = 5_000;

type Parts = {
  database: Database;
  replica?: Database;
  bus?: Bus;
  config: Config;
  /** What differs from the defaults. */
  tuning?: Partial<Tuning>;
  log: Logger;
  panelFolder?: string;
};

/** The whole hub: one object graph, one HTTP server. Nothing runs before `start`; after `stop` nothing does. */
export const createHub = (given: Parts) => {
  const { config, log, replica, bus = createExchange()() } = given;
  const tuning = { ...TUNING, ...given.tuning };
  const { database, areWritesFailing } = watchWrites(given.database);
  /** First bridges and callers are to go elsewhere, then there are no new commands. */
  let isLeaving = false;
  let draining = false;
  const isDraining = (): boolean => draining;
  const store = createStore(database, replica);
  const background = createBackground({ log });
  const metrics = createMetrics();
  const node = newId('nod');
  const events = createEvents({ node, bus });
  const router = createRouter({ node, bus, store });
  const { engine, grant } = database;
  const membership = createMembership({ id: node, name: config.NODE_NAME, database, store, bus, log });
  const sessionViews = createSessionViews({ router, bus, store });
  const rateLimit = grant === undefined ? createRateLimit() : createSharedRateLimit({ grant, background });
  const credentials = createCredentials({ store, tuning });
  const panel = createPanel({ store, background, router, sessionViews, events });
  const players = createPlayers({ store, router, bus, events, metrics, readTimeoutMs: tuning.playerReadTimeoutMs });
  const isReadOnly = (): boolean => entrance.isReadOnly();
  const commands = createCommands({ store, router, bus, events, metrics, background, log, isDraining, isReadOnly });
  const shared = {
    store,
    router,
    bus,
    membership,
    sessionViews,
    commands,
    players,
    credentials,
    events,
    metrics,
    background,
    config,
    tuning,
    log,
    isDraining: () => isLeaving,
    isReadOnly,
  };
  const gateway = createGateway(shared);
  const { closeServer, takeover } = gateway;
  const { announce } = commands;
  const tellHubs = ({ projectId, id }: ServerRow): void => closeServer(projectId, id, 'deleted');
  const deletion = createDeletion({ store, tellHubs, announce });
  const handlers: Handlers = {
    ...commands.heard,
    ...gateway.heard,
    void: ({ projectId, serverId, id }) => router.find(projectId, serverId)?.send({ type: 'void', id }),
    read: players.refreshHere,
    reports: sessionViews.reportsHere,
    forget: credentials.forget,
    event: ({ projectId, event }) => {
      events.receive(projectId, event);
      return commands.heardOf(projectId, event);
    },
  };

  /** Ends the sessions of nodes whose lease ran out, and marks their players offline until the bridges are back. */
  const endSessionsOfDeadNodes = async (): Promise<void> => {
    for (const ended of await store.sessions.endOfDead(Date.now())) await players.disconnected(ended);
  };
  /** On start, marks all sessions and players offline (in a cluster: only those of dead nodes). */
  const resetOnStart = async (): Promise<void> => {
    if (bus.engine === 'nats') return endSessionsOfDeadNodes();
    await store.sessions.disconnectAll(undefined, Date.now());
    await players.forgetOnline();
    await commands.restore();
  };
  const enter = async (): Promise<void> => {
    await database.share();
    await membership.join();
    bus.listen(node, { handlers, lost: events.lose });
    await resetOnStart();
  };
  const entrance = createEntrance({ enter, background, log });
  const keepMembership = async (): Promise<void> => {
    if (await membership.renew()) await takeover.check();
    if (bus.engine === 'nats') await endSessionsOfDeadNodes();
  };
  const keepUp = (): void => {
    // A hub that stops has ended its timers.
    if (isLeaving) return;
    background.every('membership', RENEW_EVERY_MS, keepMembership);
    background.run('reindex', () => players.reindex(() => isLeaving));
    if (bus.engine === 'nats') {
      background.every('watch', WATCH_EVERY_MS, commands.watch);
      background.every('takeovers', TAKEOVER_CHECK_EVERY_MS, takeover.check);
    }
    background.every('revocations', tuning.revocationCheckMs, gateway.checkRevocations);
    background.every('last uses', LAST_USE_EVERY_MS, credentials.writeLastUses);
    background.every('tidy', TIDY_EVERY_MS, async () => {
      rateLimit.sweep();
      await commands.tidy();
      await deletion.carryOn();
      await panel.tidy();
    });
    background.every('statistics', STATISTICS_EVERY_MS, panel.statistics.sweep);
  };
  const rest = {
    ...shared,
    database,
    replica,
    areWritesFailing,
    rateLimit,
    ...panel,
    version: VERSION,
    startedAt: Date.now(),
    closeServer,
    deletion,
    panelFolder: given.panelFolder,
    forgetKeys: (): void => {
      credentials.forget();
      bus.spread({ type: 'forget' });
    },
  };
  const server = openServer(
    tuning.maxHttpConnections + config.MAX_BRIDGES,
    createListener(rest, () => isLeaving),
    httpFaultAnswer,
  );
  gateway.listen(server);

  return {
    store,
    commands,
    gateway,
    players,
    server,
    background,
    node,
    /**
     * Joins the other nodes, tidies up after those that died, then listens. On a full disk it listens, and does the rest
     * when there is room. @throws ConfigError, DatabaseError
     */
    start: async (): Promise<{ port: number }> => {
      await entrance.open();
      await reportLosses(store, log);
      await recallRequests(store, rateLimit);
      if (engine === 'postgres') await warmUp(store, config.DATABASE_CONNECTIONS);
      await listen(server, config);
      background.every('sweep', tuning.sweepEveryMs, async () => {
        gateway.sweep();
        commands.sweep();
        players.sweep();
      });
      entrance.onceEntered(keepUp);
      const address = server.address();
      return { port: typeof address === 'object' && address !== null ? address.port : config.PORT };
    },
    /**
     * Readiness off, bridges are told, no new commands, what is in flight ends, everything is written. In a cluster
     * commands go on until the other nodes have the bridges and proxies have had the time to see that readiness is off.
     */
    stop: async (): Promise<void> => {
      const { SHUTDOWN_GRACE_MS: graceMs } = config;
      isLeaving = true;
      gateway.drain(graceMs);
      let answered: ReturnType<typeof stopAccepting> | undefined;
      if (bus.engine === 'nats') {
        await Promise.all([gateway.left(graceMs), setTimeout(tuning.shutdownNoticeMs)]);
        answered = stopAccepting(server);
        await answered();
      }
      draining = true;
      await commands.settled(graceMs);
      const closed = stopListening(server, answered);
      await gateway.stop();
      await closed;
      await endInTurn(
        [
          ['last uses', credentials.writeLastUses],
          ['statistics', panel.statistics.flush],
          ['bus', bus.close],
          ['background', background.drain],
          ['lease', membership.leave],
          ['replica', async () => replica?.close()],
          ['database', database.close],
        ],
        log,
      );
    },
  };
};
export type Hub = ReturnType<typeof createHub>;
