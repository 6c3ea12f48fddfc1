import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Session } from '../cluster/router.ts';

/** A bridge that says nothing of its state is waited for so long. */
const ANSWERED_WITHIN_MS = 5_000;

type Held = { row: CommandRow; sessionId: string; until: number };

/**
 * Kicks that an earlier process of a game server was sent. They are stored as indeterminate, and told to nobody until
 * the new process has had the time to report them: until its first `status`, 5 s, or the end of its connection.
 */
export const createLateAnswers = ({ announce }: { announce: (row: CommandRow) => void }) => {
  const held = new Map<string, Held>();
  const tell = (isDue: (held: Held) => boolean): void => {
    for (const [id, each] of held) {
      if (!isDue(each)) continue;
      held.delete(id);
      announce(each.row);
    }
  };

  return {
    hold: ({ id: sessionId }: Session, rows: readonly CommandRow[]): void => {
      const until = performance.now() + ANSWERED_WITHIN_MS;
      for (const row of rows) held.set(row.id, { row, sessionId, until });
    },
    /** Runs `settle` for a command. If it was held and `settle` wrote nothing, it is told now that nobody knows. */
    during: async (id: string, settle: () => Promise<CommandRow | undefined>): Promise<void> => {
      const late = held.get(id);
      held.delete(id);
      try {
        if ((await settle()) === undefined && late !== undefined) announce(late.row);
      } catch (error) {
        if (late !== undefined) held.set(id, late);
        throw error;
      }
    },
    /** The session has reported, or has ended. */
    end: ({ id }: Session): void => {
      if (held.size > 0) tell(({ sessionId }) => sessionId === id);
    },
    sweep: (): void => {
      const now = performance.now();
      tell(({ until }) => until <= now);
    },
  };
};
export type LateAnswers = ReturnType<typeof createLateAnswers>;
