import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export type Snapshot = {
  tables: Record<
    string,
    {
      name: string;
      columns: Record<string, { name: string; type: string; notNull: boolean }>;
      indexes: Record<
        string,
        { name: string; isUnique: boolean; where?: string; columns: (string | { expression: string })[] }
      >;
    }
  >;
};

const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
/** The tables that the last generated migration of an engine leads to. */
export const snapshotOf = (engine: string): Snapshot => {
  const { entries } = readJson<{ entries: { idx: number }[] }>(`db/migrations/${engine}/meta/_journal.json`);
  return readJson(`db/migrations/${engine}/meta/${String(entries.at(-1)?.idx).padStart(4, '0')}_snapshot.json`);
};
