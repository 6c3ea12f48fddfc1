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

/** The forecast of a run for players that it finds itself, asked for once: it counts as a change of a person. */
const useForecast = ({ serverId, task }: Wanted) => {
  const may = useMay();
  const { name, params, targets } = task;
  const { data: project } = useProject();
  // A stored task may lack the reason that a new one needs.
  const reason = project?.reasonFor.includes(String(name)) === true && { reason: String(name) };
  const isFound = may('commands:batch') && targets !== undefined && !Array.isArray(targets);
  const { data, isFetched } = useQuery({
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
    enabled: isFound && project !== undefined,
    ...{ staleTime: 'static' as const, gcTime: 0, retry: false },
  });
  return { forecast: data !== undefined && 'dryRun' in data ? data : undefined, isKnown: !isFound || isFetched };
};

/**
 * The players of a run and the sum that it moves, in words: `Job: police · now 41 players · 20,500 in all`. `isKnown`: the hub
 * has said or refused to say how many it finds; `isForNobody`: it finds none.
 */
export const useRunWords = (schedule: Wanted) => {
  const texts = useTexts();
  const { t, count, number } = texts;
  const { forecast, isKnown } = useForecast(schedule);
  const { name, params } = schedule.task;
  const { amount } = (params ?? {}) as { amount?: unknown };
  const named = new Set(targetsOf(schedule)).size;
  const sum = forecast === undefined ? name === 'money' && named * Number(amount) : forecast.money;
  const words = [
    playersInWords(texts, schedule),
    forecast && t('schedules.now', { players: count('players.count', forecast.targets) }),
    sum ? t('batches.money', { sum: number(sum) }) : undefined,
  ];
  return {
    players: words.filter((each) => each !== undefined).join(' · '),
    isKnown,
    isForNobody: forecast?.targets === 0,
  };
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
