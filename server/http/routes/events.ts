import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { streamSSE } from 'hono/streaming';
import { EVENT_TYPES } from '../../cluster/events.ts';
import { rateLimited } from '../../platform/errors.ts';
import { plainText } from '../../platform/fields.ts';
import { Tally } from '../../platform/windows.ts';
import { validationHook } from '../answer.ts';
import { EventReader } from '../event-reader.ts';
import { assertServerAllowed, type Identify } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { at, problems } from '../schemas.ts';

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

/** Live events of the project. */
export const eventRoutes = ({
  identity,
  tuning,
  metrics,
  ...sources
}: Pick<RestDeps, 'events' | 'keptEvents' | 'store' | 'tuning' | 'metrics' | 'phase'> & { identity: Identify }) => {
  const open = new Tally();

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
      new EventReader(sources, stream, {
        principal,
        isStillGood,
        lastId,
        wanted: { types, serverId },
        cut: () => c.env.outgoing.destroy(),
      })
        .run()
        .finally(() => {
          metrics.eventStreams.dec();
          open.change(id, -1);
        }),
    );
    // The framework sets no-cache, which still allows a cache to store the stream.
    response.headers.set('Cache-Control', 'no-store');
    return response;
  });
};
