import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Principal } from '../../auth/credentials.ts';
import { EVENT_TYPES, type StoredEvent } from '../../cluster/events.ts';
import { rateLimited } from '../../platform/errors.ts';
import { isoTime } from '../../platform/time.ts';
import { Tally } from '../../platform/windows.ts';
import { validationHook } from '../answer.ts';
import type { Identify } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { at, noQuery, problems } from '../schemas.ts';

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

const eventsRoute = createRoute({
  ...at('get', '/events', 'streamEvents'),
  tags: ['Events'],
  summary: 'Live events (server-sent events)',
  ...needs(
    ['players:read', 'commands:read'],
    `Each event has an id, a type and one JSON document: ${EVENT_TYPES.filter((type) => type !== 'missed').join(', ')}. Reconnect with Last-Event-ID; the type missed means that events were lost and state must be read again.`,
  ),
  request: {
    query: noQuery,
    headers: z.object({ 'last-event-id': z.string().optional() }),
  },
  responses: {
    200: { description: 'The stream.', content: { 'text/event-stream': { schema: z.string() } } },
    ...problems(),
  },
});

const formatted = ({ id, type, serverId, at, data }: StoredEvent): string =>
  `event: ${type}\ndata: ${JSON.stringify({ serverId, at: isoTime(at), ...data })}\nid: ${id}\n\n`;

/** Each event as it is sent: a project's readers share the text. */
const texts = new WeakMap<StoredEvent, string>();
const textOf = (event: StoredEvent): string => {
  const text = texts.get(event) ?? formatted(event);
  texts.set(event, text);
  return text;
};

type Reader = {
  principal: Principal;
  isStillGood: () => Promise<boolean>;
  lastId: string | undefined;
  /** Cuts the connection, also while its reader does not read. */
  cut: () => void;
};

/** Live events of the project. */
export const eventRoutes = ({
  events,
  identity,
  tuning,
  metrics,
  phase,
}: Pick<RestDeps, 'events' | 'tuning' | 'metrics' | 'phase'> & { identity: Identify }) => {
  const open = new Tally();

  const pump = async (stream: SSEStreamingApi, { principal, isStillGood, lastId, cut }: Reader) => {
    let waiting: string[] = [];
    let bytes = 0;
    let isCut = false;
    let wake = (): void => undefined;
    const offer = (event: StoredEvent): void => {
      const isForAll = event.type === 'missed';
      if (!isForAll && principal.servers?.includes(event.serverId) === false) return;
      const text = textOf(event);
      waiting.push(text);
      bytes += text.length;
      wake();
    };
    /** Ends earlier if so many events wait. */
    const rest = (ms: number, many: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          if (!isCut && waiting.length < many) return;
          clearTimeout(timer);
          resolve();
        };
      });
    // Read and subscribe in one turn of the event loop: no event is lost or sent twice.
    const missed = lastId === undefined ? [] : events.since(principal.project.id, lastId);
    for (const event of missed ?? []) offer(event);
    const allowed = { events: waiting.length + MAX_WAITING, bytes: bytes + MAX_WAITING_BYTES };
    const unsubscribe = events.subscribe(principal.project.id, (event) => {
      offer(event);
      if (waiting.length > allowed.events || bytes > allowed.bytes) cut();
    });
    const watch = setInterval(() => {
      isStillGood().then((isGood) => isGood || cut(), cut);
    }, KEY_CHECK_MS);
    stream.onAbort(() => {
      isCut = true;
      wake();
    });
    try {
      await stream.write(': connected\n\n');
      if (missed === undefined) await stream.writeSSE({ event: 'missed', data: '{}' });
      let beatAt = performance.now();
      while (!isCut && !phase.isLeaving) {
        if (waiting.length > 0) {
          const text = waiting.join('');
          waiting = [];
          bytes = 0;
          await stream.write(text);
          await rest(WRITE_EVERY_MS, MANY);
          continue;
        }
        await rest(KEY_CHECK_MS, 1);
        if (performance.now() - beatAt < HEARTBEAT_MS) continue;
        beatAt = performance.now();
        await stream.write(': alive\n\n');
      }
    } finally {
      clearInterval(watch);
      unsubscribe();
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
    // A HEAD answer has no body: its stream would stay open and take a place.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });
    open.change(id, 1);
    metrics.eventStreams.inc();
    const response = streamSSE(c, (stream) =>
      pump(stream, { principal, isStillGood, lastId, cut: () => c.env.outgoing.destroy() }).finally(() => {
        metrics.eventStreams.dec();
        open.change(id, -1);
      }),
    );
    // The framework sets no-cache, which still allows a cache to store the stream.
    response.headers.set('Cache-Control', 'no-store');
    return response;
  });
};
