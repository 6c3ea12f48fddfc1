import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { sum } from 'es-toolkit';
import { fold } from '../../bridge-protocol/fold.ts';
import type { CatalogueEntry, CatalogueKind } from '../../bridge-protocol/index.ts';
import type { Store } from '../../db/store.ts';
import { HubError, rateLimited } from '../platform/errors.ts';
import { Pace } from '../platform/windows.ts';

/** An entry with its folded texts. */
export type Searched = { entry: CatalogueEntry; name: string; label: string };

/** Catalogues in memory. One of 2 MiB takes some 10 MB and holds the process up for some 40 ms when it is read. */
const KEPT = 30;
const KEPT_PER_PROJECT = 9;
/** A project reads one catalogue that is not in memory in this time; its other requests wait, up to a limit. */
const READ_EVERY_MS = 500;
const WAIT_AT_MOST_MS = 3_000;

/** Labels of jobs and grades in memory: a game server has some hundreds. The oldest lists go first. */
const LABELS = 100_000;

/** Entries that are folded in one turn of the event loop. */
const STEP = 2_000;

type Kept = { projectId: string; hash: string; entries: readonly Searched[] };
/** Jobs by their names, with the labels of their grades. */
export type JobLabels = ReadonlyMap<string, { label: string; grades: ReadonlyMap<number, string> }>;
type Labels = { hash: string; labels: JobLabels };
type Address = { projectId: string; serverId: string; kind: CatalogueKind };

const sizeOf = (labels: JobLabels): number => sum([...labels.values()].map(({ grades }) => 1 + grades.size));

/** The catalogues of game servers, read from the database when they are not in memory. */
export class Catalogues {
  readonly #store: Pick<Store, 'catalogues'>;
  readonly #kept = new Map<string, Kept>();
  readonly #labels = new Map<string, Labels>();
  readonly #reads = new Map<string, Promise<Kept>>();
  readonly #pace = new Pace(READ_EVERY_MS);

  constructor(store: Pick<Store, 'catalogues'>) {
    this.#store = store;
  }

  /** A catalogue as it is stored; `syncedAt` undefined: the bridge has never sent it. @throws HubError rate_limited */
  async get(address: Address): Promise<{ entries: readonly Searched[]; syncedAt?: number }> {
    const heads = await this.#store.catalogues.heads(address.projectId, address.serverId);
    const head = heads.find(({ kind }) => kind === address.kind);
    if (head === undefined) return { entries: [] };
    return { entries: await this.#entriesOf(address, head.hash), syncedAt: head.syncedAt };
  }

  /** Labels of the jobs of a game server; empty: its catalogue was never sent, or cannot be read now. */
  async jobLabels({ projectId, serverId }: Omit<Address, 'kind'>): Promise<JobLabels> {
    const heads = await this.#store.catalogues.heads(projectId, serverId);
    const head = heads.find(({ kind }) => kind === 'jobs');
    if (head === undefined) return new Map();
    const key = `${projectId}/${serverId}`;
    const known = this.#labels.get(key);
    if (known?.hash === head.hash) return known.labels;
    try {
      const entries = await this.#entriesOf({ projectId, serverId, kind: 'jobs' }, head.hash);
      const labels = new Map(
        entries.map(({ entry: { name, label, grades = [] } }) => [
          name,
          { label, grades: new Map(grades.map((each) => [each.grade, each.label])) },
        ]),
      );
      this.#keepLabels(key, { hash: head.hash, labels });
      return labels;
    } catch (error) {
      if (error instanceof HubError) return new Map();
      throw error;
    }
  }

  #keepLabels(key: string, read: Labels): void {
    this.#labels.delete(key);
    this.#labels.set(key, read);
    let count = 0;
    for (const { labels } of this.#labels.values()) count += sizeOf(labels);
    for (const [each, { labels }] of this.#labels) {
      if (count <= LABELS) break;
      this.#labels.delete(each);
      count -= sizeOf(labels);
    }
  }

  /** The entries of a catalogue with this hash, or of a newer one. Requests at the same time share one read. */
  async #entriesOf(address: Address, hash: string): Promise<readonly Searched[]> {
    const key = `${address.projectId}/${address.serverId}/${address.kind}`;
    const found = this.#kept.get(key);
    if (found?.hash === hash) {
      this.#keep(key, found);
      return found.entries;
    }
    const reading = this.#reads.get(key) ?? this.#read(address).finally(() => this.#reads.delete(key));
    this.#reads.set(key, reading);
    const done = await reading;
    this.#keep(key, done);
    return done.entries;
  }

  #keep(key: string, read: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, read);
    const own = [...this.#kept].filter(([, { projectId }]) => projectId === read.projectId).map(([each]) => each);
    const [oldest] = own.length > KEPT_PER_PROJECT ? own : this.#kept.keys();
    if (oldest !== undefined && (own.length > KEPT_PER_PROJECT || this.#kept.size > KEPT)) this.#kept.delete(oldest);
  }

  async #read(address: Address): Promise<Kept> {
    const { projectId } = address;
    const waitMs = this.#pace.book(projectId, WAIT_AT_MOST_MS);
    if (waitMs === undefined) throw rateLimited('The project reads its catalogues too often.', 3);
    if (waitMs > 0) await sleep(waitMs);
    const stored = await this.#store.catalogues.entries(address);
    const entries: Searched[] = [];
    for (const entry of stored?.entries ?? []) {
      if (entries.length % STEP === 0) await nextTurn();
      entries.push({ entry, name: fold(entry.name), label: fold(entry.label) });
    }
    return { projectId, hash: stored?.hash ?? '', entries };
  }
}
