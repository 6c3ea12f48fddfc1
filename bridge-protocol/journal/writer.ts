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

/** Makes a file or a folder durable. */
export const syncAt = (path: string, flags: 'r' | 'r+'): void => {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/** Makes a rename in the folder durable. Windows cannot open a folder, and needs nothing of the kind. */
export const syncFolder = (path: string): void => {
  if (process.platform !== 'win32') syncAt(dirname(path), 'r');
};

/** Writes a whole file in batches, and makes it durable. */
const writeLines = async (file: number, lines: Iterable<string>): Promise<void> => {
  let batch: string[] = [];
  for (const line of lines) {
    batch.push(line);
    if (batch.length < LINES_PER_WRITE) continue;
    await writeAll(file, batch.join(''));
    batch = [];
  }
  await writeAll(file, batch.join(''));
  await syncFile(file);
};

/** The file of a journal that is open for appending: whole texts, in order, durable when asked for. */
export class AppendFile {
  readonly #path: string;
  #file: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'a', 0o600);
  }

  async append(text: string, { durable }: { durable: boolean }): Promise<void> {
    await writeAll(this.#file, text);
    if (durable) await syncData(this.#file);
  }

  /** Puts a new file in the place of the old one: either all of it is there after a crash, or nothing of it. */
  async replace(lines: Iterable<string>): Promise<void> {
    const temporary = `${this.#path}.new`;
    const next = await openFile(temporary, 'w', 0o600);
    try {
      await writeLines(next, lines);
      await renameFile(temporary, this.#path);
    } catch (error) {
      await closeFile(next);
      throw error;
    }
    const previous = this.#file;
    this.#file = next;
    await closeFile(previous);
    syncFolder(this.#path);
  }

  close(): Promise<void> {
    return closeFile(this.#file);
  }
}

type Waiting = { line: string; durable: boolean; written: () => void; failed: (error: unknown) => void };

/**
 * The one writer of a journal file: lines go out in order, those that wait together share one fsync. After a write
 * that failed, the file may hold half a line: everything is written anew before the next line.
 */
export class WriteQueue {
  readonly #parts;
  readonly #queue: Waiting[] = [];
  #lines: number;
  #writing: Promise<void> | undefined;
  #isDamaged = false;
  #isClosed = false;

  constructor(parts: {
    file: Pick<AppendFile, 'append' | 'replace' | 'close'>;
    /** How many lines the file has. */
    lines: number;
    /** All lines of a new file. */
    contents: () => Iterable<string>;
    /** Of this many lines of the file, how many a new one would not have: it is made when they are over `compactAfter`. */
    outdated: (lines: number) => number;
    compactAfter: number;
    onError: (message: string) => void;
  }) {
    this.#parts = parts;
    this.#lines = parts.lines;
  }

  /** Resolves when the line is on the disk; `written` runs before any later line is. */
  writeDurably(line: string, written: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        written();
        resolve();
      };
      this.#enqueue({ line, durable: true, written: done, failed: reject });
    });
  }

  /** Writes the line after the earlier ones. */
  writeLazily(line: string): void {
    const failed = (error: unknown): void => this.#parts.onError(`An ack was not written: ${String(error)}`);
    this.#enqueue({ line, durable: false, written: () => {}, failed });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    await this.#parts.file.close();
  }

  #enqueue(waiting: Waiting): void {
    if (this.#isClosed) throw new Error('The journal is closed.');
    this.#queue.push(waiting);
    this.#writing ??= this.#run();
  }

  async #run(): Promise<void> {
    // Waits one turn, so that all writes of this turn share one write.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      await this.#write(this.#queue.splice(0));
      if (this.#queue.length === 0) await this.#compact();
    }
    this.#writing = undefined;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      if (this.#isDamaged) await this.#rewrite();
      const text = batch.map(({ line }) => line).join('');
      await this.#parts.file.append(text, { durable: batch.some(({ durable }) => durable) });
    } catch (error) {
      this.#isDamaged = true;
      for (const { failed } of batch) failed(error);
      return;
    }
    this.#lines += batch.length;
    for (const { written } of batch) written();
  }

  async #compact(): Promise<void> {
    const { outdated, compactAfter, onError } = this.#parts;
    if (this.#isClosed || outdated(this.#lines) <= compactAfter) return;
    try {
      await this.#rewrite();
    } catch (error) {
      onError(`The file could not be compacted: ${String(error)}`);
    }
  }

  async #rewrite(): Promise<void> {
    this.#isDamaged = true;
    let written = 0;
    const counted = function* (contents: Iterable<string>): Generator<string> {
      for (const line of contents) {
        written += 1;
        yield line;
      }
    };
    await this.#parts.file.replace(counted(this.#parts.contents()));
    this.#isDamaged = false;
    this.#lines = written;
  }
}
