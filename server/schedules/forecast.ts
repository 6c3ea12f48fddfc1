import type { ScheduleRow } from '../../db/queries/schedules.ts';
import type { Commands } from '../commands/commands.ts';
import { ERRORS, HubError } from '../platform/errors.ts';
import { type Owner, type Problem, wishOf } from './task.ts';

/** Tells whether a run of a schedule would be refused now. Nothing is stored and nothing is sent. */
export const createForecast =
  ({ commands }: { commands: Pick<Commands, 'assertPossible' | 'dryRunBatch'> }) =>
  /** Null: it would not, or only for a reason of the moment, such as a game server that is away. */
  async (
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
