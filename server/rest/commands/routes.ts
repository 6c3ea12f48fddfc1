import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { COMMAND_NAMES } from '../../../bridge-protocol/index.ts';
import { entryOf } from '../../commands/catalogue.ts';
import type { RestEnv } from '../context.ts';
import { needs } from '../middleware.ts';
import { body, json, noQuery, preferHeader, problems, serverIdParam } from '../schemas.ts';
import { commandSchema, pendingSchema } from './view.ts';

/** Headers that every command accepts. */
export const commandHeaders = z.object({
  'idempotency-key': z.string().optional().openapi({
    description: '1 to 255 printable characters; the same key and body never take effect twice.',
  }),
  prefer: preferHeader,
});

/** Answers that every command may get. */
export const commandResponses = {
  200: json(commandSchema, 'The game server did it.'),
  202: json(
    pendingSchema,
    'accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location.',
  ),
  ...problems(400, 404, 409, 413, 415, 501, 502, 504),
};

/** The documentation of the routes that the fast path serves: one for each built-in command. */
export const bridgeRoutes = () => {
  const routes = new OpenAPIHono<RestEnv>();
  for (const name of COMMAND_NAMES) {
    const { scope, summary, body: schema } = entryOf(name);
    const route = createRoute({
      method: 'post',
      path: `/bridge/{serverId}/${name}`,
      operationId: name,
      tags: ['Commands'],
      summary,
      ...needs([`commands:${scope}`]),
      request: {
        params: z.object({ serverId: serverIdParam }),
        query: noQuery,
        headers: commandHeaders,
        body: body(schema),
      },
      responses: commandResponses,
    });
    routes.openAPIRegistry.registerPath(route);
  }
  return routes;
};
