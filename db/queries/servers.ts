import { and, asc, count, eq, exists, gt, gte, inArray, lt, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { CatalogueEntry, CatalogueKind } from '../../bridge-protocol/wire/messages.ts';
import { type Database, first, type Insertion, insertWithin } from '../database.ts';
import { atMost, bound, incoming, removeSome } from '../expressions.ts';
import type { Tables } from '../schema/tables.ts';
import { type Page, type PageRequest, readPage } from './cursor.ts';

export type ServerRow = Tables['servers']['$inferSelect'];
export type NewServer = Tables['servers']['$inferInsert'];
export type ServerPatch = Partial<Omit<NewServer, 'id' | 'projectId' | 'createdAt' | 'updatedAt'>>;

/** Players that one statement deletes. */
const BATCH = 200;

/** Game servers and their bridge tokens; only the hashes are known here. */
export const serverQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const { servers, sessions, players, projects, catalogues } = tables;
  const ofProject = (projectId: string, id: string) => and(eq(servers.projectId, projectId), eq(servers.id, id));

  const byTokenHash = database.prepare('servers.byTokenHash', () => {
    const hash = sql.placeholder('hash');
    const notEnded = gt(servers.previousTokenExpiresAt, sql.placeholder('now'));
    return handle
      .select({ server: servers, project: projects })
      .from(servers)
      .innerJoin(projects, eq(projects.id, servers.projectId))
      .where(or(eq(servers.tokenHash, hash), and(eq(servers.previousTokenHash, hash), notEnded)))
      .limit(atMost(1));
  });

  const isServer = and(eq(servers.projectId, sql.placeholder('projectId')), eq(servers.id, sql.placeholder('id')));
  const get = database.prepare('servers.get', () => handle.select().from(servers).where(isServer));
  const since = gte(servers.updatedAt, sql.placeholder('at'));
  const changedSince = database.prepare(
    'servers.changedSince',
    () => handle.select().from(servers).where(since),
    'anew',
  );
  const journalId = bound(servers.journalId, 'journalId');
  const sequence = bound(servers.journalSequence, 'sequence');
  const laterSession = handle
    .select({ epoch: sessions.epoch })
    .from(sessions)
    .where(
      and(
        eq(sessions.projectId, sql.placeholder('projectId')),
        eq(sessions.serverId, sql.placeholder('id')),
        gt(sessions.epoch, sql.placeholder('epoch')),
      ),
    );
  const recordJournal = database.prepareChange('servers.recordJournal', () =>
    handle
      .update(servers)
      .set({
        journalId,
        journalSequence: sequence,
        journalInstance: bound(servers.journalInstance, 'instance'),
      })
      .where(and(isServer, notExists(laterSession))),
  );
  const raiseJournal = database.prepare('servers.raiseJournal', () =>
    handle
      .update(servers)
      .set({ journalSequence: sequence })
      .where(and(isServer, eq(servers.journalId, sql.placeholder('journalId')), lt(servers.journalSequence, sequence))),
  );

  const countOf = (projectId: string) =>
    handle.select({ rows: count() }).from(servers).where(eq(servers.projectId, projectId));

  return {
    /** Undefined if the project has a server of this id. */
    create: (row: NewServer): Promise<ServerRow | undefined> => {
      const target = [servers.projectId, servers.id];
      const insert = () => handle.insert(servers).values(row).onConflictDoNothing({ target }).returning();
      return first(commit(insert, { durable: true }));
    },
    /** `exists`: the project has a server of this id. `full`: it has `most` servers. */
    createWithin: (row: NewServer, most: number): Promise<Insertion> => {
      const { projectId } = row;
      const insert = () => handle.insert(servers).values(row).onConflictDoNothing().returning({ id: servers.id });
      return insertWithin(database, insert, { key: `servers/${projectId}`, count: () => countOf(projectId), most });
    },
    get: (projectId: string, id: string): Promise<ServerRow | undefined> => first(read(() => get({ projectId, id }))),
    list: (projectId: string): Promise<ServerRow[]> =>
      read(() => handle.select().from(servers).where(eq(servers.projectId, projectId)).orderBy(asc(servers.id))),
    /** By their id, of the given ids only. @throws InvalidCursor */
    page: (
      projectId: string,
      { ids, ...page }: PageRequest & { ids?: readonly string[] | undefined },
    ): Promise<Page<ServerRow>> => {
      const among = ids === undefined ? undefined : inArray(servers.id, [...ids]);
      return readPage({ list: 'servers', by: { id: servers.id } }, page, ({ behind, order, rows }) =>
        read(() =>
          handle
            .select()
            .from(servers)
            .where(and(eq(servers.projectId, projectId), behind, among))
            .orderBy(...order)
            .limit(rows),
        ),
      );
    },
    /** The server with this token, or with this previous token before its end; disabled ones too. */
    byTokenHash: (hash: string, now: number) => first(read(() => byTokenHash({ hash, now }))),
    update: (projectId: string, id: string, patch: ServerPatch, at: number): Promise<ServerRow | undefined> => {
      const update = () =>
        handle
          .update(servers)
          .set({ ...patch, updatedAt: at })
          .where(ofProject(projectId, id))
          .returning();
      return first(commit(update, { durable: true }));
    },
    /** Deletes a server, its session and its players; its commands stay in the journal. False if there was none. */
    remove: async (projectId: string, id: string): Promise<boolean> => {
      const ofServer = (table: typeof players | typeof sessions | typeof catalogues) =>
        and(eq(table.projectId, projectId), eq(table.serverId, id));
      while ((await removeSome(database, 'players', { matches: ofServer(players), limit: BATCH })) > 0);
      for (const table of [sessions, catalogues]) await commit(() => handle.delete(table).where(ofServer(table)));
      const remove = () => handle.delete(servers).where(ofProject(projectId, id)).returning({ id: servers.id });
      return (await commit(remove, { durable: true })).length > 0;
    },
    /** Servers whose deletion began before (epoch milliseconds) and has not ended: the process that began it has died. */
    deletingBefore: (at: number): Promise<ServerRow[]> =>
      read(() => handle.select().from(servers).where(lt(servers.deletingAt, at))),
    /** Servers created or changed since (epoch milliseconds, inclusive). */
    changedSince: (at: number): Promise<ServerRow[]> => read(() => changedSince({ at })),
    /**
     * Records the journal of a welcomed bridge, after its open commands were reconciled. Not a change of the server. False,
     * and nothing recorded: a session later than `epoch` has begun.
     */
    recordJournal: (
      projectId: string,
      id: string,
      journal: { journalId: string; sequence: number; instance: string; epoch: number },
    ): Promise<boolean> => commit(() => recordJournal({ projectId, id, ...journal }), { durable: true }),
    /** Records a later sequence of the recorded journal; ignores another journal and an earlier sequence. */
    raiseJournal: async (
      projectId: string,
      id: string,
      journal: { journalId: string; sequence: number },
    ): Promise<void> => {
      await commit(() => raiseJournal({ projectId, id, ...journal }));
    },
  };
};

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
    entries: (address: Address): Promise<{ hash: string; entries: CatalogueEntry[] } | undefined> =>
      first(read(() => entriesOf(address))),
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
