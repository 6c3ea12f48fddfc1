import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

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
export const takeLock = (path: string): (() => void) => {
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
