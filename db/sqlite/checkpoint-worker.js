import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

// Plain JavaScript: a thread does not inherit the loader that reads TypeScript.
const NICE = 5;
/** A writer is held meanwhile: a reader that needs longer keeps the log for now. */
const BUSY_TIMEOUT_MS = 80;

// Where a thread has a priority of its own: who commits goes first where cores are few.
if (process.platform === 'linux') setPriority(NICE);

const client = new Sqlite(workerData.file);
client.pragma('wal_autocheckpoint = 0');
client.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);

/** Whether all of the log, as it was at the beginning, is in the database now. */
const checkpoint = () => {
  try {
    const [{ log, checkpointed }] = client.pragma('wal_checkpoint(PASSIVE)');
    return log === checkpointed;
  } catch {
    // A full disk: the log keeps what it has, and whoever writes is told.
    return false;
  }
};

/** Whether the log is empty now. Most is copied first, without the lock of whoever writes. */
const restart = () => {
  checkpoint();
  try {
    const [{ busy }] = client.pragma('wal_checkpoint(TRUNCATE)');
    return busy === 0;
  } catch {
    return false;
  }
};

parentPort?.on('message', (what) => {
  if (what === 'checkpoint') return parentPort?.postMessage({ what, isDone: checkpoint() });
  if (what === 'restart') return parentPort?.postMessage({ what, isDone: restart() });
  client.close();
  parentPort?.close();
});
