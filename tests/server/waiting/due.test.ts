import { expect, it, onTestFinished, vi } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const BOB = 'char1:bob';

const pay = async (hub: TestHub, amount: number, target = ANA): Promise<string> => {
  const json = { target, type: 'bank', amount, action: 'add', deliver: 'when_online' };
  return String((await hub.request('/api/v2/bridge/main/money', { json })).body['id']);
};
const statusOf = async (hub: TestHub, id: string) => (await hub.request(`/api/v2/commands/${id}`)).body['status'];

/** A hub with Bob, who plays, and Ana, who comes later. The hub's waits are over sooner with `skip`. */
const stage = async () => {
  // Bridges are silent while time is skipped.
  const hub = await startHub({ tuning: { waitingCheckMs: 200, pingEveryMs: 3_600_000, pingTimeoutMs: 3_600_000 } });
  const rightNow = performance.now.bind(performance);
  let skipped = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => rightNow() + skipped);
  onTestFinished(() => clock.mockRestore());
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const players = [playerFrame(ANA, { online: false }), playerFrame(BOB)];
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });
  await eventually(async () => (await hub.request(`/api/v2/players/${BOB}`)).body['online']).toBe(true);
  let balance = 0;
  answerAll(bridge, ({ params }) => {
    const before = balance;
    balance += Number(params['amount']);
    return { status: 'done', data: { account: 'bank', before, after: balance }, sequence: balance };
  });
  return {
    hub,
    sent: () => bridge.frames.flatMap(({ type, id }) => (type === 'command' ? [id] : [])),
    skip: (ms: number): void => {
      skipped += ms;
    },
    /** Ana plays, and what leaves for Bob after that has left. */
    anaComes: async (): Promise<string> => {
      bridge.send({ type: 'players.changed', revision: 2, players: [playerFrame(ANA)], offline: [], removed: [] });
      await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).body['online']).toBe(true);
      const id = await pay(hub, 1, BOB);
      await eventually(() => statusOf(hub, id)).toBe('succeeded');
      return `${id}.1`;
    },
  };
};

it('what rests after its third round holds those of its player that came later, and is tried again by itself', async () => {
  const { hub, sent, skip, anaComes } = await stage();
  const [first, second] = [await pay(hub, 5), await pay(hub, 7)];
  await rewrite(hub, 'UPDATE commands SET round = 3, not_before = ? WHERE id = ?', Date.now() + 600_000, first);
  const ofBob = await anaComes();
  expect(sent()).toEqual([ofBob]);
  await rewrite(hub, 'UPDATE commands SET not_before = 1 WHERE id = ?', first);
  skip(600_000);
  await eventually(() => statusOf(hub, second)).toBe('succeeded');
  expect(sent()).toEqual([ofBob, `${first}.4`, `${second}.1`]);
});

it('what waits behind a round of another node leaves when that has ended, although no message says so', async () => {
  const { hub, sent, skip, anaComes } = await stage();
  const [first, second] = [await pay(hub, 5), await pay(hub, 7)];
  const ends = Date.now() + 600_000;
  await rewrite(hub, `UPDATE commands SET status = 'accepted', round = 1, expires_at = ? WHERE id = ?`, ends, first);
  const ofBob = await anaComes();
  expect(sent()).toEqual([ofBob]);
  expect(await statusOf(hub, second)).toBe('waiting');
  await rewrite(hub, `UPDATE commands SET status = 'voided', settled_at = 1 WHERE id = ?`, first);
  skip(45_000);
  await eventually(() => statusOf(hub, second)).toBe('succeeded');
  expect(sent()).toEqual([ofBob, `${second}.1`]);
});
