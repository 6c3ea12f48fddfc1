import { DatabaseError } from '../../db/port/errors.ts';
import type { CommandRow } from '../../db/queries/commands/row.ts';
import type { Store } from '../../db/store.ts';
import { HubError } from '../platform/errors.ts';

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

/** The row could not be written, or nobody knows whether it was: then it is sent when the bridge comes back. */
export const notStored = (error: unknown): HubError => {
  const isUnknown = error instanceof DatabaseError && error.inDoubt;
  return new HubError(
    'store_unavailable',
    isUnknown
      ? 'The command may have been stored. Repeat it with the same Idempotency-Key, or look for it.'
      : undefined,
    { retryAfterS: 5, ...(isUnknown && { executed: 'unknown' }) },
    { cause: error },
  );
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
