import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { BatchRow } from '../../../db/queries/commands/batches.ts';
import { BATCH_STATUSES } from '../../../db/schema/batches.ts';
import { COMMAND_STATUSES } from '../../../db/schema/commands.ts';
import type { Principal } from '../../auth/credentials.ts';
import { MAX_BATCH_TARGETS } from '../../commands/batches.ts';
import { checkWaiting, NOW_S, scopeOf, WAIT_S, waitingFields } from '../../commands/catalogue.ts';
import { undoBatchKey, undoneBatch } from '../../commands/undo.ts';
import { batchView, targetNames } from '../../commands/view.ts';
import { HubError } from '../../platform/errors.ts';
import { identifierText, plainText, SLUG_PATTERN, serverNotFound } from '../../platform/fields.ts';
import { derivedBatchId } from '../../platform/ids.ts';
import { validationHook } from '../answer.ts';
import type { Exports } from '../csv.ts';
import { actorOf, assertScopes, assertServerAllowed, visibleRow } from '../identify.ts';
import { needs } from '../middleware.ts';
import { type RestDeps, type RestEnv, readIdempotencyKey } from '../request.ts';
import {
  actor,
  actorQuery,
  at,
  body,
  commandStatus,
  instant,
  json,
  madeWithin,
  matching,
  noQuery,
  pageJson,
  pageQuery,
  problems,
  timesOf,
} from '../schemas.ts';
import { commandSchema } from './bridge.ts';
import { undoReason, viewsOf } from './commands.ts';

const batchSchema = z
  .object({
    id: z.string().openapi({ example: 'bat_01j9z3k7v8' }),
    serverId: z.string(),
    name: z.string().openapi({ example: 'money' }),
    params: z.record(z.string(), z.unknown()),
    label: z.string().nullable(),
    deliver: z.enum(['now', 'when_connected', 'when_online']),
    status: z.enum(BATCH_STATUSES),
    endedBy: z.enum(['voided', 'aborted']).nullable(),
    total: z.int().openapi({ description: 'Players, each once.' }),
    duplicates: z.int().openapi({ description: 'Players that were listed more than once.' }),
    counts: z.partialRecord(z.enum(COMMAND_STATUSES), z.int()).openapi({ description: 'Commands by status.' }),
    undoneBy: z
      .object({ id: z.string(), status: z.enum(BATCH_STATUSES) })
      .optional()
      .openapi({ description: 'The batch that undoes this one.' }),
    undoes: z.string().optional().openapi({ description: 'The batch that this one undoes; params is its reason.' }),
    actor,
    requestId: z.string(),
    createdAt: instant,
    expiresAt: instant,
    settledAt: instant.nullable(),
  })
  .openapi('Batch');

const dryRunSchema = z
  .object({
    dryRun: z.literal(true),
    targets: z.int(),
    duplicates: z.int(),
    unknown: z.array(z.string()).openapi({ description: 'Players that the server does not have.' }),
    money: z.int().optional().openapi({ description: 'The sum that it would move; without unknown players.' }),
  })
  .openapi('BatchDryRun');

const undoDryRunSchema = z
  .object({
    dryRun: z.literal(true),
    undo: z.int().openapi({ description: 'Commands that it would undo.' }),
    undone: z.int().openapi({ description: 'Undone already.' }),
    open: z.int().openapi({ description: 'Their undo has not ended.' }),
    inDoubt: z.int().openapi({ description: 'They are indeterminate, or their undo is.' }),
    noOpposite: z.int().openapi({ description: 'Nothing takes their effect back.' }),
    withoutEffect: z.int(),
    money: z.int().optional().openapi({ description: 'The sum that it would move.' }),
  })
  .openapi('BatchUndoDryRun');

const requestSchema = z
  .strictObject({
    serverId: plainText(63),
    name: plainText(64).meta({ example: 'money' }),
    params: z.record(z.string(), z.unknown()).meta({ description: 'As in the body of the command, without target.' }),
    targets: z.union([z.array(identifierText).min(1).max(MAX_BATCH_TARGETS), matching]),
    label: plainText(128).optional(),
    ...waitingFields,
    dryRun: z.boolean().default(false),
    abort: z
      .strictObject({ failedPercent: z.number().min(0).max(100), after: z.int().min(1).max(MAX_BATCH_TARGETS) })
      .optional()
      .meta({ description: 'Ends the batch when more than this share of its ended commands had no effect.' }),
  })
  .superRefine(checkWaiting)
  .meta({
    id: 'BatchRequest',
    example: {
      serverId: 'main',
      name: 'money',
      params: { type: 'bank', amount: 500, action: 'add' },
      targets: ['char1:5f3a9c'],
      label: 'Christmas',
    },
  });

const params = z.object({ id: z.string().openapi({ example: 'bat_01j9z3k7v8' }) });
const read = { tags: ['Batches'], ...needs(['commands:read']) };

const createRouteOf = createRoute({
  ...at('post', '/batches', 'createBatch'),
  tags: ['Batches'],
  summary: 'One command for many players',
  ...needs(['commands:batch'], 'It also needs the scope of the command. The body may have 2 MiB.'),
  request: {
    query: noQuery,
    headers: z.object({
      'idempotency-key': z
        .string({ error: 'a batch needs the header Idempotency-Key' })
        .openapi({ description: 'Required.' }),
    }),
    body: body(requestSchema),
  },
  responses: {
    200: json(dryRunSchema, 'With dryRun: what it would do. Nothing was stored.'),
    202: json(batchSchema, 'The batch; its commands follow.', 'Location', 'Idempotency-Replayed'),
    ...problems(400, 404, 409, 413, 415),
  },
});

const listRoute = createRoute({
  ...at('get', '/batches', 'listBatches'),
  ...read,
  summary: 'Batches, the newest first',
  request: {
    query: pageQuery.extend({
      serverId: plainText(63).optional(),
      name: plainText(64).optional(),
      actor: actorQuery.optional(),
      ...madeWithin,
    }),
  },
  responses: { 200: pageJson(batchSchema, 'Batches.'), ...problems() },
});

const getRoute = createRoute({
  ...at('get', '/batches/{id}', 'getBatch'),
  ...read,
  summary: 'One batch, with its commands by status',
  request: { params, query: noQuery },
  responses: { 200: json(batchSchema, 'The batch.'), ...problems(404) },
});

const commandsRoute = createRoute({
  ...at('get', '/batches/{id}/commands', 'listBatchCommands'),
  ...read,
  summary: 'The commands of a batch',
  request: { params, query: pageQuery.extend({ status: commandStatus.optional() }) },
  responses: {
    200: pageJson(commandSchema, 'In the order of the players.'),
    ...problems(404),
  },
});

const exportRoute = createRoute({
  ...at('get', '/batches/{id}/commands.csv', 'exportBatch'),
  ...read,
  summary: 'The commands of a batch as CSV',
  request: { params, query: noQuery },
  responses: {
    200: {
      description: 'As the export of the journal.',
      content: { 'text/csv': { schema: z.string() } },
    },
    ...problems(404),
  },
});

const voidRoute = createRoute({
  ...at('post', '/batches/{id}/void', 'voidBatch'),
  tags: ['Batches'],
  summary: 'Take back the commands of a batch that have not left',
  ...needs(['commands:resolve']),
  request: { params, query: noQuery, body: body(z.strictObject({}), { required: false }) },
  responses: { 200: json(batchSchema, 'The batch; commands that have left go on.'), ...problems(400, 404, 413, 415) },
});

const undoRoute = createRoute({
  ...at('post', '/batches/{id}/undo', 'undoBatch'),
  tags: ['Batches'],
  summary: 'Undo a batch that has ended, once',
  ...needs(['commands:batch'], 'It also needs the scope of the command.'),
  request: {
    params,
    query: noQuery,
    body: body(z.strictObject({ reason: undoReason, dryRun: z.boolean().default(false) }).openapi('BatchUndo'), {
      required: false,
    }),
  },
  responses: {
    200: json(undoDryRunSchema, 'With dryRun: what it would do. Nothing was stored.'),
    202: json(batchSchema, 'The batch that undoes it; its commands follow.', 'Location', 'Idempotency-Replayed'),
    ...problems(400, 404, 409, 413, 415),
  },
});

/** Batches: one command for many players. */
export const batchRoutes = ({ store, commands, exportJournal }: RestDeps & { exportJournal: Exports }) => {
  const undoIdOf = ({ projectId, serverId, id }: BatchRow): string =>
    derivedBatchId(projectId, serverId, undoBatchKey(id));
  /** Finds the batches that undo these, and those that these undo. */
  const aboutOf = async ({ project }: Principal, rows: readonly BatchRow[]) => {
    const undos = new Map((await store.batches.among(project.id, rows.map(undoIdOf))).map((each) => [each.id, each]));
    return (row: BatchRow) => {
      const { id, status } = undos.get(undoIdOf(row)) ?? {};
      const undoneBy = id === undefined || status === undefined ? undefined : { id, status };
      return { undoneBy, undoes: undoneBatch(row) };
    };
  };
  const view = async (principal: Principal, row: BatchRow) =>
    batchView(row, await store.batches.counts(row.id), (await aboutOf(principal, [row]))(row));
  const find = async (principal: Principal, id: string): Promise<BatchRow> =>
    visibleRow(principal, await store.batches.get(principal.project.id, id), 'batch_not_found');

  const viewAll = viewsOf({ store, commands });

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(createRouteOf, async (c) => {
      const { principal, requestId } = c.var;
      const { dryRun, expiresInSeconds, ...wanted } = c.req.valid('json');
      assertScopes(principal, [scopeOf(wanted.name)]);
      assertServerAllowed(principal, wanted.serverId);
      if (!SLUG_PATTERN.test(wanted.serverId)) throw serverNotFound(wanted.serverId);
      const idempotencyKey = readIdempotencyKey(c.env.incoming);
      if (idempotencyKey === undefined) {
        throw new HubError('invalid_request', 'A batch needs the header Idempotency-Key.', {
          errors: [{ pointer: '/Idempotency-Key', detail: 'the header Idempotency-Key is missing' }],
        });
      }
      const seconds = expiresInSeconds ?? (wanted.deliver === 'now' ? NOW_S : WAIT_S.usual);
      const request = {
        ...wanted,
        label: wanted.label,
        abort: wanted.abort,
        project: principal.project,
        key: principal.key,
        expiresAt: Date.now() + seconds * 1_000,
        idempotencyKey,
        actor: actorOf(principal),
        requestId,
      };
      if (dryRun) return c.json({ dryRun: true as const, ...(await commands.dryRunBatch(request)) }, 200);
      const { batch, replayed } = await commands.acceptBatch(request);
      if (replayed) c.header('Idempotency-Replayed', 'true');
      c.header('Location', `/api/v2/batches/${batch.id}`);
      // A new one has no commands yet; and it must not look unstored if they cannot be counted now.
      return c.json(replayed ? await view(principal, batch) : batchView(batch, {}), 202);
    })
    .openapi(listRoute, async (c) => {
      const { principal } = c.var;
      const { limit, serverId, ...wanted } = c.req.valid('query');
      if (serverId !== undefined) assertServerAllowed(principal, serverId);
      const servers = serverId === undefined ? principal.servers : [serverId];
      const request = { ...wanted, ...timesOf(wanted), limit, servers };
      const { rows, next } = await store.batches.list(principal.project.id, request);
      const counts = await store.batches.countsOfEach(rows.map(({ id }) => id));
      const about = await aboutOf(principal, rows);
      const data = rows.map((row, nth) => batchView(row, counts[nth] ?? {}, about(row)));
      return c.json({ data, pagination: { limit, next } }, 200);
    })
    .openapi(getRoute, async (c) => {
      const { principal } = c.var;
      return c.json(await view(principal, await find(principal, c.req.valid('param').id)), 200);
    })
    .openapi(commandsRoute, async (c) => {
      const { principal } = c.var;
      const { id } = await find(principal, c.req.valid('param').id);
      const query = c.req.valid('query');
      const { rows, next } = await store.batches.commands(id, query);
      return c.json({ data: await viewAll(principal, rows), pagination: { limit: query.limit, next } }, 200);
    })
    .openapi(exportRoute, async (c) => {
      const { principal } = c.var;
      const { id } = await find(principal, c.req.valid('param').id);
      return exportJournal(c, `${id}.csv`, {
        list: (page) => store.batches.commands(id, page),
        namesOf: (rows) => targetNames({ store }, principal, rows),
      });
    })
    .openapi(voidRoute, async (c) => {
      const { principal } = c.var;
      const row = await find(principal, c.req.valid('param').id);
      return c.json(await view(principal, await commands.batches.void(row)), 200);
    })
    .openapi(undoRoute, async (c) => {
      const { principal, requestId } = c.var;
      const { project, key } = principal;
      const row = await find(principal, c.req.valid('param').id);
      assertScopes(principal, [scopeOf(row.name)]);
      const { reason, dryRun } = c.req.valid('json') ?? { reason: undefined, dryRun: false };
      if (dryRun) return c.json({ dryRun: true as const, ...(await commands.dryRunUndoBatch(row)) }, 200);
      const request = { project, key, actor: actorOf(principal), requestId, reason };
      const { batch, replayed } = await commands.undoBatch(row, request);
      if (replayed) c.header('Idempotency-Replayed', 'true');
      c.header('Location', `/api/v2/batches/${batch.id}`);
      return c.json(replayed ? await view(principal, batch) : batchView(batch, {}, { undoes: row.id }), 202);
    });
};
