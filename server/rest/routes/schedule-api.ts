import { createRoute, z } from '@hono/zod-openapi';
import { RUN_STATUSES } from '../../../db/schema/schedules.ts';
import { checkWaiting, waitingFields } from '../../commands/catalogue.ts';
import { identifierText, plainText } from '../../platform/text-fields.ts';
import { needs } from '../middleware.ts';
import { actor, body, instant, json, noQuery, pageQuery, pagination, problems } from '../schemas.ts';

const when = z
  .union([
    z.strictObject({ at: z.iso.datetime() }),
    z.strictObject({ cron: plainText(128), timeZone: plainText(64).default('UTC') }),
    z.strictObject({ before: z.literal('restart'), minutes: z.int().min(2).max(1_440) }),
  ])
  .openapi({ example: { cron: '0 18 * * 5', timeZone: 'Europe/Berlin' } });

export const task = z
  .strictObject({
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
  })
  .superRefine(checkWaiting);

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

export const scheduleSchema = z
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
    problem: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .openapi({ description: 'Why each run is refused, as far as its key and its bounds tell.' }),
    actor,
    createdAt: instant,
  })
  .openapi('Schedule');

export const dryRunSchema = z
  .object({
    dryRun: z.literal(true),
    next: z.array(instant).openapi({ description: 'The next five times; none before a restart.' }),
    problem: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .openapi({ description: 'Why a run would be refused as things are now, other than for reasons of the moment.' }),
  })
  .openapi('ScheduleDryRun');

export const runSchema = z
  .object({
    plannedAt: instant,
    status: z.enum(RUN_STATUSES),
    made: z.string().nullable().openapi({ description: 'The id of the command or the batch.' }),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .openapi('ScheduleRun');

const params = z.object({ id: z.string().openapi({ example: 'sch_01j9z3k7v8' }) });
const write = needs(['schedules:write'], 'It also needs the scopes of its command, at each run, too.');

export const scheduleApi = {
  create: createRoute({
    method: 'post',
    path: '/schedules',
    operationId: 'createSchedule',
    tags: ['Schedules'],
    summary: 'Run a command or a batch at a time',
    ...write,
    request: {
      query: noQuery,
      body: body(
        z
          .strictObject({ ...fields, dryRun: z.boolean().default(false) })
          .openapi('ScheduleRequest', { example: EXAMPLE }),
      ),
    },
    responses: {
      200: json(dryRunSchema, 'With dryRun: when it would run. Nothing was stored.'),
      201: json(scheduleSchema, 'The schedule.'),
      ...problems(400, 404, 409, 413, 415),
    },
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
    ...needs(['schedules:write'], 'It also needs the scopes of its command.'),
    request: { params, query: noQuery },
    responses: { 204: { description: 'It is gone; commands that it made stay.' }, ...problems(404, 413, 415) },
  }),
};
