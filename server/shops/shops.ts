import type { Logger } from 'pino';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { ShopLineRow } from '../../db/queries/shop-orders.ts';
import type { Store } from '../../db/store.ts';
import type { Events, HubEvent } from '../cluster/events.ts';
import { addressOf } from '../cluster/router.ts';
import type { Commands } from '../commands/commands.ts';
import type { Catalogues } from '../panel/catalogues.ts';
import type { Background, Phase } from '../platform/background.ts';
import type { Config } from '../platform/config.ts';
import { Jobs } from '../platform/jobs.ts';
import type { Metrics } from '../platform/metrics.ts';
import { Seal } from '../platform/seal.ts';
import { Newest } from '../platform/windows.ts';
import { createBinding } from './buyers.ts';
import { integrationAdmin } from './integrations.ts';
import { orderLines } from './order-lines.ts';
import { ordersOf } from './orders.ts';
import { shopRefunds } from './refunds.ts';
import { shopStaff } from './staff.ts';
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
};

/** A node that works on an integration has it for so long; a node that dies leaves it to another one. */
const LEASE_MS = 10_000;
/** A long round asks for more time so often. */
const ASK_EVERY_MS = 3_000;
const AFTER_FAULT_MS = 5 * 60 * 1000;
const ORDERS = 20;
const LINES = 50;
const MISSED = 50;
const IDS = 500;

/** Ids and servers that are remembered between two looks; what is forgotten is found by the rows' own times. */
const REMEMBERED = 10_000;

/** This often, a node looks for what another node has left. */
const LOOK_EVERY_MS = 60_000;

/** Events after which a line that waits may go on. */
const WAKING: ReadonlySet<string> = new Set(['bridge.connected', 'player.joined', 'players.synced']);

/**
 * Orders of shops, from the webhook to the command and back: continues orders whose lines have no command yet, and refunds.
 * The rows hold all that is to be done, so the work goes on after a crash; the database gives each integration to one node
 * at a time.
 */
export const createShops = (deps: Deps) => {
  const { store, catalogues, commands, events, metrics, background, config, log, node, isAlone, phase } = deps;
  const seal = new Seal(config.SECRET_KEY);
  /** Commands whose good end matters, too. */
  const watched = new Newest<true>(REMEMBERED);
  const ended = new Newest<true>(REMEMBERED);
  /** Servers that lines wait for. */
  const awaited = new Newest<true>(REMEMBERED);
  const waits = ({ projectId, serverId }: ShopLineRow): void => void awaited.set(addressOf(projectId, serverId), true);
  const shared = { store, watch: (commandId: string): void => void watched.set(commandId, true), waits };
  const lines = orderLines({ ...shared, commands, events, metrics });
  const refunds = shopRefunds({ ...shared, lines, commands });
  const orders = ordersOf(store, lines, commands.inTurn);

  /** Notes what the command of a line or its opposite has done; false: the line waits for neither. */
  const note = async (line: ShopLineRow, integration: IntegrationRow): Promise<boolean> => {
    const { state } = line;
    const isInDoubt = line.reason === 'indeterminate';
    if (state === 'placed' || (state === 'failed' && isInDoubt)) await lines.settle(line, integration);
    else if (state === 'reversing' || (state === 'owed' && isInDoubt)) await refunds.settle(line);
    else if (state === 'refunding') await refunds.takeBack(line, integration);
    else if (state === 'undoing') await refunds.undo(line, integration);
    else return false;
    return true;
  };

  /** Does the next step of a line, if there is one. */
  const stepOf = async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
    if (await note(line, integration)) return;
    if (line.state === 'pending') return lines.pursue(line, integration);
    if (line.state === 'owed') return refunds.takeBack(line, integration);
    if (line.dueAt !== null) await lines.change(line, { dueAt: null });
  };

  /** A line that fails must not hold up the others. */
  const step = async (line: ShopLineRow, integration: IntegrationRow): Promise<void> => {
    try {
      await stepOf(line, integration);
    } catch (error) {
      if (error instanceof Error && error.name === 'DatabaseError') throw error;
      log.error({ err: error, lineId: line.id }, 'a line of a shop order failed');
      await store.shopLines.change(line, { dueAt: Date.now() + AFTER_FAULT_MS }, Date.now());
    }
  };

  const claim = (id: string): Promise<IntegrationRow | undefined> => store.integrations.claim(id, node, LEASE_MS);

  /** Tells before each step of a round whether this node still has the work, which it claimed just now. */
  const leaseOn = (id: string): (() => Promise<boolean>) => {
    let isHeld = true;
    let askAt = performance.now() + ASK_EVERY_MS;
    return async () => {
      if (isHeld && performance.now() >= askAt) {
        askAt = performance.now() + ASK_EVERY_MS;
        isHeld = (await claim(id)) !== undefined;
      }
      return isHeld;
    };
  };

  /** One round; false: there was nothing to do. */
  const round = async (integration: IntegrationRow): Promise<boolean> => {
    const isHeld = leaseOn(integration.id);
    const open = await store.shopOrders.open(integration.id, ORDERS);
    for (const order of open) if (await isHeld()) await orders.open(order, isHeld);
    const due = await store.shopLines.due(integration.id, Date.now(), LINES);
    for (const line of due) if (!phase.isDraining && (await isHeld())) await step(line, integration);
    return open.length + due.length > 0;
  };

  const work = async (id: string): Promise<void> => {
    for (;;) {
      const integration = phase.isDraining ? undefined : await claim(id);
      if (integration === undefined) return;
      if (!(await round(integration))) break;
    }
    await store.integrations.release(id, node);
  };

  const jobs = new Jobs('shop orders', background, work);
  const start = (integrationId: string): void => jobs.start(integrationId);

  /** The command of a line, or its opposite, has ended. */
  const end = async (line: ShopLineRow): Promise<void> => {
    const integration = await store.integrations.byId(line.integrationId);
    if (integration === undefined) return;
    await note(line, integration);
  };

  const noteEnds = async (commandIds: readonly string[]): Promise<void> => {
    for (let from = 0; from < commandIds.length; from += IDS) {
      for (const line of await store.shopLines.withCommands(commandIds.slice(from, from + IDS))) await end(line);
    }
  };

  /** Works on all integrations with something to do: what another node or an earlier process has left. */
  const startDue = async (): Promise<void> => {
    if (phase.isDraining) return;
    const due = await store.shopLines.integrationsWithDue(Date.now());
    for (const id of new Set([...due, ...(await store.shopOrders.integrationsWithOpen())])) start(id);
  };

  /** Notes the ends of commands that came while the hub was not there, and watches the open ones. */
  const catchUp = async (): Promise<void> => {
    // Watched first, so that no outcome falls in between.
    for (const id of await store.shopLines.openCommands(REMEMBERED)) watched.set(id, true);
    // Each line once: a refund whose server is away stays as it is.
    for (let after = 0; !phase.isDraining; ) {
      const missed = await store.shopLines.missed(after, MISSED);
      for (const line of missed) await end(line);
      if (missed.length < MISSED) return;
      after = missed.at(-1)?.seq ?? after;
    }
  };

  let lookAt = 0;
  /** Notes what another node or an earlier process has left. */
  const look = async (): Promise<void> => {
    lookAt = Number.POSITIVE_INFINITY;
    try {
      // A hub without open orders starts no thread for them.
      if (!(await store.shopLines.isAnyOpen())) return;
      await catchUp();
      for (const { projectId, serverId } of await store.shopLines.serversThatWait(Date.now())) {
        awaited.set(addressOf(projectId, serverId), true);
      }
    } finally {
      lookAt = performance.now() + LOOK_EVERY_MS;
    }
  };

  return {
    integrations: integrationAdmin(store, seal),
    ...shopStaff({ store, lines, catalogues, commands }),
    ...createReceive({ store, keep: orders.keep, seal, events, metrics, log, start }),
    start,
    /** Hears of players that a bridge of this node has reported, and that are stored. */
    reported: createBinding(store, background, start),
    /** Handles an event of this node or another one. */
    heardOf: (projectId: string, { type, serverId, data: { id, status } }: HubEvent): void => {
      if (type === 'command.settled' && typeof id === 'string' && (watched.delete(id) || status !== 'succeeded')) {
        ended.set(id, true);
      }
      if (WAKING.has(type) && awaited.delete(addressOf(projectId, serverId))) {
        background.run('wake shop orders', () => store.shopLines.wake(projectId, serverId, Date.now()));
      }
    },
    /** On start: ends what an earlier process has left. */
    takeOver: async (): Promise<void> => {
      if (isAlone) await store.integrations.releaseAll();
      await look();
    },
    /** Notes the ends of commands, and continues what is left to do. */
    check: async (): Promise<void> => {
      const ids = [...ended.keys()];
      ended.clear();
      if (ids.length > 0) {
        await noteEnds(ids).catch((error: unknown) => {
          for (const id of ids) ended.set(id, true);
          throw error;
        });
      }
      // The look shares the reader's thread with searches. Orders must not wait for a search.
      if (performance.now() >= lookAt) background.run('look at shop orders', look);
      await startDue();
    },
  };
};
