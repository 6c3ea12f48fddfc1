import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { NewNode, NodeRow } from '../../db/queries/sessions.ts';
import type { Store } from '../../db/store.ts';
import { ConfigError } from '../platform/config.ts';

const LEASE_MS = 10_000;
/** The time between two extensions of a node's lease. */
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
export class Membership {
  readonly #own: NewNode;
  readonly #engine: Database['engine'];
  readonly #store: Pick<Store, 'nodes'>;
  readonly #log: Logger;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #areApart = false;

  constructor(
    { id, name, bus }: Pick<NewNode, 'id' | 'name' | 'bus'>,
    { engine }: Pick<Database, 'engine'>,
    store: Pick<Store, 'nodes'>,
    log: Logger,
  ) {
    this.#own = { id, name, host: hostname(), pid: process.pid, bus, startedAt: Date.now() };
    this.#engine = engine;
    this.#store = store;
    this.#log = log;
  }

  /** True while our lease is valid. */
  isHeld(): boolean {
    return this.#own.bus === 'local' || performance.now() - this.#renewedAt < LEASE_MS;
  }

  /** @throws ConfigError another node is alive and cannot be reached from this one */
  async join(): Promise<void> {
    if (this.#engine === 'sqlite') return;
    await this.#assertAlone();
    await this.#extend();
    await this.#store.nodes.removeDead(FORGOTTEN_AFTER_MS);
  }

  /** Extends the lease. True: it had ended, and other nodes may have acted on that. */
  async renew(): Promise<boolean> {
    if (this.#engine === 'sqlite') return false;
    const hadEnded = !this.isHeld();
    await this.#extend();
    return hadEnded;
  }

  async leave(): Promise<void> {
    if (this.#engine !== 'sqlite') await this.#store.nodes.remove(this.#own.id);
  }

  /** Waits until the lease of a node that crashed has ended. A living node extends its lease. */
  async #assertAlone(): Promise<void> {
    const first = new Map<string, number>();
    for (;;) {
      const others: NodeRow[] = [];
      for (const node of await this.#rivals()) {
        if (hasEnded(node)) await this.#store.nodes.remove(node.id);
        else others.push(node);
      }
      const [other] = others;
      if (other === undefined) return;
      if (first.size === 0) {
        const waits = 'another node used this database a moment ago; waiting for its lease to end';
        this.#log.warn({ node: other.name }, waits);
      }
      const living = others.find((node) => node.leaseEndsAt > (first.get(node.id) ?? node.leaseEndsAt));
      if (living !== undefined) {
        throw new ConfigError(
          `NATS_URL: the node "${living.name}" on ${living.host} uses this database too; nodes of a cluster all need the same NATS_URL.`,
        );
      }
      for (const node of others) if (!first.has(node.id)) first.set(node.id, node.leaseEndsAt);
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Nodes that exclude this one: without NATS on both sides, two nodes cannot work together. */
  async #rivals(): Promise<NodeRow[]> {
    const { id, bus } = this.#own;
    const living = await this.#store.nodes.living();
    return living.filter((node) => node.id !== id && (bus === 'local' || node.bus === 'local'));
  }

  async #extend(): Promise<void> {
    const [at, before] = [performance.now(), Date.now()];
    const theirs = await this.#store.nodes.renew(this.#own, LEASE_MS);
    this.#renewedAt = at;
    this.#compareClocks(before, theirs, Date.now());
  }

  /** Warns if the clocks differ: the node that accepts a command sets its deadline, and another node may apply it. */
  #compareClocks(before: number, theirs: number, after: number): void {
    const aheadMs = Math.max(0, before - theirs) - Math.max(0, theirs - after);
    const wereApart = this.#areApart;
    this.#areApart = Math.abs(aheadMs) > APART_MS;
    if (this.#areApart && !wereApart)
      this.#log.warn({ aheadMs }, 'the clock of this node differs from the clock of the database');
  }
}
