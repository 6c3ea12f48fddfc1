import type { Logger } from 'pino';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { NewShopLine, ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { Store } from '../../db/store.ts';
import type { Events, HubEvent } from '../cluster/events.ts';
import { addressOf } from '../cluster/router.ts';
import type { Commands } from '../commands/commands.ts';
import type { Catalogues } from '../panel/catalogues.ts';
import type { Background } from '../platform/background.ts';
import type { Config } from '../platform/config.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Phase } from '../platform/shutdown.ts';
import { createBinding, createBuyers } from './buyers.ts';
import { createReadyLine, integrationAdmin } from './integrations.ts';
import { createIsForAnother, createLines, createMatching, type Lines } from './lines.ts';
import { createChange, createPlace } from './order-lines.ts';
import { createKeep, createOpening } from './orders.ts';
import { createRefunds } from './refunds.ts';
import { createSeal } from './seal.ts';
import { createDecisions, createHints, createPreview } from './staff.ts';
import { createReceive } from './webhook.ts';

type Deps = {
  store: Store;
  catalogues: Catalogues;
  commands: Commands;
  events: Events;
  metrics: Metrics;
  background: Background;
  config: Pick<Config, 'SECRET_KEY'>;
  log: Logger;
  node: string;
  /** There is no other node. */
  isAlone: boolean;
  phase: Readonly<Pick<Phase, 'isDraining'>>;
  now?: () => number;
};

/** Ids and servers that are remembered between two looks; what is forgotten is found by the rows' own times. */
const REMEMBERED = 10_000;

/** This often, a node looks for what another node has left. */
const LOOK_EVERY_MS = 60_000;

/** Events after which a line that waits may go on. */
const WAKING: ReadonlySet<string> = new Set(['bridge.connected', 'player.joined', 'players.synced']);

const createMemory = () => {
  const entries = new Set<string>();
  return {
    add: (entry: string): void => {
      if (entries.size < REMEMBERED) entries.add(entry);
    },
    take: (entry: string): boolean => entries.delete(entry),
    takeAll: (): string[] => {
      const all = [...entries];
      entries.clear();
      return all;
    },
  };
};

/** Orders of shops, from the webhook to the command and back. */
export const createShops = ({
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
  now = Date.now,
}: Deps) => {
  const seal = createSeal(config.SECRET_KEY);
  const buyers = createBuyers({ store });
  const place = createPlace({ store, submit: commands.submit });
  /** Commands whose good end matters, too. */
  const watched = createMemory();
  const ended = createMemory();
  /** Servers that lines wait for. */
  const awaited = createMemory();

  const forStaff = (line: Omit<ShopLineRow, 'seq'>): void => {
    const { projectId, integrationId, serverId, id, transaction, state, reason } = line;
    metrics.shopLines.inc({ state });
    events.publish(projectId, {
      type: 'integration.unmatched',
      serverId,
      data: { integrationId, id, transaction, state, reason },
    });
  };
  const change = createChange({ store, forStaff, now });
  const waits = ({ projectId, serverId }: ShopLineRow): void => awaited.add(addressOf(projectId, serverId));
  const shared = { store, place, change, watch: watched.add, waits, now };
  const refunds = createRefunds({ ...shared, takeBack: commands.takeBack });
  const readyLine = createReadyLine(commands);
  const matched = createMatching({ buyers, change, waits, now });
  const lines = createLines({ ...shared, matched, isForAnother: createIsForAnother({ buyers }), readyLine, refunds });
  const hints = createHints({ catalogues, customOf: commands.customOf });
  const worker = createWorker({ store, lines, node, background, log, forStaff, watch: watched.add, phase, now });
  const keep = createKeep({ store, change, forStaff, now });
  const receive = createReceive({ store, keep, seal, events, metrics, log, start: worker.start, now });

  let lookAt = 0;

  /** Notes what another node or an earlier process has left. */
  const look = async (): Promise<void> => {
    lookAt = Number.POSITIVE_INFINITY;
    try {
      await worker.catchUp();
      for (const { projectId, serverId } of await store.shopLines.serversThatWait(now())) {
        awaited.add(addressOf(projectId, serverId));
      }
    } finally {
      lookAt = performance.now() + LOOK_EVERY_MS;
    }
  };

  return {
    integrations: integrationAdmin({ store, seal, now }),
    preview: createPreview({ store, buyers, readyLine, hints, assertPossible: commands.assertPossible, now }),
    decisions: createDecisions({ store, change, now }),
    ...receive,
    /** Works on an integration now. */
    start: worker.start,
    /** Hears of players that a bridge of this node has reported, and that are stored. */
    reported: createBinding({ store, background, start: worker.start, now }),
    /** Handles an event of this node or another one. */
    heardOf: (projectId: string, { type, serverId, data: { id, status } }: HubEvent): void => {
      if (type === 'command.settled' && typeof id === 'string' && (watched.take(id) || status !== 'succeeded')) {
        ended.add(id);
      }
      if (WAKING.has(type) && awaited.take(addressOf(projectId, serverId))) {
        background.run('wake shop orders', () => store.shopLines.wake(projectId, serverId, now()));
      }
    },
    /** On start: ends what an earlier process has left. */
    takeOver: async (): Promise<void> => {
      if (isAlone) await store.integrations.releaseAll();
      await look();
    },
    /** Notes the ends of commands, and continues what is left to do. */
    check: async (): Promise<void> => {
      const ids = ended.takeAll();
      if (ids.length > 0) {
        await worker.ended(ids).catch((error: unknown) => {
          for (const id of ids) ended.add(id);
          throw error;
        });
      }
      // The look shares the reader's thread with searches. Orders must not wait for a search.
      if (performance.now() >= lookAt) background.run('look at shop orders', look);
      await worker.check();
    },
  };
};
export type Shops = ReturnType<typeof createShops>;

/** A node that works on an integration has it for so long; a node that dies leaves it to another one. */
const LEASE_MS = 10_000;
const AFTER_FAULT_MS = 5 * 60 * 1000;
const ORDERS = 20;
const LINES = 50;
const MISSED = 50;
const IDS = 500;
const WATCHED = 10_000;

type WorkerDeps = {
  store: Pick<Store, 'integrations' | 'shopOrders' | 'shopLines'>;
  lines: Lines;
  node: string;
  background: Background;
  log: Logger;
  /** Told about a line that a member of the staff has to decide. */
  forStaff: (line: NewShopLine) => void;
  watch: (commandId: string) => void;
  phase: Readonly<Pick<Phase, 'isDraining'>>;
  now: () => number;
};

/**
 * Continues orders whose lines have no command yet, and refunds. The rows hold all that is to be done, so the work goes on
 * after a crash; the database gives each integration to one node at a time.
 */
export const createWorker = ({ store, lines, node, background, log, forStaff, watch, phase, now }: WorkerDeps) => {
  const open = createOpening({ store, lines, forStaff, now });
  const busy = new Set<string>();
  /** Integrations for which work came while they were worked on. */
  const again = new Set<string>();

  /** A line that fails must not hold up the others. */
  const step = async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
    try {
      await lines.step(line, integration);
    } catch (error) {
      if (error instanceof Error && error.name === 'DatabaseError') throw error;
      log.error({ err: error, lineId: line.id }, 'a line of a shop order failed');
      await store.shopLines.change(line, { dueAt: now() + AFTER_FAULT_MS }, now());
    }
  };

  /** One round; false: there was nothing to do. */
  const round = async (integration: IntegrationRow): Promise<boolean> => {
    const orders = await store.shopOrders.open(integration.id, ORDERS);
    for (const order of orders) await open(order);
    const due = await store.shopLines.due(integration.id, now(), LINES);
    for (const line of due) if (!phase.isDraining) await step(line, integration);
    return orders.length + due.length > 0;
  };

  const work = async (id: string): Promise<void> => {
    for (;;) {
      const integration = phase.isDraining ? undefined : await store.integrations.claim(id, node, LEASE_MS);
      if (integration === undefined) return;
      if (!(await round(integration))) break;
    }
    await store.integrations.release(id, node);
  };

  const workInTurn = async (id: string): Promise<void> => {
    if (busy.has(id)) return void again.add(id);
    busy.add(id);
    try {
      do {
        again.delete(id);
        await work(id);
      } while (again.has(id));
    } finally {
      busy.delete(id);
    }
  };

  const start = (id: string): void => {
    background.run('shop orders', () => workInTurn(id));
  };

  const end = async (line: ShopLineRow): Promise<void> => {
    const integration = await store.integrations.byId(line.integrationId);
    if (integration !== undefined) await lines.ended(line, integration);
  };

  return {
    /** Works on an integration now. */
    start,
    /** Works on all integrations with something to do: what another node or an earlier process has left. */
    check: async (): Promise<void> => {
      if (phase.isDraining) return;
      const due = await store.shopLines.integrationsWithDue(now());
      for (const id of new Set([...due, ...(await store.shopOrders.integrationsWithOpen())])) {
        if (!busy.has(id)) start(id);
      }
    },
    /** Notes the ends of commands that came while the hub was not there, and watches the open ones. */
    catchUp: async (): Promise<void> => {
      // Watched first, so that no outcome falls in between.
      for (const id of await store.shopLines.openCommands(WATCHED)) watch(id);
      // Each line once: a refund whose server is away stays as it is.
      for (let after = 0; !phase.isDraining; ) {
        const missed = await store.shopLines.missed(after, MISSED);
        for (const line of missed) await end(line);
        if (missed.length < MISSED) return;
        after = missed.at(-1)?.seq ?? after;
      }
    },
    /** Notes the ends of these commands. */
    ended: async (commandIds: readonly string[]): Promise<void> => {
      for (let start = 0; start < commandIds.length; start += IDS) {
        for (const line of await store.shopLines.withCommands(commandIds.slice(start, start + IDS))) await end(line);
      }
    },
  };
};
