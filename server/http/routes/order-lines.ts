import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { DatabaseError } from '../../../db/errors.ts';
import type { IntegrationRow } from '../../../db/queries/integrations.ts';
import type { ShopLineRow } from '../../../db/queries/shop-orders.ts';
import { LINE_STATES, type LineDecision } from '../../../db/schema/shops.ts';
import type { Principal } from '../../auth/credentials.ts';
import { HubError, invalidField } from '../../platform/errors.ts';
import { identifierText, plainText } from '../../platform/fields.ts';
import { isoTime } from '../../platform/time.ts';
import { scopesOf } from '../../shops/integrations.ts';
import { UNDO_WITHIN_MS } from '../../shops/staff.ts';
import { validationHook } from '../answer.ts';
import { actorOf, assertScopes, assertServerAllowed, visibleRow } from '../identify.ts';
import { needs } from '../middleware.ts';
import type { RestDeps, RestEnv } from '../request.ts';
import { actor, at, body, instant, json, noQuery, pageJson, pageQuery, problems } from '../schemas.ts';

const lineSchema = z
  .object({
    id: z.string(),
    transaction: z.string(),
    package: z.string().openapi({ description: 'Empty: the line is about the whole order.' }),
    number: z.int(),
    serverId: z.string(),
    name: z.string().nullable(),
    params: z.record(z.string(), z.unknown()).nullable(),
    buyer: z.object({ value: z.string(), name: z.string() }).nullable(),
    product: z.string().nullable().openapi({ description: 'The name of the package in the shop.' }),
    target: z.string().nullable(),
    state: z.enum(LINE_STATES),
    reason: z.string().nullable(),
    detail: z.string().nullable(),
    commandId: z.string().nullable(),
    oppositeId: z.string().nullable(),
    decision: z
      .object({
        is: z.enum(['given', 'dismissed']),
        by: actor,
        at: instant,
        note: z.string().nullable(),
        undo: z
          .object({ by: actor, at: instant })
          .nullable()
          .openapi({ description: 'Who took it back, or wants to.' }),
      })
      .nullable()
      .openapi({ description: 'The last decision of the staff.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .openapi('OrderLine');

const decisionFields = {
  target: identifierText.optional().openapi({ description: 'The player who gets it.' }),
  dismiss: z.literal(true).optional(),
  note: plainText(1_000)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .optional()
    .openapi({ description: 'Needed with dismiss: why.' }),
  undo: z.literal(true).optional().openapi({ description: 'Takes the decision back, within 30 days.' }),
};
type Decision = {
  target?: string | undefined;
  dismiss?: true | undefined;
  note?: string | undefined;
  undo?: true | undefined;
};

const isOne = ({ target, dismiss, undo }: Decision): boolean =>
  [target, dismiss, undo].filter((each) => each !== undefined).length === 1;
const ONE = { path: ['target'], message: 'send one of target, dismiss and undo' };
const hasNote = ({ dismiss, note }: Decision): boolean => (dismiss === undefined) === (note === undefined);
const NOTE = { path: ['note'], message: 'must be sent with dismiss, and only then: why the line is dismissed' };

/** Lines that are decided by one request. */
const MAX_DECIDED = 200;
const lineId = plainText(64);

const decidedSchema = z
  .object({
    id: z.string(),
    // Absent: it was not decided.
    line: lineSchema.optional(),
    problem: z.string().nullable().openapi({ description: 'Why not, as an error code.', example: 'already_decided' }),
    detail: z.string().nullable(),
  })
  .openapi('LineDecided');

const params = z.object({ id: z.string().openapi({ example: 'int_01j9z3k7v8' }) });
const lineParams = params.extend({ lineId: z.string().openapi({ example: 'lin_5f3a9c' }) });
const own = 'A gift and its undo also need the scope of the command, and access to its server.';
const read = { tags: ['Integrations'], ...needs(['integrations:write']) };
const write = { tags: ['Integrations'], ...needs(['integrations:write'], own) };

const lineApi = {
  unmatched: createRoute({
    ...read,
    ...at('get', '/integrations/{id}/unmatched', 'listUnmatched'),
    summary: 'What a member of the staff has to decide',
    request: { params, query: pageQuery },
    responses: {
      200: pageJson(lineSchema, 'Lines of orders, oldest first.'),
      ...problems(404),
    },
  }),
  decide: createRoute({
    ...write,
    ...at('post', '/integrations/{id}/unmatched/{lineId}', 'decideUnmatched'),
    summary: 'Give a line to a player, take it off the list, or take that back',
    request: {
      params: lineParams,
      query: noQuery,
      body: body(
        z
          .strictObject(decisionFields)
          .refine(isOne, ONE)
          .refine(hasNote, NOTE)
          .openapi('Decision', { example: { dismiss: true, note: 'Given by hand.' } }),
      ),
    },
    responses: { 200: json(lineSchema, 'The line as it is now.'), ...problems(404, 409, 413, 415) },
  }),
  decideAll: createRoute({
    ...write,
    ...at('post', '/integrations/{id}/unmatched', 'decideLines'),
    summary: 'Decide lines of one order and one buyer together, each by itself',
    request: {
      params,
      query: noQuery,
      body: body(
        z
          .strictObject({ ...decisionFields, lines: z.array(lineId).min(1).max(MAX_DECIDED) })
          .refine(isOne, ONE)
          .refine(hasNote, NOTE)
          .openapi('JointDecision', { example: { lines: ['lin_5f3a9c'], dismiss: true, note: 'Given by hand.' } }),
      ),
    },
    responses: {
      200: json(z.object({ data: z.array(decidedSchema) }), 'What became of each line, in the order of the request.'),
      ...problems(404, 413, 415),
    },
  }),
  decided: createRoute({
    ...read,
    ...at('get', '/integrations/{id}/decided', 'listDecided'),
    summary: 'What the staff has decided in the last 30 days',
    request: { params, query: pageQuery },
    responses: { 200: pageJson(lineSchema, 'Lines of orders, the latest decision first.'), ...problems(404) },
  }),
};

const decisionView = (decision: LineDecision | null): z.infer<typeof lineSchema>['decision'] =>
  decision && {
    is: decision.is,
    by: decision.by,
    at: isoTime(decision.at),
    note: decision.note ?? null,
    undo: decision.undo === undefined ? null : { by: decision.undo.by, at: isoTime(decision.undo.at) },
  };

const lineView = (row: ShopLineRow): z.infer<typeof lineSchema> => ({
  id: row.id,
  transaction: row.transaction,
  package: row.package,
  number: row.number,
  serverId: row.serverId,
  name: row.name,
  params: row.params,
  buyer: row.buyer && { value: row.buyer.value, name: row.buyer.name },
  product: row.product,
  target: row.target,
  state: row.state,
  reason: row.reason,
  detail: row.detail,
  commandId: row.commandId,
  oppositeId: row.oppositeId,
  decision: decisionView(row.decision),
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});

/** Lines of orders that the staff has to decide, or has decided. */
export const orderLineRoutes = ({ store, shops }: RestDeps) => {
  const find = async (principal: Principal, id: string): Promise<IntegrationRow> =>
    visibleRow(principal, await shops.integrations.find(principal.project.id, id), 'integration_not_found');

  /** @throws HubError already_decided, insufficient_scope, server_not_allowed */
  const decide = async (
    principal: Principal,
    line: ShopLineRow,
    { target, note = '', undo }: Decision,
  ): Promise<ShopLineRow> => {
    const by = actorOf(principal);
    const isEffect = target !== undefined || (undo === true && line.state !== 'dismissed');
    if (isEffect) {
      assertServerAllowed(principal, line.serverId);
      if (line.name !== null) assertScopes(principal, scopesOf([{ name: line.name }]));
    }
    if (target !== undefined) return shops.give(line, target, by);
    return undo === true ? shops.undo(line, by) : shops.dismiss(line, note, by);
  };

  /** A line that cannot be decided does not stop the others. */
  const tryToDecide = async (
    principal: Principal,
    id: string,
    line: ShopLineRow | undefined,
    decision: Decision,
  ): Promise<z.infer<typeof decidedSchema>> => {
    try {
      if (line === undefined) throw new HubError('line_not_found');
      return { id, line: lineView(await decide(principal, line, decision)), problem: null, detail: null };
    } catch (error) {
      if (error instanceof HubError) return { id, problem: error.code, detail: error.message };
      if (!(error instanceof DatabaseError)) throw error;
      return { id, problem: 'store_unavailable', detail: 'Read the list again: it may be decided.' };
    }
  };

  /** Lines by their ids. @throws HubError invalid_request: they are of several orders or buyers */
  const linesOf = async (integrationId: string, ids: readonly string[]): Promise<(ShopLineRow | undefined)[]> => {
    const found = await store.shopLines.byIds(integrationId, ids);
    const owners = new Set(found.map(({ transaction, buyer }) => JSON.stringify([transaction, buyer?.value])));
    if (owners.size > 1) throw invalidField('/lines', 'must be lines of one order and one buyer');
    if (new Set(ids).size < ids.length) throw invalidField('/lines', 'must name each line once');
    return ids.map((id) => found.find((line) => line.id === id));
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(lineApi.unmatched, async (c) => {
      const { limit, cursor } = c.req.valid('query');
      const { id } = await find(c.var.principal, c.req.valid('param').id);
      const { rows, next } = await store.shopLines.staffPage(id, { limit, cursor });
      return c.json({ data: rows.map(lineView), pagination: { limit, next } }, 200);
    })
    .openapi(lineApi.decided, async (c) => {
      const { limit, cursor } = c.req.valid('query');
      const { id } = await find(c.var.principal, c.req.valid('param').id);
      const since = Date.now() - UNDO_WITHIN_MS;
      const { rows, next } = await store.shopLines.decidedPage(id, since, { limit, cursor });
      return c.json({ data: rows.map(lineView), pagination: { limit, next } }, 200);
    })
    .openapi(lineApi.decide, async (c) => {
      const { principal } = c.var;
      const { id, lineId } = c.req.valid('param');
      const integration = await find(principal, id);
      const line = await store.shopLines.get(integration.id, lineId);
      if (line === undefined) throw new HubError('line_not_found');
      const decided = await decide(principal, line, c.req.valid('json'));
      shops.start(integration.id);
      return c.json(lineView(decided), 200);
    })
    .openapi(lineApi.decideAll, async (c) => {
      const { principal } = c.var;
      const { lines: ids, ...decision } = c.req.valid('json');
      const integration = await find(principal, c.req.valid('param').id);
      const known = await linesOf(integration.id, ids);
      const data: z.infer<typeof decidedSchema>[] = [];
      for (const [place, line] of known.entries()) {
        data.push(await tryToDecide(principal, ids[place] ?? '', line, decision));
      }
      shops.start(integration.id);
      return c.json({ data }, 200);
    });
};
