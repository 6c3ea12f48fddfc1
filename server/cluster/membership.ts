import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Database } from '../../db/port/database.ts';
import type { NewNode, NodeRow } from '../../db/queries/nodes.ts';
import type { Store } from '../../db/store.ts';
import { ConfigError } from '../platform/config.ts';
import type { Bus } from './bus.ts';

const LEASE_MS = 10_000;
/** How often a node extends its lease. */
export const RENEW_EVERY_MS = 3_000;
const LOOK_EVERY_MS = 250;
/** A clock that is further from the database's is told of: commands may be given a second. */
const APART_MS = 500;
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000;
/** A crash of a hub over a file matters until its bridges are back, which may be away for a while. */
const CRASH_FORGOTTEN_AFTER_MS = 30 * FORGOTTEN_AFTER_MS;

/** A process of this machine that is gone; one with our own number was another container's, or ours before. */
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
 * This node among all that use the database: a lease by the database's clock says that it lives. Without a bus there
 * may be one node only. A file has one by itself and needs no lease: the row that it leaves says that it crashed.
 */
export const createMembership = ({
  id,
  name,
  database: { engine, checkpoint },
  store,
  bus,
  log,
}: {
  id: string;
  name: string;
  database: Pick<Database, 'engine' | 'checkpoint'>;
  store: Pick<Store, 'nodes'>;
  bus: Pick<Bus, 'engine'>;
  log: Logger;
}) => {
  const own: NewNode = { id, name, host: hostname(), pid: process.pid, bus: bus.engine, startedAt: Date.now() };
  let renewedAt = Number.NEGATIVE_INFINITY;
  let areApart = false;

  const isHeld = (): boolean => bus.engine === 'local' || performance.now() - renewedAt < LEASE_MS;

  /** Deadlines of commands are times of the node that took them: with clocks apart they expire early or late elsewhere. */
  const compareClocks = (before: number, theirs: number, after: number): void => {
    const aheadMs = Math.max(0, before - theirs) - Math.max(0, theirs - after);
    const wereApart = areApart;
    areApart = Math.abs(aheadMs) > APART_MS;
    if (areApart && !wereApart) log.warn({ aheadMs }, 'the clock of this node is not that of the database');
  };

  const renew = async (): Promise<void> => {
    const [at, before] = [performance.now(), Date.now()];
    const theirs = await store.nodes.renew(own, LEASE_MS);
    renewedAt = at;
    compareClocks(before, theirs, Date.now());
  };

  /** Nodes with which this one cannot live: without a bus on both sides, neither hears of the other. */
  const rivals = async (): Promise<NodeRow[]> =>
    (await store.nodes.living()).filter((node) => node.id !== id && (bus.engine === 'local' || node.bus === 'local'));

  /** One that died without a word keeps its lease for a while; one that lives extends it. */
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
        log.warn({ node: other.name }, 'another node was here a moment ago; waiting for its lease to end');
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

  /** Into the file itself: the mark must survive a write-ahead log that does not. */
  const mark = async (when: 'now' | 'soon'): Promise<void> => {
    await store.nodes.renew(own, 0);
    checkpoint(when);
  };

  return {
    /** Whether nobody can have taken this node for dead. */
    isHeld,
    /** @throws ConfigError another node is alive that cannot be reached from this one */
    join: async (): Promise<void> => {
      if (engine === 'sqlite') {
        // At once: a thread for it would cost the start more than the few pages do.
        await mark('now');
        return store.nodes.removeDead(CRASH_FORGOTTEN_AFTER_MS);
      }
      await assertAlone();
      await renew();
      await store.nodes.removeDead(FORGOTTEN_AFTER_MS);
    },
    /** Extends the lease, or the sign of life. True: it had ended meanwhile, and others may have acted on that. */
    renew: async (): Promise<boolean> => {
      if (engine === 'sqlite') {
        // The health says when the database takes no writes.
        await mark('soon').catch(() => undefined);
        return false;
      }
      const hadEnded = !isHeld();
      await renew();
      return hadEnded;
    },
    leave: (): Promise<void> => store.nodes.remove(id),
    /** An earlier process over this file that ended without a clean stop; undefined in a cluster, where the database judges. */
    crashed: async (node: string): Promise<NodeRow | undefined> =>
      engine === 'sqlite' && node !== id ? store.nodes.get(node) : undefined,
  };
};
export type Membership = ReturnType<typeof createMembership>;
