import { type SQL, sql } from 'drizzle-orm';
import type { Player } from '../../../bridge-protocol/wire/player.ts';
import type { Database, Prepared } from '../../port/database.ts';
import type { PlaceholderValues } from '../../port/values.ts';
import { searchFields, searchText } from '../../schema/text.ts';
import { choose, incoming } from '../expressions.ts';
import { mergedLinks } from './linked.ts';
import { type Address, hashOf, markOf, playerRecords } from './records.ts';
import { type Origin, playerTakeover, type Report } from './takeover.ts';

const WRITTEN = [
  'projectId',
  'serverId',
  'identifier',
  'name',
  'searchText',
  'online',
  'firstSeenAt',
  'lastSeenAt',
  'syncedAt',
  'identifiers',
  'accounts',
  'inventory',
  'vehicles',
  'metadata',
  'searchMarks',
  'searchPlates',
  'contentHash',
] as const;
const REPLACED = [
  'name',
  'searchText',
  'online',
  'syncedAt',
  'identifiers',
  'accounts',
  'inventory',
  'vehicles',
  'metadata',
  'searchMarks',
  'searchPlates',
  'contentHash',
] as const;

/** Columns that are stored as reported. */
const OF_EACH = [
  'identifier',
  'name',
  'online',
  'identifiers',
  'accounts',
  'inventory',
  'vehicles',
  'metadata',
] as const;
const SEEN: ReadonlySet<string> = new Set(['firstSeenAt', 'lastSeenAt', 'syncedAt']);

type Names = Record<(typeof OF_EACH)[number] | 'searchText' | 'searchMarks' | 'searchPlates' | 'contentHash', string>;
const named: Names[] = [];
/** The placeholder names of one row, made once: V8 has to intern a concatenated string before each use as a key. */
const namesOf = (row: number): Names => {
  const names = named[row] ?? (Object.fromEntries(WRITTEN.map((name) => [name, `${name}${row}`])) as Names);
  named[row] = names;
  return names;
};

const valuesOf = (key: PlaceholderValues, at: number, list: readonly Report[]): PlaceholderValues => {
  const values: PlaceholderValues = { ...key, at };
  for (const [row, { player, contentHash }] of list.entries()) {
    const names = namesOf(row);
    for (const name of OF_EACH) values[names[name]] = player[name];
    const { searchMarks, searchPlates } = searchFields(player);
    values[names.searchText] = searchText(player.name, player.identifier);
    values[names.searchMarks] = searchMarks;
    values[names.searchPlates] = searchPlates;
    values[names.contentHash] = contentHash && markOf(contentHash, at);
  }
  return values;
};

/** Writes players as a bridge reports them. */
export const playerUpsert = (database: Database) => {
  const { handle, tables, prepareChange, commit, late } = database;
  const { players } = tables;
  const records = playerRecords(database);
  const takeOver = playerTakeover(database);
  let waiting = 0;
  type Row = Record<(typeof WRITTEN)[number], ReturnType<typeof sql.placeholder>>;
  const placeholder = (name: (typeof WRITTEN)[number], row: number) => {
    if (name === 'projectId' || name === 'serverId') return sql.placeholder(name);
    return sql.placeholder(SEEN.has(name) ? 'at' : `${name}${row}`);
  };
  const rowOf = (row: number): Row =>
    // One placeholder for every column.
    Object.fromEntries(WRITTEN.map((name) => [name, placeholder(name, row)])) as Row;
  const build = (rows: number) => {
    const replaced = Object.fromEntries(REPLACED.map((name): [string, SQL] => [name, incoming(players[name])]));
    // An offline player was not seen now.
    const isSeen = sql`${incoming(players.online)} or ${players.online}`;
    const lastSeenAt = choose(isSeen, incoming(players.lastSeenAt), players.lastSeenAt);
    return handle
      .insert(players)
      .values(Array.from({ length: rows }, (_, row) => rowOf(row)))
      .onConflictDoUpdate({
        target: [players.projectId, players.identifier, players.serverId],
        set: { ...replaced, lastSeenAt, goneAt: sql`null` },
      });
  };

  const statements = new Map<number, Prepared<boolean>>();
  // One statement for all rows: before each statement of a transaction SQLite flushes the search index from memory as a
  // segment, which has to be merged with others later.
  const upsert = (rows: number): Prepared<boolean> => {
    const known = statements.get(rows) ?? prepareChange(`players.upsert ${rows}`, () => build(rows));
    statements.set(rows, known);
    return known;
  };

  const turned = (address: Address, list: readonly Report[], at: number): Promise<unknown>[] =>
    [true, false].flatMap((online) => {
      const those = list.flatMap(({ player }) => (player.online === online ? [player.identifier] : []));
      return those.length === 0 ? [] : [commit(() => records.turn(address, those, { online, at }))];
    });

  /** Writes what is new in a snapshot; returns how many whole rows were written. */
  const writeNew = async (address: Address, list: readonly Report[], at: number): Promise<number> => {
    const isSame = ({ before, contentHash }: Report): boolean =>
      before !== undefined &&
      before.goneAt === null &&
      contentHash !== null &&
      before.contentHash === markOf(contentHash, before.syncedAt);
    const changed = list.filter((each) => !isSame(each));
    const turning = list.filter((each) => isSame(each) && each.before?.online !== each.player.online);
    const written = await Promise.allSettled([
      ...turned(address, turning, at),
      ...(changed.length === 0 ? [] : [writeAll(address, changed, at)]),
    ]);
    // The caller goes on only when no statement runs any more.
    for (const each of written) if (each.status === 'rejected') throw each.reason;
    return changed.length;
  };
  const writeAll = async (address: Address, list: readonly Report[], at: number): Promise<number> => {
    await commit(() => upsert(list.length)(valuesOf(address, at, list)), { rows: list.length });
    return list.length;
  };

  /** Compares reports with the stored rows. */
  const compared = async (address: Address, list: readonly Player[]): Promise<Report[]> => {
    const distinct = [...new Map(list.map((player) => [player.identifier, player])).values()];
    if (distinct.length === 0) return [];
    const stored = await records.stored(
      address,
      distinct.map(({ identifier }) => identifier),
    );
    return distinct.map((reported) => {
      const before = stored.get(reported.identifier);
      const identifiers = mergedLinks(reported.identifiers, before?.identifiers);
      const player = identifiers === reported.identifiers ? reported : { ...reported, identifiers };
      return { reported, player, before, contentHash: hashOf(player) };
    });
  };

  return {
    /**
     * Inserts or replaces at most 100 players of one server; of two with the same identifier, the later one counts.
     * `firstSeenAt` stays; a player that was and is offline keeps `lastSeenAt`. Linked identifiers that a report lacks stay.
     * `isPart`: more follow at once, so the search index takes many together. Searches find them in any case. `isSnapshot`:
     * a record that is stored already is not written again, so its `syncedAt` stays; only its presence is, if that changed.
     * `shown`: of the first snapshot of a server.
     */
    upsert: async (
      projectId: string,
      serverId: string,
      list: readonly Player[],
      at: number,
      { isPart = false, isSnapshot = false, shown }: Origin & { isPart?: boolean } = {},
    ): Promise<void> => {
      const address = { projectId, serverId };
      const reports = await takeOver(address, await compared(address, list), { isSnapshot, shown });
      if (reports.length === 0) return;
      const written = (isSnapshot ? writeNew : writeAll)(address, reports, at);
      // Many rows get a transaction of their own, because each one blocks the event loop.
      const count = isPart || isSnapshot ? await written : reports.length;
      waiting += count;
      if (late === undefined || (isPart && waiting < late.atOnce)) await written;
      else {
        waiting = 0;
        await Promise.all([written, commit(late.some)]);
      }
    },
  };
};
