import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

// Plain JavaScript: a thread does not inherit the loader that reads TypeScript.
/** 16 MiB. */
const LOG_PAGES = 4_096;
/** For one transaction of whoever writes, who then waits for the few pages that it is ahead. */
const WAIT_MS = 20;

const client = new Sqlite(workerData.file, { timeout: WAIT_MS });
client.pragma('wal_autocheckpoint = 0');

const checkpoint = () => {
  try {
    const [{ log }] = client.pragma('wal_checkpoint(PASSIVE)');
    // Who writes without a pause is always a little ahead, and the log begins again only where nobody is.
    if (log > LOG_PAGES) client.pragma('wal_checkpoint(FULL)');
  } catch {
    // A full disk: the log keeps what it has, and whoever writes is told.
  }
  parentPort?.postMessage('done');
};

parentPort?.on('message', (what) => {
  if (what === 'checkpoint') return checkpoint();
  client.close();
  parentPort?.close();
});
