import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { commandError, type JournalClass, outcomeStatus } from '../wire/messages.ts';
import { count } from '../wire/player.ts';
import { type Journal, type JournalEntry, JournalIndex, type Outcome } from './journal.ts';
import { AppendFile, syncAt, syncFolder, WriteQueue } from './writer.ts';

const header = z.object({ op: z.literal('journal'), version: z.literal(1), id: z.string(), sequence: count });
const entry = z.object({
  op: z.literal('entry'),
  id: z.string(),
  fingerprint: z.string(),
  name: z.optional(z.string()),
  status: z.union([outcomeStatus, z.literal('started')]),
  data: z.optional(z.record(z.string(), z.unknown())),
  error: z.optional(commandError),
  sequence: count,
  at: z.number(),
  acknowledged: z.boolean(),
});
const acknowledged = z.object({ op: z.literal('acknowledged'), ids: z.array(z.string()) });
const line = z.discriminatedUnion('op', [header, entry, acknowledged]);

/** The first line of a journal file: the journal's id, and its sequence when the file was written. */
const headerLine = (id: string, sequence: number): string =>
  `${JSON.stringify({ op: 'journal', version: 1, id, sequence } satisfies z.infer<typeof header>)}\n`;

/** An entry as it is from now on; a later line of the same id replaces it. */
const entryLine = ({ outcome, ...rest }: JournalEntry): string => {
  const payload = outcome === undefined ? {} : { data: outcome.data, error: outcome.error };
  return `${JSON.stringify({ op: 'entry', ...rest, ...payload })}\n`;
};

const acknowledgedLine = (ids: readonly string[]): string => `${JSON.stringify({ op: 'acknowledged', ids })}\n`;

const NEW_LINE = 10;
const decoder = new TextDecoder('utf-8', { fatal: true });

const parse = (bytes: Uint8Array) => {
  try {
    return line.safeParse(JSON.parse(decoder.decode(bytes))).data;
  } catch {
    return undefined;
  }
};

const wholeLines = function* (bytes: Uint8Array): Generator<Uint8Array> {
  let from = 0;
  for (let end = bytes.indexOf(NEW_LINE); end !== -1; end = bytes.indexOf(NEW_LINE, from)) {
    yield bytes.subarray(from, end);
    from = end + 1;
  }
};

const entryOf = ({ op: _, data, error, ...rest }: z.infer<typeof entry>): JournalEntry => {
  // Acknowledged entries keep the code of a refusal; older versions kept nothing.
  if (rest.status === 'started' || (rest.acknowledged && error === undefined)) return rest;
  const outcome: Outcome = { status: rest.status };
  if (data !== undefined) outcome.data = data;
  if (error !== undefined) outcome.error = error;
  return { ...rest, outcome };
};

/**
 * Reads the bytes of a journal file into `index`. A last line without a line break is left out: the process died while
 * writing it, so the journal never confirmed it. Returns the journal's id (undefined if the first line is not whole),
 * the number of whole bytes, and the number of whole lines.
 * @throws Error that names a whole line that cannot be read: its command may have been executed
 */
const readLines = (bytes: Uint8Array, index: JournalIndex) => {
  let id: string | undefined;
  let lines = 0;
  for (const content of wholeLines(bytes)) {
    const read = parse(content);
    lines += 1;
    if (read === undefined || (lines === 1) !== (read.op === 'journal')) {
      throw new Error(`line ${lines} is not a line of a journal`);
    }
    if (read.op === 'journal') {
      id = read.id;
      index.reached(read.sequence);
    } else if (read.op === 'entry') index.put(entryOf(read));
    else index.acknowledge(read.ids);
  }
  return { id, whole: bytes.lastIndexOf(NEW_LINE) + 1, lines };
};

/** A lock without a pid is being written right now, unless it is older than this. */
const UNFINISHED_MS = 5_000;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** When a process was started, in ticks since the boot; empty where the system does not tell. A dead one: undefined. */
const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : (fields[18] ?? '');
  } catch {
    return '';
  }
};

/** A killed process stays listed until its parent has noticed, and its pid may be another's later. */
const isAlive = (pid: number, start: string): boolean => {
  try {
    process.kill(pid, 0);
    const now = startOf(pid);
    return now !== undefined && (now === '' || start === '' || now === start);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
};

/** In a container every process may have the same pid: a lock from before this process is not its own. */
const startedAt = (): number => Date.now() - process.uptime() * 1000 - 1000;

/** The process that holds the lock, as text for an error; undefined when no process holds it any more. */
const holderOf = (path: string): string | undefined => {
  try {
    const { mtimeMs } = statSync(path);
    const [text = '', start = ''] = readFileSync(path, 'utf8').trim().split(' ');
    const pid = Number.parseInt(text, 10);
    if (!(pid > 0)) return Date.now() - mtimeMs < UNFINISHED_MS ? 'a starting process' : undefined;
    const isHeld = pid === process.pid ? mtimeMs >= startedAt() : isAlive(pid, start);
    return isHeld ? `process ${pid}` : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

const tryTake = (path: string): boolean => {
  try {
    writeFileSync(path, `${process.pid} ${startOf(process.pid) ?? ''}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
};

/**
 * Takes the lock file of a journal; one whose process is gone is taken over. Answers how to give it back.
 * @throws Error that names the process which holds it
 */
const takeLock = (path: string): (() => void) => {
  if (!tryTake(path)) {
    const holder = holderOf(path);
    if (holder !== undefined)
      throw new Error(`${path} is held by ${holder}: end it, or delete the file if that is no bridge.`);
    rmSync(path, { force: true });
    if (!tryTake(path)) throw new Error(`${path} was just taken by another process`);
  }
  let isHeld = true;
  return () => {
    if (isHeld) rmSync(path, { force: true });
    isHeld = false;
  };
};

type Log = (level: 'info' | 'warn' | 'error', message: string) => void;
const COMPACT_AFTER = 10_000;
const HEADER_START = '{"op":"journal",';

const readIfPresent = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

const createFile = (path: string): string => {
  const id = randomUUID();
  writeFileSync(`${path}.new`, headerLine(id, 0), { mode: 0o600 });
  syncAt(`${path}.new`, 'r+');
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
    syncAt(path, 'r+');
    log('warn', `${path} ended in a torn line: its last ${bytes.length - whole} bytes were cut off.`);
  }
  return { id, lines };
};

const openLocked = (path: string, index: JournalIndex, log: Log) => {
  let unlock = (): void => {};
  try {
    unlock = takeLock(`${path}.lock`);
    const loaded = load(path, index, log);
    return { ...loaded, file: new AppendFile(path), unlock };
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
  const index = new JournalIndex(now);
  const { id, lines, file, unlock } = openLocked(path, index, log);
  const claimed = new Set<string>();
  const openedAt = index.sequence;
  let assigned = openedAt;

  const contents = function* (): Generator<string> {
    index.prune({ force: true });
    yield headerLine(id, index.sequence);
    for (const entry of index.entries.values()) yield entryLine(entry);
  };
  const queue = new WriteQueue({
    file,
    lines,
    contents,
    outdated: (count) => (count > 2 * index.entries.size ? count - index.entries.size - 1 : 0),
    compactAfter,
    onError: (message) => log('error', `${path}: ${message}`),
  });

  const write = async (entry: JournalEntry): Promise<void> => {
    if (claimed.has(entry.id)) throw new Error(`The command ${entry.id} is being written.`);
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
    sequence: () => index.sequence,
    get: (command) => index.entries.get(command),
    open: () => index.open(),
    start: async (command, fingerprint, call) => {
      index.prune({ force: false });
      assigned += 1;
      await write(index.started(command, fingerprint, assigned, call));
    },
    settle: async (command, outcome) => {
      assigned += 1;
      const entry = index.settled(command, outcome, assigned);
      await write(entry);
      return entry.sequence;
    },
    acknowledge: (commands) => {
      const ids = index.acknowledge(commands);
      if (ids.length > 0) queue.writeLazily(acknowledgedLine(ids));
    },
    close: async () => {
      try {
        await queue.close();
      } finally {
        unlock();
      }
    },
  };
};
