import { and, type Column, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { fold } from '../../../bridge-protocol/fold.ts';
import type { Database, PlaceholderValues } from '../../database.ts';
import { atMost, literally } from '../../expressions.ts';
import { storable } from '../../schema/text.ts';
import type { Search, Word } from './search.ts';
import type { PlayerRow } from './write.ts';

/** Words under this length are not searched inside hashes, because they would match most of them. */
const MIN_IN_HASH = 4;
/** The characters of identifiers, folded. */
const IDENTIFIER_WORD = /^[a-z0-9:_.@-]+$/;
/** A mention of a user, as Discord copies it. */
const MENTION = /^<@!?(\d+)>$/;
/** A SteamID64, as Steam shows it: identifiers of FiveM have it in hexadecimal digits. */
const STEAM_ID = /^7656119\d{10}$/;
/** The number that the game shows beside a player. */
const GAME_ID = /^#(\d{1,15})$/;

/** Which players are wanted. */
export type PlayerFilters = {
  projectId: string;
  /** Only of these servers. */
  servers?: readonly string[];
  online?: boolean;
  /** Words: each one is a part of the name or of an identifier, in any case. `#143`: the online players with this number. */
  search?: string;
  /** `search` looks at number plates, too. */
  plates?: boolean;
  /** The name of their job, exactly. */
  job?: string;
  /** The name of their group, exactly. */
  group?: string;
  /** They have this account. */
  account?: string;
  /** The least and the largest balance of `account`, whole numbers. */
  minBalance?: number;
  maxBalance?: number;
};

/** A row without what only the page of a player shows. */
export type PlayerListRow = Omit<PlayerRow, 'inventory' | 'vehicles' | 'metadata'>;

/** A page of a list. */
export type PlayerPage = {
  rows: PlayerListRow[];
  total: number;
  totalIsLowerBound: boolean;
  next: string | null;
};

/** Filters that no total counts. Each is also the name of its placeholder. */
type Fact = 'gameId' | 'job' | 'group' | 'account' | 'minBalance' | 'maxBalance';

/** Where a word is searched beside the name: in identifiers without their hashes, in whole ones, in number plates. */
type Field = 'marks' | 'ids' | 'plates';
export type Sought = Word & { fields: readonly Field[] };

/** Requests of the same shape use the same statements. */
export type Shape = { servers: number | undefined; online: boolean | undefined; facts: readonly Fact[] };

/** The words of a search, the longest first. None: nothing can match. */
const wordsOf = (search: string, { plates }: { plates: boolean }): Sought[] => {
  const texts = new Set(fold(storable(search)).replace(MENTION, 'discord:$1').split(' '));
  texts.delete('');
  const words = [...texts].map((text): Sought => {
    const { length } = [...text];
    const ofIdentifiers: Field[] = IDENTIFIER_WORD.test(text) ? [length < MIN_IN_HASH ? 'marks' : 'ids'] : [];
    return { text, length, fields: plates ? [...ofIdentifiers, 'plates'] : ofIdentifiers };
  });
  return words.sort((a, b) => b.length - a.length);
};

/** The identifier of FiveM for a SteamID64 that nothing was found for; undefined: the search is something else. */
export const steamOf = (search: string): string | undefined =>
  STEAM_ID.test(fold(search)) ? `steam:${BigInt(fold(search)).toString(16)}` : undefined;

/** The number of a search like `#143`; undefined: the search is something else. */
const gameIdOf = (search: string): number | undefined => {
  const [, digits] = GAME_ID.exec(search.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** The words of a request; undefined: it is no search by words. */
export const soughtBy = ({ search = '', plates = false }: PlayerFilters): Sought[] | undefined =>
  search === '' || gameIdOf(search) !== undefined ? undefined : wordsOf(search, { plates });

/** The shape of a request. */
export const shapeOf = (request: PlayerFilters): Shape => {
  const { servers, online, search = '', job, group, account, minBalance, maxBalance } = request;
  const hasBounds = minBalance !== undefined || maxBalance !== undefined;
  const given: Record<Fact, boolean> = {
    gameId: gameIdOf(search) !== undefined,
    job: job !== undefined,
    group: group !== undefined,
    // A player without the account has no balance within bounds.
    account: account !== undefined && !hasBounds,
    minBalance: account !== undefined && minBalance !== undefined,
    maxBalance: account !== undefined && maxBalance !== undefined,
  };
  const facts = (Object.keys(given) as Fact[]).filter((fact) => given[fact]);
  return { servers: servers?.length, online, facts };
};

/** A text that is the same for requests of the same shape. */
export const shapeKey = ({ servers, online, facts, words }: Shape & { words: readonly Sought[] }): string =>
  [servers, online, facts, words.map(({ length, fields }) => `${Math.min(length, MIN_IN_HASH)}${fields}`)].join(' ');

/** SQL with commas between its parts. */
export const commas = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);

/** Part of a result; both are names of placeholders. */
export const windowOf = (limit: string, offset: string): SQL =>
  sql`limit ${atMost(sql.placeholder(limit))} offset ${sql.placeholder(offset)}`;

/** The conditions of lists and searches, and the values of their placeholders. */
export const playerFilters = ({ tables }: Pick<Database, 'tables'>, search: Search) => {
  const { players } = tables;
  const {
    inventory: _i,
    vehicles: _v,
    metadata: _m,
    searchMarks: _s,
    searchPlates: _p,
    contentHash: _h,
    outbox: _o,
    ...columns
  } = getTableColumns(players);
  const value = (name: string): SQL => sql`${sql.placeholder(name)}`;
  const balance = sql`cast(${players.accounts} ->> cast(${value('account')} as text) as bigint)`;
  const factFilters: Record<Fact, () => SQL> = {
    gameId: () => sql`${eq(players.gameId, value('gameId'))} and ${literally(eq(players.online, true))}`,
    job: () => eq(players.jobName, value('job')),
    group: () => eq(players.groupName, value('group')),
    account: () => sql`${balance} is not null`,
    minBalance: () => sql`${balance} >= ${value('minBalance')}`,
    maxBalance: () => sql`${balance} <= ${value('maxBalance')}`,
  };

  const placeOf = (text: SQL | Column, part: SQL): SQL => sql`${search.position}(${text}, ${part})`;
  const lineFeed = sql`${'\n'}`;
  const nameEnd = placeOf(players.searchText, lineFeed);
  const searched: Record<Field, SQL | Column> = {
    marks: players.searchMarks,
    ids: sql`lower(${players.identifier} || ${lineFeed} || cast(${players.identifiers} as text))`,
    plates: players.searchPlates,
  };
  const wordAt = (position: number): SQL => value(`word${position}`);
  const isInName = (position: number): SQL =>
    sql`${placeOf(players.searchText, wordAt(position))} between 1 and ${nameEnd}`;
  /** Each word is somewhere in the player's row. */
  const hasAll = (words: readonly Sought[]): SQL[] =>
    words.map(({ fields }, n) => {
      const elsewhere = fields.map((field) => sql`${placeOf(searched[field], wordAt(n))} > 0`);
      return sql`(${sql.join([isInName(n), ...elsewhere], sql` or `)})`;
    });

  /** The filters of rows and, without facts, of totals. */
  const filtersOf = ({ servers, online, facts }: Shape): SQL[] => {
    const filters = [eq(players.projectId, sql.placeholder('projectId'))];
    const ids = Array.from({ length: servers ?? 0 }, (_, position) => sql.placeholder(`server${position}`));
    const [only] = ids;
    if (only !== undefined)
      filters.push(ids.length === 1 ? eq(players.serverId, only) : inArray(players.serverId, ids));
    if (online !== undefined) filters.push(literally(eq(players.online, online)));
    return [...filters, ...facts.map((fact) => factFilters[fact]())];
  };

  return {
    /** The columns of a row in a list. */
    columns,
    /** The balance of the placeholder `account`. */
    balance,
    filtersOf,
    /** Whether all words are in the name. */
    isNamed: (words: readonly Sought[]): SQL => sql`${and(...words.map((_, n) => isInName(n)))}`,
    /** The conditions of all rows of a list. */
    wanted: ({ words, ...shape }: Shape & { words: readonly Sought[] }): SQL[] => [
      ...filtersOf(shape),
      isNull(players.goneAt),
      ...hasAll(words),
    ],
    valuesOf: (request: PlayerFilters, words: readonly Sought[]): PlaceholderValues => {
      const { projectId, servers = [], job, group, account, minBalance, maxBalance } = request;
      return {
        projectId,
        ...Object.fromEntries(servers.map((id, position) => [`server${position}`, id])),
        ...Object.fromEntries(words.map(({ text }, position) => [`word${position}`, text])),
        ...search.values(words),
        ...{ job, group, account, minBalance, maxBalance, gameId: gameIdOf(request.search ?? '') },
      };
    },
  };
};
export type Filters = ReturnType<typeof playerFilters>;
