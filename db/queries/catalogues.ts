import { and, eq, exists, type SQL, sql } from 'drizzle-orm';
import type { CatalogueEntry, CatalogueKind } from '../../bridge-protocol/wire/messages.ts';
import type { Database } from '../port/database.ts';
import { incoming } from './expressions.ts';

type Address = { projectId: string; serverId: string; kind: CatalogueKind };
/** A catalogue without its entries. */
export type CatalogueHead = { kind: CatalogueKind; hash: string; syncedAt: number };

/** The catalogues of game servers, each as a whole. */
export const catalogueQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { catalogues, sessions } = tables;
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

  /** The session with this epoch is the last of its server. */
  const isLast = ({ projectId, serverId }: Address, epoch: number): SQL => {
    const ofAddress = and(eq(sessions.projectId, projectId), eq(sessions.serverId, serverId));
    const last = and(ofAddress, eq(sessions.epoch, epoch));
    return exists(handle.select({ id: sessions.id }).from(sessions).where(last));
  };

  return {
    heads: (projectId: string, serverId: string): Promise<CatalogueHead[]> =>
      read(() => heads({ projectId, serverId })),
    entries: async (address: Address): Promise<{ hash: string; entries: CatalogueEntry[] } | undefined> => {
      const [row] = await read(() => entriesOf(address));
      return row;
    },
    /** Replaces a catalogue, unless a later session of the server has begun. Returns whether it did. */
    put: async ({
      epoch,
      ...catalogue
    }: Address & { hash: string; syncedAt: number; entries: CatalogueEntry[]; epoch: number }): Promise<boolean> => {
      const stored = await commit(() =>
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
            setWhere: isLast(catalogue, epoch),
          })
          .returning({ kind }),
      );
      return stored.length > 0;
    },
  };
};
