import { eq, gt, lte, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../port/database.ts';
import type { Tables } from '../schema/tables.ts';

export type NodeRow = Tables['nodes']['$inferSelect'];
export type NewNode = Omit<NodeRow, 'leaseEndsAt'>;

/** The processes of the hub, each with a lease by the clock of the database. */
export const nodeQueries = (database: Database) => {
  const { handle, tables, read, commit, clock } = database;
  const { nodes } = tables;

  /** A time this many milliseconds from now, by the database's clock. */
  const inMs = (ms: number): SQL => sql`${clock} + ${ms}`;

  return {
    /** Creates the node or extends its lease. Returns the database's time, epoch ms. */
    renew: async (node: NewNode, leaseMs: number): Promise<number> => {
      const [row] = await commit(() =>
        handle
          .insert(nodes)
          .values({ ...node, leaseEndsAt: inMs(leaseMs) })
          .onConflictDoUpdate({ target: nodes.id, set: { leaseEndsAt: inMs(leaseMs) } })
          .returning({ leaseEndsAt: nodes.leaseEndsAt }),
      );
      return (row?.leaseEndsAt ?? 0) - leaseMs;
    },
    /** The database's time, epoch milliseconds. */
    now: async (): Promise<number> => {
      const one = handle.select({ at: clock }).from(sql`(select 1) as one`);
      const [row] = await read(() => one);
      return Number(row?.at ?? 0);
    },
    /** Nodes whose lease has not ended. */
    living: (): Promise<NodeRow[]> => read(() => handle.select().from(nodes).where(gt(nodes.leaseEndsAt, clock))),
    remove: async (id: string): Promise<void> => {
      await commit(() => handle.delete(nodes).where(eq(nodes.id, id)));
    },
    /** Deletes nodes whose lease ended at least `ms` ago. */
    removeDead: async (ms: number): Promise<void> => {
      await commit(() => handle.delete(nodes).where(lte(nodes.leaseEndsAt, inMs(-ms))));
    },
  };
};
