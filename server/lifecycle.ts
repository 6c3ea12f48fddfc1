import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { recallRequests } from './auth/limits.ts';
import type { Handlers } from './cluster/bus.ts';
import { RENEW_EVERY_MS } from './cluster/membership.ts';
import type { createGateway } from './gateway/gateway.ts';
import { listen, stopAccepting, stopListening } from './http/server.ts';
import type { HubParts } from './parts/parts.ts';
import type { Phase } from './platform/background.ts';
import type { Log } from './platform/log.ts';
import { inTime } from './platform/time.ts';
import type { createSchedules } from './schedules/schedules.ts';
import { RENEW_EVERY_MS as WEBHOOK_LEASES_EVERY_MS } from './webhooks/sender.ts';

const TIDY_EVERY_MS = 60_000;
const LAST_USE_EVERY_MS = 5_000;
const STATISTICS_EVERY_MS = 5_000;
const WATCH_EVERY_MS = 500;
const TAKEOVER_CHECK_EVERY_MS = 5_000;

/** Time for all steps. A silent database would otherwise cost its timeout for each statement. */
const ENDED_WITHIN_MS = 5_000;

type Parts = Omit<HubParts, 'phase'> & {
  phase: Phase;
  handlers: Handlers;
  gateway: ReturnType<typeof createGateway>;
  schedules: ReturnType<typeof createSchedules>;
  server: Server;
};

/** Ends the sessions of nodes whose lease ran out, and marks their players offline until the bridges are back. */
const endSessionsOfDeadNodes = async ({ store, players }: Parts): Promise<void> => {
  for (const ended of await store.sessions.endOfDead(Date.now())) await players.disconnected(ended);
};

/** On start, marks all sessions and players offline (in a cluster: only those of dead nodes). */
const resetOnStart = async (parts: Parts): Promise<void> => {
  const { store, players, commands, bus } = parts;
  await commands.recallRestore();
  if (bus.engine === 'nats') return endSessionsOfDeadNodes(parts);
  await store.sessions.disconnectAll(Date.now());
  await players.forgetOnline();
  await commands.restore();
};

/** Takes over the database and joins the other nodes. */
const joinNodes = async (parts: Parts): Promise<void> => {
  const { membership, bus, node, handlers, events } = parts;
  await membership.join();
  bus.listen(node, { handlers, lost: () => events.lose() });
  await resetOnStart(parts);
};

/** Starts the periodic work of the hub. */
const startTimers = (parts: Parts): void => {
  const { background, bus, commands, credentials, gateway, membership, servers } = parts;
  background.every('membership', RENEW_EVERY_MS, async () => {
    if (await membership.renew()) await gateway.takeover.check();
    if (bus.engine === 'nats') await endSessionsOfDeadNodes(parts);
  });
  if (bus.engine === 'nats') {
    background.every('watch', WATCH_EVERY_MS, commands.watch);
    background.every('takeovers', TAKEOVER_CHECK_EVERY_MS, gateway.takeover.check);
  }
  background.every('waiting commands', parts.tuning.waitingCheckMs, commands.lookForWaiting);
  background.every('batches of dead nodes', parts.tuning.waitingCheckMs, commands.batches.takeOver);
  background.every('revocations', parts.tuning.revocationCheckMs, gateway.checkRevocations);
  background.every('last uses', LAST_USE_EVERY_MS, credentials.writeLastUses);
  background.every('tidy', TIDY_EVERY_MS, async () => {
    parts.rateLimit.sweep();
    await commands.tidy();
    await parts.webhooks.tidy();
    await servers.continueRemovals();
    parts.nodeRateLimit.sweep();
    await parts.panelSessions.tidy();
    await parts.keptEvents.tidy();
  });
  background.every('overdue commands', parts.tuning.lookEveryMs, commands.endOverdue);
  background.every('kept events', parts.tuning.lookEveryMs, () => parts.keptEvents.tick());
  background.every('batches', parts.tuning.lookEveryMs, commands.batches.tick);
  background.every('schedules', parts.tuning.lookEveryMs, parts.schedules.tick);
  background.run('shop orders of before', parts.shops.takeOver);
  background.every('shop orders', parts.tuning.shopCheckMs, parts.shops.check);
  background.every('webhooks', parts.tuning.lookEveryMs, parts.webhooks.check);
  background.every('leases of webhooks', WEBHOOK_LEASES_EVERY_MS, parts.webhooks.renew);
  background.every('statistics', STATISTICS_EVERY_MS, () => parts.statistics.sweep());
  parts.backups?.start();
};

/**
 * Runs the steps, each with its name, in order, in 5 s at most. A failed step is logged and the next one runs. A late step
 * is abandoned as in a crash: nothing confirmed is lost.
 */
const endInTurn = async (
  endings: readonly [what: string, end: () => Promise<unknown> | undefined][],
  log: Log,
): Promise<void> => {
  let current = '';
  const inTurn = async (): Promise<true> => {
    for (const [what, end] of endings) {
      current = what;
      await end()?.catch((error: unknown) => log.warn({ err: error, what }, 'shutdown step failed'));
    }
    return true;
  };
  const isDone = await inTime(inTurn(), ENDED_WITHIN_MS);
  if (isDone === undefined) log.warn({ what: current }, 'shutdown step took too long');
};

/** Writes pending state and closes all that the hub opened. */
const end = ({ credentials, statistics, bus, background, membership, database, log }: Parts): Promise<void> =>
  endInTurn(
    [
      ['last uses', credentials.writeLastUses],
      ['statistics', () => statistics.flush()],
      ['bus', bus.close],
      ['background', () => background.drain()],
      ['lease', () => membership.leave()],
      ['database', database.close],
    ],
    log,
  );

/** Start and stop of a hub. */
export const createLifecycle = (parts: Parts) => {
  const { store, bus, config, tuning, background, commands, gateway, players, server, phase } = parts;

  return {
    /** Joins the other nodes, ends the sessions of dead nodes, then listens. @throws ConfigError, DatabaseError */
    start: async (): Promise<{ port: number }> => {
      await joinNodes(parts);
      await recallRequests(store, parts.rateLimit);
      await listen(server, config);
      background.every('sweep', tuning.sweepEveryMs, async () => {
        gateway.sweep();
        commands.sweep();
        players.sweep();
      });
      startTimers(parts);
      const address = server.address();
      return { port: typeof address === 'object' && address !== null ? address.port : config.PORT };
    },
    /**
     * Turns readiness off, asks bridges to leave, refuses new commands, waits for those in flight, writes all state. In a
     * cluster, commands are accepted until the bridges have moved and proxies had time to see that readiness is off.
     */
    stop: async (): Promise<void> => {
      const { SHUTDOWN_GRACE_MS: graceMs } = config;
      phase.isLeaving = true;
      parts.backups?.stop();
      gateway.drain(graceMs);
      let answered: ReturnType<typeof stopAccepting> | undefined;
      if (bus.engine === 'nats') {
        await Promise.all([gateway.left(graceMs), sleep(tuning.shutdownNoticeMs)]);
        answered = stopAccepting(server);
        await answered();
      }
      phase.isDraining = true;
      parts.webhooks.stop();
      await commands.settled(graceMs);
      const closed = stopListening(server, answered);
      await gateway.stop();
      await closed;
      await end(parts);
    },
  };
};
