import { expect, it } from 'vitest';
import { shareHub } from '../../kit/hub.ts';
import { answerAll, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, listen } from '../../kit/stage.ts';

const newTenant = shareHub();

type Order = { amount: number; action: 'add' | 'remove' };

/** One command, answered with `data`; the hub's answer, its row, and its event. */
const order = async ({ amount, action }: Order, data: Record<string, unknown>) => {
  const hub = await newTenant();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const events = await listen(hub, 'command.settled');
  answerAll(bridge, () => ({ status: 'done', data, sequence: 1 }));
  const json = { target: 'char1:ana', type: 'bank', amount, action, allowNegative: true };
  const answer = await hub.request('/api/v2/bridge/main/money', { json });
  const { body } = await hub.request('/api/v2/commands');
  await eventually(() => events().length).toBe(1);
  return { answer, row: (body['data'] as Record<string, unknown>[])[0], event: events()[0] };
};

const bank = (before: number, after: number, more = {}) => ({ account: 'bank', before, after, ...more });
const MOST = Number.MAX_SAFE_INTEGER;
const add = (amount: number): Order => ({ amount, action: 'add' });
const remove = (amount: number): Order => ({ amount, action: 'remove' });

it.each([
  ['moved too much', add(5), bank(0, 6)],
  ['moved too little', add(5), bank(0, 4)],
  ['moved nothing', add(5), bank(7, 7)],
  ['moved the other way', remove(5), bank(0, 5)],
  ['moved by something else than it says', add(5), bank(0, 5, { applied: 4 })],
  ['says that it applied less than nothing', add(5), bank(5, 0, { applied: -5 })],
  ['says that it applied a fraction', add(5), bank(0, 4, { applied: 4.5 })],
  ['moved by more than numbers can tell', add(MOST), bank(-2, MOST)],
])('a `done` that %s is indeterminate, with what the bridge reported', async (_name, asked, data) => {
  const { answer, row, event } = await order(asked, data);
  expect(answer).toMatchObject({ status: 502, body: { code: 'bridge_error', executed: 'unknown' } });
  const error = { code: 'bridge_error', details: { reported: data } };
  expect(row).toMatchObject({ status: 'indeterminate', executed: 'unknown', result: null, error });
  expect(event).toMatchObject({ id: row?.['id'], status: 'indeterminate' });
});

it.each([
  ['as asked', add(5), bank(0, 5)],
  ['as asked, into a debt', remove(5), bank(3, -2)],
  ['as asked, by as much as there is', add(MOST), bank(0, MOST)],
  ['as asked, and says so', remove(5), bank(9, 4, { applied: 5 })],
  ['less: the game taxes it', add(100), bank(0, 93, { applied: 93 })],
  ['more: the game rounds up', add(5), bank(0, 6, { applied: 6 })],
  ['nothing: the game takes all of it', add(5), bank(1, 1, { applied: 0 })],
])('a `done` that moved %s has succeeded', async (_name, asked, data) => {
  const { answer, row } = await order(asked, data);
  expect(answer).toMatchObject({ status: 200, body: { executed: 'yes', result: data } });
  expect(row).toMatchObject({ status: 'succeeded', result: data });
});
