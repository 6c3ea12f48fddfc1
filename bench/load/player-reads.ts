import { EMPTY_SERVER, identifierOf, type Population } from '../population.ts';

const LIST = '/api/v2/players';
const MANY = 200;

/** The requested paths, and the correct `total` of the first path; undefined if it depends on the names. */
export type Read = { paths: readonly string[]; total?: number; isSearch?: true };

const find = (terms: readonly string[], total?: number): Read => ({
  paths: terms.map((term) => `${LIST}?search=${encodeURIComponent(term)}`),
  isSearch: true,
  ...(total === undefined ? {} : { total }),
});

/** Identifiers of players on all servers. */
const some = (players: number): string[] =>
  Array.from({ length: MANY }, (_, n) => identifierOf(Math.floor((n * players) / MANY)));

/** Each kind of request that lists or searches players. `cursors` point deep into the order by last seen. */
export const playerReads = ({ players }: Population, cursors: readonly string[]): Record<string, Read> => ({
  /** A request that reads no player: the base cost of every answer, to be subtracted from the others. */
  empty: { paths: [`${LIST}?serverId=${EMPTY_SERVER}`], total: 0 },
  first: { paths: [LIST], total: players },
  firstByLastSeen: { paths: [`${LIST}?sort=lastSeen`], total: players },
  firstByName: { paths: [`${LIST}?sort=name`], total: players },
  offsetHalf: { paths: [`${LIST}?sort=lastSeen&offset=${players / 2}`], total: players },
  cursorDeep: { paths: cursors.map((cursor) => `${LIST}?sort=lastSeen&cursor=${cursor}`), total: players },
  detail: { paths: some(players).map((identifier) => `${LIST}/${encodeURIComponent(identifier)}`) },
  /** Searches with one hit each. */
  searchRare: find(
    some(players).map((identifier) => identifier.slice(12, 28)),
    1,
  ),
  /** First names: about 1 % of all players. */
  searchName: find(['zofia', 'kılıç', 'Sean', 'Олена', 'maëlle', 'Øvergård']),
  /** A third of all players. */
  searchCommon: find(['char2'], Math.min(10_000, Math.ceil(players / 3))),
  /** Letters that occur in many names, and letters that occur in few. */
  search1: find(['a', 'n', '9', 'я', '健', '🔥']),
  search2: find(['an', 'so', 'ко', '9f', '佐藤', 'q ']),
  searchNone: find(['no player has this name', 'zofia wójcik zofia', 'xyzzy'], 0),
  searchNone2: find(['xq', 'qx', 'щщ'], 0),
});
