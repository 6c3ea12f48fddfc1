import { isDeepStrictEqual } from 'node:util';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { COMMANDS, isCommandName } from '../../../bridge-protocol/index.ts';
import type { ApiKeyRow } from '../../../db/queries/api-keys.ts';
import type { ScheduleRow, ScheduleRun } from '../../../db/queries/schedules.ts';
import { RUN_STATUSES } from '../../../db/schema/schedules.ts';
import type { Principal } from '../../auth/credentials.ts';
import { assertReason, checkWaiting, type Wish, waitingFields } from '../../commands/catalogue.ts';
import { HubError, invalidField } from '../../platform/errors.ts';
import { identifierText, plainText, sentFields, serverNotFound } from '../../platform/fields.ts';
import { derivedScheduleId, newId } from '../../platform/ids.ts';
import { isoTime } from '../../platform/time.ts';
import { forecast, problemOf, runNow, scopesOf, targetsFault, wishOf } from '../../schedules/runs.ts';
import { assertTimes, nextTimes, planFrom, planKept } from '../../schedules/times.ts';
import { validationHook } from '../answer.ts';
import { actorOf, assertScopes, assertServerAllowed, visibleRow } from '../identify.ts';
import { needs } from '../middleware.ts';
import { type RestDeps, type RestEnv, readIdempotencyKey } from '../request.ts';
import { actor, at, body, instant, json, matching, noQuery, pageJson, pageQuery, problems } from '../schemas.ts';

const when = z
  .union([
    z.strictObject({ at: z.iso.datetime() }),
    z.strictObject({ cron: plainText(128), timeZone: plainText(64).default('UTC') }),
    z.strictObject({ before: z.literal('restart'), minutes: z.int().min(2).max(1_440) }),
  ])
  .openapi({ example: { cron: '0 18 * * 5', timeZone: 'Europe/Berlin' } });

const task = z
  .strictObject({
    name: plainText(64).openapi({ example: 'money' }),
    params: z
      .record(z.string(), z.unknown())
      .openapi({ description: 'The body of the command; without target if there are targets.' }),
    targets: z
      .union([z.array(identifierText).min(1).max(1_000), matching])
      .optional()
      .openapi({ description: 'Makes it a batch. A list has at most 1,000 players; who matches is read at each run.' }),
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

const fault = z.object({ code: z.string(), message: z.string() });

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
    problem: fault
      .nullable()
      .openapi({ description: 'Why each run is refused, as far as its key and its bounds tell.' }),
    targetNames: z
      .record(z.string(), z.string())
      .optional()
      .openapi({ description: 'Of one schedule, with players:read: the names of its players, by identifier.' }),
    actor,
    createdAt: instant,
  })
  .openapi('Schedule');

const dryRunSchema = z
  .object({
    dryRun: z.literal(true),
    next: z.array(instant).openapi({ description: 'The next five times; none before a restart.' }),
    problem: fault
      .nullable()
      .openapi({ description: 'Why a run would be refused as things are now, other than for reasons of the moment.' }),
  })
  .openapi('ScheduleDryRun');

const runSchema = z
  .object({
    plannedAt: instant,
    status: z.enum(RUN_STATUSES),
    made: z.string().nullable().openapi({ description: 'The id of the command or the batch.' }),
    error: fault.nullable(),
  })
  .openapi('ScheduleRun');

const params = z.object({ id: z.string().openapi({ example: 'sch_01j9z3k7v8' }) });
const tags = ['Schedules'];
const read = { tags, ...needs(['commands:read']) };
const write = { tags, ...needs(['schedules:write'], 'It also needs the scopes of its command, at each run, too.') };

const scheduleApi = {
  create: createRoute({
    ...at('post', '/schedules', 'createSchedule'),
    ...write,
    summary: 'Run a command or a batch at a time',
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
      201: json(scheduleSchema, 'The schedule.', 'Location', 'Idempotency-Replayed'),
      ...problems(400, 404, 409, 413, 415),
    },
  }),
  list: createRoute({
    ...at('get', '/schedules', 'listSchedules'),
    ...read,
    summary: 'Schedules, the newest first',
    request: { query: pageQuery },
    responses: { 200: pageJson(scheduleSchema, 'Schedules.'), ...problems() },
  }),
  get: createRoute({
    ...at('get', '/schedules/{id}', 'getSchedule'),
    ...read,
    summary: 'One schedule, with its next times',
    request: { params, query: noQuery },
    responses: { 200: json(scheduleSchema, 'The schedule.'), ...problems(404) },
  }),
  runs: createRoute({
    ...at('get', '/schedules/{id}/runs', 'listScheduleRuns'),
    ...read,
    summary: 'The last 100 runs of a schedule',
    request: { params, query: noQuery },
    responses: { 200: json(z.object({ data: z.array(runSchema) }), 'The newest first.'), ...problems(404) },
  }),
  change: createRoute({
    ...at('patch', '/schedules/{id}', 'changeSchedule'),
    ...write,
    summary: 'Change, pause or resume a schedule',
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
  run: createRoute({
    ...at('post', '/schedules/{id}/run', 'runSchedule'),
    tags,
    ...needs(['schedules:write'], 'It also needs the scopes of its command, and runs with the rights of your key.'),
    summary: 'Run a schedule now; its planned times stay',
    request: {
      params,
      query: noQuery,
      headers: z.object({
        'idempotency-key': z
          .string({ error: 'a run needs the header Idempotency-Key' })
          .openapi({ description: 'Required.' }),
      }),
      body: body(z.strictObject({}), { required: false }),
    },
    responses: {
      202: json(
        z
          .object({
            made: z.string().openapi({ description: 'The id of the command or the batch.', example: 'cmd_75a185' }),
          })
          .openapi('ScheduleRunNow'),
        'The command or the batch is made; see Location.',
        'Location',
        'Idempotency-Replayed',
      ),
      ...problems(400, 404, 409, 413, 415),
    },
  }),
  remove: createRoute({
    ...at('delete', '/schedules/{id}', 'deleteSchedule'),
    tags,
    summary: 'Delete a schedule with its history',
    ...needs(['schedules:write'], 'It also needs the scopes of its command.'),
    request: { params, query: noQuery },
    responses: { 204: { description: 'It is gone; commands that it made stay.' }, ...problems(404, 413, 415) },
  }),
};

const MAX_SCHEDULES = 200;

/** A schedule as REST shows it. `key`: its runs have the rights of this key. */
const viewOf = (
  row: ScheduleRow,
  key: ApiKeyRow | undefined,
  { project }: Principal,
): z.infer<typeof scheduleSchema> => ({
  id: row.id,
  serverId: row.serverId,
  label: row.label,
  task: row.task,
  when: row.when,
  missed: row.missed,
  paused: row.paused,
  pausedBy: row.pausedBy,
  next: row.paused ? [] : (row.nextTimes ?? nextTimes(row.when, Date.now())).map(isoTime),
  problem: problemOf(row, key, project),
  actor: row.actor,
  createdAt: isoTime(row.createdAt),
});

const viewOfRun = ({ plannedAt, status, madeId, error }: ScheduleRun): z.infer<typeof runSchema> => ({
  plannedAt: isoTime(plannedAt),
  status,
  made: madeId,
  error,
});

const tooMany = (): HubError =>
  new HubError('quota_exceeded', `A project may have ${MAX_SCHEDULES} schedules. Delete one.`);

/** The command of a task that may be stored. @throws HubError invalid_request, insufficient_scope */
const assertTask = (principal: Principal, wanted: z.infer<typeof task>): Wish => {
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
  const wish = wishOf(targets === undefined ? wanted : { ...wanted, params: { ...given, target: 'player' } });
  const fault = targetsFault(wanted, principal);
  if (fault !== undefined) throw invalidField('/task/targets', fault);
  return wish;
};

/** The hint for a repeated request whose schedule a restored hub has forgotten. */
const FORGOTTEN =
  '. If it was, the hub was restored from a backup and has forgotten it, and its run may have been made: look in the game';

/** Commands and batches that run at a time. */
export const scheduleRoutes = ({ store, commands }: RestDeps) => {
  const find = async (principal: Principal, id: string): Promise<ScheduleRow> =>
    visibleRow(principal, await store.schedules.get(principal.project.id, id), 'schedule_not_found');
  const keyOf = ({ projectId, keyId }: ScheduleRow): Promise<ApiKeyRow | undefined> =>
    store.apiKeys.find(projectId, keyId);
  /** The names of the players of a schedule, on its server. */
  const namesOf = async ({ projectId, serverId, task }: ScheduleRow): Promise<Record<string, string>> => {
    const targets = Array.isArray(task.targets) ? task.targets : [task.params['target']];
    const identifiers = targets.filter((target) => typeof target === 'string');
    const found = await store.players.names(projectId, identifiers);
    return Object.fromEntries(
      found.filter((player) => player.serverId === serverId).map(({ identifier, name }) => [identifier, name]),
    );
  };
  const viewsOf = async (rows: readonly ScheduleRow[], principal: Principal) => {
    const ofEach = new Map(rows.map((row) => [row.keyId, row]));
    const keys = await Promise.all(Array.from(ofEach.values(), keyOf));
    return rows.map((row) => {
      const key = keys.find((found) => found?.id === row.keyId);
      return viewOf(row, key, principal);
    });
  };

  /** Answers a request whose key has made a schedule. A schedule that was changed since is not compared. */
  const replay = async (c: Context<RestEnv>, row: ScheduleRow, asked: object) => {
    const { serverId, label, task: made, when, missed } = row;
    assertServerAllowed(c.var.principal, serverId);
    const isSame = isDeepStrictEqual({ serverId, label, task: made, when, missed }, asked);
    if (!isSame && row.updatedAt === row.createdAt) {
      throw new HubError(
        'idempotency_mismatch',
        `The key has made the schedule ${row.id}, which stands. Another schedule needs another key.`,
      );
    }
    c.header('Idempotency-Replayed', 'true');
    c.header('Location', `/api/v2/schedules/${row.id}`);
    return c.json(viewOf(row, await keyOf(row), c.var.principal), 201);
  };

  return new OpenAPIHono<RestEnv>({ defaultHook: validationHook })
    .openapi(scheduleApi.create, async (c) => {
      const { principal } = c.var;
      const { serverId, label, missed, dryRun, ...wanted } = c.req.valid('json');
      assertServerAllowed(principal, serverId);
      const { project, key } = principal;
      const server = await store.servers.get(project.id, serverId);
      if (server === undefined || server.deletingAt !== null) throw serverNotFound(serverId);
      const wish = assertTask(principal, wanted.task);
      const idempotencyKey = dryRun ? undefined : readIdempotencyKey(c.env.incoming);
      const id = idempotencyKey === undefined ? newId('sch') : derivedScheduleId(project.id, idempotencyKey);
      const asked = { serverId, label, missed, ...wanted };
      const known = idempotencyKey === undefined ? undefined : await store.schedules.get(project.id, id);
      if (known !== undefined) return replay(c, known, asked);
      assertReason(project, wish, '/task/params/reason');
      // Counted once more when it is stored; this is for dry runs.
      if ((await store.schedules.count(project.id)) >= MAX_SCHEDULES) throw tooMany();
      const now = Date.now();
      const isForgotten = idempotencyKey !== undefined && (await store.commands.lastRestored()) !== undefined;
      assertTimes(wanted.when, now, isForgotten ? FORGOTTEN : '');
      const plan = planFrom(wanted.when, now);
      if (dryRun) {
        const times = plan.nextTimes.map(isoTime);
        const problem = await forecast(commands, { serverId, label, task: wanted.task }, principal);
        return c.json({ dryRun: true as const, next: times, problem }, 200);
      }
      const row: ScheduleRow = {
        id,
        projectId: project.id,
        ...asked,
        keyId: key.id,
        actor: actorOf(principal),
        paused: false,
        pausedBy: null,
        ...plan,
        createdAt: now,
        updatedAt: now,
      };
      const stored = await store.schedules.create(row, MAX_SCHEDULES);
      if (stored === 'full') throw tooMany();
      // Another request with this key came first.
      if (stored === 'exists') return replay(c, await find(principal, id), asked);
      c.header('Location', `/api/v2/schedules/${row.id}`);
      return c.json(viewOf(row, key, principal), 201);
    })
    .openapi(scheduleApi.list, async (c) => {
      const { project, servers } = c.var.principal;
      const { limit, cursor } = c.req.valid('query');
      const { rows, next } = await store.schedules.list(project.id, { limit, cursor });
      const allowed = rows.filter(({ serverId }) => servers === undefined || servers.includes(serverId));
      return c.json({ data: await viewsOf(allowed, c.var.principal), pagination: { limit, next } }, 200);
    })
    .openapi(scheduleApi.get, async (c) => {
      const { principal } = c.var;
      const row = await find(principal, c.req.valid('param').id);
      const names = principal.scopes.has('players:read') ? { targetNames: await namesOf(row) } : {};
      return c.json({ ...viewOf(row, await keyOf(row), principal), ...names }, 200);
    })
    .openapi(scheduleApi.runs, async (c) => {
      const { id } = await find(c.var.principal, c.req.valid('param').id);
      return c.json({ data: (await store.schedules.runs(id)).map(viewOfRun) }, 200);
    })
    .openapi(scheduleApi.change, async (c) => {
      const { principal } = c.var;
      const { key } = principal;
      const patch = c.req.valid('json');
      let changed: ScheduleRow | undefined;
      // Again if it ran or was changed meanwhile: its planned times must not come back.
      while (changed === undefined) {
        const row = await find(principal, c.req.valid('param').id);
        const now = Date.now();
        const wish = assertTask(principal, patch.task ?? { ...row.task, deliver: row.task.deliver ?? 'now' });
        if (patch.task !== undefined) assertReason(principal.project, wish, '/task/params/reason');
        const isMoved = patch.when !== undefined || (row.paused && patch.paused === false);
        if (patch.when !== undefined) assertTimes(patch.when, now);
        changed = await store.schedules.changeAsRead(row, {
          ...sentFields(patch),
          ...(isMoved && planKept(row, planFrom(patch.when ?? row.when, now), now)),
          ...(patch.paused !== undefined && { pausedBy: null }),
          keyId: key.id,
          actor: actorOf(principal),
          updatedAt: now,
        });
      }
      return c.json(viewOf(changed, key, principal), 200);
    })
    .openapi(scheduleApi.run, async (c) => {
      const { principal, requestId } = c.var;
      const row = await find(principal, c.req.valid('param').id);
      assertScopes(principal, scopesOf(row.task));
      const idempotencyKey = readIdempotencyKey(c.env.incoming) ?? '';
      const { project, key } = principal;
      const asked = { project, key, actor: actorOf(principal), requestId, idempotencyKey };
      const { id: made, isNew } = await runNow({ store, commands }, row, asked);
      if (!isNew) c.header('Idempotency-Replayed', 'true');
      c.header('Location', `/api/v2/${made.startsWith('bat_') ? 'batches' : 'commands'}/${made}`);
      return c.json({ made }, 202);
    })
    .openapi(scheduleApi.remove, async (c) => {
      const { principal } = c.var;
      const row = await find(principal, c.req.valid('param').id);
      assertScopes(principal, scopesOf(row.task));
      await store.schedules.remove(row.projectId, row.id);
      return c.body(null, 204);
    });
};
