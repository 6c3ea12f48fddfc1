import type { Logger } from 'pino';
import { DatabaseError } from '../../db/errors.ts';
import type { ApiKeyRow } from '../../db/queries/api-keys.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ScheduleRow, ScheduleRun } from '../../db/queries/schedules.ts';
import type { Task } from '../../db/schema/schedules.ts';
import type { Store } from '../../db/store.ts';
import type { Scope } from '../auth/credentials.ts';
import type { Events } from '../cluster/events.ts';
import { batchBound } from '../commands/batches.ts';
import { type CommandRequest, readWish, scopeOf, WAIT_S, type Wish } from '../commands/catalogue.ts';
import type { Commands } from '../commands/commands.ts';
import { ERRORS, HubError, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { isoTime } from '../platform/time.ts';
import { Newest } from '../platform/windows.ts';

/** The time after a planned run in which its commands may leave, if they do not wait. */
const SECONDS = { command: 30, batch: 3_600, text: 300 };

/** Runs that did not happen are told for as long as a weekend. */
export const RECENT_MS = 3 * 86_400_000;

/** The key of a schedule, and its project. */
type Owner = { key: ApiKeyRow; project: ProjectRow };
/** Why the hub would refuse a run. */
type Problem = { code: string; message: string };

/** The time after a planned run in which its commands may leave, in seconds. */
const secondsOf = ({ name, targets, deliver = 'now', expiresInSeconds }: Task): number => {
  if (expiresInSeconds !== undefined) return expiresInSeconds;
  if (deliver !== 'now') return WAIT_S.usual;
  if (targets !== undefined) return SECONDS.batch;
  return name === 'announce' || name === 'message' ? SECONDS.text : SECONDS.command;
};

/** The scopes that a task needs. */
export const scopesOf = ({ name, targets }: Task): Scope[] =>
  targets === undefined ? [scopeOf(name)] : [scopeOf(name), 'commands:batch'];

/** The command of a task with checked parameters. @throws HubError invalid_request */
export const wishOf = ({ name, params }: Task): Wish => {
  const read = readWish(name, params);
  if ('detail' in read) throw invalidField(`/task${read.pointer}`, read.detail);
  return read.wish;
};

/** The fault in the number of players; undefined: none, or they are counted at the run. */
export const targetsFault = ({ targets }: Task, owner: Owner): string | undefined => {
  const { most, owner: of } = batchBound('maxBatchTargets', owner);
  if (!Array.isArray(targets) || targets.length <= most) return undefined;
  return `has over ${most} players: the ${of} allows no more in a batch`;
};

/** The key, if it may still run the schedule; otherwise the reason why not. */
const keyOrRefusal = (
  key: ApiKeyRow | undefined,
  { serverId, task }: Pick<ScheduleRow, 'serverId' | 'task'>,
): ApiKeyRow | string => {
  if (key === undefined || key.revokedAt !== null) return 'The key that made it was revoked.';
  if (key.expiresAt !== null && key.expiresAt <= Date.now()) return 'The key that made it has expired.';
  if (key.servers !== null && !key.servers.includes(serverId)) return 'Its key may not use this server.';
  const scopes: readonly string[] = key.scopes;
  const missing = scopesOf(task).filter((scope) => !scopes.includes(scope));
  return missing.length === 0 ? key : `Its key lacks ${missing.join(' and ')}.`;
};

/** Why each run of a stored schedule is refused, as far as its key and its bounds tell. */
export const problemOf = (
  row: Pick<ScheduleRow, 'serverId' | 'task'>,
  found: ApiKeyRow | undefined,
  project: ProjectRow,
): Problem | null => {
  const key = keyOrRefusal(found, row);
  if (typeof key === 'string') return { code: 'insufficient_scope', message: key };
  const fault = targetsFault(row.task, { key, project });
  return fault === undefined ? null : { code: 'invalid_request', message: `/targets: ${fault}` };
};

/** A run that may be late has this long at least. */
const LEAST_MS = 30_000;

/** Refusals for a reason of the moment: the run is tried again with its key. */
const PASSING: ReadonlySet<string> = new Set([
  'store_unavailable',
  'draining',
  'routing_unavailable',
  'rate_limited',
  'waiting_full',
  'commands_not_known_yet',
]);
/** After its start, a hub waits so long for the bridges that it had before, and for what they announce. */
const BACK_WITHIN_MS = 60_000;
const AWAITED: ReadonlySet<string> = new Set(['bridge_offline', 'commands_not_known_yet']);
const RETRY_MS = { first: 1_000, most: 60_000, mostForBridge: 5_000 };
/** Forgotten tries only begin again with the first one. */
const MAX_RUNS = 10_000;

type RunKey = Pick<ScheduleRun, 'scheduleId' | 'plannedAt'>;
type Run = RunKey & Pick<ScheduleRun, 'error'>;
/** `since`: by `performance.now()`. `isLate`: it had no time any more when it was tried first. */
type Try = { since: number; isLate: boolean; delayMs: number };

/** Tells for how long a refused run is tried again, and when. */
const createTries = (store: Pick<Store, 'sessions'>) => {
  const startedAt = Date.now();
  const backBy = performance.now() + BACK_WITHIN_MS;
  const tries = new Newest<Try>(MAX_RUNS);
  const nameOf = ({ scheduleId, plannedAt }: RunKey): string => `${scheduleId}/${plannedAt}`;

  const isInTime = ({ task }: ScheduleRow, { plannedAt }: RunKey): boolean =>
    Date.now() < plannedAt + secondsOf(task) * 1_000;

  const tryOf = (schedule: ScheduleRow, run: Run): Try => {
    const known = tries.get(nameOf(run));
    if (known !== undefined) return known;
    const isLate = run.error === null && !isInTime(schedule, run);
    const first = { since: performance.now(), isLate, delayMs: RETRY_MS.first };
    tries.set(nameOf(run), first);
    return first;
  };

  const bridgeOf = async ({ projectId, serverId }: ScheduleRow): Promise<'here' | 'expected' | 'away'> => {
    const last = await store.sessions.get(projectId, serverId);
    if (last?.connected) return 'here';
    return last !== undefined && performance.now() < backBy && last.connectedAt < startedAt ? 'expected' : 'away';
  };
  /** Whether the bridge of a server is about to report its players, or expected back since the start of this hub. */
  const isComing = async (schedule: ScheduleRow, { plannedAt, error }: Run): Promise<boolean> => {
    // Another node, which has just started, may have tried it first.
    if (AWAITED.has(error?.code ?? '') && Date.now() < plannedAt + BACK_WITHIN_MS) return true;
    return (await bridgeOf(schedule)) !== 'away';
  };
  const isPassing = async (schedule: ScheduleRow, run: Run, { code }: HubError): Promise<boolean> =>
    PASSING.has(code) || (code === 'bridge_offline' && (await isComing(schedule, run)));

  /** Whether a run may be made after its time: at its first try, or because a bridge or a limit kept it from its time. */
  const mayBeLate = (schedule: ScheduleRow, run: Run): boolean => {
    const { task } = schedule;
    if (task.expiresInSeconds !== undefined) return false;
    const { since, isLate } = tryOf(schedule, run);
    if (run.error === null) return true;
    const isAwaited = AWAITED.has(run.error.code) && performance.now() < backBy;
    return isAwaited || (isLate && performance.now() < since + secondsOf(task) * 1_000);
  };

  return {
    mayBeLate,
    /** Jobs that the hub knows may have changed while it was away, or be those of a backup. @throws HubError bridge_offline */
    assertReported: async (schedule: ScheduleRow): Promise<void> => {
      const { targets } = schedule.task;
      if (targets === undefined || 'length' in targets || (await bridgeOf(schedule)) !== 'expected') return;
      throw new HubError('bridge_offline', 'The game server has not reported its players yet.', { retryAfterS: 1 });
    },
    /** Whether a refused run is tried again. */
    isAgain: async (schedule: ScheduleRow, run: Run, error: HubError): Promise<boolean> => {
      // While the command may be stored, the hub must not say that the run did not happen.
      const isOpen = error.extras.executed === 'unknown' || isInTime(schedule, run) || mayBeLate(schedule, run);
      return isOpen && (await isPassing(schedule, run, error));
    },
    /** The time until a refused run is tried again: doubled with each try. A bridge that came back must not be missed. */
    delayMs: (schedule: ScheduleRow, run: Run, { code }: HubError): number => {
      const current = tryOf(schedule, run);
      const ms = current.delayMs;
      const most = code === 'bridge_offline' ? RETRY_MS.mostForBridge : RETRY_MS.most;
      tries.set(nameOf(run), { ...current, delayMs: Math.min(2 * ms, most) });
      return Math.min(ms, most);
    },
    forget: (run: RunKey): void => void tries.delete(nameOf(run)),
  };
};

/** A run that a node began and did not end for this long is begun again, with the same idempotency key. */
const UNFINISHED_MS = 30_000;
const NO_LOOK = 'No hub could look for it at its time, or the clock was set forward.';
/** Why the hub cannot know about a run that was planned before a backup took the place of its database. */
const RESTORED = {
  code: 'restored',
  message: 'A backup was restored since, so this run may have been made before: look in the game.',
};

export type RunsParts = {
  store: Pick<Store, 'schedules' | 'apiKeys' | 'projects' | 'commands' | 'batches' | 'sessions'>;
  commands: Pick<Commands, 'submit' | 'acceptBatch'>;
  events: Pick<Events, 'publish'>;
  log: Logger;
};

/** A run besides its schedule: who asks for it, under which key, and until when its commands may leave. */
type Asked = Pick<CommandRequest, 'project' | 'actor' | 'requestId' | 'expiresAt'> & { idempotencyKey: string };

/** Makes the command or the batch of a task, once for each key. @throws HubError */
const make = async (
  commands: Pick<Commands, 'submit' | 'acceptBatch'>,
  { serverId, task, label }: Pick<ScheduleRow, 'serverId' | 'task' | 'label'>,
  asked: Asked,
  key: ApiKeyRow,
): Promise<{ id: string; isNew: boolean }> => {
  const { targets, deliver = 'now', abort, name, params } = task;
  if (targets !== undefined) {
    const wanted = { name, params, targets, label, deliver, abort, key, serverId };
    const { batch, replayed } = await commands.acceptBatch({ ...asked, ...wanted });
    return { id: batch.id, isNew: !replayed };
  }
  const { row, isNew } = await commands.submit({
    ...wishOf(task),
    ...asked,
    serverId,
    canSeePlayers: false,
    deliver: deliver === 'now' ? undefined : deliver,
    waitMs: 0,
  });
  return { id: row.id, isNew };
};

/** The id that an earlier run with this key has made, of a task that may have been changed since. */
const madeBefore = async (
  { commands, batches }: Pick<Store, 'commands' | 'batches'>,
  projectId: string,
  idempotencyKey: string,
): Promise<string | undefined> =>
  ((await commands.byIdempotencyKey(projectId, idempotencyKey)) ?? (await batches.byKey(projectId, idempotencyKey)))
    ?.id;

/**
 * Runs a schedule at once, for a caller and with the caller's rights, also while it is paused. Its planned times stay.
 * `isNew`: no earlier request with this key has made it. @throws HubError
 */
export const runNow = async (
  {
    store,
    commands,
  }: { store: Pick<Store, 'commands' | 'batches' | 'schedules'>; commands: Pick<Commands, 'submit' | 'acceptBatch'> },
  schedule: ScheduleRow,
  { key, ...asked }: Omit<Asked, 'expiresAt'> & { key: ApiKeyRow },
): Promise<{ id: string; isNew: boolean }> => {
  const { id: scheduleId, projectId, task } = schedule;
  const idempotencyKey = `schedule/${scheduleId}/now/${asked.idempotencyKey}`;
  const before = await madeBefore(store, projectId, idempotencyKey);
  if (before !== undefined) return { id: before, isNew: false };
  const at = Date.now();
  const made = await make(
    commands,
    schedule,
    { ...asked, idempotencyKey, expiresAt: at + secondsOf(task) * 1_000 },
    key,
  );
  const run = {
    scheduleId,
    plannedAt: at,
    projectId,
    status: 'done',
    madeId: made.id,
    error: null,
    touchedAt: at,
  } as const;
  if (made.isNew) await store.schedules.claim(run);
  return made;
};

/** Claims and carries out runs. Two nodes never make one twice: the row of a run has the planned time as its key. */
export const createRuns = ({ store, commands, events, log }: RunsParts) => {
  const tries = createTries(store);

  /** Makes the command or the batch of a run, and returns its id. @throws HubError */
  const makeRun = async (
    schedule: ScheduleRow,
    { key, project }: Owner,
    { plannedAt, mayBeLate }: { plannedAt: number; mayBeLate: boolean },
  ): Promise<string> => {
    const { id, task, actor } = schedule;
    const idempotencyKey = `schedule/${id}/${isoTime(plannedAt)}`;
    // An earlier try may have made it.
    const before = await madeBefore(store, project.id, idempotencyKey);
    if (before !== undefined) return before;
    if (schedule.paused) throw new HubError('invalid_state', 'The schedule was paused before this run was made.');
    await tries.assertReported(schedule);
    const until = plannedAt + secondsOf(task) * 1_000;
    const expiresAt = mayBeLate ? Math.max(until, Date.now() + LEAST_MS) : until;
    if (expiresAt <= Date.now()) throw new HubError('expired', 'Its time passed before the hub could make it.');
    const asked = { project, actor, requestId: newId('req'), idempotencyKey, expiresAt };
    return (await make(commands, schedule, asked, key)).id;
  };

  /** Why a run did not happen, as far as the hub knows. */
  const known = async ({ plannedAt }: RunKey, why: Problem): Promise<Problem> => {
    const restoredAt = await store.commands.lastRestored();
    if (restoredAt === undefined || plannedAt > restoredAt) return why;
    return { ...RESTORED, message: `${RESTORED.message} ${why.message}` };
  };

  /** A planned run that does not happen is told, because a salary would be missed otherwise. */
  const tell = (schedule: ScheduleRow, run: Pick<ScheduleRun, 'plannedAt' | 'status'>, why: Problem, last?: number) => {
    const { id, projectId, serverId, label } = schedule;
    const plannedAt = isoTime(run.plannedAt);
    const until = last === undefined ? {} : { lastPlannedAt: isoTime(last) };
    const what = why.code === RESTORED.code ? 'is not known to have happened' : 'did not happen';
    log.warn({ projectId, scheduleId: id, serverId, plannedAt, ...until, ...why }, `a planned run ${what}`);
    const data = { id, label, plannedAt, ...until, status: run.status, ...why };
    events.publish(projectId, { type: 'schedule.refused', serverId, data });
  };

  const pause = async (schedule: ScheduleRow, reason: string): Promise<void> => {
    const { projectId, serverId, id, label } = schedule;
    await store.schedules.pause(projectId, id, { by: reason, at: Date.now() });
    events.publish(projectId, { type: 'schedule.paused', serverId, data: { id, label, reason } });
  };

  /** Pauses a schedule whose times cannot be computed, so that it does not stop those of others. @throws DatabaseError */
  const pauseFaulty = async (schedule: ScheduleRow, error: unknown): Promise<void> => {
    if (error instanceof DatabaseError) throw error;
    log.error({ err: error, scheduleId: schedule.id }, 'a schedule cannot be planned; it is paused');
    await pause(schedule, error instanceof Error ? error.message : String(error));
  };

  const claim = (
    { id, projectId }: ScheduleRow,
    plannedAt: number,
    status: ScheduleRun['status'],
    { error = null, lastPlannedAt = null }: Partial<Pick<ScheduleRun, 'error' | 'lastPlannedAt'>> = {},
  ): Promise<boolean> => {
    const run = { scheduleId: id, plannedAt, projectId, status, error, lastPlannedAt };
    return store.schedules.claim({ ...run, madeId: null, touchedAt: Date.now() });
  };

  /** False: another node has ended it. */
  const end = (run: RunKey, changes: Partial<ScheduleRun>): Promise<boolean> => {
    tries.forget(run);
    return store.schedules.finish(run, { touchedAt: Date.now(), ...changes });
  };

  const refuse = async (schedule: ScheduleRow, run: RunKey, why: Problem): Promise<void> => {
    const error = await known(run, why);
    if (await end(run, { status: 'refused', error })) tell(schedule, { ...run, status: 'refused' }, error);
  };

  const carryOut = async (schedule: ScheduleRow, plannedAt: number, earlier: Problem | null): Promise<void> => {
    const { id: scheduleId, projectId } = schedule;
    const run = { scheduleId, plannedAt, error: earlier };
    const [found, project] = await Promise.all([
      store.apiKeys.find(projectId, schedule.keyId),
      store.projects.byId(projectId),
    ]);
    if (project === undefined) return store.schedules.forget(run);
    const key = keyOrRefusal(found, schedule);
    if (typeof key === 'string') {
      await refuse(schedule, run, { code: 'insufficient_scope', message: key });
      return pause(schedule, key);
    }
    try {
      const mayBeLate = tries.mayBeLate(schedule, run);
      const madeId = await makeRun(schedule, { key, project }, { plannedAt, mayBeLate });
      await end(run, { status: 'done', madeId, error: null });
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      const latest = { code: error.code, message: error.message };
      const why = error.code === 'expired' ? (earlier ?? latest) : latest;
      if (!(await tries.isAgain(schedule, run, error))) return refuse(schedule, run, why);
      const triedAgainAt = Date.now() + tries.delayMs(schedule, run, error);
      await store.schedules.finish(run, { error: why, touchedAt: triedAgainAt - UNFINISHED_MS });
    }
  };

  /** Carries out a claimed run. After a failure it is taken up again like one that another node has left. */
  const carryOutClaimed = async (
    schedule: ScheduleRow,
    plannedAt: number,
    earlier: Problem | null = null,
  ): Promise<void> => {
    try {
      await carryOut(schedule, plannedAt, earlier);
    } catch (error) {
      log.error({ err: error, scheduleId: schedule.id }, 'a run failed; it is begun again');
    }
  };

  return {
    claim,
    pauseFaulty,
    carryOut: carryOutClaimed,
    /** Books the planned times from `plannedAt` to `last` as missed. */
    miss: async (schedule: ScheduleRow, plannedAt: number, last: number, message = NO_LOOK): Promise<void> => {
      const why = await known({ scheduleId: schedule.id, plannedAt }, { code: 'missed', message });
      const error = why.code === RESTORED.code ? why : null;
      const lastPlannedAt = last > plannedAt ? last : null;
      if (!(await claim(schedule, plannedAt, 'missed', { error, lastPlannedAt }))) return;
      tell(schedule, { plannedAt, status: 'missed' }, why, lastPlannedAt ?? undefined);
    },
    /** Continues runs that were refused for the moment or that a node has left; those of deleted schedules are deleted. */
    takeOver: async (): Promise<void> => {
      const unfinished = await store.schedules.unfinished(Date.now() - UNFINISHED_MS);
      const goOn = async (run: ScheduleRun): Promise<void> => {
        if (!(await store.schedules.takeUp(run, Date.now()))) return;
        const schedule = await store.schedules.get(run.projectId, run.scheduleId);
        if (schedule === undefined) await store.schedules.forget(run);
        else await carryOutClaimed(schedule, run.plannedAt, run.error);
      };
      await Promise.all(unfinished.map(goOn));
    },
  };
};
export type Runs = ReturnType<typeof createRuns>;

/**
 * Tells why a run of a schedule would be refused now. Nothing is stored and nothing is sent. Null: it would not, or only
 * for a reason of the moment, such as a game server that is away.
 */
export const forecast = async (
  commands: Pick<Commands, 'assertPossible' | 'dryRunBatch'>,
  { serverId, label, task }: Pick<ScheduleRow, 'serverId' | 'label' | 'task'>,
  { project, key }: Owner,
): Promise<Problem | null> => {
  const { name, params, targets, deliver = 'now', abort } = task;
  try {
    if (targets === undefined) {
      await commands.assertPossible({ ...wishOf(task), project, serverId });
      return null;
    }
    const actor = { keyId: key.id, name: key.name };
    const sent = { actor, requestId: '', idempotencyKey: '', expiresAt: 0 };
    await commands.dryRunBatch({ ...sent, name, params, targets, label, deliver, abort, project, serverId, key });
    return null;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return ERRORS[error.code].retryable ? null : { code: error.code, message: error.message };
  }
};
