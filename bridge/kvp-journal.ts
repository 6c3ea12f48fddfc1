import { type Journal, type JournalEntry, JournalIndex } from '../bridge-protocol/journal/journal.ts';
import type { JournalClass } from '../bridge-protocol/wire/messages.ts';
import type { Kvp } from './natives.ts';

const HEAD = 'journal';
const ENTRY = 'command:';
const PRUNE_EVERY_MS = 60 * 60 * 1000;

/** `sequence` is the highest sequence of the forgotten entries. */
type Head = { id: string; sequence: number };
type Store = Pick<Kvp, 'read' | 'write' | 'remove' | 'flush' | 'keys'>;

const readHead = (store: Store, newId: () => string): Head => {
  const text = store.read(HEAD);
  if (text !== undefined) return JSON.parse(text) as Head;
  const head = { id: newId(), sequence: 0 };
  store.write(HEAD, JSON.stringify(head));
  store.flush();
  return head;
};

/**
 * The journal in the stored values of the resource: they survive a restart, a crash and an update of the folder. Writes
 * of one turn share one flush. `class` is the class of the adapter's money. Reads all entries when it is opened.
 * @throws Error when a stored entry cannot be read: its id may belong to an executed command
 */
export const openKvpJournal = ({
  store,
  class: journalClass,
  now = Date.now,
  newId = () => crypto.randomUUID(),
}: {
  store: Store;
  class: JournalClass;
  now?: () => number;
  newId?: () => string;
}): Journal => {
  const index = new JournalIndex(now);
  const head = readHead(store, newId);
  index.reached(head.sequence);
  for (const key of store.keys(ENTRY)) {
    const text = store.read(key);
    if (text !== undefined) index.put(JSON.parse(text) as JournalEntry);
  }
  const openedAt = index.sequence;
  let assigned = openedAt;
  let prunedAt = Number.NEGATIVE_INFINITY;
  let flushing: Promise<void> | undefined;

  const flushed = (): Promise<void> => {
    flushing ??= Promise.resolve().then(() => {
      flushing = undefined;
      store.flush();
    });
    return flushing;
  };

  /** The native does not report a failed write, so each write is read back. */
  const put = (entry: JournalEntry): void => {
    const key = ENTRY + entry.id;
    const text = JSON.stringify(entry);
    store.write(key, text);
    if (store.read(key) !== text) throw new Error('The stored values of the game server take no writes.');
    index.put(entry);
  };

  const advance = (): number => {
    assigned += 1;
    return assigned;
  };

  const prune = (): void => {
    if (now() - prunedAt < PRUNE_EVERY_MS) return;
    prunedAt = now();
    // The forgotten entries may contain the highest sequence.
    store.write(HEAD, JSON.stringify({ id: head.id, sequence: assigned }));
    const before = [...index.entries.keys()];
    index.prune({ force: true });
    for (const id of before) if (!index.entries.has(id)) store.remove(ENTRY + id);
  };

  return {
    class: journalClass,
    id: head.id,
    openedAt,
    sequence: () => index.sequence,
    get: (command) => index.entries.get(command),
    open: () => index.open(),
    start: async (command, fingerprint, call) => {
      put({ ...index.started(command, fingerprint, advance(), call), params: call?.params });
      await flushed();
    },
    settle: async (command, outcome) => {
      const entry = index.settled(command, outcome, advance());
      put(entry);
      await flushed();
      return entry.sequence;
    },
    acknowledge: (commands) => {
      for (const id of index.acknowledge(commands)) {
        const entry = index.entries.get(id);
        // Not flushed: losing this write costs one more result.
        if (entry !== undefined) store.write(ENTRY + id, JSON.stringify(entry));
      }
      prune();
    },
    close: () => store.flush(),
  };
};
