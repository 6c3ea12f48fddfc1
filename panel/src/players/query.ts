import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  skipToken,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { fold } from '../../../bridge-protocol/fold.ts';
import { hub, type PlayerSummary, type QueryOf } from '../api.ts';
import { type PlayerList, type PlayerPage, withEventsSince } from '../live.ts';
import { namedPlayer } from '../names.ts';
import { whileShort } from '../queries.ts';

const MAX_ROWS = 100;
/** The hub does not look for shorter texts inside identifiers. */
const MIN_IN_IDENTIFIER = 4;

/**
 * The players in earlier answers whose name or identifier contains the text, those with the name first. They are shown
 * until the hub answers. Without a text, there are none.
 */
export const knownPlayers = (client: QueryClient, text: string, address: PlayerSearch): readonly PlayerSummary[] => {
  const { serverId, online, job, group } = address;
  // The hub alone knows the order of these.
  if (text === '' || orderOf(address).sort !== undefined || boundsOf(address) !== undefined) return [];
  const wanted = fold(text);
  const lists = client.getQueryCache().findAll({ queryKey: ['players'] });
  const newestFirst = lists.toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
  const players = new Map<string, PlayerSummary>();
  for (const { state } of newestFirst) {
    const { pages = [] } = (state.data ?? {}) as Partial<InfiniteData<PlayerPage>>;
    for (const player of pages.flatMap(({ data }) => data)) {
      const key = keyOf(player);
      const isOf = serverId === undefined || player.serverId === serverId;
      const isAs = online === undefined || String(player.online) === online;
      const isIn = (job === undefined || player.job?.name === job) && (group === undefined || player.group === group);
      if (isOf && isAs && isIn && !players.has(key)) players.set(key, player);
    }
  }
  const known = [...players.values()];
  const named = known.filter(({ name }) => fold(name).includes(wanted));
  const isLong = wanted.length >= MIN_IN_IDENTIFIER;
  const others = known.filter(
    (player) =>
      isLong &&
      !named.includes(player) &&
      [player.identifier, ...player.identifiers].some((each) => fold(each).includes(wanted)),
  );
  return [...named, ...others].slice(0, MAX_ROWS);
};

export type PlayerKey = Pick<PlayerSummary, 'serverId' | 'identifier'>;
export const keyOf = ({ serverId, identifier }: PlayerKey): string => `${serverId} ${identifier}`;

/** The fields in the address of the list. */
export const PLAYER_FIELDS = ['search', 'serverId', 'online', 'job', 'group', 'account', 'min', 'max', 'sort'] as const;
export type PlayerSearch = { [N in (typeof PLAYER_FIELDS)[number]]?: string };

type Wanted = QueryOf<'/api/v2/players/identifiers'>;
type Order = Pick<QueryOf<'/api/v2/players'>, 'sort'>;

const PAGE_SIZE = 100;

const wholeOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;

/** The bounds of a balance in an address; undefined: no filter. */
export const boundsOf = ({ account, min, max }: PlayerSearch) => {
  const bounds = { min: wholeOf(min), max: wholeOf(max) };
  return account === undefined || (bounds.min === undefined && bounds.max === undefined)
    ? undefined
    : { account, ...bounds };
};

/** Which players an address means. */
const wantedOf = (address: PlayerSearch): Wanted => {
  const { search, serverId, online, job, group, account, sort } = address;
  const bounds = boundsOf(address);
  const ofAccount = bounds?.account ?? (sort === 'balance' ? account : undefined);
  return {
    search,
    plates: search === undefined ? undefined : 'true',
    serverId,
    online: online === 'true' || online === 'false' ? online : undefined,
    job,
    group,
    account: ofAccount,
    minBalance: bounds?.min,
    maxBalance: bounds?.max,
  };
};

/** The order that an address means; by default the players online first, then those seen last. */
const orderOf = ({ sort, account }: PlayerSearch): Order => {
  if (sort === 'name' || sort === 'job') return { sort };
  return sort === 'balance' && account !== undefined ? { sort } : {};
};

/** The hub reads these lists one at a time for a project. Rows follow the events meanwhile. */
const SCAN_EVERY_MS = 60_000;
const isScan = ({ job, group, account, sort }: PlayerSearch): boolean =>
  sort === 'job' || [job, group, account].some((each) => each !== undefined);

const listOf = (address: PlayerSearch) => {
  const query = { limit: PAGE_SIZE, ...wantedOf(address), ...orderOf(address) };
  return infiniteQueryOptions({
    queryKey: ['players', query],
    queryFn: async ({ pageParam, signal }) => {
      const asked = performance.now();
      const page = await hub.request('get', '/api/v2/players', { query: { ...query, cursor: pageParam } }, { signal });
      return { ...page, data: withEventsSince(asked, page.data.map(namedPlayer)) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next,
    refetchInterval: isScan(address) ? SCAN_EVERY_MS : whileShort,
    placeholderData: keepPreviousData,
  });
};

/**
 * The players. A request is cancelled when two later texts were typed: the answer to the last but one often comes first,
 * and has players that match the last text, too.
 */
export const usePlayers = (address: PlayerSearch) => {
  const [{ now, former }, setAddresses] = useState({ now: address, former: address });
  if (now !== address) setAddresses({ now: address, former: now });
  // Before the other one: it takes over the request that the other one leaves.
  useInfiniteQuery({ ...listOf(former), enabled: false, notifyOnChangeProps: ['data'] });
  return useInfiniteQuery(listOf(address));
};

/** All players that an address means, also those that are not loaded. @throws HubProblem over 10,000 */
export const readAllKeys = async (address: PlayerSearch): Promise<PlayerKey[]> =>
  (await hub.request('get', '/api/v2/players/identifiers', { query: wantedOf(address) })).data;

/** Named like the lists, so that events change it, too. */
const KEY = ['players', 'followed'];

/**
 * The rows in view. Those that the hub's list no longer has, such as a player who was kicked, or whom a hundred others
 * pushed out of its first page, follow the events all the same.
 */
export const useFollowed = (rows: readonly PlayerSummary[], listed: readonly PlayerSummary[]) => {
  const client = useQueryClient();
  const { data } = useQuery<PlayerList>({ queryKey: KEY, queryFn: skipToken });
  const known = new Map(data?.pages.flatMap((page) => page.data).map((player) => [keyOf(player), player]));
  const inList = new Set(listed.map(keyOf));
  const left = rows.filter((row) => !inList.has(keyOf(row))).map((row) => known.get(keyOf(row)) ?? row);
  useEffect(() => {
    if (left.length === known.size && left.every((row) => known.has(keyOf(row)))) return;
    client.setQueryData<PlayerList>(KEY, {
      pages: [{ data: left, pagination: { total: left.length, next: null } }],
      pageParams: [undefined],
    });
  });
  return rows.map((row) => (inList.has(keyOf(row)) ? row : (known.get(keyOf(row)) ?? row)));
};
