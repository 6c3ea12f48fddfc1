import type { SSEStreamingApi } from 'hono/streaming';
import type { EventRow } from '../../db/queries/events.ts';
import { KEPT_EVENT_TYPES } from '../../db/schema/events.ts';
import type { Principal } from '../auth/credentials.ts';
import type { StoredEvent } from '../cluster/events.ts';
import { readBody } from '../events/bodies.ts';
import { isoTime } from '../platform/time.ts';
import type { RestDeps } from './request.ts';

const HEARTBEAT_MS = 15_000;
/** A reader that is this far behind is disconnected; it reconnects with Last-Event-ID. */
const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Rest after a write, so that the events of many changes are one write for each reader. */
const WRITE_EVERY_MS = 50;
/** This number of events ends the rest, so that the rest leaves no fast reader behind. */
const MANY = 100;
/** A stream ends at the latest this long after its key. */
const KEY_CHECK_MS = 1_000;
/** Live events so long before the last kept one are sent again: the order of the two is not known. */
const OVERLAP_MS = 2_000;
const KEPT_AT_ONCE = 100;
const KEPT: ReadonlySet<string> = new Set(KEPT_EVENT_TYPES);

const linesOf = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n`;

/** Each event as it is sent, up to its id: a project's readers share the text. */
const texts = new WeakMap<object, string>();
const shared = <T extends object>(event: T, make: (event: T) => string): string => {
  const text = texts.get(event) ?? make(event);
  texts.set(event, text);
  return text;
};
const textOf = (event: StoredEvent): string =>
  shared(event, ({ type, serverId, at, data }) => linesOf(type, { serverId, at: isoTime(at), ...data }));
const keptTextOf = (row: EventRow): string =>
  shared(row, () => {
    const { timestamp, serverId, revision, data } = readBody(row);
    return linesOf(row.type, { serverId, at: timestamp, revision, ...data });
  });

/** Which events a reader wants. */
type Wanted = { types: ReadonlySet<string> | undefined; serverId: string | undefined };

/** Whether a reader wants only events that are kept. */
const isKeptOnly = ({ types }: Wanted): boolean => types !== undefined && [...types].every((type) => KEPT.has(type));

/** The texts that wait to be written to a reader, who stands after the kept event with `seq` and `keptId`. */
class Waiting {
  readonly #principal: Principal;
  readonly #wanted: Wanted;
  readonly #keeps: () => boolean;
  #texts: string[] = [];
  bytes = 0;
  seq = 0;
  keptId: string | undefined;

  /** `keeps`: whether the project keeps its events. */
  constructor(principal: Principal, wanted: Wanted, keeps: () => boolean) {
    this.#principal = principal;
    this.#wanted = wanted;
    this.#keeps = keeps;
  }

  get length(): number {
    return this.#texts.length;
  }

  offer(event: StoredEvent): void {
    const { type, serverId, id } = event;
    if (type !== 'missed') {
      // The kept one comes instead.
      if (KEPT.has(type) && this.#keeps()) return;
      if (!this.#isWanted(type) || !this.#isFor(serverId)) return;
    }
    this.#push(textOf(event), this.keptId === undefined ? id : `${this.keptId}/${id}`);
  }

  offerKept(row: EventRow): void {
    this.seq = row.seq;
    this.keptId = row.id;
    if (!this.#isFor(row.serverId)) return;
    const text = keptTextOf(row);
    // A doubt is an end, too, for readers of live events.
    if (row.type === 'command.indeterminate' && this.#isWanted('command.settled')) {
      this.#push(`event: command.settled${text.slice(text.indexOf('\n'))}`, row.id);
    }
    if (this.#isWanted(row.type)) this.#push(text, row.id);
  }

  takeAll(): string {
    const text = this.#texts.join('');
    this.#texts = [];
    this.bytes = 0;
    return text;
  }

  #isWanted(type: string): boolean {
    return this.#wanted.types?.has(type) !== false;
  }

  #isFor(serverId: string): boolean {
    return this.#principal.servers?.includes(serverId) !== false && (this.#wanted.serverId ?? serverId) === serverId;
  }

  #push(text: string, id: string): void {
    const whole = `${text}id: ${id}\n\n`;
    this.#texts.push(whole);
    this.bytes += whole.length;
  }
}

/** A place in the stream: `<last kept event>/<last live event>`, of which one may be absent. */
const placeOf = (lastId: string): { kept: string | undefined; live: string | undefined } => {
  const [first = '', second] = lastId.split('/', 2);
  return first.startsWith('evt_') ? { kept: first, live: second } : { kept: undefined, live: first };
};

type Sources = Pick<RestDeps, 'events' | 'keptEvents' | 'store' | 'phase'>;

/**
 * Where a reader goes on. `seq`, `id`: after this kept event. `missed`: an event that the reader names is not known.
 * `live`: after this live event. `liveSince`: where the live ones go on is not known, only when.
 */
const resume = async ({ events, keptEvents, store }: Sources, projectId: string, lastId: string | undefined) => {
  const last = await store.events.last(projectId);
  const atEnd = { seq: last?.seq ?? 0, id: last?.id, missed: false, live: undefined, liveSince: undefined };
  if (lastId === undefined) return atEnd;
  const { kept, live } = placeOf(lastId);
  if (kept === undefined) {
    const at = live === undefined ? undefined : events.timeOf(projectId, live);
    if (at === undefined) return { ...atEnd, missed: true };
    const seq = keptEvents.keeps(projectId) ? await store.events.placeBefore(projectId, at - OVERLAP_MS) : undefined;
    return { ...atEnd, live, ...(seq !== undefined && { seq, id: undefined }) };
  }
  const row = await store.events.get(projectId, kept);
  if (row === undefined) return { ...atEnd, missed: true };
  return { ...atEnd, seq: row.seq, id: row.id, live, liveSince: row.at - OVERLAP_MS };
};

type Options = {
  principal: Principal;
  isStillGood: () => Promise<boolean>;
  lastId: string | undefined;
  wanted: Wanted;
  /** Cuts the connection, also while its reader does not read. */
  cut: () => void;
};

/** One reader of the events of its project: what it has not seen, then all that comes, until it leaves or its key ends. */
export class EventReader {
  readonly #sources: Sources;
  readonly #stream: SSEStreamingApi;
  readonly #options: Options;
  readonly #projectId: string;
  readonly #waiting: Waiting;
  /** Live events that came while the place of the reader was looked up. */
  readonly #early: StoredEvent[] = [];
  #take = (event: StoredEvent): void => void this.#early.push(event);
  #wake = (): void => undefined;
  #isCut = false;
  /** Whether kept events may be unread. */
  #isBehind = true;

  constructor(sources: Sources, stream: SSEStreamingApi, options: Options) {
    const { principal, wanted } = options;
    this.#sources = sources;
    this.#stream = stream;
    this.#options = options;
    this.#projectId = principal.project.id;
    this.#waiting = new Waiting(principal, wanted, () => sources.keptEvents.keeps(this.#projectId));
  }

  /** Resolves when the stream has ended. */
  async run(): Promise<void> {
    const { events, keptEvents } = this.#sources;
    const { isStillGood, cut } = this.#options;
    const ends = [
      events.subscribe(this.#projectId, (event) => this.#take(event)),
      keptEvents.onTold((told) => {
        if (told !== this.#projectId) return;
        this.#isBehind = true;
        this.#wake();
      }),
    ];
    const watch = setInterval(() => {
      isStillGood().then((isGood) => isGood || cut(), cut);
    }, KEY_CHECK_MS);
    this.#stream.onAbort(() => {
      this.#isCut = true;
      this.#wake();
    });
    try {
      await this.#begin();
      await this.#write();
    } finally {
      clearInterval(watch);
      for (const end of ends) end();
    }
  }

  /** Goes on after the last event that the reader saw, and says what is lost. */
  async #begin(): Promise<void> {
    const { events, keptEvents } = this.#sources;
    const [stream, waiting] = [this.#stream, this.#waiting];
    const { lastId, wanted, cut } = this.#options;
    const { live, liveSince, ...from } = await resume(this.#sources, this.#projectId, lastId);
    waiting.seq = from.seq;
    waiting.keptId = from.id;
    // The rest is one turn of the event loop: no live event is lost or sent twice.
    let missed = live === undefined ? undefined : events.since(this.#projectId, live);
    if (missed === undefined && liveSince !== undefined) missed = events.sinceTime(this.#projectId, liveSince);
    for (const event of missed ?? this.#early) waiting.offer(event);
    const allowed = { events: waiting.length + MAX_WAITING, bytes: waiting.bytes + MAX_WAITING_BYTES };
    this.#take = (event) => {
      waiting.offer(event);
      this.#wake();
      if (waiting.length > allowed.events || waiting.bytes > allowed.bytes) cut();
    };
    const isLost = from.missed || (live !== undefined && missed === undefined && liveSince === undefined);
    const areHintsLost = liveSince !== undefined && missed === undefined && !isKeptOnly(wanted);
    await stream.write(': connected\n\n');
    if (isLost) await stream.writeSSE({ event: 'missed', data: '{}' });
    else if (areHintsLost) await stream.writeSSE({ event: 'hints.missed', data: '{}' });
    // So that a reader can go on also if the stream is cut before its first event.
    if (from.id !== undefined && keptEvents.keeps(this.#projectId)) await stream.write(`id: ${from.id}\n\n`);
  }

  /** Writes what comes, and a sign of life now and then. */
  async #write(): Promise<void> {
    let beatAt = performance.now();
    while (!this.#isCut && !this.#sources.phase.isLeaving) {
      await this.#readKept();
      if (this.#waiting.length > 0) {
        await this.#stream.write(this.#waiting.takeAll());
        await this.#rest(WRITE_EVERY_MS, MANY);
        continue;
      }
      if (this.#isBehind) continue;
      await this.#rest(KEY_CHECK_MS, 1);
      // The message of another node may have been lost.
      this.#isBehind = true;
      if (performance.now() - beatAt < HEARTBEAT_MS) continue;
      beatAt = performance.now();
      await this.#stream.write(': alive\n\n');
    }
  }

  /** Reads the kept events that follow, as many as one write takes. */
  async #readKept(): Promise<void> {
    if (!this.#isBehind) return;
    this.#isBehind = false;
    const { keptEvents, store } = this.#sources;
    if (!keptEvents.keeps(this.#projectId)) return;
    const { seq, keptId } = this.#waiting;
    const rows = await keptEvents.after(this.#projectId, seq, KEPT_AT_ONCE);
    if (rows.length === KEPT_AT_ONCE) {
      this.#isBehind = true;
      // The events of a project that has too many are deleted also in front of a slow reader.
      const isPruned = keptId !== undefined && (await store.events.get(this.#projectId, keptId)) === undefined;
      if (isPruned) await this.#stream.writeSSE({ event: 'missed', data: '{}' });
    }
    for (const row of rows) this.#waiting.offerKept(row);
  }

  /** Ends earlier if so many events wait. */
  #rest(ms: number, many: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        if (!this.#isCut && this.#waiting.length < many && !(this.#isBehind && many === 1)) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
