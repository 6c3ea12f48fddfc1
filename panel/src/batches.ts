import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, type Command, dataOf, type Schemas } from './api.ts';
import type { paths } from './api-types.ts';
import type { Texts } from './i18n.ts';
import { plain } from './parts/text.tsx';

export type Batch = Schemas['Batch'];
type Status = Command['status'];

/** For hubs without an event stream. */
const EVERY_MS = 15_000;
const COMMANDS_PER_PAGE = 50;
export const OPEN: readonly Status[] = ['waiting', 'accepted', 'dispatched'];

/** Counts the commands of a batch in these statuses. */
export const countOf = ({ counts }: Pick<Batch, 'counts'>, ...statuses: Status[]): number =>
  statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);

/** The money that a batch has moved: `+124,750 bank`. */
export const movedOf = ({ number }: Texts, batch: Batch): string | undefined => {
  const { name, params } = batch;
  const done = countOf(batch, 'succeeded', 'resolved_applied');
  if (name !== 'money' || done === 0 || batch.undoes !== undefined) return undefined;
  const sign = params['action'] === 'add' ? '+' : '−';
  return `${sign}${number(Number(params['amount']) * done)} ${plain(String(params['type']))}`;
};

/** Counts the commands of a batch that have ended. */
export const endedOf = ({ counts }: Pick<Batch, 'counts'>): number =>
  Object.entries(counts).reduce((sum, [status, rows]) => (OPEN.includes(status as Status) ? sum : sum + rows), 0);

export type BatchFilters = Omit<
  NonNullable<paths['/api/v2/batches']['get']['parameters']['query']>,
  'limit' | 'cursor'
>;

export const useBatches = (filters: BatchFilters = {}, isWanted = true) =>
  useInfiniteQuery({
    enabled: isWanted,
    queryKey: ['batches', filters],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/api/v2/batches', {
          params: { query: { ...filters, ...(pageParam !== null && { cursor: pageParam }) } },
        }),
      ),
    placeholderData: keepPreviousData,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.next,
    refetchInterval: EVERY_MS,
  });

export const useBatch = (id: string) =>
  useQuery({
    queryKey: ['batch', id],
    queryFn: () => dataOf(api.GET('/api/v2/batches/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data?.status === 'settled' ? false : EVERY_MS),
  });

/** All commands of a batch, in the order of its players. */
export const useBatchCommands = (id: string, isWanted = true) =>
  useInfiniteQuery({
    enabled: isWanted,
    queryKey: ['batchCommands', id],
    queryFn: ({ pageParam }) => {
      const query = { limit: COMMANDS_PER_PAGE, ...(pageParam !== null && { cursor: pageParam }) };
      return dataOf(api.GET('/api/v2/batches/{id}/commands', { params: { path: { id }, query } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.next,
  });
