import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

// Plain JavaScript: a thread does not inherit the loader that reads TypeScript.
const NICE = 5;

// Where a thread has a priority of its own: who commits goes first where cores are few.
if (process.platform === 'linux') setPriority(NICE);

const client = new Sqlite(workerData.file);
client.pragma('wal_autocheckpoint = 0');

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

parentPort?.on('message', (what) => {
  if (what === 'checkpoint') return parentPort?.postMessage(checkpoint());
  client.close();
  parentPort?.close();
});
