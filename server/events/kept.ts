import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventRow } from '../../db/queries/events.ts';
import type { Store } from '../../db/store.ts';
import type { Bus } from '../cluster/bus.ts';
import type { Events } from '../cluster/events.ts';
import type { Background } from '../platform/background.ts';
import type { Metrics } from '../platform/metrics.ts';
import { Outbox } from './outbox.ts';

/** Between two looks for rows of batches that were stored meanwhile. */
const LOOK_AGAIN_MS = 250;
/** Events that one statement deletes. */
const PRUNED_AT_ONCE = 500;
/** The most events of one project. */
export const MAX_KEPT = 200_000;
const DAY_MS = 24 * 60 * 60 * 1000;

type Parts = {
  store: Pick<Store, 'events' | 'projects' | 'batches'>;
  events: Events;
  bus: Pick<Bus, 'spread'>;
  background: Pick<Background, 'run'>;
  metrics: Pick<Metrics, 'keptEvents' | 'prunedEvents' | 'eventsStored' | 'eventsOwed'>;
  log: Logger;
  config: { EVENTS_KEEP_DAYS: number };
  tuning: { offlineAfterMs: number; noticedWithinMs: number };
  /** Requests of all nodes read their project again. */
  forgetKeys: () => void;
};

/** Types of live events after which rows owe events: they are told at once, all others within a second. */
const CAUSES: ReadonlySet<string> = new Set([
  'command.settled',
  'batch.settled',
  'schedule.paused',
  'schedule.refused',
  'integration.unmatched',
  'bridge.connected',
]);

/**
 * Events that last, of projects that keep them. The core sets bits of rows; the outbox makes events of them; streams and
 * webhooks read the table `events`. Nothing waits for any of this.
 */
export class KeptEvents {
  readonly #parts: Parts;
  readonly #outbox: Outbox;
  /** Projects that keep events, and since when all of them; null: rows from before are being marked. */
  #keepers = new Map<string, number | null>();
  readonly #listeners = new Set<(projectId: string) => void>();
  /** Reads of the next events that are under way: readers who are at the same place share one. */
  readonly #reads = new Map<string, Promise<EventRow[]>>();
  readonly #marking = new Map<string, Promise<number | undefined>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const told = (projectId: string, added: number): void => {
      parts.metrics.keptEvents.inc(added);
      parts.bus.spread({ type: 'told', projectId });
      this.heard(projectId);
    };
    this.#outbox = new Outbox({ ...parts, told, offlineAfterMs: parts.tuning.offlineAfterMs });
    parts.events.onEach((projectId, { type }) => {
      if (CAUSES.has(type) && this.#keepers.has(projectId)) this.#outbox.note(projectId);
    });
  }

  /** Whether all that happens in a project is kept. */
  keeps(projectId: string): boolean {
    return this.since(projectId) !== undefined;
  }

  /** Since when all that happens in a project is kept (epoch milliseconds); undefined: it is not, or not all yet. */
  since(projectId: string): number | undefined {
    return this.#keepers.get(projectId) ?? undefined;
  }

  /**
   * Begins to keep the events of a project, if it does not yet. Resolves with the time since which all is kept, when rows
   * from before are marked: this takes two seconds, and longer with many. Undefined: there is no such project.
   */
  async keep(projectId: string): Promise<number | undefined> {
    const { store, forgetKeys } = this.#parts;
    const known = this.#keepers.get(projectId);
    if (typeof known === 'number') return known;
    if (await store.events.setKeeping(projectId, true, Date.now())) forgetKeys();
    return this.#mark(projectId);
  }

  /** Tells what is owed, and keeps no further events of a project. The kept ones stay until they are old. */
  async stop(projectId: string): Promise<void> {
    const { store, forgetKeys } = this.#parts;
    await this.#outbox.run(projectId);
    if (await store.events.setKeeping(projectId, false, Date.now())) forgetKeys();
    this.#keepers.delete(projectId);
  }

  /** Calls a listener for each project with new events, on all nodes; a call may be lost. Returns the end of that. */
  onTold(listener: (projectId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A node has told events of a project, or keeps all of them from now on. */
  heard(projectId: string): void {
    // Until it knows, this node would tell them as live ones, too.
    if (!this.keeps(projectId)) this.#parts.background.run('look for kept events', () => this.#readKeepers());
    for (const key of this.#reads.keys()) if (key.startsWith(`${projectId} `)) this.#reads.delete(key);
    for (const listener of this.#listeners) listener(projectId);
  }

  /** The next events of a project after a place. */
  after(projectId: string, seq: number, limit: number): Promise<EventRow[]> {
    const key = `${projectId} ${seq} ${limit}`;
    const reading = this.#reads.get(key) ?? this.#parts.store.events.after(projectId, seq, limit);
    this.#reads.set(key, reading);
    const done = (): void => {
      if (this.#reads.get(key) === reading) this.#reads.delete(key);
    };
    reading.then(done, done);
    return reading;
  }

  /** Once a second: what another process has changed, and what rows owe without a cause that was heard of. */
  async tick(): Promise<void> {
    const { background } = this.#parts;
    const before = this.#keepers;
    await this.#readKeepers();
    for (const [id, since] of this.#keepers) {
      if (since === null) background.run('mark rows for events', () => this.#mark(id));
    }
    if (this.#keepers.size + before.size > 0) await this.#lookForOwed();
  }

  /** Once a minute: deletes what is old, and what is too much of one project, and counts the rest. */
  async tidy(): Promise<void> {
    const { store, config, metrics } = this.#parts;
    // Also of projects that keep none any more.
    await this.#lookForOwed();
    await this.#prune(
      () => store.events.pruneOld(Date.now() - config.EVENTS_KEEP_DAYS * DAY_MS, PRUNED_AT_ONCE),
      'age',
    );
    for (const projectId of this.#keepers.keys()) await this.#pruneExcess(projectId);
    metrics.eventsStored.set(await store.events.count());
    const owedAt = await store.events.oldestOwed();
    metrics.eventsOwed.set(owedAt === null ? 0 : Math.max(0, Date.now() - owedAt) / 1_000);
  }

  async #pruneExcess(projectId: string): Promise<void> {
    const { store, log } = this.#parts;
    const seq = await store.events.excess(projectId, MAX_KEPT);
    if (seq === undefined) return;
    const pruned = await this.#prune(() => store.events.pruneUpTo(projectId, seq, PRUNED_AT_ONCE), 'number');
    log.warn({ projectId, pruned, most: MAX_KEPT }, 'a project has too many events: its oldest were deleted early');
  }

  async #prune(some: () => Promise<number>, reason: 'age' | 'number'): Promise<number> {
    let total = 0;
    let pruned = 0;
    do {
      pruned = await some();
      total += pruned;
      this.#parts.metrics.prunedEvents.inc({ reason }, pruned);
      // Other work runs between two slices.
      await sleep(1);
    } while (pruned === PRUNED_AT_ONCE);
    return total;
  }

  async #readKeepers(): Promise<void> {
    this.#keepers = new Map((await this.#parts.store.events.keepers()).map(({ id, since }) => [id, since]));
  }

  async #lookForOwed(): Promise<void> {
    for (const id of await this.#parts.store.events.projectsThatOwe()) this.#outbox.note(id);
  }

  #mark(projectId: string): Promise<number | undefined> {
    const marking =
      this.#marking.get(projectId) ??
      this.#markAll(projectId).finally(() => {
        this.#marking.delete(projectId);
      });
    this.#marking.set(projectId, marking);
    return marking;
  }

  /** Marks all open rows that were inserted before the project kept events. */
  async #markAll(projectId: string): Promise<number | undefined> {
    const { events } = this.#parts.store;
    const { noticedWithinMs } = this.#parts.tuning;
    await sleep(noticedWithinMs);
    await events.markFew(projectId);
    // A step of a batch that was under way may still store rows without a mark.
    let quietSince = (await events.isWriting(projectId)) ? performance.now() : -Infinity;
    while ((await events.markCommands(projectId)) > 0 || performance.now() - quietSince < noticedWithinMs) {
      if (await events.isWriting(projectId)) await sleep(LOOK_AGAIN_MS);
      else quietSince = -Infinity;
    }
    const since = await events.setSince(projectId, Date.now());
    if (since !== undefined) this.#keepers.set(projectId, since);
    this.#parts.bus.spread({ type: 'told', projectId });
    return since;
  }
}
