import type { Database } from '../../../db/database.ts';
import { createStore, type Store } from '../../../db/store.ts';
import type { Bus, createExchange, Handlers } from '../../../server/cluster/bus.ts';
import { Events } from '../../../server/cluster/events.ts';
import { Router, type Session } from '../../../server/cluster/router.ts';
import { createCommands } from '../../../server/commands/commands.ts';
import { Background } from '../../../server/platform/background.ts';
import { createLogger } from '../../../server/platform/log.ts';
import { createMetrics } from '../../../server/platform/metrics.ts';
import { gatedDatabase } from './gate.ts';

/** Rows of a batch that are stored at once: so few players already make several steps. */
const ROWS_AT_ONCE = 2;

const log = createLogger('silent');
const metrics = createMetrics();

export type NodeOptions = {
  name: string;
  database: Database;
  exchange: ReturnType<typeof createExchange>;
  /** Several nodes share the database. */
  isClustered: boolean;
  now: () => number;
  /** Breaks a rule of the store on purpose. */
  mutate: (store: Store) => Store;
};

/** Everything of a hub's process that commands and batches go through, without sockets, HTTP and timers. */
export const startNode = ({ name, database, exchange, isClustered, now, mutate }: NodeOptions) => {
  const gate = gatedDatabase(database);
  const store = mutate(createStore(gate.database));
  const bus: Bus = { ...exchange(), engine: isClustered ? 'nats' : 'local' };
  const background = new Background(log);
  const events = new Events(name, bus);
  const router = new Router(name, bus, store, now);
  const phase = { isDraining: false };
  const commands = createCommands({
    store,
    router,
    bus,
    events,
    metrics,
    background,
    log,
    phase,
    count: () => undefined,
    now,
    rowsAtOnce: ROWS_AT_ONCE,
  });
  const nothing = (): undefined => undefined;
  const handlers: Handlers = {
    ...commands.heard,
    void: ({ projectId, serverId, id }) => router.find(projectId, serverId)?.send({ type: 'void', id }),
    event: ({ projectId, event }) => {
      events.receive(projectId, event);
      background.run('hear', () => commands.heardOf(projectId, event));
    },
    turn: nothing,
    read: nothing,
    reports: nothing,
    fence: nothing,
    dismiss: nothing,
    close: nothing,
    forget: nothing,
  };
  bus.listen(name, { handlers, lost: nothing });

  const busy = new Set<string>();
  /** As a timer does: it skips a run while the last one is not over. */
  const everyTime = (task: string, work: () => Promise<unknown>): void => {
    if (busy.has(task)) return;
    busy.add(task);
    background.run(task, () => work().finally(() => busy.delete(task)));
  };

  return {
    name,
    commands,
    events,
    router,
    background,
    calls: gate.calls,
    /** The database does not answer this node for a while. */
    isStalled: false,
    /** The timers of the hub, once. */
    tick: (): void => {
      commands.sweep();
      everyTime('batches', commands.batches.tick);
      everyTime('overdue', commands.endOverdue);
      everyTime('tidy', commands.tidy);
      if (isClustered) everyTime('watch', commands.watch);
    },
    leave: (session: Session): void => {
      router.detach(session);
      commands.detach(session);
    },
    kill: (): void => {
      gate.kill();
      void bus.close();
    },
  };
};
export type Node = ReturnType<typeof startNode>;
