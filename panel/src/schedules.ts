import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from './api.ts';
import { describe } from './commands.tsx';
import type { Texts } from './i18n.ts';
import { isolated, plain } from './parts/text.tsx';
import { allPages } from './queries.ts';

export type Schedule = Schemas['Schedule'];

/** Times pass, also without an event. */
const EVERY_MS = 15_000;

export const useSchedules = () =>
  useQuery({
    queryKey: ['schedules'],
    queryFn: () => allPages((query) => dataOf(api.GET('/api/v2/schedules', { params: { query } }))),
    refetchInterval: EVERY_MS,
  });

export const useSchedule = (id: string) =>
  useQuery({
    queryKey: ['schedule', id],
    queryFn: () => dataOf(api.GET('/api/v2/schedules/{id}', { params: { path: { id } } })),
    refetchInterval: EVERY_MS,
  });

export const useRuns = (id: string) =>
  useQuery({
    queryKey: ['scheduleRuns', id],
    queryFn: () => dataOf(api.GET('/api/v2/schedules/{id}/runs', { params: { path: { id } } })),
    refetchInterval: EVERY_MS,
  });

/** The command of a schedule, in words. */
export const describeTask = (texts: Texts, { task }: Schedule): string => {
  const { name, params, targets } = task;
  const given = (params ?? {}) as Record<string, unknown>;
  const what = describe(texts, { name: String(name), params: given, result: null });
  const message = given['message'];
  if (targets === undefined) return typeof message === 'string' ? `${what}: ${isolated(message)}` : what;
  return `${what} · ${Array.isArray(targets) ? texts.count('players.count', targets.length) : texts.t('task.everybody')}`;
};

/** When a schedule runs, in words. */
export const describeWhen = ({ t, time, number }: Texts, { when }: Pick<Schedule, 'when'>): string => {
  const { at, cron, timeZone, minutes } = when;
  if (typeof at === 'string') return t('schedules.once', { time: time(at) });
  if (typeof minutes === 'number') return t('schedules.before', { minutes: number(minutes) });
  return plain(`${String(cron)} (${String(timeZone)})`);
};
