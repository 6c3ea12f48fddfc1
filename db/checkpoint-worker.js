import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

// Plain JavaScript: a thread does not inherit the loader that reads TypeScript.
const client = new Sqlite(workerData.file);
client.pragma('wal_autocheckpoint = 0');

const checkpoint = () => {
  try {
    client.pragma('wal_checkpoint(PASSIVE)');
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
