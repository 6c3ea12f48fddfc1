import pg from 'pg';
import type { Victim } from '../../tests/kit/processes.ts';
import { openBooks } from '../books.ts';
import type { Ledgers } from '../ledgers.ts';
import type { Report } from '../report.ts';
import type { Row } from '../rows.ts';

/** A row gets its number when its insert begins, so it may become visible after rows with higher numbers. */
const OVERLAP = 1_000;

/** The bystander's kicks are not checked. */
const CHECKED = `name <> 'kick'`;

/** Reads the cluster's rows directly from PostgreSQL. */
export const openRows = (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  const ask = async <T extends pg.QueryResultRow>(statement: string, values: unknown[] = []): Promise<T[]> =>
    (await pool.query<T>(statement, values)).rows;
  return {
    /** Number of open commands. */
    open: async (): Promise<number> => {
      const found = await ask(`SELECT 1 FROM commands WHERE status IN ('accepted', 'dispatched') AND ${CHECKED}`);
      return found.length;
    },
    /** The node that holds the bridge, according to its row. */
    holder: async (): Promise<number | undefined> => {
      const held = await ask<{ pid: number }>(
        'SELECT n.pid FROM sessions s JOIN nodes n ON n.id = s.node WHERE s.connected',
      );
      return held[0] && Number(held[0].pid);
    },
    ask,
    after: (seq: number): Promise<Row[]> =>
      ask<Row>(
        `SELECT seq::int AS seq, id, name, status, params::text, result::text, error::text, idempotency_key AS key FROM commands
         WHERE ${CHECKED} AND seq > $1 ORDER BY seq`,
        [seq],
      ),
    players: async (limit: number): Promise<string[]> =>
      (await ask<{ identifier: string }>('SELECT identifier FROM players WHERE online LIMIT $1', [limit])).map(
        ({ identifier }) => identifier,
      ),
    close: (): void => void pool.end().catch(() => undefined),
  };
};
export type Rows = ReturnType<typeof openRows>;

/** The commands of all nodes, and their effects in the game's own ledger and goods. */
export const clusterLedgers = ({ rows, game }: { rows: Rows; game: Victim }): Ledgers => {
  const seen = new Set<string>();
  let last = { seq: 0, line: 0 };
  return {
    fresh: async () => {
      const { stock, ...told } = (await game.ask(last.line)) as Report;
      const found = (await rows.after(last.seq - OVERLAP)).filter(({ id }) => !seen.has(id));
      for (const { id } of found) seen.add(id);
      last = { seq: found.at(-1)?.seq ?? last.seq, line: told.lines.at(-1)?.id ?? last.line };
      return { rows: found, ...told, stocks: { stored: stock, saved: stock } };
    },
    books: openBooks(rows.ask),
    close: rows.close,
  };
};
