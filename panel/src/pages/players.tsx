import { NativeSelect, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import {
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { api, dataOf, type PlayerSummary } from '../api.ts';
import { useKeptFilters, useTyped } from '../filters.ts';
import { useTexts } from '../i18n.ts';
import { knownPlayers } from '../known-players.ts';
import { Page } from '../parts/page.tsx';
import { PlayerList } from '../parts/player-list.tsx';
import { ServerSelect } from '../parts/server-select.tsx';
import { Empty, Failed, Loading } from '../parts/state.tsx';
import { useStill } from '../still.ts';

const route = getRouteApi('/players');
const PAGE_SIZE = 100;
/** A key after a pause, and a pasted text, are searched for at once; of keys in quick succession, the last one. */
const DEBOUNCE = { delay: 40, leading: true };
const MAX_SEARCH = 64;

const keyOf = ({ serverId, identifier }: PlayerSummary): string => `${serverId} ${identifier}`;

type Search = ReturnType<typeof route.useSearch>;

const playersOf = ({ search, serverId, online }: Search) =>
  infiniteQueryOptions({
    queryKey: ['players', search, serverId, online],
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v2/players', {
          signal,
          params: {
            query: {
              limit: PAGE_SIZE,
              ...(search !== undefined && { search, plates: 'true' as const }),
              ...(serverId !== undefined && { serverId }),
              ...((online === 'true' || online === 'false') && { online }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.next,
    placeholderData: keepPreviousData,
  });

/**
 * The players. A request is cancelled when two later texts were typed: the answer to the last but one often comes first,
 * and has players that match the last text, too.
 */
const usePlayers = (filters: Search) => {
  const [{ now, former }, setTexts] = useState({ now: filters, former: filters });
  if (now !== filters) setTexts({ now: filters, former: now });
  // Before the other one: it takes over the request that the other one leaves.
  useInfiniteQuery({ ...playersOf(former), enabled: false, notifyOnChangeProps: ['data'] });
  return useInfiniteQuery(playersOf(filters));
};

/** Calls `open` when it is wanted and the typed search is answered. Returns a setter for whether it is wanted. */
const useOpening = (isAnswered: boolean, open: () => void) => {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (!isWanted || !isAnswered) return;
    setWanted(false);
    open();
  });
  return setWanted;
};

/** The first search of a hub takes ten times as long as the next: it is sent before the user needs a result. */
const useWarmSearch = (isWanted: boolean): void => {
  useQuery({
    queryKey: ['warm'],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v2/players', { params: { query: { limit: 1, search: 'a' } } }))).data,
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
};

/** Finds a player in seconds: `/` to search, arrows to move, Enter to open. The address contains the search text. */
export const PlayersPage = () => {
  const { t, count, number } = useTexts();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  useHotkeys([['/', () => field.current?.focus()]]);

  const set = (change: Partial<Search>): void => {
    void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  };
  useKeptFilters('/players', filters);
  const [typed, setTyped] = useTyped('search', (search) => set({ search }), DEBOUNCE);
  const type = (text: string): void => {
    setTyped(text);
    setOpening(false);
  };

  const client = useQueryClient();
  const query = usePlayers(filters);
  useWarmSearch(query.data !== undefined && filters.search === undefined);
  const pages = query.data?.pages ?? [];
  const answered = pages.flatMap(({ data }) => data);
  const isAnswered = query.isSuccess && !query.isPlaceholderData && typed.trim() === (filters.search ?? '');
  const setOpening = useOpening(isAnswered, () => {
    const [first] = answered;
    if (first === undefined) return;
    const { serverId, identifier } = first;
    void navigate({ to: '/players/$serverId/$identifier', params: { serverId, identifier }, search: {} });
  });
  const known = knownPlayers(client, isAnswered ? '' : typed.trim(), filters);
  const isEarly = known.length > 0;
  const { rows, news, pointer } = useStill(
    isEarly ? known : answered,
    keyOf,
    query.isPlaceholderData || isEarly ? undefined : JSON.stringify(filters),
  );
  const pagination = pages[0]?.pagination;
  const total = pagination?.total ?? 0;
  const isFiltered = Object.keys(filters).length > 0;
  const found = pagination?.totalIsLowerBound
    ? t('players.countMore', { count: number(total) })
    : count('players.count', total);

  return (
    <Page title={t('players.title')}>
      <div className="filters">
        <TextInput
          ref={field}
          className="grow"
          label={t('players.search')}
          description={t('players.searchHint')}
          type="search"
          value={typed}
          maxLength={MAX_SEARCH}
          autoFocus
          onChange={(event) => type(event.currentTarget.value)}
          onBlur={() => setOpening(false)}
          onKeyDown={(event) => {
            // The key that leads here, pressed once more.
            if (event.key === '/' && typed === '') event.preventDefault();
            if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
            event.preventDefault();
            if (event.key === 'Enter') setOpening(true);
            else list.current?.querySelector('a')?.focus();
          }}
        />
        <ServerSelect value={filters.serverId} onChange={(serverId) => set({ serverId })} />
        <NativeSelect
          label={t('players.filter.online')}
          value={filters.online ?? ''}
          onChange={(event) =>
            set({ online: event.currentTarget.value === '' ? undefined : event.currentTarget.value })
          }
          data={[
            { value: '', label: t('players.filter.all') },
            { value: 'true', label: t('players.filter.onlineOnly') },
            { value: 'false', label: t('players.filter.offlineOnly') },
          ]}
        />
      </div>
      {query.error !== null && query.data === undefined ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading lines={10} />
      ) : rows.length === 0 ? (
        <Empty
          title={t(isFiltered ? 'players.empty' : 'players.none')}
          hint={t(isFiltered ? 'players.emptyHint' : 'players.noneHint')}
        />
      ) : (
        <>
          <p className="dim" role="status">
            {isEarly ? '\u00A0' : found}
            {news === 0 ? null : ` · ${count('list.news', news)}`}
          </p>
          <PlayerList
            ref={list}
            players={rows}
            pointer={pointer}
            field={field}
            more={isEarly ? { ...query, hasNextPage: false } : query}
          />
        </>
      )}
    </Page>
  );
};
