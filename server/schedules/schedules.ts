import type { ApiKeyRow } from '../../db/queries/api-keys.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ScheduleRow, ScheduleRun } from '../../db/queries/schedules.ts';
import type { Task } from '../../db/schema/schedules.ts';
import type { Store } from '../../db/store.ts';
import type { Scope } from '../auth/credentials.ts';
import type { Events } from '../cluster/events.ts';
import type { Router } from '../cluster/router.ts';
import { WAIT_S } from '../commands/bodies.ts';
import { scopeOf } from '../commands/catalogue.ts';
import type { Commands } from '../commands/commands.ts';
import { type ReadWish, readWish } from '../commands/read-wish.ts';
import type { Background } from '../platform/background.ts';
import { HubError, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { isoTime } from '../platform/iso-time.ts';
import { nextTime } from './times.ts';

/** A run that is later than this was missed: no hub ran, or its clock was set forward. */
const MISSED_AFTER_MS = 60_000;
/** A run that a node began and did not end for this long is begun again, with the same idempotency key. */
const UNFINISHED_MS = 30_000;
/** Errors after which a run is begun again with its key: the hub stops, or it is unknown whether the command is stored. */
const PASSING: ReadonlySet<string> = new Set(['store_unavailable', 'draining', 'routing_unavailable']);
const AT_ONCE = 50;
const LOOK_EVERY_MS = 5_000;
/** Two restarts are further apart. */
const SAME_RESTART_MS = 300_000;
/** How long the commands of a run that do not wait may leave. */
export const SECONDS = { command: 30, batch: 3_600 };

/** The scopes that a task needs. */
export const scopesOf = ({ name, targets }: Task): Scope[] =>
  targets === undefined ? [scopeOf(name)] : [scopeOf(name), 'commands:batch'];

/** The command of a task with checked parameters. @throws HubError invalid_request */
export const wishOf = ({ name, params }: Task): Extract<ReadWish, { wish: unknown }>['wish'] => {
  const read = readWish(name, params);
  if ('detail' in read) throw invalidField(`/task${read.pointer}`, read.detail);
  return read.wish;
};

/** The key, if it may still run the schedule; otherwise the reason why not. */
const keyOrRefusal = (key: ApiKeyRow | undefined, { serverId, task }: ScheduleRow, now: number): ApiKeyRow | string => {
  if (key === undefined || key.revokedAt !== null) return 'The key that made it was revoked.';
  if (key.expiresAt !== null && key.expiresAt <= now) return 'The key that made it has expired.';
  if (key.servers !== null && !key.servers.includes(serverId)) return 'Its key may not use this server.';
  const scopes: readonly string[] = key.scopes;
  const missing = scopesOf(task).filter((scope) => !scopes.includes(scope));
  return missing.length === 0 ? key : `Its key lacks ${missing.join(' and ')}.`;
};

/** The key of a schedule, and its project. */
export type Owner = { key: ApiKeyRow; project: ProjectRow };

type MakerParts = {
  store: Pick<Store, 'commands' | 'batches'>;
  commands: Pick<Commands, 'submit' | 'acceptBatch'>;
  now: () => number;
};

/** Makes the command or the batch of a run, and returns its id. @throws HubError */
const createMaker =
  ({ store, commands, now }: MakerParts) =>
  async (schedule: ScheduleRow, { key, project }: Owner, plannedAt: number): Promise<string> => {
    const { id, serverId, task, actor, label } = schedule;
    const { targets, deliver = 'now', expiresInSeconds, abort, name, params } = task;
    const idempotencyKey = `schedule/${id}/${isoTime(plannedAt)}`;
    // An earlier try may have made it, of a task that was changed since.
    const made =
      (await store.commands.byIdempotencyKey(project.id, idempotencyKey)) ??
      (await store.batches.byKey(project.id, idempotencyKey));
    if (made !== undefined) return made.id;
    const usual = deliver === 'now' ? SECONDS[targets === undefined ? 'command' : 'batch'] : WAIT_S.usual;
    const seconds = expiresInSeconds ?? usual;
    const common = { project, serverId, actor, requestId: newId('req'), idempotencyKey };
    if (targets !== undefined) {
      const wanted = { name, params, targets, label, deliver, abort, expiresInSeconds: seconds, key };
      return (await commands.acceptBatch({ ...common, ...wanted })).batch.id;
    }
    const { row } = await commands.submit({
      ...wishOf(task),
      ...common,
      canSeePlayers: false,
      deliver: deliver === 'now' ? undefined : deliver,
      expiresAt: now() + seconds * 1_000,
      waitMs: 0,
    });
    return row.id;
  };

/** Runs schedules. Two nodes never run one twice: the row of a run has the planned time as its key. */
export const createSchedules = ({
  store,
  router,
  commands,
  events,
  background,
  now,
}: {
  store: Pick<Store, 'schedules' | 'apiKeys' | 'projects' | 'commands' | 'batches'>;
  router: Pick<Router, 'all'>;
  commands: Pick<Commands, 'submit' | 'acceptBatch'>;
  events: Pick<Events, 'publish'>;
  background: Background;
  now: () => number;
}) => {
  let lookAt = 0;

  const make = createMaker({ store, commands, now });

  const pause = async (schedule: ScheduleRow, reason: string): Promise<void> => {
    const { projectId, serverId, id, label } = schedule;
    await store.schedules.change(projectId, id, { paused: true, pausedBy: reason, updatedAt: now() });
    events.publish(projectId, { type: 'schedule.paused', serverId, data: { id, label, reason } });
  };

  /** Carries out a claimed run. */
  const carryOut = async (schedule: ScheduleRow, { plannedAt }: Pick<ScheduleRun, 'plannedAt'>): Promise<void> => {
    const { id: scheduleId, projectId } = schedule;
    const end = (changes: Partial<ScheduleRun>) =>
      store.schedules.finish({ scheduleId, plannedAt }, { ...changes, touchedAt: now() });
    const [found, project] = await Promise.all([
      store.apiKeys.find(projectId, schedule.keyId),
      store.projects.byId(projectId),
    ]);
    if (project === undefined) return store.schedules.forget({ scheduleId, plannedAt });
    const key = keyOrRefusal(found, schedule, now());
    if (typeof key === 'string') {
      await end({ status: 'refused', error: { code: 'insufficient_scope', message: key } });
      return pause(schedule, key);
    }
    try {
      await end({ status: 'done', madeId: await make(schedule, { key, project }, plannedAt) });
    } catch (error) {
      if (!(error instanceof HubError) || PASSING.has(error.code)) throw error;
      await end({ status: 'refused', error: { code: error.code, message: error.message } });
    }
  };

  const runOf = ({ id, projectId }: ScheduleRow, plannedAt: number, status: ScheduleRun['status']): ScheduleRun => ({
    scheduleId: id,
    plannedAt,
    projectId,
    status,
    madeId: null,
    error: null,
    touchedAt: now(),
  });

  const claimAndRun = async (schedule: ScheduleRow, plannedAt: number): Promise<void> => {
    if (await store.schedules.claim(runOf(schedule, plannedAt, 'started'))) await carryOut(schedule, { plannedAt });
  };

  const runDue = async (schedule: ScheduleRow): Promise<void> => {
    const { id, when, nextAt, missed } = schedule;
    if (nextAt === null) return;
    const at = now();
    const isMissed = at - nextAt > MISSED_AFTER_MS;
    if (isMissed && missed === 'skip') await store.schedules.claim(runOf(schedule, nextAt, 'missed'));
    else await claimAndRun(schedule, nextAt);
    // After a gap, one run stands for all that were missed.
    await store.schedules.advance(id, nextAt, nextTime(when, Math.max(at, nextAt)), at);
    await store.schedules.prune(id);
  };

  /** Schedules that run before a restart which a bridge of this node has announced. */
  const runBeforeRestarts = async (): Promise<void> => {
    const at = now();
    for (const { projectId, serverId, state } of router.all()) {
      const { restartAt } = state;
      if (restartAt === undefined || restartAt <= at) continue;
      for (const schedule of await store.schedules.beforeRestarts(projectId, serverId)) {
        if (!('before' in schedule.when)) continue;
        const plannedAt = restartAt - schedule.when.minutes * 60_000;
        if (plannedAt > at || at - plannedAt > MISSED_AFTER_MS) continue;
        const [last] = await store.schedules.runs(schedule.id);
        // Announcements of one restart differ by seconds.
        const isSame = last !== undefined && Math.abs(last.plannedAt - plannedAt) < SAME_RESTART_MS;
        if (isSame) continue;
        await claimAndRun(schedule, plannedAt);
        await store.schedules.prune(schedule.id);
      }
    }
  };

  /** Continues runs that another node has left; those of deleted schedules are deleted, too. */
  const takeOver = async (): Promise<void> => {
    for (const run of await store.schedules.unfinished(now() - UNFINISHED_MS)) {
      await store.schedules.finish(run, { touchedAt: now() });
      const schedule = await store.schedules.get(run.projectId, run.scheduleId);
      if (schedule === undefined) await store.schedules.forget(run);
      else await carryOut(schedule, run);
    }
  };

  return {
    /** Once a second. */
    tick: async (): Promise<void> => {
      for (const schedule of await store.schedules.due(now(), AT_ONCE)) {
        background.run('run a schedule', () => runDue(schedule));
      }
      if (performance.now() < lookAt) return;
      lookAt = performance.now() + LOOK_EVERY_MS;
      await runBeforeRestarts();
      await takeOver();
    },
  };
};
export type Schedules = ReturnType<typeof createSchedules>;
