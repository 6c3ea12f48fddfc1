import { close, closeSync, fdatasync, fsync, fsyncSync, open, openSync, rename, write } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const closeFile = promisify(close);
const syncData = promisify(fdatasync);
const syncFile = promisify(fsync);
const openFile = promisify(open);
const renameFile = promisify(rename);

/** Lines written at once when the file is rewritten, so that the game's loop runs in between. */
const LINES_PER_WRITE = 1000;

const writeAll = async (file: number, text: string): Promise<void> => {
  const bytes = Buffer.from(text);
  let offset = 0;
  while (offset < bytes.length) {
    offset += await new Promise<number>((resolve, reject) => {
      write(file, bytes, offset, bytes.length - offset, null, (error, written) =>
        error === null ? resolve(written) : reject(error),
      );
    });
  }
};

/** Makes a rename in the folder durable. Windows cannot open a folder, and needs nothing of the kind. */
export const syncFolder = (path: string): void => {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
};

/** The file of a journal that is open for appending: whole texts, in order, durable when asked for. */
export const openAppendFile = (path: string) => {
  let file = openSync(path, 'a', 0o600);

  const writeLines = async (to: number, lines: Iterable<string>): Promise<void> => {
    let batch: string[] = [];
    for (const line of lines) {
      batch.push(line);
      if (batch.length < LINES_PER_WRITE) continue;
      await writeAll(to, batch.join(''));
      batch = [];
    }
    await writeAll(to, batch.join(''));
    await syncFile(to);
  };

  return {
    append: async (text: string, { durable }: { durable: boolean }): Promise<void> => {
      await writeAll(file, text);
      if (durable) await syncData(file);
    },
    /** Puts a new file in the place of the old one: either all of it is there after a crash, or nothing of it. */
    replace: async (lines: Iterable<string>): Promise<void> => {
      const temporary = `${path}.new`;
      const next = await openFile(temporary, 'w', 0o600);
      try {
        await writeLines(next, lines);
        await renameFile(temporary, path);
      } catch (error) {
        await closeFile(next);
        throw error;
      }
      const previous = file;
      file = next;
      await closeFile(previous);
      syncFolder(path);
    },
    close: (): Promise<void> => closeFile(file),
  };
};

type Waiting = { line: string; durable: boolean; written: () => void; failed: (error: unknown) => void };

/**
 * The one writer of a journal file: lines go out in order, those that wait together share one fsync. After a write
 * that failed, the file may hold half a line: everything is written anew from `contents` before the next line.
 * `outdated` counts the lines that a rewrite would drop; over `compactAfter` it happens.
 */
export const createWriteQueue = ({
  file,
  contents,
  outdated,
  compactAfter,
  onError,
}: {
  file: ReturnType<typeof openAppendFile>;
  contents: () => Iterable<string>;
  outdated: (lines: number) => number;
  compactAfter: number;
  onError: (message: string) => void;
}) => {
  const queue: Waiting[] = [];
  let lines = 0;
  let writing: Promise<void> | undefined;
  let isDamaged = false;
  let isClosed = false;

  const rewrite = async (): Promise<void> => {
    isDamaged = true;
    let written = 0;
    const counted = function* (): Generator<string> {
      for (const line of contents()) {
        written += 1;
        yield line;
      }
    };
    await file.replace(counted());
    isDamaged = false;
    lines = written;
  };

  const writeBatch = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      if (isDamaged) await rewrite();
      const text = batch.map(({ line }) => line).join('');
      await file.append(text, { durable: batch.some(({ durable }) => durable) });
    } catch (error) {
      isDamaged = true;
      for (const { failed } of batch) failed(error);
      return;
    }
    lines += batch.length;
    for (const { written } of batch) written();
  };

  const compact = async (): Promise<void> => {
    if (isClosed || outdated(lines) <= compactAfter) return;
    try {
      await rewrite();
    } catch (error) {
      onError(`The file could not be compacted: ${String(error)}`);
    }
  };

  const run = async (): Promise<void> => {
    // Waits one turn, so that all writes of this turn share one write.
    await Promise.resolve();
    while (queue.length > 0) {
      await writeBatch(queue.splice(0));
      if (queue.length === 0) await compact();
    }
    writing = undefined;
  };

  const enqueue = (waiting: Waiting): void => {
    if (isClosed) throw new Error('The journal is closed.');
    queue.push(waiting);
    writing ??= run();
  };

  return {
    /** How many lines the file had when it was opened. */
    opened: (count: number): void => {
      lines = count;
    },
    /** Resolves when the line is on the disk; `written` runs before any later line is. */
    writeDurably: (line: string, written: () => void): Promise<void> =>
      new Promise((resolve, reject) => {
        const done = (): void => {
          written();
          resolve();
        };
        enqueue({ line, durable: true, written: done, failed: reject });
      }),
    /** Writes the line after the earlier ones. */
    writeLazily: (line: string): void => {
      const failed = (error: unknown): void => onError(`An ack was not written: ${String(error)}`);
      enqueue({ line, durable: false, written: () => {}, failed });
    },
    close: async (): Promise<void> => {
      if (isClosed) return;
      isClosed = true;
      await writing;
      await file.close();
    },
  };
};
