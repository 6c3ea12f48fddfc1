import { describe, expect, it } from 'vitest';
import { newWhen, readWhen, shapeOf, whenDraftOf } from '../../panel/src/tasks/when.ts';

describe('a cron expression', () => {
  it.each([
    ['* * * * *', { is: 'minutes', every: 1 }],
    ['*/15 * * * *', { is: 'minutes', every: 15 }],
    ['5 * * * *', { is: 'hour', minute: 5 }],
    ['30 20 * * *', { is: 'day', minute: 30, hour: 20 }],
    ['0 9 * * 1-5', { is: 'week', minute: 0, hour: 9, days: [1, 2, 3, 4, 5] }],
    ['0 9 * * 6,7', { is: 'week', minute: 0, hour: 9, days: [6, 0] }],
    [' 0 18 1  * * ', { is: 'month', minute: 0, hour: 18, day: 1 }],
    ['0 18 24 12 *', { is: 'year', minute: 0, hour: 18, day: 24, month: 12 }],
  ])('of six shapes has words: %s', (cron, shape) => {
    expect(shapeOf(cron)).toEqual(shape);
  });

  it.each([
    // Every seven minutes within an hour is not every seven minutes.
    '*/7 * * * *',
    '0 8-22/2 * * *',
    '15,45 9 * * *',
    // Either of both counts.
    '0 18 1 * 5',
    '0 18 1,15 * *',
    '0 18 * 12 *',
    '0 18 * 12 1',
    '0 9 * * 5-1',
    '0 9 * * 0-6',
    '0 9 * * 8',
    '0 18 1 * * *',
    '',
  ])('of another shape has none: %s', (cron) => {
    expect(shapeOf(cron)).toBeUndefined();
  });
});

describe('the time of a stored schedule', () => {
  it.each([
    { cron: '5 7 * * 1', timeZone: 'Europe/Berlin' },
    { cron: '5 7 * * 1,3', timeZone: 'Europe/Berlin' },
    { cron: '0 18 31 * *', timeZone: 'UTC' },
    { cron: '0 18 24 12 *', timeZone: 'UTC' },
    { at: '2099-12-24T18:00:00Z' },
    { before: 'restart', minutes: 5 },
  ])('is the same after a form has read it: %j', (when) => {
    expect(readWhen({ ...newWhen(), ...whenDraftOf(when) })).toEqual(when);
  });
});
