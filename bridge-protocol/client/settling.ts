import type { Journal, JournalEntry, Outcome } from '../journal/journal.ts';
import type { Log } from './options.ts';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 30_000;

/**
 * Writes outcomes into the journal and does not give up: an effect that has happened must not be forgotten because
 * the disk was full for a minute. `close` ends the attempts that are under way.
 */
export const createSettling = ({ journal, log }: { journal: Journal; log: Log }) => {
  const sleepers = new Set<() => void>();
  let isClosed = false;

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      sleepers.add(wake);
    });

  /** One attempt. An entry that is settled already (by an atomic handler) is the answer as it is. @throws */
  const once = async (id: string, outcome: Outcome): Promise<JournalEntry> => {
    const before = journal.get(id);
    if (before !== undefined && before.status !== 'started') return before;
    await journal.settle(id, outcome);
    const settled = journal.get(id);
    if (settled === undefined) throw new Error('the entry is not there after it was written');
    return settled;
  };

  return {
    once,
    /** The settled entry, as soon as the journal has it; undefined when the bridge was closed before. */
    settle: async (id: string, outcome: Outcome): Promise<JournalEntry | undefined> => {
      for (let delayMs = FIRST_RETRY_MS; !isClosed; delayMs = Math.min(delayMs * 2, LAST_RETRY_MS)) {
        try {
          return await once(id, outcome);
        } catch (error) {
          log('error', `The outcome of ${id} (${outcome.status}) is not in the journal yet: ${String(error)}`);
        }
        if (!isClosed) await sleep(delayMs);
      }
      return undefined;
    },
    close: (): void => {
      isClosed = true;
      for (const wake of sleepers) wake();
    },
  };
};
