import type { ScheduleRow } from '../../db/queries/schedules.ts';
import type { Store } from '../../db/store.ts';
import type { Commands } from '../commands/commands.ts';
import { HubError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { isoTime } from '../platform/iso-time.ts';
import { type Owner, secondsOf, wishOf } from './task.ts';

/** A run that may be late has this long at least. */
const LEAST_MS = 30_000;

/** Makes the command or the batch of a run, and returns its id. @throws HubError */
export const createMakeRun =
  ({
    store,
    commands,
    now,
  }: {
    store: Pick<Store, 'commands' | 'batches'>;
    commands: Pick<Commands, 'submit' | 'acceptBatch'>;
    now: () => number;
  }) =>
  async (
    schedule: ScheduleRow,
    { key, project }: Owner,
    { plannedAt, mayBeLate }: { plannedAt: number; mayBeLate: boolean },
  ): Promise<string> => {
    const { id, serverId, task, actor, label } = schedule;
    const { targets, deliver = 'now', abort, name, params } = task;
    const idempotencyKey = `schedule/${id}/${isoTime(plannedAt)}`;
    // An earlier try may have made it, of a task that was changed since.
    const made =
      (await store.commands.byIdempotencyKey(project.id, idempotencyKey)) ??
      (await store.batches.byKey(project.id, idempotencyKey));
    if (made !== undefined) return made.id;
    if (schedule.paused) throw new HubError('invalid_state', 'The schedule was paused before this run was made.');
    const until = plannedAt + secondsOf(task) * 1_000;
    const expiresAt = mayBeLate ? Math.max(until, now() + LEAST_MS) : until;
    if (expiresAt <= now()) throw new HubError('expired', 'Its time passed before the hub could make it.');
    const common = { project, serverId, actor, requestId: newId('req'), idempotencyKey, expiresAt };
    if (targets !== undefined) {
      const wanted = { name, params, targets, label, deliver, abort, key };
      return (await commands.acceptBatch({ ...common, ...wanted })).batch.id;
    }
    const { row } = await commands.submit({
      ...wishOf(task),
      ...common,
      canSeePlayers: false,
      deliver: deliver === 'now' ? undefined : deliver,
      waitMs: 0,
    });
    return row.id;
  };
