import { describe, expect, it } from 'vitest';
import type { Rules } from '../../panel/src/commands/form.ts';
import { type Kind, newDraft, type Typed } from '../../panel/src/commands/kinds.ts';
import { newTask, readPlayers, readTask, taskDraftOf } from '../../panel/src/tasks/task.ts';
import { newWhen, readWhen } from '../../panel/src/tasks/when.ts';

const RULES: Rules = { locale: 'en', max: 1_000, accounts: [], customs: new Map(), reasonFor: ['money'] };
const taskOf = (kind: Kind, typed: Typed) => ({ ...newTask(kind), command: newDraft(kind, typed), players: 'a' });
const GIFT = { amount: '500', reason: ' event ' };
const gift = taskOf('give', GIFT);

describe('a stored task', () => {
  it.each([
    gift,
    { ...taskOf('take', GIFT), isEverybody: true, players: '', isPatient: true },
    { ...taskOf('announce', { message: 'Hi' }), players: '' },
    taskOf('giveItem', { item: 'bread', count: '3', reason: 'x' }),
    taskOf('giveVehicle', { model: 'adder', reason: 'x' }),
    taskOf('job', { job: 'ems', grade: '2', reason: 'x' }),
  ])('is the same after a form has read it: $command', (draft) => {
    const task = readTask(draft, RULES);
    const read = taskDraftOf({ ...task });
    expect(read).toMatchObject({ ...draft, command: { name: draft.command.name, typed: {} } });
    expect(read && readTask(read, RULES)).toEqual(task);
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
    expect(readTask(gift, RULES)).toEqual({ name: 'money', params, targets: ['a'] });
    expect(readTask({ ...taskOf('take', GIFT), isEverybody: true, isPatient: true }, RULES)).toEqual({
      name: 'money',
      params: { ...params, action: 'remove' },
      targets: { online: true },
      deliver: 'when_online',
    });
    expect(readTask(taskOf('giveItem', { ...GIFT, item: 'bread', count: '3' }), RULES)).toMatchObject({
      name: 'items',
      params: { item: 'bread', count: 3, action: 'add' },
    });
    expect(readTask(taskOf('announce', { message: ' Hi ' }), RULES)).toEqual({
      name: 'announce',
      params: { message: 'Hi' },
    });
  });

  it('is a declared command with its own fields, without its player', () => {
    const properties = { who: { type: 'string' }, count: { type: 'integer', minimum: 1 } };
    const params = { type: 'object', properties, required: ['who', 'count'] };
    const customs = new Map([['bonus', { name: 'bonus', description: '', params, roles: { player: 'who' } }]]);
    const bonus = (count: string) => ({ ...gift, command: { name: 'custom:bonus', given: {}, typed: { count } } });
    expect(readTask(bonus('3'), { ...RULES, customs })).toEqual({
      name: 'custom:bonus',
      params: { count: 3 },
      targets: ['a'],
    });
    expect(readTask(bonus('0'), { ...RULES, customs })).toBe(undefined);
    expect(readTask(bonus('3'), RULES)).toBe(undefined);
  });

  it.each([
    taskOf('give', { ...GIFT, amount: '1001' }),
    taskOf('give', { reason: 'x' }),
    taskOf('give', { ...GIFT, reason: ' ' }),
    taskOf('give', { ...GIFT, type: '' }),
    { ...gift, players: '' },
    taskOf('giveItem', GIFT),
    taskOf('giveVehicle', GIFT),
    taskOf('job', { job: 'ems', grade: 'x', reason: 'x' }),
    taskOf('announce', GIFT),
  ])('is not ready with %o', (task) => {
    expect(readTask(task, RULES)).toBe(undefined);
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
