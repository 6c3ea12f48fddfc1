import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { EventRow } from '../../../db/queries/events.ts';
import { KEPT_EVENT_TYPES } from '../../../db/schema/events.ts';
import type { Principal } from '../../auth/credentials.ts';
import { EVENT_TYPES, type StoredEvent } from '../../cluster/events.ts';
import { readBody } from '../../events/bodies.ts';
import { rateLimited } from '../../platform/errors.ts';
import { plainText } from '../../platform/fields.ts';
import { isoTime } from '../../platform/time.ts';
import { Tally } from '../../platform/windows.ts';
import { validationHook } from '../answer.ts';
import { assertServerAllowed, type Identify } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { at, problems } from '../schemas.ts';

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

const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);
const ONE_OR_MORE = `one or more of ${EVENT_TYPES.join(', ')}`;
/** Types of events with commas between them. */
const typeList = z
  .string()
  .refine((text) => text.split(',').every((each) => TYPES.has(each)), `must be ${ONE_OR_MORE}`)
  .transform((text): ReadonlySet<string> => new Set(text.split(',')))
  .openapi({
    type: 'string',
    example: 'command.settled,server.offline',
    description: 'Only events of these types, with commas between them; missed comes in any case.',
  });

const eventsRoute = createRoute({
  ...at('get', '/events', 'streamEvents'),
  tags: ['Events'],
  summary: 'Live events (server-sent events)',
  ...needs(
    ['players:read', 'commands:read'],
    `Each event has an id, a type and one JSON document: ${EVENT_TYPES.filter((type) => !type.endsWith('missed')).join(', ')}. Reconnect with Last-Event-ID; the type missed means that events were lost and state must be read again.`,
  ),
  request: {
    query: z.strictObject({
      types: typeList.optional(),
      serverId: plainText(63).optional().openapi({ description: 'Only events of this server.' }),
    }),
    headers: z.object({ 'last-event-id': z.string().optional() }),
  },
  responses: {
    200: { description: 'The stream.', content: { 'text/event-stream': { schema: z.string() } } },
    ...problems(),
  },
});

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

/** A place in the stream: `<last kept event>/<last live event>`, of which one may be absent. */
const placeOf = (lastId: string): { kept: string | undefined; live: string | undefined } => {
  const [first = '', second] = lastId.split('/', 2);
  return first.startsWith('evt_') ? { kept: first, live: second } : { kept: undefined, live: first };
};
/** Live events so long before the last kept one are sent again: the order of the two is not known. */
const OVERLAP_MS = 2_000;
const KEPT_AT_ONCE = 100;
const KEPT: ReadonlySet<string> = new Set(KEPT_EVENT_TYPES);

/** Which events a reader wants. */
type Wanted = { types: ReadonlySet<string> | undefined; serverId: string | undefined };

/** Whether a reader wants only events that are kept. */
const isKeptOnly = ({ types }: Wanted): boolean => types !== undefined && [...types].every((type) => KEPT.has(type));

type Reader = {
  principal: Principal;
  isStillGood: () => Promise<boolean>;
  lastId: string | undefined;
  wanted: Wanted;
  /** Cuts the connection, also while its reader does not read. */
  cut: () => void;
};

/** Live events of the project. */
export const eventRoutes = ({
  events,
  keptEvents,
  store,
  identity,
  tuning,
  metrics,
  phase,
}: Pick<RestDeps, 'events' | 'keptEvents' | 'store' | 'tuning' | 'metrics' | 'phase'> & { identity: Identify }) => {
  const open = new Tally();

  /**
   * Where a reader goes on. `kept`: after this place in the table. `missed`: an event that the reader names is not known.
   * `liveSince`: where the live ones go on is not known, only when.
   */
  const resume = async (projectId: string, lastId: string | undefined) => {
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

  /** The texts that wait to be written to a reader, who stands after the kept event with `seq` and `keptId`. */
  const createQueue = ({ principal, wanted }: Pick<Reader, 'principal' | 'wanted'>) => {
    const projectId = principal.project.id;
    const isWanted = (type: string): boolean => wanted.types?.has(type) !== false;
    const isFor = (serverId: string): boolean =>
      principal.servers?.includes(serverId) !== false && (wanted.serverId ?? serverId) === serverId;
    const queue = {
      texts: [] as string[],
      bytes: 0,
      seq: 0,
      keptId: undefined as string | undefined,
      push: (text: string, id: string): void => {
        const whole = `${text}id: ${id}\n\n`;
        queue.texts.push(whole);
        queue.bytes += whole.length;
      },
      offer: (event: StoredEvent): void => {
        const { type, serverId, id } = event;
        if (type !== 'missed') {
          // The kept one comes instead.
          if (KEPT.has(type) && keptEvents.keeps(projectId)) return;
          if (!isWanted(type) || !isFor(serverId)) return;
        }
        queue.push(textOf(event), queue.keptId === undefined ? id : `${queue.keptId}/${id}`);
      },
      offerKept: (row: EventRow): void => {
        queue.seq = row.seq;
        queue.keptId = row.id;
        if (!isFor(row.serverId)) return;
        const text = keptTextOf(row);
        // A doubt is an end, too, for readers of live events.
        if (row.type === 'command.indeterminate' && isWanted('command.settled')) {
          queue.push(`event: command.settled${text.slice(text.indexOf('\n'))}`, row.id);
        }
        if (isWanted(row.type)) queue.push(text, row.id);
      },
      takeAll: (): string => {
        const text = queue.texts.join('');
        queue.texts = [];
        queue.bytes = 0;
        return text;
      },
    };
    return queue;
  };

  const pump = async (stream: SSEStreamingApi, { principal, isStillGood, lastId, wanted, cut }: Reader) => {
    const projectId = principal.project.id;
    const queue = createQueue({ principal, wanted });
    let isCut = false;
    let wake = (): void => undefined;
    /** Whether kept events may be unread. */
    let isBehind = true;
    /** Live events that came while the place of the reader was looked up. */
    const early: StoredEvent[] = [];
    let take = (event: StoredEvent): void => void early.push(event);
    const ends = [
      events.subscribe(projectId, (event) => take(event)),
      keptEvents.onTold((told) => {
        if (told !== projectId) return;
        isBehind = true;
        wake();
      }),
    ];
    const watch = setInterval(() => {
      isStillGood().then((isGood) => isGood || cut(), cut);
    }, KEY_CHECK_MS);
    stream.onAbort(() => {
      isCut = true;
      wake();
    });
    /** Reads the kept events that follow, as many as one write takes. */
    const readKept = async (): Promise<void> => {
      if (!isBehind) return;
      isBehind = false;
      if (!keptEvents.keeps(projectId)) return;
      const rows = await keptEvents.after(projectId, queue.seq, KEPT_AT_ONCE);
      for (const row of rows) queue.offerKept(row);
      if (rows.length === KEPT_AT_ONCE) isBehind = true;
    };
    /** Ends earlier if so many events wait. */
    const rest = (ms: number, many: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          if (!isCut && queue.texts.length < many && !(isBehind && many === 1)) return;
          clearTimeout(timer);
          resolve();
        };
      });
    /** Goes on after the last event that the reader saw, and says what is lost. */
    const begin = async (): Promise<void> => {
      const { live, liveSince, ...from } = await resume(projectId, lastId);
      queue.seq = from.seq;
      queue.keptId = from.id;
      // The rest is one turn of the event loop: no live event is lost or sent twice.
      let missed = live === undefined ? undefined : events.since(projectId, live);
      if (missed === undefined && liveSince !== undefined) missed = events.sinceTime(projectId, liveSince);
      for (const event of missed ?? early) queue.offer(event);
      const allowed = { events: queue.texts.length + MAX_WAITING, bytes: queue.bytes + MAX_WAITING_BYTES };
      take = (event) => {
        queue.offer(event);
        wake();
        if (queue.texts.length > allowed.events || queue.bytes > allowed.bytes) cut();
      };
      const isLost = from.missed || (live !== undefined && missed === undefined && liveSince === undefined);
      const areHintsLost = liveSince !== undefined && missed === undefined && !isKeptOnly(wanted);
      await stream.write(': connected\n\n');
      if (isLost) await stream.writeSSE({ event: 'missed', data: '{}' });
      else if (areHintsLost) await stream.writeSSE({ event: 'hints.missed', data: '{}' });
      // So that a reader can go on also if the stream is cut before its first event.
      if (from.id !== undefined && keptEvents.keeps(projectId)) await stream.write(`id: ${from.id}\n\n`);
    };
    try {
      await begin();
      let beatAt = performance.now();
      while (!isCut && !phase.isLeaving) {
        await readKept();
        if (queue.texts.length > 0) {
          await stream.write(queue.takeAll());
          await rest(WRITE_EVERY_MS, MANY);
          continue;
        }
        if (isBehind) continue;
        await rest(KEY_CHECK_MS, 1);
        // The message of another node may have been lost.
        isBehind = true;
        if (performance.now() - beatAt < HEARTBEAT_MS) continue;
        beatAt = performance.now();
        await stream.write(': alive\n\n');
      }
    } finally {
      clearInterval(watch);
      for (const end of ends) end();
    }
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook }).openapi(eventsRoute, (c) => {
    const { principal } = c.var;
    const { id } = principal.project;
    if (open.of(id) >= tuning.maxEventStreams) {
      throw rateLimited(`${tuning.maxEventStreams} event streams of the project are open, and no more may.`, 30);
    }
    c.header('X-Accel-Buffering', 'no');
    const isStillGood = (): Promise<boolean> => identity.isStillGood(c.env.incoming, principal);
    // Browsers send an empty id before the first event.
    const lastId = c.req.header('last-event-id') || undefined;
    const { types, serverId } = c.req.valid('query');
    if (serverId !== undefined) assertServerAllowed(principal, serverId);
    // A HEAD answer has no body: its stream would stay open and take a place.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
    open.change(id, 1);
    metrics.eventStreams.inc();
    const response = streamSSE(c, (stream) =>
      pump(stream, {
        principal,
        isStillGood,
        lastId,
        wanted: { types, serverId },
        cut: () => c.env.outgoing.destroy(),
      }).finally(() => {
        metrics.eventStreams.dec();
        open.change(id, -1);
      }),
    );
    // The framework sets no-cache, which still allows a cache to store the stream.
    response.headers.set('Cache-Control', 'no-store');
    return response;
  });
};
