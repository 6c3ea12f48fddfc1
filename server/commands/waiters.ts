import type { CommandRow } from '../../db/queries/commands/row.ts';

type Waiter = {
  deadline: number;
  resolve: (row: CommandRow | undefined) => void;
  reject: (error: unknown) => void;
};

/** Requests that wait for a command to settle. One sweep ends those whose time is over; there is no timer for each. */
export const createWaiters = () => {
  // A clock that is set must neither end a wait nor make it last.
  const now = (): number => performance.now();
  const byCommand = new Map<string, Waiter[]>();
  let size = 0;

  const take = (id: string): Waiter[] => {
    const waiters = byCommand.get(id) ?? [];
    byCommand.delete(id);
    size -= waiters.length;
    return waiters;
  };

  return {
    /** The settled row, or undefined when `waitMs` is over first. */
    wait: (id: string, waitMs: number): Promise<CommandRow | undefined> =>
      new Promise((resolve, reject) => {
        const waiter = { deadline: now() + waitMs, resolve, reject };
        const others = byCommand.get(id);
        if (others === undefined) byCommand.set(id, [waiter]);
        else others.push(waiter);
        size += 1;
      }),
    /** The command has settled. */
    wake: (row: CommandRow): void => {
      for (const waiter of take(row.id)) waiter.resolve(row);
    },
    /** There is no such command any more: those who wait look for its row. */
    drop: (id: string): void => {
      for (const waiter of take(id)) waiter.resolve(undefined);
    },
    /** There will be no such command. */
    fail: (id: string, error: unknown): void => {
      for (const waiter of take(id)) waiter.reject(error);
    },
    /** Ends the waits that are over; with `all`, every one. */
    sweep: ({ all = false }: { all?: boolean } = {}): void => {
      const at = now();
      for (const [id, waiters] of byCommand) {
        if (!all && waiters.every((waiter) => waiter.deadline > at)) continue;
        for (const waiter of take(id)) {
          if (all || waiter.deadline <= at) waiter.resolve(undefined);
          else {
            byCommand.set(id, [...(byCommand.get(id) ?? []), waiter]);
            size += 1;
          }
        }
      }
    },
    has: (id: string): boolean => byCommand.has(id),
    /** What is waited for. */
    ids: (): string[] => [...byCommand.keys()],
    size: (): number => size,
  };
};
export type Waiters = ReturnType<typeof createWaiters>;
