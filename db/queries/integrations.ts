import { and, count, desc, eq, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { type Database, first, type Insertion, insertWithin } from '../database.ts';
import { atMost, bound, clockOf } from '../expressions.ts';
import type { StoredSecret } from '../schema/shops.ts';
import type { Tables } from '../schema/tables.ts';
import { type Page, type PageRequest, readPage } from './cursor.ts';

export type IntegrationRow = Tables['integrations']['$inferSelect'];
export type IntegrationPatch = Partial<
  Pick<
    IntegrationRow,
    'name' | 'serverId' | 'identifierKind' | 'secrets' | 'packages' | 'maker' | 'maxAmount' | 'maxDaily' | 'deletedAt'
  >
>;

/** Deliveries of an integration that are kept. */
const KEPT_DELIVERIES = 100;

/** Integrations of shops and their latest deliveries. */
export const integrationQueries = (database: Database) => {
  const { handle, tables, read, commit } = database;
  const clock = clockOf(database);
  const { integrations, deliveries } = tables;
  const isLive = isNull(integrations.deletedAt);
  const ofProject = (projectId: string, id: string): SQL | undefined =>
    and(eq(integrations.projectId, projectId), eq(integrations.id, id));

  const byId = database.prepare('integrations.byId', () =>
    handle
      .select()
      .from(integrations)
      .where(eq(integrations.id, sql.placeholder('id')))
      .limit(atMost(1)),
  );

  const claim = database.prepare('integrations.claim', () => {
    const node = bound(integrations.workNode, 'node');
    const isFree = or(
      isNull(integrations.workUntil),
      lte(integrations.workUntil, clock),
      eq(integrations.workNode, node),
    );
    return handle
      .update(integrations)
      .set({ workNode: node, workUntil: sql`${clock} + ${sql.placeholder('leaseMs')}` })
      .where(and(eq(integrations.id, sql.placeholder('id')), isFree))
      .returning();
  });

  return {
    /** `full`: the project has `most` integrations that are not deleted. */
    create: (row: Tables['integrations']['$inferInsert'], most = Infinity): Promise<Insertion> => {
      const { projectId } = row;
      const insert = () => handle.insert(integrations).values(row).returning({ id: integrations.id });
      const live = () =>
        handle
          .select({ rows: count() })
          .from(integrations)
          .where(and(eq(integrations.projectId, projectId), isLive));
      return insertWithin(database, insert, { key: `integrations/${projectId}`, count: live, most });
    },
    /** An integration of any project, also a deleted one. */
    byId: (id: string): Promise<IntegrationRow | undefined> => first(read(() => byId({ id }))),
    /** The secrets of all shops, as they are stored. */
    secrets: async (): Promise<StoredSecret[]> => {
      const rows = await read(() => handle.select({ secrets: integrations.secrets }).from(integrations).where(isLive));
      return rows.flatMap(({ secrets }) => secrets);
    },
    /** The ids of all, or of those of some servers. */
    ids: async (projectId: string, servers?: readonly string[]): Promise<string[]> => {
      const among = servers === undefined ? undefined : inArray(integrations.serverId, [...servers]);
      const ids = () =>
        handle
          .select({ id: integrations.id })
          .from(integrations)
          .where(and(eq(integrations.projectId, projectId), isLive, among));
      return (await read(ids)).map(({ id }) => id);
    },
    /** In the order in which they were made; `servers`: of these servers only. @throws InvalidCursor */
    page: (
      projectId: string,
      { servers, ...page }: PageRequest & { servers?: readonly string[] | undefined },
    ): Promise<Page<IntegrationRow>> => {
      const { createdAt, id } = integrations;
      const among = servers === undefined ? undefined : inArray(integrations.serverId, [...servers]);
      return readPage({ list: 'integrations', by: { createdAt, id } }, page, ({ behind, order, rows }) =>
        read(() =>
          handle
            .select()
            .from(integrations)
            .where(and(eq(integrations.projectId, projectId), isLive, among, behind))
            .orderBy(...order)
            .limit(rows),
        ),
      );
    },
    /** Undefined: it was deleted. */
    update: (
      projectId: string,
      id: string,
      patch: IntegrationPatch,
      at: number,
    ): Promise<IntegrationRow | undefined> => {
      const update = () =>
        handle
          .update(integrations)
          .set({ ...patch, updatedAt: at })
          .where(and(ofProject(projectId, id), isLive))
          .returning();
      return first(commit(update, { durable: true }));
    },
    /**
     * Gives the work of an integration to one node for `leaseMs`, by the clock of the database. Undefined: another node has
     * it, or there is no such integration.
     */
    claim: (id: string, node: string, leaseMs: number): Promise<IntegrationRow | undefined> =>
      first(commit(() => claim({ id, node, leaseMs }))),
    release: async (id: string, node: string): Promise<void> => {
      await commit(() =>
        handle
          .update(integrations)
          .set({ workNode: null, workUntil: null })
          .where(and(eq(integrations.id, id), eq(integrations.workNode, node))),
      );
    },
    /** Ends the work of all nodes: they are gone. */
    releaseAll: async (): Promise<void> => {
      await commit(() =>
        handle.update(integrations).set({ workNode: null, workUntil: null }).where(isNotNull(integrations.workNode)),
      );
    },
    /** Records a delivery, and deletes all but the newest hundred of its integration. */
    addDelivery: async (row: Omit<Tables['deliveries']['$inferSelect'], 'seq'>): Promise<void> => {
      await commit(() => handle.insert(deliveries).values(row));
      const ofIntegration = eq(deliveries.integrationId, row.integrationId);
      const [oldest] = await read(() =>
        handle
          .select({ seq: deliveries.seq })
          .from(deliveries)
          .where(ofIntegration)
          .orderBy(desc(deliveries.seq))
          .offset(KEPT_DELIVERIES)
          .limit(1),
      );
      if (oldest === undefined) return;
      await commit(() => handle.delete(deliveries).where(and(ofIntegration, lte(deliveries.seq, oldest.seq))));
    },
    /** The newest first. */
    deliveries: (integrationId: string) =>
      read(() =>
        handle
          .select()
          .from(deliveries)
          .where(eq(deliveries.integrationId, integrationId))
          .orderBy(desc(deliveries.seq))
          .limit(KEPT_DELIVERIES),
      ),
  };
};
