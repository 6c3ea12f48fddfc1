import { useQuery } from '@tanstack/react-query';
import { hub, type Schemas } from '../api.ts';
import { hubNow } from '../clock.ts';
import { describe } from '../commands.tsx';
import { type Texts, useTexts } from '../i18n.ts';
import { isolated } from '../parts/text.tsx';
import { allPages, EVERY_MS, useProject } from '../queries.ts';
import { useMay } from '../session.ts';
import { newOrderKey } from '../unanswered.ts';

export type Schedule = Schemas['Schedule'];

export const useSchedules = () =>
  useQuery({
    queryKey: ['schedules'],
    queryFn: () => allPages((query) => hub.request('get', '/api/v2/schedules', { query })),
    refetchInterval: EVERY_MS,
  });

export const useSchedule = (id: string) =>
  useQuery({
    queryKey: ['schedule', id],
    queryFn: () => hub.request('get', '/api/v2/schedules/{id}', { path: { id } }),
    refetchInterval: EVERY_MS,
  });

export const useRuns = (id: string) =>
  useQuery({
    queryKey: ['scheduleRuns', id],
    queryFn: () => hub.request('get', '/api/v2/schedules/{id}/runs', { path: { id } }),
    refetchInterval: EVERY_MS,
  });

/** The command of a schedule, in words, without its players. */
export const taskInWords = (texts: Texts, { task }: Pick<Schedule, 'task'>): string => {
  const { name, params } = task;
  const given = (params ?? {}) as Record<string, unknown>;
  const what = describe(texts, { name: String(name), params: given, result: null });
  const message = given['message'];
  return typeof message === 'string' ? `${what}: ${isolated(message)}` : what;
};

type Wanted = Pick<Schedule, 'serverId' | 'task'>;

/** What a run for several players would do now; undefined: it is for one, or the key may not ask. */
const useForecast = ({ serverId, task }: Wanted): Schemas['BatchDryRun'] | undefined => {
  const may = useMay();
  const { name, params, targets } = task;
  const { data: project } = useProject();
  // A stored task may lack the reason that a new one needs.
  const reason = project?.reasonFor.includes(String(name)) === true && { reason: String(name) };
  const { data } = useQuery({
    queryKey: ['forecast', serverId, task],
    queryFn: () =>
      hub.request('post', '/api/v2/batches', {
        headers: { 'idempotency-key': newOrderKey() },
        body: {
          serverId,
          name,
          params: { ...reason, ...(params as object) },
          targets,
          dryRun: true,
        } as Schemas['BatchRequest'],
      }),
    enabled: may('commands:batch') && targets !== undefined && project !== undefined,
    retry: false,
  });
  return data !== undefined && 'dryRun' in data ? data : undefined;
};

/** The players of a run and the sum that it moves, in words: `Job: police · now 41 players · 20,500 in all`. */
export const useRunWords = (schedule: Wanted): string => {
  const texts = useTexts();
  const { t, count, number } = texts;
  const forecast = useForecast(schedule);
  const { name, params } = schedule.task;
  const named = targetsOf(schedule).length;
  const { amount } = (params ?? {}) as { amount?: unknown };
  const sum = forecast === undefined ? name === 'money' && named * Number(amount) : forecast.money;
  return [
    playersInWords(texts, schedule),
    forecast && named === 0 ? t('schedules.now', { players: count('players.count', forecast.targets) }) : undefined,
    sum ? t('batches.money', { sum: number(sum) }) : undefined,
  ]
    .filter((words) => words !== undefined)
    .join(' · ');
};

/** Whom a schedule is for, in words. */
export const playersInWords = ({ t, count }: Texts, { task }: Pick<Schedule, 'task'>): string => {
  const { targets, params } = task;
  if (Array.isArray(targets)) return count('players.count', targets.length);
  if (targets !== undefined) {
    const { online, job, group } = targets as { online?: true; job?: string; group?: string };
    const words = [
      online && t('players.onlineNow'),
      job && `${t('players.column.job')}: ${isolated(job)}`,
      group && isolated(group),
    ];
    return words.filter((word) => word !== undefined).join(' · ');
  }
  const target = (params as Record<string, unknown> | undefined)?.['target'];
  return typeof target === 'string' ? count('players.count', 1) : t('schedules.everybody');
};

export const targetsOf = ({ task: { targets, params } }: Pick<Schedule, 'task'>): readonly string[] => {
  if (Array.isArray(targets)) return targets.map(String);
  const target = (params as Record<string, unknown> | undefined)?.['target'];
  return typeof target === 'string' ? [target] : [];
};

/** Whether a one-time schedule has had its time. */
export const isOver = ({ when: { at } }: Schedule): boolean => typeof at === 'string' && Date.parse(at) <= hubNow();
