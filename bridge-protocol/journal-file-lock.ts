import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** A lock without a pid is being written right now, unless it is older than this. */
const UNFINISHED_MS = 5_000;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
};

/** In a container every process may have the same pid: a lock from before this process is not its own. */
const startedAt = (): number => Date.now() - process.uptime() * 1000 - 1000;

/** Who holds the lock, as text for an error; undefined when nobody does any more. */
const holderOf = (path: string): string | undefined => {
  try {
    const { mtimeMs } = statSync(path);
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10);
    if (!(pid > 0)) return Date.now() - mtimeMs < UNFINISHED_MS ? 'a starting process' : undefined;
    const isHeld = pid === process.pid ? mtimeMs >= startedAt() : isAlive(pid);
    return isHeld ? `process ${pid}` : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

const tryTake = (path: string): boolean => {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
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
export const takeLock = (path: string): (() => void) => {
  if (!tryTake(path)) {
    const holder = holderOf(path);
    if (holder !== undefined) throw new Error(`${path} is held by ${holder}`);
    rmSync(path, { force: true });
    if (!tryTake(path)) throw new Error(`${path} was just taken by another process`);
  }
  let isHeld = true;
  return () => {
    if (isHeld) rmSync(path, { force: true });
    isHeld = false;
  };
};
