import { createRoute, z } from '@hono/zod-openapi';
import { plainText } from '../../platform/text-fields.ts';
import { needs } from '../middleware.ts';
import {
  body,
  instant,
  json,
  noQuery,
  pageQuery,
  pagination,
  problems,
  SLUG_PATTERN,
  serverIdParam,
} from '../schemas.ts';

export const serverSchema = z
  .object({
    serverId: z.string(),
    name: z.string(),
    disabled: z.boolean(),
    deleting: z.boolean().openapi({ description: 'Its deletion has begun and ends in a moment.' }),
    connected: z.boolean(),
    tokenPrefix: z.string(),
    createdAt: instant,
    bridge: z
      .object({
        software: z.record(z.string(), z.unknown()),
        commands: z.array(z.string()),
        customCommands: z.array(z.string()).openapi({ description: 'See GET /api/v2/bridge/{serverId}/actions.' }),
        accounts: z.array(z.string()),
        journalClass: z.string(),
        classes: z.record(z.string(), z.string()).openapi({
          description: 'The class of single commands (items@1: saved), where it is not journalClass.',
        }),
        connectedAt: instant,
        draining: z.boolean(),
        players: z.object({ online: z.int(), max: z.int().optional() }).optional(),
        database: z.object({ engine: z.string(), status: z.string(), latencyMs: z.number().optional() }).optional(),
        tickMs: z.number().optional(),
      })
      .nullable()
      .openapi({ description: 'What the bridge reported of itself; null while it is not connected.' }),
    lastConnectedAt: instant.nullable(),
    lastDisconnectedAt: instant.nullable(),
    tokenRefusedAt: instant.nullable().openapi({
      description:
        'When a bridge last came to this node with a wrong token that begins with `tokenPrefix`; null: not in ten minutes.',
    }),
  })
  .openapi('Server');

const tokenSchema = z
  .object({
    serverId: z.string(),
    token: z.string().openapi({ description: 'Shown once.', example: 'cwb_…' }),
  })
  .openapi('BridgeToken');

const params = z.object({ serverId: serverIdParam });
const graceSeconds = z.int().min(0).max(604_800).default(0);

const read = { tags: ['Servers'], ...needs(['servers:read']) };
const write = { tags: ['Servers'], ...needs(['servers:write']) };

export const serverApi = {
  list: createRoute({
    ...read,
    method: 'get',
    path: '/servers',
    operationId: 'listServers',
    summary: 'Game servers and their live state',
    request: { query: pageQuery },
    responses: {
      200: json(z.object({ data: z.array(serverSchema), pagination }), 'The servers of the project, by their id.'),
      ...problems(),
    },
  }),
  create: createRoute({
    ...write,
    method: 'post',
    path: '/servers',
    operationId: 'createServer',
    summary: 'Add a game server',
    request: {
      query: noQuery,
      body: body(
        z
          .strictObject({
            serverId: z.string().regex(SLUG_PATTERN, 'must be 1 to 63 of a-z 0-9 _ - and begin with a letter or digit'),
            name: plainText(128).optional(),
          })
          .openapi('NewServer'),
      ),
    },
    responses: {
      201: json(serverSchema.extend({ token: tokenSchema.shape.token }), 'The server with its bridge token.'),
      ...problems(400, 409, 413, 415),
    },
  }),
  get: createRoute({
    ...read,
    method: 'get',
    path: '/servers/{serverId}',
    operationId: 'getServer',
    summary: 'One game server',
    request: { params, query: noQuery },
    responses: { 200: json(serverSchema, 'The server.'), ...problems(404) },
  }),
  update: createRoute({
    ...write,
    method: 'patch',
    path: '/servers/{serverId}',
    operationId: 'updateServer',
    summary: 'Rename, disable or enable a game server',
    request: {
      params,
      query: noQuery,
      body: body(
        z.strictObject({ name: plainText(128).optional(), disabled: z.boolean().optional() }).openapi('ServerChange'),
      ),
    },
    responses: { 200: json(serverSchema, 'The server as it is now.'), ...problems(400, 404, 413, 415) },
  }),
  deletion: createRoute({
    ...read,
    method: 'get',
    path: '/servers/{serverId}/deletion',
    operationId: 'previewServerDeletion',
    summary: 'Preview a deletion: the commands it would end',
    request: { params, query: noQuery },
    responses: {
      200: json(
        z
          .object({
            waiting: z.int().openapi({ description: 'Commands that were not sent; a deletion takes them back.' }),
            sent: z.int().openapi({ description: 'Commands without an outcome; a deletion makes them indeterminate.' }),
          })
          .openapi('ServerDeletion'),
        'How many commands of it have not ended.',
      ),
      ...problems(404),
    },
  }),
  remove: createRoute({
    ...write,
    ...needs(
      ['servers:write'],
      'Commands that were not sent are taken back. Commands that were sent become indeterminate; if the bridge comes back with its journal, under a server of the same id, it reports how they ended.',
    ),
    method: 'delete',
    path: '/servers/{serverId}',
    operationId: 'deleteServer',
    summary: 'Delete a game server with its players; its commands stay in the journal',
    request: { params, query: noQuery },
    responses: { 204: { description: 'The server is deleted.' }, ...problems(404, 413, 415) },
  }),
  rotate: createRoute({
    ...write,
    method: 'post',
    path: '/servers/{serverId}/token',
    operationId: 'rotateServerToken',
    summary: 'Replace the bridge token',
    request: {
      params,
      query: noQuery,
      body: body(z.strictObject({ graceSeconds }).openapi('Rotation'), { required: false }),
    },
    responses: {
      200: json(tokenSchema, 'The new token. The old one ends after graceSeconds.'),
      ...problems(400, 404, 413, 415),
    },
  }),
};
