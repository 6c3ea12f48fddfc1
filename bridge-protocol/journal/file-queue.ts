import type { AppendFile } from './file-store.ts';

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
  file: AppendFile;
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
