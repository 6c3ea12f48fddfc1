import pg from 'pg';
import type { CommandLine, Mismatch } from '../../simulator/ledger.ts';
import type { Victim } from '../../tests/testkit/processes.ts';
import type { Ledgers, Row } from '../ledgers.ts';

/** Rows get their number when their insert begins, and may be seen later than higher ones. */
const OVERLAP = 1_000;

/** The cluster's rows, asked of PostgreSQL itself. */
export const openRows = (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  const ask = async <T extends pg.QueryResultRow>(statement: string, values: unknown[] = []): Promise<T[]> =>
    (await pool.query<T>(statement, values)).rows;
  return {
    /** How many commands are on their way. */
    open: async (): Promise<number> => {
      const found = await ask(`SELECT 1 FROM commands WHERE status IN ('accepted', 'dispatched') AND name = 'money'`);
      return found.length;
    },
    /** The process that holds the bridge, by its row. */
    holder: async (): Promise<number | undefined> => {
      const held = await ask<{ pid: number }>(
        'SELECT n.pid FROM sessions s JOIN nodes n ON n.id = s.node WHERE s.connected',
      );
      return held[0] && Number(held[0].pid);
    },
    moneyAfter: (seq: number): Promise<Row[]> =>
      ask<Row>(
        `SELECT seq::int AS seq, id, status, params::text, result::text, error::text FROM commands
         WHERE name = 'money' AND seq > $1 ORDER BY seq`,
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

/** The commands of all nodes, and what they did to the money, as the game's own book has it. */
export const clusterLedgers = ({ rows, game }: { rows: Rows; game: Victim }): Ledgers => {
  const seen = new Set<string>();
  let last = { seq: 0, line: 0 };
  return {
    fresh: async () => {
      const told = (await game.ask(last.line)) as { lines: CommandLine[]; audit: Mismatch[] };
      const found = (await rows.moneyAfter(last.seq - OVERLAP)).filter(({ id }) => !seen.has(id));
      for (const { id } of found) seen.add(id);
      last = { seq: found.at(-1)?.seq ?? last.seq, line: told.lines.at(-1)?.id ?? last.line };
      return { rows: found, ...told };
    },
    close: rows.close,
  };
};
