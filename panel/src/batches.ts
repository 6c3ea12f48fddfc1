import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Command, hub, type QueryOf, type Schemas } from './api.ts';
import type { Texts } from './i18n.ts';
import { plain } from './parts/text.tsx';
import { EVERY_MS, usePages } from './queries.ts';

export type Batch = Schemas['Batch'];
type Status = Command['status'];

const COMMANDS_PER_PAGE = 50;
export const OPEN: readonly Status[] = ['waiting', 'accepted', 'dispatched'];

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

export const endedOf = ({ counts }: Pick<Batch, 'counts'>): number =>
  Object.entries(counts).reduce((sum, [status, rows]) => (OPEN.includes(status as Status) ? sum : sum + rows), 0);

export const useBatches = (filters: Omit<QueryOf<'/api/v2/batches'>, 'limit' | 'cursor'> = {}, isWanted = true) =>
  usePages({
    queryKey: ['batches', filters],
    read: (cursor) => hub.request('get', '/api/v2/batches', { query: { ...filters, ...cursor } }),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });

export const useBatch = (id: string) =>
  useQuery({
    queryKey: ['batch', id],
    queryFn: () => hub.request('get', '/api/v2/batches/{id}', { path: { id } }),
    refetchInterval: EVERY_MS,
  });

/** All commands of a batch, in the order of its players. */
export const useBatchCommands = (id: string, isWanted = true) =>
  usePages({
    queryKey: ['batchCommands', id],
    read: (cursor) => {
      const params = { path: { id }, query: { limit: COMMANDS_PER_PAGE, ...cursor } };
      return hub.request('get', '/api/v2/batches/{id}/commands', params);
    },
    enabled: isWanted,
  });
