import type { Logger } from 'pino';
import type { IntegrationRow } from '../../db/queries/integrations.ts';
import type { NewShopLine, ShopLineRow } from '../../db/queries/shop-lines.ts';
import type { Store } from '../../db/store.ts';
import type { Background } from '../platform/background.ts';
import type { Phase } from '../platform/shutdown.ts';
import type { Lines } from './lines.ts';
import { createOpening } from './opening.ts';

/** A node that works on an integration has it for so long; a node that dies leaves it to another one. */
const LEASE_MS = 10_000;
const AFTER_FAULT_MS = 5 * 60 * 1000;
const ORDERS = 20;
const LINES = 50;
const MISSED = 50;
const IDS = 500;
const WATCHED = 10_000;

type Deps = {
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
export const createWorker = ({ store, lines, node, background, log, forStaff, watch, phase, now }: Deps) => {
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
