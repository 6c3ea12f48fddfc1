import type { CommandRow } from '../../db/commands.ts';
import type { Store } from '../../db/store.ts';

export type Stored = Awaited<ReturnType<Store['commands']['insert']>>;

/** What ties a command in a queue to its row, which is written once: as it is accepted, or as it is dispatched. */
export type Slip = {
  /** Whether writing has begun. */
  isBegun(): boolean;
  /** Writes it as accepted, unless it has been written in whatever state. */
  stored(): Promise<Stored>;
  /** Writes it as it is sent. */
  storeAs(dispatch: Pick<CommandRow, 'status' | 'attempts' | 'dispatchedAt' | 'sessionId' | 'epoch'>): Promise<Stored>;
};

/** `fail` is told when the row could not be written. */
export const createSlip = (
  draft: CommandRow,
  insert: (row: CommandRow) => Promise<Stored>,
  fail: (error: unknown) => void,
): Slip => {
  let storing: Promise<Stored> | undefined;
  const store = (row: CommandRow): Promise<Stored> => {
    if (storing === undefined) {
      storing = insert(row);
      storing.catch(fail);
    }
    return storing;
  };
  return {
    isBegun: () => storing !== undefined,
    stored: () => store(draft),
    storeAs: ({ status, attempts, dispatchedAt, sessionId, epoch }) =>
      store({ ...draft, status, attempts, dispatchedAt, sessionId, epoch }),
  };
};
