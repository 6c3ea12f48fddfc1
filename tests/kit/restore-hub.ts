import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { restoreSqlite } from '../../db/sqlite/restore.ts';
import type { TestHub } from './hub.ts';

const fileOf = ({ folder }: TestHub): string => join(folder, 'hub.db');
const backupOf = ({ folder }: TestHub): string => join(folder, 'backup.db');

/** Makes a backup of a running hub with SQLite. */
export const backUp = async (hub: TestHub): Promise<void> => {
  const client = new Sqlite(fileOf(hub));
  await client.backup(backupOf(hub));
  client.close();
};

/** The hub is killed, and the backup takes the place of its database, as with `causeway restore`. */
export const restoreBackup = async (hub: TestHub): Promise<void> => {
  await hub.crash();
  restoreSqlite(backupOf(hub), fileOf(hub), new Date());
};

/** Changes the backup, as time before it was made would. */
export const rewriteBackup = (hub: TestHub, statement: string, ...values: (string | number)[]): void => {
  const client = new Sqlite(backupOf(hub));
  client.prepare(statement).run(...values);
  client.close();
};
