import { hash } from 'node:crypto';
import { and, type Column, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Player } from '../../../bridge-protocol/wire/player.ts';
import { createStatements, type Database, type PlaceholderValues, type Prepared } from '../../database.ts';
import { bound, choose, incoming, literally } from '../../expressions.ts';
import type { Tables } from '../../schema/tables.ts';
import { searchFields, searchText } from '../../schema/text.ts';
import { LATE_AT_ONCE, lateIndex, playerSearch } from './search.ts';

/** The fields of a player's metadata that lists show. Null: the game has none, or not as a text or a whole number. */
type PlayerFacts = Pick<
  Tables['players']['$inferSelect'],
  'jobName' | 'jobLabel' | 'jobGrade' | 'groupName' | 'playedMinutes'
>;

/** UTF-16 units that are kept of the name of a job or group. */
const MAX_LENGTH = 128;

const textOf = (value: unknown): string | null => {
  if (typeof value !== 'string' || value === '') return null;
  return value.length <= MAX_LENGTH ? value : value.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '');
};
const wholeOf = (value: unknown): number | null => {
  const whole = typeof value === 'number' ? Math.floor(value) : Number.NaN;
  return Number.isSafeInteger(whole) ? whole : null;
};

/** Reads the fields of the metadata that have a meaning for the hub. Label and grade count only with a job. */
const factsOf = ({ metadata }: Pick<Player, 'metadata'>): PlayerFacts => {
  const jobName = textOf(metadata['job']);
  const minutes = wholeOf(metadata['playedMinutes']);
  return {
    jobName,
    jobLabel: jobName === null ? null : textOf(metadata['jobLabel']),
    jobGrade: jobName === null ? null : wholeOf(metadata['jobGrade']),
    groupName: textOf(metadata['group']),
    playedMinutes: minutes === null || minutes < 0 ? null : minutes,
  };
};

/** A row of a player, without the columns that only searches and writes read. */
export type PlayerRow = Omit<
  Tables['players']['$inferSelect'],
  'searchMarks' | 'searchPlates' | 'contentHash' | 'outbox'
>;

/** Raised with each column that is made of a record: the next report of a player then fills it. */
const COLUMNS = 2;

/** The hash of all that is stored of a player but their presence. */
const hashOf = ({ name, identifiers, accounts, inventory, vehicles, metadata }: Player): string =>
  hash('sha256', JSON.stringify([COLUMNS, name, identifiers, accounts, inventory, vehicles, metadata]), 'base64url');
/** With the time of the write: a node of an older version writes records and leaves this column as it was. */
const markOf = (contentHash: string, syncedAt: number): string => `${syncedAt} ${contentHash}`;

/** An offline player has no number in the game. */
const gameIdOf = ({ online, gameId }: Player): number | null => (online ? (gameId ?? null) : null);

type Stored = Pick<PlayerRow, 'identifier' | 'identifiers' | 'online' | 'gameId' | 'syncedAt' | 'goneAt'> & {
  contentHash: string | null;
};
export type Address = { projectId: string; serverId: string };
/** Of the rows that a report makes; null: they owe no event. */
type NewRows = { outbox: number | null };

/** Sizes of a statement's list are powers of two, so that there are few statements; the last entry fills the list up. */
const filled = (identifiers: readonly string[]): { size: number; values: PlaceholderValues } => {
  const size = 2 ** Math.ceil(Math.log2(identifiers.length));
  const entries = Array.from({ length: size }, (_, n) => [`identifier${n}`, identifiers[n] ?? identifiers.at(-1)]);
  return { size, values: Object.fromEntries(entries) };
};

/** Reads what reports of some players are compared with of one server, and writes their presence alone. */
const playerRecords = ({ handle, tables: { players }, prepare, prepareChange, read }: Database) => {
  const among = (size: number): SQL | undefined =>
    and(
      eq(players.projectId, sql.placeholder('projectId')),
      eq(players.serverId, sql.placeholder('serverId')),
      inArray(
        players.identifier,
        Array.from({ length: size }, (_, n) => sql.placeholder(`identifier${n}`)),
      ),
    );
  /** The value of the placeholder `gameId0`, `gameId1` and so on that belongs to the identifier with this number. */
  const chosenBy = (key: Column, size: number): SQL => {
    const branches = Array.from(
      { length: size },
      (_, n) => sql`when ${sql.placeholder(`identifier${n}`)} then cast(${sql.placeholder(`gameId${n}`)} as bigint)`,
    );
    return sql`case ${key} ${sql.join(branches, sql` `)} end`;
  };
  const reads = createStatements<Stored[]>({ handle, prepare, read }, { isPlannedOnce: true });
  const changes = new Map<number, Prepared<boolean>>();
  const { identifier, identifiers: linked, online, gameId, syncedAt, contentHash, goneAt } = players;
  const columns = { identifier, identifiers: linked, online, gameId, syncedAt, contentHash, goneAt };

  return {
    stored: async (address: Address, identifiers: readonly string[]): Promise<Map<string, Stored>> => {
      const { size, values } = filled(identifiers);
      const build = () => handle.select(columns).from(players).where(among(size));
      const rows = await reads.run(`players.stored ${size}`, build, { ...address, ...values });
      return new Map(rows.map((row) => [row.identifier, row]));
    },
    /** Writes the presence of players who are all online, or all offline. */
    turn: (address: Address, list: readonly Player[], to: { online: boolean; at: number }) => {
      const { size, values } = filled(list.map((player) => player.identifier));
      const ids = Array.from({ length: size }, (_, n) => [`gameId${n}`, list[n] ? gameIdOf(list[n]) : null]);
      const build = () =>
        handle
          .update(players)
          .set({
            online: bound(players.online, 'online'),
            lastSeenAt: bound(players.lastSeenAt, 'at'),
            gameId: chosenBy(identifier, size),
          })
          .where(among(size));
      const statement = changes.get(size) ?? prepareChange(`players.turn ${size}`, build);
      changes.set(size, statement);
      return statement({ ...address, ...values, ...Object.fromEntries(ids), ...to });
    },
  };
};

/** The most linked identifiers of a player: a report has no more. */
const MAX_LINKED = 32;
/** Kinds that stand for one account of a person, the surest first. */
const PERSONAL = ['license:', 'license2:', 'steam:'];

/** The part up to the first colon; an identifier without one is a kind by itself. */
const kindOf = (identifier: string): string => identifier.slice(0, identifier.indexOf(':') + 1) || identifier;

/** True if both lists have values of the same personal kinds, and no such value in common: the row has another owner. */
const hasChangedHands = (reported: readonly string[], remembered: readonly string[]): boolean => {
  const kinds = new Set(reported.map(kindOf).filter((kind) => PERSONAL.includes(kind)));
  const comparable = remembered.filter((identifier) => kinds.has(kindOf(identifier)));
  return comparable.length > 0 && !comparable.some((identifier) => reported.includes(identifier));
};

/**
 * The linked identifiers of a player after a report: the reported ones, then the remembered ones of other kinds, the newest
 * first. A source that knows less, such as the row of an absent character, erases nothing.
 */
const mergedLinks = (reported: string[], remembered: readonly string[] = []): string[] => {
  const kinds = new Set(reported.map(kindOf));
  const kept = remembered.filter((identifier) => !kinds.has(kindOf(identifier)));
  if (kept.length === 0 || hasChangedHands(reported, remembered)) return reported;
  return [...reported, ...kept].slice(0, MAX_LINKED);
};

/** Whether two characters belong to one person, by the first kind of account that both have. */
const isSamePerson = (some: readonly string[], others: readonly string[]): boolean => {
  for (const kind of PERSONAL) {
    const of = (list: readonly string[]) => list.filter((identifier) => kindOf(identifier) === kind);
    const [mine, theirs] = [of(some), of(others)];
    if (mine.length > 0 && theirs.length > 0) return mine.some((identifier) => theirs.includes(identifier));
  }
  return false;
};

/** Whether another person can have the identifier: with the same license, it is the same person. */
const canBeTaken = (identifier: string): boolean => !identifier.startsWith('license:');

/**
 * A report of a player: as it came, as it is stored, and the row before it. Without a hash, the next report of the player is
 * written and looked at whatever it says.
 */
export type Report = { reported: Player; player: Player; before: Stored | undefined; contentHash: string | null };

/**
 * A snapshot has too many players to look for stored doubles of each. `shown`: the linked identifiers that the first
 * snapshot of a server has shown so far; all others have no holder yet.
 */
export type Origin = { isSnapshot?: boolean; shown?: Set<string> | undefined };
/** `isFirst`: the hub has had no complete snapshot of the server yet, so its players are not new ones. */
type Reported = Origin & { isPart?: boolean; isFirst?: boolean };

/**
 * The identifiers of a report that its row did not have; all of them if another player had one of them at that time, or if
 * the player comes online: so a double that is stored already ends, too.
 */
const newIn = ({ reported, before }: Report, { isSnapshot = false }: Origin): string[] => {
  const comes = !isSnapshot && reported.online && before?.online === false;
  const isFresh = before === undefined || before.contentHash === null || comes;
  const known = isFresh ? [] : before.identifiers;
  return reported.identifiers.filter((identifier) => canBeTaken(identifier) && !known.includes(identifier));
};

/** The player who newly shows each identifier: online players before others, of them the last. */
const claimsIn = (reports: readonly Report[], origin: Origin): Map<string, Player> => {
  const { shown } = origin;
  const claims = new Map<string, Player>();
  for (const online of [false, true]) {
    for (const report of reports) {
      if (report.reported.online !== online) continue;
      for (const identifier of newIn(report, origin)) {
        if (shown === undefined || shown.has(identifier)) claims.set(identifier, report.player);
        shown?.add(identifier);
      }
    }
  }
  return claims;
};

/** Gives linked identifiers to the player who plays with them now, and takes them from other people's characters. */
const playerTakeover = (database: Database) => {
  const { handle, tables, prepare, prepareChange, read, commit } = database;
  const { players } = tables;
  const { linked } = playerSearch(database);
  const { id, identifier, identifiers } = players;
  const holders = prepare(
    'players.holders',
    () => {
      const ofServer = [
        eq(players.projectId, sql.placeholder('projectId')),
        eq(players.serverId, sql.placeholder('serverId')),
      ];
      return handle
        .select({ id, identifier, identifiers })
        .from(players)
        .where(sql`${id} in (select ${id} from ${linked.anyRows(ofServer)})`);
    },
    'anew',
  );
  const keep = prepareChange('players.keepLinks', () =>
    handle
      .update(players)
      .set({
        identifiers: bound(identifiers, 'identifiers'),
        searchMarks: bound(players.searchMarks, 'searchMarks'),
        contentHash: sql`null`,
      })
      .where(eq(id, sql.placeholder('id'))),
  );
  /** The next reports of these players are written and looked at whatever they say. */
  const lookAgain = ({ projectId, serverId }: Address, contested: ReadonlySet<string>) =>
    handle
      .update(players)
      .set({ contentHash: null })
      .where(
        and(eq(players.projectId, projectId), eq(players.serverId, serverId), inArray(identifier, [...contested])),
      );

  /**
   * Before the reports are written, so that they make the same claims again if this fails. Returns what to write: of two
   * reports with one identifier, too, only one keeps it.
   */
  return async (address: Address, reports: readonly Report[], origin: Origin): Promise<readonly Report[]> => {
    const claims = claimsIn(reports, origin);
    if (claims.size === 0) return reports;
    const contested = new Set<string>();
    const keptOf = (row: Pick<Player, 'identifier' | 'identifiers'>): string[] =>
      row.identifiers.filter((linked) => {
        const claimant = claims.get(linked);
        if (claimant === undefined || claimant.identifier === row.identifier) return true;
        if (isSamePerson(claimant.identifiers, row.identifiers)) return true;
        // The person behind an absent player is not known: the next one of the two who plays has it.
        if (!claimant.online) for (const either of [claimant, row]) contested.add(either.identifier);
        return !claimant.online;
      });
    const kept = reports.map((report): Report => {
      const links = keptOf(report.player);
      if (links.length === report.player.identifiers.length) return report;
      return { ...report, player: { ...report.player, identifiers: links }, contentHash: null };
    });
    const reported = new Set(reports.map(({ player }) => player.identifier));
    const values = { ...address, ...linked.anyOf([...claims.keys()]) };
    for (const row of await read(() => holders(values))) {
      if (reported.has(row.identifier)) continue;
      const links = keptOf(row);
      if (links.length === row.identifiers.length) continue;
      const { searchMarks } = searchFields({ identifier: row.identifier, identifiers: links, vehicles: [] });
      await commit(() => keep({ id: row.id, identifiers: links, searchMarks }));
    }
    if (contested.size > 0) await commit(() => lookAgain(address, contested));
    return kept.map((report) => (contested.has(report.player.identifier) ? { ...report, contentHash: null } : report));
  };
};

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
  'jobName',
  'jobLabel',
  'jobGrade',
  'groupName',
  'playedMinutes',
  'gameId',
  'outbox',
] as const;
/** A report does not replace these columns of a row. */
const KEPT: ReadonlySet<string> = new Set([
  ...['projectId', 'serverId', 'identifier', 'firstSeenAt', 'lastSeenAt', 'outbox'],
]);
const REPLACED = WRITTEN.filter((name) => !KEPT.has(name));

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

const FACTS = [
  'jobName',
  'jobLabel',
  'jobGrade',
  'groupName',
  'playedMinutes',
] as const satisfies (keyof PlayerFacts)[];
type Made = 'searchText' | 'searchMarks' | 'searchPlates' | 'contentHash' | 'gameId';
type Names = Record<(typeof OF_EACH)[number] | (typeof FACTS)[number] | Made, string>;
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
    values[names.gameId] = gameIdOf(player);
    const facts = factsOf(player);
    for (const name of FACTS) values[names[name]] = facts[name];
  }
  return values;
};

/** Writes players as a bridge reports them. */
export const playerUpsert = (database: Database) => {
  const { handle, tables, prepare, prepareChange, read, commit } = database;
  const { players } = tables;
  const records = playerRecords(database);
  const takeOver = playerTakeover(database);
  const index = lateIndex(database);
  let waiting = 0;
  type Row = Record<(typeof WRITTEN)[number], ReturnType<typeof sql.placeholder>>;
  const placeholder = (name: (typeof WRITTEN)[number], row: number) => {
    if (name === 'projectId' || name === 'serverId' || name === 'outbox') return sql.placeholder(name);
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

  const keepsEvents = prepare('players.keepsEvents', () =>
    handle
      .select({ id: tables.projects.id })
      .from(tables.projects)
      .where(
        and(eq(tables.projects.id, sql.placeholder('projectId')), literally(eq(tables.projects.keepEvents, true))),
      ),
  );
  const firstOutbox = async (projectId: string): Promise<number | null> =>
    (await read(() => keepsEvents({ projectId }))).length > 0 ? 1 : null;

  const turned = (address: Address, list: readonly Report[], at: number): Promise<unknown>[] =>
    [true, false].flatMap((online) => {
      const those = list.flatMap(({ player }) => (player.online === online ? [player] : []));
      return those.length === 0 ? [] : [commit(() => records.turn(address, those, { online, at }))];
    });

  /** Writes what is new in a snapshot; returns how many whole rows were written. */
  const writeNew = async (address: Address & NewRows, list: readonly Report[], at: number): Promise<number> => {
    const isSame = ({ before, contentHash }: Report): boolean =>
      before !== undefined &&
      before.goneAt === null &&
      contentHash !== null &&
      before.contentHash === markOf(contentHash, before.syncedAt);
    const changed = list.filter((each) => !isSame(each));
    const hasTurned = ({ before, player }: Report): boolean =>
      before?.online !== player.online || before.gameId !== gameIdOf(player);
    const turning = list.filter((each) => isSame(each) && hasTurned(each));
    const written = await Promise.allSettled([
      ...turned(address, turning, at),
      ...(changed.length === 0 ? [] : [writeAll(address, changed, at)]),
    ]);
    // The caller goes on only when no statement runs any more.
    for (const each of written) if (each.status === 'rejected') throw each.reason;
    return changed.length;
  };
  const writeAll = async (address: Address & NewRows, list: readonly Report[], at: number): Promise<number> => {
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
      { isPart = false, isSnapshot = false, isFirst = false, shown }: Reported = {},
    ): Promise<void> => {
      const address = { projectId, serverId };
      const reports = await takeOver(address, await compared(address, list), { isSnapshot, shown });
      if (reports.length === 0) return;
      const isAnyNew = !isFirst && reports.some(({ before }) => before === undefined);
      const outbox = isAnyNew ? await firstOutbox(projectId) : null;
      const written = (isSnapshot ? writeNew : writeAll)({ ...address, outbox }, reports, at);
      // Many rows get a transaction of their own, because each one blocks the event loop.
      const count = isPart || isSnapshot ? await written : reports.length;
      waiting += count;
      if (index === undefined || (isPart && waiting < LATE_AT_ONCE)) await written;
      else {
        waiting = 0;
        await Promise.all([written, commit(() => index())]);
      }
    },
  };
};
