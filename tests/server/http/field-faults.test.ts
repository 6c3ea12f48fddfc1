import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { connectShop } from '../../kit/shop.ts';

const MONEY = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' };
const SCHEDULE = {
  serverId: 'main',
  label: 'Salary',
  task: { name: 'money', params: MONEY },
  when: { cron: '0 18 * * 5' },
};
const AT = 'must be a time in UTC such as 2026-12-24T18:00:00Z';
const CRON = 'minute, hour, day of the month, month and weekday, such as 0 18 * * 5';

/** The fields of a refusal with the words about each. */
const faultsIn = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
  expect([status, body['code']]).toEqual([422, 'invalid_request']);
  const errors = body['errors'] as { pointer: string; detail: string }[];
  return errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
};

describe('a wrong field of a body', () => {
  it.each([
    ['bridge/main/money', { ...MONEY, amount: 0 }, '/amount: must be at least 1; action says the direction'],
    ['bridge/main/money', { ...MONEY, amount: undefined }, '/amount: is missing: it must be a number'],
    ['bridge/main/money', { ...MONEY, action: 'give' }, '/action: must be one of add, remove, deduct'],
    [
      'bridge/main/money',
      { ...MONEY, action: undefined },
      '/action: is missing: it must be one of add, remove, deduct',
    ],
    ['bridge/main/money', { ...MONEY, allowNegative: 'no' }, '/allowNegative: must be true or false, not text'],
    ['bridge/main/money', { ...MONEY, reason: 5 }, '/reason: must be text or "" or null'],
    ['bridge/main/money', { ...MONEY, reason: 'x'.repeat(513) }, '/reason: must have at most 512 characters'],
    ['bridge/main/money', { ...MONEY, expiresInSeconds: 0 }, '/expiresInSeconds: must be at least 1'],
    ['bridge/main/money', [], '/: must be an object, not a list'],
    ['bridge/main/announce', { message: '' }, '/message: must not be empty'],
    ['servers', { name: 'Main' }, '/serverId: is missing: it must be text'],
    [
      'keys',
      { name: 'k', scopes: [], expiresAt: 'tomorrow' },
      '/scopes: must have at least 1 entry',
      `/expiresAt: ${AT}`,
    ],
    ['schedules', { ...SCHEDULE, label: '' }, '/label: must not be empty'],
    ['schedules', { ...SCHEDULE, when: { at: 'tomorrow' } }, `/when/at: ${AT}`],
    ['schedules', { ...SCHEDULE, when: {} }, '/when: must be {at} or {cron} or {before, minutes}'],
    ['schedules', { ...SCHEDULE, when: undefined }, '/when: is missing: it must be an object'],
    ['schedules', { ...SCHEDULE, when: { before: 'restart', minutes: 1 } }, '/when/minutes: must be at least 2'],
    ['schedules', { ...SCHEDULE, when: { cron: '0 18 * *' } }, `/when/cron: must have five parts: ${CRON}`],
    [
      'schedules',
      { ...SCHEDULE, when: { cron: '0 25 * * *' } },
      '/when/cron: has a wrong hour (part 2): it must be 0 to 23, *, a list such as 1,5, a range such as 1-5, or */10',
    ],
    [
      'schedules',
      { ...SCHEDULE, task: { name: 'money', params: {} } },
      '/task/params/target: is missing: it must be text',
    ],
    [
      'schedules',
      { ...SCHEDULE, task: { ...SCHEDULE.task, targets: [] } },
      '/task/targets: must have at least 1 entry',
    ],
    [
      'schedules',
      { ...SCHEDULE, task: { ...SCHEDULE.task, targets: 'all' } },
      '/task/targets: must be a list or an object',
    ],
  ])('is named with its bound: %s %j', async (path, json, ...said) => {
    const hub = await startHub();
    expect(faultsIn(await hub.request(`/api/v2/${path}`, { method: 'POST', json }))).toEqual(said);
  });

  it('is named in a batch that would leave for too long', async () => {
    const hub = await startHub();
    const { target, ...params } = MONEY;
    const json = { serverId: 'main', name: 'money', params, targets: [target], expiresInSeconds: 3_601 };
    const refused = await hub.request('/api/v2/batches', { method: 'POST', json, headers: { 'Idempotency-Key': 'b' } });
    expect(faultsIn(refused)).toEqual(['/expiresInSeconds: must be at most 3600, or send deliver, too']);
  });
});

describe('a wrong parameter of a query', () => {
  it.each([
    ['commands?since=yesterday', `/since: ${AT}`],
    ['commands?status=lost', '/status: must be one or more of '],
    ['players?online=maybe', '/online: must be one of true, false'],
    ['commands?cursor=x', '/cursor: must be pagination.next of an answer of this list'],
    ['players?limit=x', '/limit: must be a whole number from 1'],
  ])('is named with its bound: %s', async (path, said) => {
    const hub = await startHub();
    const [fault = ''] = faultsIn(await hub.request(`/api/v2/${path}`));
    expect(fault.startsWith(said), fault).toBe(true);
  });
});

describe('a webhook that the hub cannot read', () => {
  it('is answered with its fields, in the same words', async () => {
    const hub = await startHub();
    const shop = await connectShop(hub, 'orders', {});
    const order = { id: 'o1', type: 'paid', buyer: 'ana' };
    expect(faultsIn(await shop.send({ ...order, packages: [{ id: 'vip', quantity: 0 }] }))).toEqual([
      '/packages/0/quantity: must be at least 1',
    ]);
    expect(faultsIn(await shop.send({ ...order, packages: [{}] }))).toEqual([
      '/packages/0/id: is missing: it must be a number or text',
    ]);
    expect(faultsIn(await shop.send({ ...order, type: 'sold', packages: [] }))).toEqual([
      '/type: must be one of paid, refunded',
      '/packages: must have at least 1 entry',
    ]);
  });
});
