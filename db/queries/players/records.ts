import { hash } from 'node:crypto';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Player } from '../../../bridge-protocol/wire/player.ts';
import { createStatements, type Database, type PlaceholderValues, type Prepared } from '../../port/database.ts';
import type { Tables } from '../../schema/tables.ts';
import { bound } from '../expressions.ts';

/** A row of a player, without the columns that only searches and writes read. */
export type PlayerRow = Omit<Tables['players']['$inferSelect'], 'searchMarks' | 'searchPlates' | 'contentHash'>;

/** Of all that is stored of a player but their presence. */
export const hashOf = ({ name, identifiers, accounts, inventory, vehicles, metadata }: Player): string =>
  hash('sha256', JSON.stringify([name, identifiers, accounts, inventory, vehicles, metadata]), 'base64url');
/** With the time of the write: a node of an older version writes records and leaves this column as it was. */
export const markOf = (contentHash: string, syncedAt: number): string => `${syncedAt} ${contentHash}`;

export type Stored = Pick<PlayerRow, 'identifier' | 'identifiers' | 'online' | 'syncedAt' | 'goneAt'> & {
  contentHash: string | null;
};
export type Address = { projectId: string; serverId: string };

/** Sizes of a statement's list are powers of two, so that there are few statements; the last entry fills the list up. */
const filled = (identifiers: readonly string[]): { size: number; values: PlaceholderValues } => {
  const size = 2 ** Math.ceil(Math.log2(identifiers.length));
  const entries = Array.from({ length: size }, (_, n) => [`identifier${n}`, identifiers[n] ?? identifiers.at(-1)]);
  return { size, values: Object.fromEntries(entries) };
};

/** Reads what reports of some players are compared with of one server, and writes their presence alone. */
export const playerRecords = ({ handle, tables: { players }, prepare, prepareChange, read }: Database) => {
  const among = (size: number): SQL | undefined =>
    and(
      eq(players.projectId, sql.placeholder('projectId')),
      eq(players.serverId, sql.placeholder('serverId')),
      inArray(
        players.identifier,
        Array.from({ length: size }, (_, n) => sql.placeholder(`identifier${n}`)),
      ),
    );
  const reads = createStatements<Stored[]>({ handle, prepare, read }, { isPlannedOnce: true });
  const changes = new Map<number, Prepared<boolean>>();
  const { identifier, identifiers: linked, online, syncedAt, contentHash, goneAt } = players;
  const columns = { identifier, identifiers: linked, online, syncedAt, contentHash, goneAt };

  return {
    stored: async (address: Address, identifiers: readonly string[]): Promise<Map<string, Stored>> => {
      const { size, values } = filled(identifiers);
      const build = () => handle.select(columns).from(players).where(among(size));
      const rows = await reads.run(`players.stored ${size}`, build, { ...address, ...values });
      return new Map(rows.map((row) => [row.identifier, row]));
    },
    /** Changes the presence of players from online to offline or back. */
    turn: (address: Address, identifiers: readonly string[], to: { online: boolean; at: number }) => {
      const { size, values } = filled(identifiers);
      const build = () =>
        handle
          .update(players)
          .set({
            online: bound(players.online, 'online'),
            lastSeenAt: bound(players.lastSeenAt, 'at'),
          })
          .where(among(size));
      const statement = changes.get(size) ?? prepareChange(`players.turn ${size}`, build);
      changes.set(size, statement);
      return statement({ ...address, ...values, ...to });
    },
  };
};
