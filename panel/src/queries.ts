import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { hub, type Player, type QueryOf, type Server } from './api.ts';
import { namedRecord } from './names.ts';
import { useMay } from './session.ts';

/** The shown data is read again this often: some keys have no event stream, and some changes no event. */
export const EVERY_MS = 15_000;
const MAX_PAGES = 2;

type List = { pages: readonly unknown[] };
/** A list that a person has scrolled far down is not read again as a whole. */
export const isShort = (list: List | undefined): boolean => (list?.pages.length ?? 0) <= MAX_PAGES;

/** The interval of a list that is read in pages. */
export const whileShort = ({ state }: { state: { data: List | undefined } }): number | false =>
  isShort(state.data) ? EVERY_MS : false;

type Cursor = { cursor: string | undefined };
type Page<T> = { data: T[]; pagination: { next: string | null } };

/** A whole list that the hub answers in pages. */
export const allPages = async <T>(read: (query: Cursor) => Promise<Page<T>>): Promise<T[]> => {
  const rows: T[] = [];
  let cursor: string | undefined;
  do {
    const { data, pagination } = await read({ cursor });
    rows.push(...data);
    cursor = pagination.next ?? undefined;
  } while (cursor !== undefined);
  return rows;
};

type PagesOptions<P> = {
  queryKey: readonly unknown[];
  read: (query: Cursor) => Promise<P>;
  enabled?: boolean;
  refetchInterval?: typeof whileShort;
  placeholderData?: typeof keepPreviousData;
};

/** A list that is read page by page, as far as a person wants. */
export const usePages = <P extends Page<unknown>>({
  read,
  refetchInterval = whileShort,
  ...options
}: PagesOptions<P>) =>
  useInfiniteQuery({
    ...options,
    refetchInterval,
    queryFn: ({ pageParam: cursor }) => read({ cursor }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next,
  });

export const useServers = () => {
  const may = useMay();
  return useQuery({
    queryKey: ['servers'],
    queryFn: () => allPages((query) => hub.request('get', '/api/v2/servers', { query })),
    enabled: may('servers:read'),
    refetchInterval: EVERY_MS,
  });
};

/** The names of the servers, by their ids; none for a key that may not see servers. */
export const useServerNames = (): ReadonlyMap<string, string> => {
  const { data } = useServers();
  return useMemo(() => new Map(data?.map(({ serverId, name }) => [serverId, name])), [data]);
};

export const readShops = () => allPages((query) => hub.request('get', '/api/v2/integrations', { query }));

export const useShops = () => {
  const may = useMay();
  return useQuery({
    queryKey: ['shops'],
    queryFn: readShops,
    enabled: may('integrations:write'),
    refetchInterval: EVERY_MS,
  });
};

/** The commands that the resources of a connected game server declare. */
export const useCustomCommands = (server: Server | undefined) => {
  const may = useMay();
  // Schemas are requested only for known command names: a bridge that has just connected has not announced them yet.
  const names = (server?.connected === true ? server.bridge?.customCommands : undefined) ?? [];
  const serverId = server?.serverId ?? '';
  return useQuery({
    queryKey: ['custom', serverId, ...names],
    queryFn: async () => (await hub.request('get', '/api/v2/bridge/{serverId}/actions', { path: { serverId } })).data,
    enabled: names.length > 0 && may('commands:custom'),
  });
};

export const useProject = () =>
  useQuery({
    queryKey: ['project'],
    queryFn: () => hub.request('get', '/api/v2/project'),
    refetchInterval: EVERY_MS,
  });

const HEALTH_EVERY_MS = 10_000;

export const useHealth = () =>
  useQuery({
    queryKey: ['health'],
    queryFn: () => hub.request('get', '/api/v2/health'),
    refetchInterval: HEALTH_EVERY_MS,
  });

/** `isFresh`: the game server is asked for the record first. */
const readPlayer = async (serverId: string, identifier: string, isFresh = false) =>
  namedRecord(
    await hub.request('get', '/api/v2/players/{identifier}', {
      path: { identifier },
      query: { serverId },
      ...(isFresh && { headers: { 'Cache-Control': 'no-cache' } }),
    }),
  );

/** Asks the game server for the record of a player. */
export const useRefresh = ({ serverId, identifier }: Pick<Player, 'serverId' | 'identifier'>) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => readPlayer(serverId, identifier, true),
    onSuccess: (fresh) => client.setQueryData(['player', fresh.serverId, fresh.identifier], fresh),
  });
};

export const playerQuery = (serverId: string, identifier: string) => ({
  queryKey: ['player', serverId, identifier],
  queryFn: () => readPlayer(serverId, identifier),
});

export const usePlayer = (serverId: string, identifier: string) =>
  useQuery({ ...playerQuery(serverId, identifier), refetchInterval: EVERY_MS });

export type CommandFilters = Omit<QueryOf<'/api/v2/commands'>, 'limit' | 'cursor'>;
const COMMANDS_PER_PAGE = 50;

export const useSums = (filters: CommandFilters, isWanted: boolean) => {
  const may = useMay();
  return useQuery({
    enabled: may('commands:read') && isWanted,
    queryKey: ['sums', filters],
    refetchInterval: EVERY_MS,
    queryFn: () => hub.request('get', '/api/v2/commands/sums', { query: filters }),
    placeholderData: keepPreviousData,
  });
};

export const useCommands = (filters: CommandFilters, isWanted = true) => {
  const may = useMay();
  return usePages({
    queryKey: ['commands', filters],
    read: (cursor) =>
      hub.request('get', '/api/v2/commands', { query: { limit: COMMANDS_PER_PAGE, ...filters, ...cursor } }),
    enabled: may('commands:read') && isWanted,
    placeholderData: keepPreviousData,
  });
};
