import { useQuery } from '@tanstack/react-query';
import { hub, type Schemas } from './api.ts';
import { hubNow } from './clock.ts';

export const RANGES = ['24h', '7d', '30d'] as const;
export type Range = (typeof RANGES)[number];
export type Statistics = Schemas['StatisticsRange'];
export type Ends = NonNullable<Statistics['points'][number]['batches']>;

const STEP_EVERY_MS = 60_000;
const HOURS: Record<Range, number> = { '24h': 24, '7d': 168, '30d': 720 };
const HOUR_MS = 3_600_000;

/** The range of an address; without one, a day. */
export const rangeOf = (text: string | undefined): Range => RANGES.find((each) => each === text) ?? '24h';

/** When a range begins, to the minute: the address of its commands. */
export const startOf = (range: Range): string =>
  new Date(Math.floor((hubNow() - HOURS[range] * HOUR_MS) / 60_000) * 60_000).toISOString().replace('.000Z', 'Z');

export const useStatistics = (range: Range) =>
  useQuery({
    queryKey: ['statistics', range],
    queryFn: async () => {
      const data = await hub.request('get', '/api/v2/statistics', { query: { range, each: 'server' } });
      return 'range' in data ? data : undefined;
    },
    refetchInterval: STEP_EVERY_MS,
  });
