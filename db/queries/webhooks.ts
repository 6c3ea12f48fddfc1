import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  min,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { type Database, first, type Insertion, insertWithin } from '../database.ts';
import { atMost, bound, clockOf, incoming, removeSome, rowsFrom } from '../expressions.ts';
import type { StoredSecret } from '../schema/shops.ts';
import type { Tables } from '../schema/tables.ts';
import type { AttemptState } from '../schema/webhooks.ts';
import { type Page, type PageRequest, readPage } from './cursor.ts';

export type WebhookRow = Tables['webhooks']['$inferSelect'];
/** How well the last attempts went. */
export type WebhookHealth = Pick<
  WebhookRow,
  'failures' | 'failingSince' | 'failedDay' | 'failedDays' | 'fault' | 'restUntil'
>;
export type WebhookPatch = Partial<
  Pick<WebhookRow, 'name' | 'url' | 'types' | 'servers' | 'names' | 'secrets' | 'maker' | 'off' | 'offAt' | 'cursor'> &
    WebhookHealth
>;
export type AttemptRow = Tables['webhookAttempts']['$inferSelect'];

/** Attempts of a webhook that are over and are kept. */
const KEPT_ATTEMPTS = 1_000;
/** Rows that one statement deletes. */
const PRUNED_AT_ONCE = 500;

/** Webhooks and the attempts to bring events to them. */
export const webhookQueries = (database: Database) => {
  const { handle, tables, read, reader, commit, together } = database;
  const clock = clockOf(database);
  const { webhooks, webhookAttempts: attempts, events } = tables;
  const isOne = (projectId: string, id: string): SQL | undefined =>
    and(eq(webhooks.projectId, projectId), eq(webhooks.id, id));

  const claim = database.prepare('webhooks.claim', () => {
    const node = bound(webhooks.workNode, 'node');
    const isFree = or(isNull(webhooks.workUntil), lte(webhooks.workUntil, clock), eq(webhooks.workNode, node));
    return handle
      .update(webhooks)
      .set({ workNode: node, workUntil: sql`${clock} + ${sql.placeholder('leaseMs')}` })
      .where(and(eq(webhooks.id, sql.placeholder('id')), isNull(webhooks.off), isFree))
      .returning();
  });
  const withWork = database.prepare('webhooks.withWork', () => {
    const now = sql.placeholder('now');
    const hasNew = sql`exists (select 1 from ${events} where ${events.projectId} = ${webhooks.projectId} and ${events.seq} > ${webhooks.cursor})`;
    const hasDue = sql`exists (select 1 from ${attempts} where ${attempts.webhookId} = ${webhooks.id} and ${attempts.dueAt} <= ${now})`;
    const isRested = or(isNull(webhooks.restUntil), lte(webhooks.restUntil, now));
    const isFree = or(isNull(webhooks.workUntil), lte(webhooks.workUntil, clock));
    return handle
      .select({ id: webhooks.id })
      .from(webhooks)
      .where(and(isNull(webhooks.off), isRested, isFree, or(hasNew, hasDue)));
  });
  const due = database.prepare('webhooks.due', () =>
    handle
      .select()
      .from(attempts)
      .where(and(eq(attempts.webhookId, sql.placeholder('id')), lte(attempts.dueAt, sql.placeholder('now'))))
      .orderBy(asc(attempts.dueAt), asc(attempts.eventSeq))
      .limit(atMost(sql.placeholder('limit'))),
  );

  return {
    /** `full`: the project has `most` webhooks. */
    create: (row: Tables['webhooks']['$inferInsert'], most: number): Promise<Insertion> => {
      const { projectId } = row;
      const insert = () => handle.insert(webhooks).values(row).returning({ id: webhooks.id });
      const all = () => handle.select({ rows: count() }).from(webhooks).where(eq(webhooks.projectId, projectId));
      return insertWithin(database, insert, { key: `webhooks/${projectId}`, count: all, most });
    },
    get: (projectId: string, id: string): Promise<WebhookRow | undefined> =>
      first(read(() => handle.select().from(webhooks).where(isOne(projectId, id)).limit(1))),
    /** In the order in which they were made. */
    list: (projectId: string): Promise<WebhookRow[]> =>
      read(() =>
        handle
          .select()
          .from(webhooks)
          .where(eq(webhooks.projectId, projectId))
          .orderBy(asc(webhooks.createdAt), asc(webhooks.id)),
      ),
    /** The secrets of all webhooks, as they are stored. */
    secrets: async (): Promise<StoredSecret[]> => {
      const rows = await read(() => handle.select({ secrets: webhooks.secrets, url: webhooks.url }).from(webhooks));
      return rows.flatMap(({ secrets, url }) => [...secrets, { sealed: url, expiresAt: null }]);
    },
    /** Undefined: it was deleted. */
    update: (projectId: string, id: string, patch: WebhookPatch, at: number): Promise<WebhookRow | undefined> => {
      const update = () =>
        handle
          .update(webhooks)
          .set({ ...patch, updatedAt: at })
          .where(isOne(projectId, id))
          .returning();
      return first(commit(update, { durable: true }));
    },
    /** Its attempts too. */
    remove: async (projectId: string, id: string): Promise<void> => {
      await commit(() => handle.delete(webhooks).where(isOne(projectId, id)), { durable: true });
      const matches = eq(attempts.webhookId, id);
      while ((await removeSome(database, 'webhookAttempts', { matches, limit: PRUNED_AT_ONCE })) > 0);
    },
    /** The ids of webhooks that have something to send, and on which no node works. */
    withWork: async (now: number): Promise<string[]> => (await read(() => withWork({ now }))).map(({ id }) => id),
    /**
     * Gives the work of a webhook that is on to one node for `leaseMs`, by the clock of the database. Undefined: another node
     * has it, or there is no such webhook.
     */
    claim: (id: string, node: string, leaseMs: number): Promise<WebhookRow | undefined> =>
      first(commit(() => claim({ id, node, leaseMs }))),
    /** More time for the work that a node still has. */
    renew: async (ids: readonly string[], node: string, leaseMs: number): Promise<void> => {
      const isOurs = and(inArray(webhooks.id, [...ids]), eq(webhooks.workNode, node));
      const renew = () =>
        handle
          .update(webhooks)
          .set({ workUntil: sql`${clock} + ${leaseMs}` })
          .where(isOurs);
      if (ids.length > 0) await commit(renew);
    },
    release: async (id: string, node: string): Promise<void> => {
      await commit(() =>
        handle
          .update(webhooks)
          .set({ workNode: null, workUntil: null })
          .where(and(eq(webhooks.id, id), eq(webhooks.workNode, node))),
      );
    },
    /** The attempts that are due, the longest due first. */
    due: (id: string, now: number, limit: number): Promise<AttemptRow[]> => read(() => due({ id, now, limit })),
    /** The attempt of the oldest event that is to be sent again, also if it is not due yet. */
    oldestWaiting: (id: string): Promise<AttemptRow | undefined> =>
      first(
        read(() =>
          handle
            .select()
            .from(attempts)
            .where(and(eq(attempts.webhookId, id), isNotNull(attempts.dueAt)))
            .orderBy(asc(attempts.eventSeq))
            .limit(1),
        ),
      ),
    /**
     * Stores attempts, and what has become of their webhook, in one transaction. `healed`: all that waits is due now. False:
     * the webhook has moved meanwhile, and only the attempts are stored; or it was deleted or another node has its work, and
     * nothing is.
     */
    record: async (
      { id, cursor }: Pick<WebhookRow, 'id' | 'cursor'>,
      node: string,
      {
        patch,
        rows,
        healed,
      }: {
        patch: WebhookHealth & Pick<WebhookRow, 'cursor'> & Partial<Pick<WebhookRow, 'off' | 'offAt'>>;
        rows: readonly AttemptRow[];
        healed?: number | undefined;
      },
    ): Promise<boolean> => {
      const update = () =>
        handle
          .update(webhooks)
          .set(patch)
          .where(and(eq(webhooks.id, id), eq(webhooks.workNode, node), eq(webhooks.cursor, cursor)))
          .returning({ id: webhooks.id });
      const isOurs = sql`exists (select 1 from ${webhooks} where ${webhooks.id} = ${id} and ${webhooks.workNode} = ${node})`;
      const { projectId: _, webhookId, eventId, type: __, ...newest } = getTableColumns(attempts);
      const upsert = () =>
        handle
          .insert(attempts)
          .select(rowsFrom(database, getTableColumns(attempts), rows, { where: isOurs }))
          .onConflictDoUpdate({
            target: [webhookId, eventId],
            set: Object.fromEntries(Object.entries(newest).map(([name, column]) => [name, incoming(column)])),
          });
      const heal = () =>
        handle
          .update(attempts)
          .set({ dueAt: healed ?? null })
          .where(and(eq(attempts.webhookId, id), gt(attempts.dueAt, healed ?? 0), isOurs));
      const works = [update, ...(rows.length > 0 ? [upsert] : []), ...(healed === undefined ? [] : [heal])];
      // Not durable: the hub sends again whatever a power cut takes.
      const [updated] = (await together(works, { durable: false })) ?? [];
      return (updated as unknown[]).length > 0;
    },
    /** Makes all that waits due. */
    wake: async (id: string, at: number): Promise<void> => {
      await commit(() =>
        handle
          .update(attempts)
          .set({ dueAt: at })
          .where(and(eq(attempts.webhookId, id), gt(attempts.dueAt, at))),
      );
    },
    /** Makes an event due that was sent before. Undefined: it was not, or in a summary. */
    retry: async (id: string, eventId: string, at: number): Promise<AttemptRow | undefined> => {
      const again = { state: 'waiting' as const, attempts: 0, dueAt: at };
      const update = () =>
        handle
          .update(attempts)
          .set(again)
          .where(and(eq(attempts.webhookId, id), eq(attempts.eventId, eventId), eq(attempts.events, 1)))
          .returning();
      return first(commit(update, { durable: true }));
    },
    /** The newest first. @throws InvalidCursor */
    attempts: (
      id: string,
      { state, ...page }: PageRequest & { state?: AttemptState | undefined },
    ): Promise<Page<AttemptRow>> => {
      const { at, eventId } = attempts;
      const isState = state === undefined ? undefined : eq(attempts.state, state);
      const newest = { list: 'attempts', by: { at, eventId }, direction: 'desc' } as const;
      return readPage(newest, page, ({ behind, order, rows }) =>
        read(() =>
          handle
            .select()
            .from(attempts)
            .where(and(eq(attempts.webhookId, id), isState, behind))
            .orderBy(...order)
            .limit(rows),
        ),
      );
    },
    /** Attempts that are not delivered, by state. */
    counts: async (id: string): Promise<{ waiting: number; givenUp: number }> => {
      const rows = await read(() =>
        handle
          .select({ state: attempts.state, rows: count() })
          .from(attempts)
          .where(and(eq(attempts.webhookId, id), sql`${attempts.state} <> 'delivered'`))
          .groupBy(attempts.state),
      );
      const of = (state: AttemptState): number => rows.find((row) => row.state === state)?.rows ?? 0;
      return { waiting: of('waiting'), givenUp: of('given_up') };
    },
    /**
     * Of all projects: how many attempts wait, how many webhooks are off, and the place of the one in each project that is on
     * and has been sent the least.
     */
    totals: async (): Promise<{ waiting: number; off: number; places: { projectId: string; cursor: number }[] }> => {
      const { handle: from } = reader;
      const waits = from.select({ rows: count() }).from(attempts).where(isNotNull(attempts.dueAt));
      const isOff = from.select({ rows: count() }).from(webhooks).where(isNotNull(webhooks.off));
      const last = from
        .select({ projectId: webhooks.projectId, cursor: min(webhooks.cursor) })
        .from(webhooks)
        .where(isNull(webhooks.off))
        .groupBy(webhooks.projectId);
      const [[waiting], [off], places] = await Promise.all([
        reader.read(() => waits),
        reader.read(() => isOff),
        reader.read(() => last),
      ]);
      return {
        waiting: waiting?.rows ?? 0,
        off: off?.rows ?? 0,
        places: places.map(({ projectId, cursor }) => ({ projectId, cursor: Number(cursor) })),
      };
    },
    /** Deletes attempts that are over and older than `before`, or more than the newest thousand of their webhook. */
    pruneAttempts: async (before: number): Promise<void> => {
      const limit = PRUNED_AT_ONCE;
      const isOld = and(lte(attempts.at, before), isNull(attempts.dueAt));
      while ((await removeSome(database, 'webhookAttempts', { matches: isOld, limit, order: attempts.at })) === limit);
      for (const { id } of await read(() => handle.select({ id: webhooks.id }).from(webhooks))) {
        const ofOne = eq(attempts.webhookId, id);
        const [last] = await read(() =>
          handle
            .select({ at: attempts.at })
            .from(attempts)
            .where(ofOne)
            .orderBy(desc(attempts.at), desc(attempts.eventId))
            .limit(1)
            .offset(KEPT_ATTEMPTS),
        );
        if (last === undefined) continue;
        const matches = and(ofOne, lte(attempts.at, last.at), eq(attempts.state, 'delivered'));
        while ((await removeSome(database, 'webhookAttempts', { matches, limit })) === limit);
      }
    },
  };
};
