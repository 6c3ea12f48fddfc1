import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { COMMANDS, isCommandName } from '../../../bridge-protocol/index.ts';
import type { ScheduleRow, ScheduleRun } from '../../../db/queries/schedules.ts';
import { RUN_STATUSES, type When } from '../../../db/schema/schedules.ts';
import type { Principal } from '../../auth/credentials.ts';
import { waitingFields } from '../../commands/bodies.ts';
import { HubError, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { isoTime } from '../../platform/iso-time.ts';
import { identifierText, plainText } from '../../platform/text-fields.ts';
import { scopesOf, wishOf } from '../../schedules/schedules.ts';
import { assertTimes, nextTime, nextTimes } from '../../schedules/times.ts';
import { assertScopes, assertServerAllowed } from '../admission.ts';
import type { RestDeps, RestEnv } from '../context.ts';
import { needs } from '../middleware.ts';
import { validationHook } from '../problem.ts';
import { actor, body, instant, json, noQuery, pageQuery, pagination, problems } from '../schemas.ts';

const MAX_SCHEDULES = 200;
const SHOWN_TIMES = 5;

const when = z
  .union([
    z.strictObject({ at: z.iso.datetime() }),
    z.strictObject({ cron: plainText(128), timeZone: plainText(64).default('UTC') }),
    z.strictObject({ before: z.literal('restart'), minutes: z.int().min(2).max(1_440) }),
  ])
  .openapi({ example: { cron: '0 18 * * 5', timeZone: 'Europe/Berlin' } });

const task = z.strictObject({
  name: plainText(64).openapi({ example: 'money' }),
  params: z
    .record(z.string(), z.unknown())
    .openapi({ description: 'The body of the command; without target if there are targets.' }),
  targets: z
    .union([z.array(identifierText).min(1).max(1_000), z.strictObject({ online: z.literal(true) })])
    .optional()
    .openapi({ description: 'Makes it a batch. At most 1,000 players.' }),
  deliver: waitingFields.deliver,
  expiresInSeconds: waitingFields.expiresInSeconds,
  abort: z.strictObject({ failedPercent: z.number().min(0).max(100), after: z.int().min(1).max(10_000) }).optional(),
});

const fields = {
  serverId: plainText(63),
  label: plainText(128),
  task,
  when,
  missed: z
    .enum(['skip', 'run_once'])
    .default('skip')
    .openapi({ description: 'What happens to runs while no hub ran.' }),
};

const EXAMPLE = {
  serverId: 'main',
  label: 'Salary',
  when: { cron: '0 0 1 * *', timeZone: 'Europe/Berlin' },
  task: { name: 'money', params: { target: 'char1:5f3a9c', type: 'bank', amount: 2_000, action: 'add' } },
};

const scheduleSchema = z
  .object({
    id: z.string().openapi({ example: 'sch_01j9z3k7v8' }),
    serverId: z.string(),
    label: z.string(),
    task: z.record(z.string(), z.unknown()),
    when: z.record(z.string(), z.unknown()),
    missed: z.enum(['skip', 'run_once']),
    paused: z.boolean(),
    pausedBy: z.string().nullable().openapi({ description: 'Why the hub paused it.' }),
    next: z.array(instant).openapi({ description: 'The next five times.' }),
    actor,
    createdAt: instant,
  })
  .openapi('Schedule');

const runSchema = z
  .object({
    plannedAt: instant,
    status: z.enum(RUN_STATUSES),
    made: z.string().nullable().openapi({ description: 'The id of the command or the batch.' }),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .openapi('ScheduleRun');

const params = z.object({ id: z.string().openapi({ example: 'sch_01j9z3k7v8' }) });
const write = needs(['schedules:write'], 'It also needs the scopes of its command, at each run, too.');

const routes = {
  create: createRoute({
    method: 'post',
    path: '/schedules',
    operationId: 'createSchedule',
    tags: ['Schedules'],
    summary: 'Run a command or a batch at a time',
    ...write,
    request: { query: noQuery, body: body(z.strictObject(fields).openapi('ScheduleRequest', { example: EXAMPLE })) },
    responses: { 201: json(scheduleSchema, 'The schedule.'), ...problems(400, 404, 409, 413, 415) },
  }),
  list: createRoute({
    method: 'get',
    path: '/schedules',
    operationId: 'listSchedules',
    tags: ['Schedules'],
    summary: 'Schedules, the newest first',
    ...needs(['commands:read']),
    request: { query: pageQuery },
    responses: { 200: json(z.object({ data: z.array(scheduleSchema), pagination }), 'Schedules.'), ...problems() },
  }),
  get: createRoute({
    method: 'get',
    path: '/schedules/{id}',
    operationId: 'getSchedule',
    tags: ['Schedules'],
    summary: 'One schedule, with its next times',
    ...needs(['commands:read']),
    request: { params, query: noQuery },
    responses: { 200: json(scheduleSchema, 'The schedule.'), ...problems(404) },
  }),
  runs: createRoute({
    method: 'get',
    path: '/schedules/{id}/runs',
    operationId: 'listScheduleRuns',
    tags: ['Schedules'],
    summary: 'The last 100 runs of a schedule',
    ...needs(['commands:read']),
    request: { params, query: noQuery },
    responses: { 200: json(z.object({ data: z.array(runSchema) }), 'The newest first.'), ...problems(404) },
  }),
  change: createRoute({
    method: 'patch',
    path: '/schedules/{id}',
    operationId: 'changeSchedule',
    tags: ['Schedules'],
    summary: 'Change, pause or resume a schedule',
    ...write,
    request: {
      params,
      query: noQuery,
      body: body(
        z
          .strictObject({ ...fields, paused: z.boolean(), missed: z.enum(['skip', 'run_once']) })
          .omit({ serverId: true })
          .partial()
          .openapi('SchedulePatch', { example: { paused: true } }),
      ),
    },
    responses: {
      200: json(scheduleSchema, 'The schedule; it now runs with your key.'),
      ...problems(400, 404, 413, 415),
    },
  }),
  remove: createRoute({
    method: 'delete',
    path: '/schedules/{id}',
    operationId: 'deleteSchedule',
    tags: ['Schedules'],
    summary: 'Delete a schedule with its history',
    ...needs(['schedules:write']),
    request: { params, query: noQuery },
    responses: { 204: { description: 'It is gone; commands that it made stay.' }, ...problems(404) },
  }),
};

const viewOf = (row: ScheduleRow, now: number): z.infer<typeof scheduleSchema> => ({
  id: row.id,
  serverId: row.serverId,
  label: row.label,
  task: row.task,
  when: row.when,
  missed: row.missed,
  paused: row.paused,
  pausedBy: row.pausedBy,
  next: row.paused ? [] : nextTimes(row.when, now, SHOWN_TIMES).map(isoTime),
  actor: row.actor,
  createdAt: isoTime(row.createdAt),
});

const viewOfRun = ({ plannedAt, status, madeId, error }: ScheduleRun): z.infer<typeof runSchema> => ({
  plannedAt: isoTime(plannedAt),
  status,
  made: madeId,
  error,
});

type Task = z.infer<typeof task>;

/** @throws HubError invalid_request, insufficient_scope */
const assertTask = (principal: Principal, wanted: Task): void => {
  const { name, params: given, targets, deliver } = wanted;
  assertScopes(principal, scopesOf(wanted));
  if (targets !== undefined && Object.hasOwn(given, 'target')) {
    throw invalidField('/task/params/target', 'must be absent: targets has the players');
  }
  const isLasting = !isCommandName(name) || COMMANDS[name].class === 'exactly-once';
  if (!isLasting && name !== 'announce' && name !== 'message') {
    throw invalidField('/task/name', 'must be a command with a lasting effect, announce or message');
  }
  if (!isLasting && (targets !== undefined || deliver !== 'now')) {
    throw invalidField('/task', `${name} takes neither targets nor deliver`);
  }
  wishOf(targets === undefined ? wanted : { ...wanted, params: { ...given, target: 'player' } });
};

/** Commands and batches that run at a time. */
export const scheduleRoutes = ({ store }: RestDeps) => {
  const find = async ({ project, servers }: Principal, id: string): Promise<ScheduleRow> => {
    const row = await store.schedules.get(project.id, id);
    if (row === undefined || (servers !== undefined && !servers.includes(row.serverId))) {
      throw new HubError('schedule_not_found');
    }
    return row;
  };
  const nextAt = (at: When, now: number): number | null => {
    assertTimes(at, now);
    return nextTime(at, now);
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(routes.create, async (c) => {
      const { principal } = c.var;
      const { serverId, label, missed, ...wanted } = c.req.valid('json');
      assertServerAllowed(principal, serverId);
      const { project, key } = principal;
      const server = await store.servers.get(project.id, serverId);
      if (server === undefined || server.deletingAt !== null) throw new HubError('server_not_found');
      assertTask(principal, wanted.task);
      if ((await store.schedules.count(project.id)) >= MAX_SCHEDULES) {
        throw new HubError('quota_exceeded', `A project may have ${MAX_SCHEDULES} schedules. Delete one.`);
      }
      const now = Date.now();
      const row = await store.schedules.create({
        id: newId('sch'),
        projectId: project.id,
        serverId,
        label,
        task: wanted.task,
        when: wanted.when,
        missed,
        keyId: key.id,
        actor: { keyId: key.id, name: key.name },
        paused: false,
        pausedBy: null,
        nextAt: nextAt(wanted.when, now),
        createdAt: now,
        updatedAt: now,
      });
      c.header('Location', `/api/v2/schedules/${row.id}`);
      return c.json(viewOf(row, now), 201);
    })
    .openapi(routes.list, async (c) => {
      const { project, servers } = c.var.principal;
      const { limit, cursor } = c.req.valid('query');
      const { rows, next } = await store.schedules.list(project.id, { limit, cursor });
      const allowed = rows.filter(({ serverId }) => servers === undefined || servers.includes(serverId));
      return c.json({ data: allowed.map((row) => viewOf(row, Date.now())), pagination: { limit, next } }, 200);
    })
    .openapi(routes.get, async (c) =>
      c.json(viewOf(await find(c.var.principal, c.req.valid('param').id), Date.now()), 200),
    )
    .openapi(routes.runs, async (c) => {
      const { id } = await find(c.var.principal, c.req.valid('param').id);
      return c.json({ data: (await store.schedules.runs(id)).map(viewOfRun) }, 200);
    })
    .openapi(routes.change, async (c) => {
      const { principal } = c.var;
      const row = await find(principal, c.req.valid('param').id);
      const patch = c.req.valid('json');
      const now = Date.now();
      assertTask(principal, patch.task ?? { ...row.task, deliver: row.task.deliver ?? 'now' });
      const time = patch.when ?? row.when;
      const isMoved = patch.when !== undefined || (row.paused && patch.paused === false);
      const { key } = principal;
      const changed = await store.schedules.change(row.projectId, row.id, {
        ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
        ...(isMoved && { nextAt: patch.when === undefined ? nextTime(time, now) : nextAt(time, now) }),
        ...(patch.paused !== undefined && { pausedBy: null }),
        keyId: key.id,
        actor: { keyId: key.id, name: key.name },
        updatedAt: now,
      });
      if (changed === undefined) throw new HubError('schedule_not_found');
      return c.json(viewOf(changed, now), 200);
    })
    .openapi(routes.remove, async (c) => {
      const row = await find(c.var.principal, c.req.valid('param').id);
      await store.schedules.remove(row.projectId, row.id);
      return c.body(null, 204);
    });
};
