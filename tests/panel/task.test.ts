import { describe, expect, it } from 'vitest';
import { EMPTY_TASK, readPlayers, readTask, taskDraftOf } from '../../panel/src/tasks/task.ts';
import { newWhen, readWhen } from '../../panel/src/tasks/when.ts';

const bounds = { locale: 'en', max: 1_000 };
const gift = { ...EMPTY_TASK, amount: '500', reason: ' event ', players: 'a' };

describe('a stored task', () => {
  it.each([
    { ...gift, reason: 'event' },
    { ...gift, reason: 'event', kind: 'take' as const, isEverybody: true, players: '', isPatient: true },
    { ...EMPTY_TASK, kind: 'announce' as const, message: 'Hi' },
    {
      ...gift,
      amount: '',
      reason: 'x',
      kind: 'giveItem' as const,
      item: { name: 'bread', label: 'bread' },
      count: '3',
    },
    {
      ...EMPTY_TASK,
      reason: 'x',
      kind: 'giveVehicle' as const,
      model: { name: 'adder', label: 'adder' },
      players: 'a',
    },
    { ...EMPTY_TASK, reason: 'x', kind: 'job' as const, job: { name: 'ems', label: 'ems' }, grade: '2', players: 'a' },
  ])('is the same after a form has read it: $kind', (draft) => {
    const task = readTask(draft, bounds);
    const read = taskDraftOf({ ...task });
    expect(read).toEqual(draft);
  });

  it.each([
    { name: 'job', params: { target: 'a', job: 'police', grade: 1 } },
    { name: 'money', params: { target: 'a', type: 'bank', amount: 5, action: 'add' } },
    { name: 'money', params: { type: 'bank', amount: 5, action: 'add', allowNegative: true }, targets: ['a'] },
    { name: 'announce', params: { message: 'Hi', style: 'big' } },
    { name: 'constructor', params: {} },
  ])('of which the form has not all fields is not read: %j', (task) => {
    expect(taskDraftOf(task)).toBeUndefined();
  });
});

describe('the task of a batch', () => {
  it('has the players of a pasted list, whatever stands between them', () => {
    expect(readPlayers(' char1:ana\r\nchar1:bob,\tchar1:cem;char1:ana ')).toEqual([
      'char1:ana',
      'char1:bob',
      'char1:cem',
      'char1:ana',
    ]);
    expect(readPlayers(' \n,')).toEqual([]);
  });

  it('is money, items or a text', () => {
    const params = { type: 'bank', amount: 500, action: 'add', reason: 'event' };
    expect(readTask(gift, bounds)).toEqual({ name: 'money', params, targets: ['a'] });
    expect(readTask({ ...gift, kind: 'take', isEverybody: true, isPatient: true }, bounds)).toEqual({
      name: 'money',
      params: { ...params, action: 'remove' },
      targets: { online: true },
      deliver: 'when_online',
    });
    const bread = { ...gift, kind: 'giveItem' as const, item: { name: 'bread', label: 'Bread' }, count: '3' };
    expect(readTask(bread, bounds)).toMatchObject({
      name: 'items',
      params: { item: 'bread', count: 3, action: 'add' },
    });
    expect(readTask({ ...gift, kind: 'announce', message: ' Hi ' }, bounds)).toEqual({
      name: 'announce',
      params: { message: 'Hi' },
    });
  });

  it('is a declared command with its own fields, without its player', () => {
    const properties = { who: { type: 'string' }, count: { type: 'integer', minimum: 1 } };
    const params = { type: 'object', properties, required: ['who', 'count'] };
    const customs = [{ name: 'bonus', description: '', params, roles: { player: 'who' } }];
    const bonus = { ...EMPTY_TASK, kind: 'custom:bonus' as const, players: 'a', custom: { count: '3' } };
    expect(readTask(bonus, { ...bounds, customs })).toEqual({
      name: 'custom:bonus',
      params: { count: 3 },
      targets: ['a'],
    });
    expect(readTask({ ...bonus, custom: { count: '0' } }, { ...bounds, customs })).toBe(undefined);
    expect(readTask(bonus, bounds)).toBe(undefined);
  });

  it.each([
    { amount: '1001' },
    { amount: '' },
    { reason: ' ' },
    { account: '' },
    { players: '' },
    { kind: 'giveItem' as const },
    { kind: 'giveVehicle' as const },
    { kind: 'job' as const, job: { name: 'ems', label: 'ems' }, grade: 'x' },
    { kind: 'announce' as const },
  ])('is not ready with %o', (change) => {
    expect(readTask({ ...gift, ...change }, bounds)).toBe(undefined);
  });
});

describe('the time of a schedule', () => {
  const draft = { ...newWhen(), time: '07:05', weekday: '0', day: '31', timeZone: 'Europe/Berlin' };
  it.each([
    ['day', '5 7 * * *'],
    ['week', '5 7 * * 0'],
    ['month', '5 7 31 * *'],
  ] as const)('every %s is a cron expression', (rhythm, cron) => {
    expect(readWhen({ ...draft, rhythm })).toEqual({ cron, timeZone: 'Europe/Berlin' });
  });

  it('is an instant, an own expression, or before a restart', () => {
    expect(readWhen({ ...draft, rhythm: 'once', at: '2030-01-01T00:00Z' })).toEqual({ at: '2030-01-01T00:00:00Z' });
    expect(readWhen({ ...draft, rhythm: 'cron', cron: ' 0 0 1 * * ' })).toMatchObject({ cron: '0 0 1 * *' });
    expect(readWhen({ ...draft, rhythm: 'restart', minutes: '5' })).toEqual({ before: 'restart', minutes: 5 });
  });

  it.each([
    { rhythm: 'once' as const },
    { rhythm: 'cron' as const },
    { rhythm: 'month' as const, day: '32' },
    { rhythm: 'day' as const, time: '' },
    { rhythm: 'restart' as const, minutes: '1' },
  ])('is not ready with %o', (change) => {
    expect(readWhen({ ...draft, ...change })).toBe(undefined);
  });
});
