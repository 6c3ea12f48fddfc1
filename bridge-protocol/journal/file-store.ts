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
export type AppendFile = ReturnType<typeof openAppendFile>;
