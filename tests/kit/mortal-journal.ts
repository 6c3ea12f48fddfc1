import type { Journal } from '../../bridge-protocol/index.ts';

/** The moments between the steps of a command in which the process of a bridge may die. */
export type BridgeMoment = 'before started' | 'after started' | 'after the effect' | 'after done';

/** A journal that stops for ever at one moment, or takes no writes, as on a full disk. */
export const mortalJournal = (journal: Journal) => {
  let moment: BridgeMoment | undefined;
  let isFull = false;
  let reached = false;
  let kill = (): void => undefined;
  const killed = new Promise<void>((resolve) => {
    kill = resolve;
  });
  /** Resolves with whether the process died here. */
  const pass = async (here: BridgeMoment): Promise<boolean> => {
    if (moment !== here) return false;
    reached = true;
    await killed;
    return true;
  };
  const assertRoom = (): void => {
    if (isFull) throw new Error('ENOSPC: no space left on device, write');
  };

  const mortal: Journal = {
    ...journal,
    start: async (id, fingerprint, name) => {
      assertRoom();
      if (await pass('before started')) throw new Error('The process is gone.');
      await journal.start(id, fingerprint, name);
      if (await pass('after started')) throw new Error('The process is gone.');
    },
    settle: async (id, outcome) => {
      assertRoom();
      // The result of this call is lost.
      if (await pass('after the effect')) return 0;
      const sequence = await journal.settle(id, outcome);
      await pass('after done');
      return sequence;
    },
  };
  return {
    journal: mortal,
    pass,
    stopAt: (here: BridgeMoment): void => {
      moment = here;
    },
    hasStopped: (): boolean => reached,
    fill: (full: boolean): void => {
      isFull = full;
    },
    kill: (): void => kill(),
  };
};
