import { and, eq, sql } from 'drizzle-orm';
import type { CatalogueEntry, CatalogueKind } from '../../bridge-protocol/wire/catalogue.ts';
import type { Database } from '../port/database.ts';
import { incoming } from './expressions.ts';

type Address = { projectId: string; serverId: string; kind: CatalogueKind };
/** A catalogue without its entries. */
export type CatalogueHead = { kind: CatalogueKind; hash: string; syncedAt: number };

/** The catalogues of game servers, each as a whole. */
export const catalogueQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { catalogues } = tables;
  const { kind, hash, syncedAt } = catalogues;

  const ofServer = and(
    eq(catalogues.projectId, sql.placeholder('projectId')),
    eq(catalogues.serverId, sql.placeholder('serverId')),
  );
  const heads = database.prepare('catalogues.heads', () =>
    handle.select({ kind, hash, syncedAt }).from(catalogues).where(ofServer),
  );
  const entriesOf = database.prepare('catalogues.entries', () =>
    handle
      .select({ hash, entries: catalogues.entries })
      .from(catalogues)
      .where(and(ofServer, eq(kind, sql.placeholder('kind')))),
  );

  return {
    heads: (projectId: string, serverId: string): Promise<CatalogueHead[]> =>
      read(() => heads({ projectId, serverId })),
    entries: async (address: Address): Promise<{ hash: string; entries: CatalogueEntry[] } | undefined> => {
      const [row] = await read(() => entriesOf(address));
      return row;
    },
    /** Replaces a catalogue. */
    put: async (catalogue: Address & { hash: string; syncedAt: number; entries: CatalogueEntry[] }): Promise<void> => {
      await commit(() =>
        handle
          .insert(catalogues)
          .values(catalogue)
          .onConflictDoUpdate({
            target: [catalogues.projectId, catalogues.serverId, catalogues.kind],
            set: {
              hash: incoming(catalogues.hash),
              syncedAt: incoming(catalogues.syncedAt),
              entries: incoming(catalogues.entries),
            },
          }),
      );
    },
  };
};
