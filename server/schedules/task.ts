import type { ApiKeyRow } from '../../db/queries/api-keys.ts';
import type { ProjectRow } from '../../db/queries/projects.ts';
import type { ScheduleRow } from '../../db/queries/schedules.ts';
import type { Task } from '../../db/schema/schedules.ts';
import type { Scope } from '../auth/credentials.ts';
import { batchBound } from '../commands/batches.ts';
import { type ReadWish, readWish, scopeOf, WAIT_S } from '../commands/catalogue.ts';
import { invalidField } from '../platform/errors.ts';

/** How long the commands of a run that do not wait may leave after its planned time. */
const SECONDS = { command: 30, batch: 3_600, text: 300 };

/** The key of a schedule, and its project. */
export type Owner = { key: ApiKeyRow; project: ProjectRow };
/** Why the hub would refuse a run. */
export type Problem = { code: string; message: string };

/** How many seconds after the planned time the commands of a run may leave. */
export const secondsOf = ({ name, targets, deliver = 'now', expiresInSeconds }: Task): number => {
  if (expiresInSeconds !== undefined) return expiresInSeconds;
  if (deliver !== 'now') return WAIT_S.usual;
  if (targets !== undefined) return SECONDS.batch;
  return name === 'announce' || name === 'message' ? SECONDS.text : SECONDS.command;
};

/** The scopes that a task needs. */
export const scopesOf = ({ name, targets }: Task): Scope[] =>
  targets === undefined ? [scopeOf(name)] : [scopeOf(name), 'commands:batch'];

/** The command of a task with checked parameters. @throws HubError invalid_request */
export const wishOf = ({ name, params }: Task): Extract<ReadWish, { wish: unknown }>['wish'] => {
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
export const keyOrRefusal = (
  key: ApiKeyRow | undefined,
  { serverId, task }: Pick<ScheduleRow, 'serverId' | 'task'>,
  now: number,
): ApiKeyRow | string => {
  if (key === undefined || key.revokedAt !== null) return 'The key that made it was revoked.';
  if (key.expiresAt !== null && key.expiresAt <= now) return 'The key that made it has expired.';
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
  now: number,
): Problem | null => {
  const key = keyOrRefusal(found, row, now);
  if (typeof key === 'string') return { code: 'insufficient_scope', message: key };
  const fault = targetsFault(row.task, { key, project });
  return fault === undefined ? null : { code: 'invalid_request', message: `/targets: ${fault}` };
};
