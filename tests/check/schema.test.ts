import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api';
import { describe, expect, it } from 'vitest';
import { postgresColumns, sqliteColumns } from '../../db/schema/columns.ts';
import { defineTables } from '../../db/schema/tables.ts';
import { snapshotOf } from '../kit/migration-snapshots.ts';

describe('the schema', () => {
  it('is equal to the last snapshot: generating migrations would add nothing', async () => {
    const sqlite = snapshotOf('sqlite') as unknown as Parameters<typeof generateSQLiteMigration>[0];
    const postgres = snapshotOf('postgres') as unknown as Parameters<typeof generateMigration>[0];
    const nowInSqlite = await generateSQLiteDrizzleJson(defineTables(sqliteColumns), sqlite.id);
    expect(await generateSQLiteMigration(sqlite, nowInSqlite)).toEqual([]);
    expect(await generateMigration(postgres, generateDrizzleJson(defineTables(postgresColumns), postgres.id))).toEqual(
      [],
    );
  });
});
