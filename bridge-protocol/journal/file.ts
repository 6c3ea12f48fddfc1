import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import type { JournalClass } from '../wire/messages.ts';
import { createJournalIndex, JournalConflict, type JournalIndex } from './entries.ts';
import { takeLock } from './file-lock.ts';
import { createWriteQueue } from './file-queue.ts';
import { openAppendFile, syncFolder } from './file-store.ts';
import type { Journal, JournalEntry, Outcome, StartedCall } from './journal.ts';
import { acknowledgedLine, entryLine, headerLine, readLines } from './lines.ts';

type Log = (level: 'info' | 'warn' | 'error', message: string) => void;
const COMPACT_AFTER = 10_000;
const HEADER_START = '{"op":"journal",';

const readIfPresent = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

const syncPath = (path: string): void => {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

const createFile = (path: string): string => {
  const id = randomUUID();
  writeFileSync(`${path}.new`, headerLine(id, 0), { mode: 0o600 });
  syncPath(`${path}.new`);
  renameSync(`${path}.new`, path);
  syncFolder(path);
  return id;
};

/** Reads the file into the index and cuts a torn last line off; makes the file where there is none. */
const load = (path: string, index: JournalIndex, log: Log) => {
  const bytes = readIfPresent(path);
  if (bytes === undefined) return { id: createFile(path), lines: 1 };
  const { id, whole, lines } = readLines(bytes, index);
  if (id === undefined) {
    if (!HEADER_START.startsWith(bytes.subarray(0, HEADER_START.length).toString())) {
      throw new Error('line 1 is not a line of a journal');
    }
    log('warn', `${path} ended in its first line: a new journal was made.`);
    return { id: createFile(path), lines: 1 };
  }
  if (whole < bytes.length) {
    truncateSync(path, whole);
    syncPath(path);
    log('warn', `${path} ended in a torn line: its last ${bytes.length - whole} bytes were cut off.`);
  }
  return { id, lines };
};

const openLocked = (path: string, index: JournalIndex, log: Log) => {
  let unlock = (): void => {};
  try {
    unlock = takeLock(`${path}.lock`);
    const loaded = load(path, index, log);
    return { ...loaded, file: openAppendFile(path), unlock };
  } catch (error) {
    unlock();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The journal ${path} cannot be opened: ${why}`, { cause: error });
  }
};

/**
 * A journal in a file of JSON lines. `start` and `settle` resolve when their line is on the disk; calls made at the
 * same time share one fsync. `acknowledge` is written without waiting: losing it costs one more `result`. The file is
 * rewritten when more than `compactAfter` (default 10,000) of its lines, and more than half of them, are out of date.
 * One process at a time: `<path>.lock` holds its pid.
 * @throws Error naming file and line when the file is corrupt, or the process that holds it
 */
export const openFileJournal = ({
  path,
  class: journalClass = 'durable',
  now = Date.now,
  compactAfter = COMPACT_AFTER,
  log = () => {},
}: {
  path: string;
  class?: JournalClass;
  now?: () => number;
  compactAfter?: number;
  log?: Log;
}): Journal => {
  const index = createJournalIndex({ now });
  const { id, lines, file, unlock } = openLocked(path, index, log);
  const claimed = new Set<string>();
  const openedAt = index.sequence();
  let assigned = openedAt;

  const contents = function* (): Generator<string> {
    index.prune({ force: true });
    yield headerLine(id, index.sequence());
    for (const entry of index.all()) yield entryLine(entry);
  };
  const queue = createWriteQueue({
    file,
    contents,
    outdated: (count) => (count > 2 * index.size() ? count - index.size() - 1 : 0),
    compactAfter,
    onError: (message) => log('error', `${path}: ${message}`),
  });
  queue.opened(lines);

  const write = async (entry: JournalEntry): Promise<void> => {
    if (claimed.has(entry.id)) throw new JournalConflict(`The command ${entry.id} is being written.`);
    claimed.add(entry.id);
    try {
      await queue.writeDurably(entryLine(entry), () => index.put(entry));
    } finally {
      claimed.delete(entry.id);
    }
  };

  return {
    class: journalClass,
    id,
    openedAt,
    sequence: index.sequence,
    get: index.get,
    open: index.open,
    start: async (command: string, fingerprint: string, call?: StartedCall): Promise<void> => {
      index.prune({ force: false });
      assigned += 1;
      await write(index.started(command, fingerprint, assigned, call));
    },
    settle: async (command: string, outcome: Outcome): Promise<number> => {
      assigned += 1;
      const entry = index.settled(command, outcome, assigned);
      await write(entry);
      return entry.sequence;
    },
    acknowledge: (commands: readonly string[]): void => {
      const ids = index.acknowledge(commands);
      if (ids.length > 0) queue.writeLazily(acknowledgedLine(ids));
    },
    close: async (): Promise<void> => {
      try {
        await queue.close();
      } finally {
        unlock();
      }
    },
  };
};
