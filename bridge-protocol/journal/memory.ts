import type { JournalClass } from '../wire/messages.ts';
import { createJournalIndex, type Journal, type Outcome, type StartedCall } from './journal.ts';

/**
 * A journal that ends with its process: for tests, and for bridges without money. It is `volatile` unless the
 * caller says otherwise, because a restart forgets what was done. `id` is random unless given; `now` is in epoch
 * milliseconds.
 */
export const memoryJournal = ({
  class: journalClass = 'volatile',
  id = globalThis.crypto.randomUUID(),
  now = Date.now,
}: {
  class?: JournalClass;
  id?: string;
  now?: () => number;
} = {}): Journal => {
  const index = createJournalIndex({ now });
  return {
    class: journalClass,
    id,
    openedAt: 0,
    sequence: index.sequence,
    get: index.get,
    start: (command: string, fingerprint: string, call?: StartedCall): void => {
      index.prune({ force: false });
      index.put(index.started(command, fingerprint, index.sequence() + 1, call));
    },
    settle: (command: string, outcome: Outcome): number => {
      index.put(index.settled(command, outcome, index.sequence() + 1));
      return index.sequence();
    },
    acknowledge: (commands: readonly string[]): void => {
      index.acknowledge(commands);
    },
    open: index.open,
    close: (): void => {},
  };
};
