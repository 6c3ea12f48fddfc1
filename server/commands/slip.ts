import type { NewCommand } from '../../db/commands.ts';
import type { Store } from '../../db/store.ts';

export type Stored = Awaited<ReturnType<Store['commands']['insert']>>;

/** What ties a command in a queue to its row, which is written once: as it is accepted, or as it is dispatched. */
export type Slip = {
  /** Whether writing has begun. */
  isBegun(): boolean;
  /** Writes it as accepted, unless it has been written in whatever state. */
  stored(): Promise<Stored>;
  /** Writes it in another state than the first. */
  storeAs(changes: Partial<NewCommand>): Promise<Stored>;
  /** Rejects when it could not be written, and never resolves. */
  readonly failure: Promise<never>;
};

export const createSlip = (draft: NewCommand, insert: (row: NewCommand) => Promise<Stored>): Slip => {
  let storing: Promise<Stored> | undefined;
  let fail = (_error: unknown): void => undefined;
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Those who wait for the row hear of it too.
  failure.catch(() => undefined);
  const store = (row: NewCommand): Promise<Stored> => {
    if (storing === undefined) {
      storing = insert(row);
      storing.catch(fail);
    }
    return storing;
  };
  return {
    isBegun: () => storing !== undefined,
    stored: () => store(draft),
    storeAs: (changes) => store({ ...draft, ...changes }),
    failure,
  };
};
