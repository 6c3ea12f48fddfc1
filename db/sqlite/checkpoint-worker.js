import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

// Plain JavaScript: a thread does not inherit the loader that reads TypeScript.
const NICE = 5;
/** Writers wait for at most this long. If a reader needs longer, the log is not restarted this time. */
const BUSY_TIMEOUT_MS = 80;

// Linux has a priority for each thread. On few cores, commits of the main thread must go first.
// Only root may raise the priority of a program that an operator has started with `nice`.
if (process.platform === 'linux' && getPriority() < NICE) setPriority(NICE);

const client = new Sqlite(workerData.file);
client.pragma('wal_autocheckpoint = 0');
client.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);

/** Copies what it can of the log, without the writer's lock; returns how many of its pages are in the database now. */
const checkpoint = () => {
  try {
    const [{ checkpointed }] = client.pragma('wal_checkpoint(PASSIVE)');
    return checkpointed;
  } catch {
    // A full disk: the log keeps its rows, and the next write reports the error.
    return 0;
  }
};

/**
 * Lets the next commit write at the beginning of the log; returns whether it will. Most of the log is copied first,
 * without the writer's lock. The file keeps its size: commits were slower while it grew.
 */
const restart = () => {
  checkpoint();
  try {
    const [{ log, checkpointed }] = client.pragma('wal_checkpoint(NOOP)');
    // A reader keeps the log, or commits went on: holding up the writer would not help.
    if (log - checkpointed > workerData.nearPages) return false;
    const [{ busy }] = client.pragma('wal_checkpoint(RESTART)');
    return busy === 0;
  } catch {
    return false;
  }
};

parentPort?.on('message', (what) => {
  if (what === 'checkpoint') return parentPort?.postMessage({ what, copied: checkpoint() });
  if (what === 'restart') return parentPort?.postMessage({ what, isDone: restart() });
  client.close();
  parentPort?.close();
});
