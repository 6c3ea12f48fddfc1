import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { NewNode, NodeRow } from '../../db/queries/sessions.ts';
import type { Store } from '../../db/store.ts';
import { ConfigError } from '../platform/config.ts';
import type { Bus } from './bus.ts';

const LEASE_MS = 10_000;
/** How often a node extends its lease. */
export const RENEW_EVERY_MS = 3_000;
const LOOK_EVERY_MS = 250;
/** A larger difference to the database's clock is logged: a command may expire in a second. */
const APART_MS = 500;
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000;

/** Whether a process of this machine has ended. A row with our own number belongs to another container or an earlier run. */
const hasEnded = ({ host, pid }: NodeRow): boolean => {
  if (host !== hostname()) return false;
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
};

/**
 * This node among all nodes of the database. A lease by the database's clock shows that a node is alive. Without NATS,
 * only one node is allowed. With SQLite there is one node, and no lease.
 */
export const createMembership = ({
  id,
  name,
  database: { engine },
  store,
  bus,
  log,
}: {
  id: string;
  name: string;
  database: Pick<Database, 'engine'>;
  store: Pick<Store, 'nodes'>;
  bus: Pick<Bus, 'engine'>;
  log: Logger;
}) => {
  const own: NewNode = { id, name, host: hostname(), pid: process.pid, bus: bus.engine, startedAt: Date.now() };
  let renewedAt = Number.NEGATIVE_INFINITY;
  let areApart = false;

  const isHeld = (): boolean => bus.engine === 'local' || performance.now() - renewedAt < LEASE_MS;

  /** Warns if the clocks differ: the node that accepts a command sets its deadline, and another node may apply it. */
  const compareClocks = (before: number, theirs: number, after: number): void => {
    const aheadMs = Math.max(0, before - theirs) - Math.max(0, theirs - after);
    const wereApart = areApart;
    areApart = Math.abs(aheadMs) > APART_MS;
    if (areApart && !wereApart) log.warn({ aheadMs }, 'the clock of this node differs from the clock of the database');
  };

  const renew = async (): Promise<void> => {
    const [at, before] = [performance.now(), Date.now()];
    const theirs = await store.nodes.renew(own, LEASE_MS);
    renewedAt = at;
    compareClocks(before, theirs, Date.now());
  };

  /** Nodes that exclude this one: without NATS on both sides, two nodes cannot work together. */
  const rivals = async (): Promise<NodeRow[]> =>
    (await store.nodes.living()).filter((node) => node.id !== id && (bus.engine === 'local' || node.bus === 'local'));

  /** Waits until the lease of a node that crashed has ended. A living node extends its lease. */
  const assertAlone = async (): Promise<void> => {
    const first = new Map<string, number>();
    for (;;) {
      const others: NodeRow[] = [];
      for (const node of await rivals()) {
        if (hasEnded(node)) await store.nodes.remove(node.id);
        else others.push(node);
      }
      const [other] = others;
      if (other === undefined) return;
      if (first.size === 0)
        log.warn({ node: other.name }, 'another node used this database a moment ago; waiting for its lease to end');
      const living = others.find((node) => node.leaseEndsAt > (first.get(node.id) ?? node.leaseEndsAt));
      if (living !== undefined) {
        throw new ConfigError(
          `NATS_URL: the node "${living.name}" on ${living.host} uses this database too; nodes of a cluster all need the same NATS_URL.`,
        );
      }
      for (const node of others) if (!first.has(node.id)) first.set(node.id, node.leaseEndsAt);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  };

  return {
    /** True while our lease is valid. */
    isHeld,
    /** @throws ConfigError another node is alive and cannot be reached from this one */
    join: async (): Promise<void> => {
      if (engine === 'sqlite') return;
      await assertAlone();
      await renew();
      await store.nodes.removeDead(FORGOTTEN_AFTER_MS);
    },
    /** Extends the lease. True: it had ended, and other nodes may have acted on that. */
    renew: async (): Promise<boolean> => {
      if (engine === 'sqlite') return false;
      const hadEnded = !isHeld();
      await renew();
      return hadEnded;
    },
    leave: async (): Promise<void> => {
      if (engine !== 'sqlite') await store.nodes.remove(id);
    },
  };
};
export type Membership = ReturnType<typeof createMembership>;
