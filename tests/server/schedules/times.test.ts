import { expect, it } from 'vitest';
import { nextTimes } from '../../../server/schedules/times.ts';

const timesFrom = (cron: string, from: string, count: number): string[] =>
  nextTimes({ cron, timeZone: 'Europe/Berlin' }, Date.parse(from), count).map((time) => new Date(time).toISOString());

it('a local time that does not exist is taken at the next instant that does', () => {
  expect(timesFrom('30 2 * * *', '2026-03-28T12:00:00Z', 2)).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

it('a local time that comes twice is taken once', () => {
  expect(timesFrom('30 2 * * *', '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});

it('an instant comes once', () => {
  const when = { at: '2026-12-01T00:00:00Z' };
  expect(nextTimes(when, Date.parse('2026-11-30T00:00:00Z'), 5)).toEqual([Date.parse(when.at)]);
  expect(nextTimes(when, Date.parse(when.at), 5)).toEqual([]);
});
