import { useQuery } from '@tanstack/react-query';
import { hub, type Schemas } from '../api.ts';
import { hubNow } from '../clock.ts';
import { describe } from '../commands.tsx';
import type { Texts } from '../i18n.ts';
import { isolated } from '../parts/text.tsx';
import { allPages } from '../queries.ts';

export type Schedule = Schemas['Schedule'];

/** Times pass, also without an event. */
const EVERY_MS = 15_000;

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

/** The sum that a run moves; undefined: it moves no money, or nobody knows for how many players. */
const sumOf = (schedule: Pick<Schedule, 'task'>): number | undefined => {
  const { name, params } = schedule.task;
  const players = targetsOf(schedule).length;
  const { amount } = (params ?? {}) as { amount?: unknown };
  return name === 'money' && players > 0 ? players * Number(amount) : undefined;
};

/** The players of a run and the sum that it moves, in words: `41 players · 20,500 in all`. */
export const runInWords = (texts: Texts, schedule: Pick<Schedule, 'task'>): string => {
  const sum = sumOf(schedule);
  const inAll = sum === undefined ? '' : ` · ${texts.t('batches.money', { sum: texts.number(sum) })}`;
  return `${playersInWords(texts, schedule)}${inAll}`;
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
