import { expect, it, onTestFinished, vi } from 'vitest';
import { createBridge } from '../../../bridge-protocol/client/bridge.ts';
import { memoryJournal } from '../../../bridge-protocol/journal/journal.ts';
import { openWebSocket } from '../../../bridge-protocol/ws.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { openLine } from '../../kit/line.ts';
import { type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

/** More than the 30 s for which money may be sent. */
const BACK_MS = 40_000;
const ALL = ['ping', 'ping', 'ping', 'ping'];

/** A clock of the hub that the test sets. */
const settable = () => {
  const rightNow = Date.now.bind(Date);
  let offMs = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => rightNow() + offMs);
  onTestFinished(() => clock.mockRestore());
  const set = (ms: number): void => {
    offMs = ms;
  };
  return { rightNow, set };
};

const pay = (hub: TestHub, target = 'char1:ana') =>
  hub.request('/api/v2/bridge/main/money', { json: { target, type: 'bank', amount: 5, action: 'add' } });

/** A bridge with a right clock of its own, which keeps what it has heard of the hub's clock. */
const openBridge = async (url: string, token: string, now: () => number) => {
  let balance = 0;
  const bridge = createBridge({
    openSocket: openWebSocket({ url, token }),
    software: { name: 'clock', version: '1.0.0' },
    journal: memoryJournal({ class: 'atomic' }),
    accounts: ['bank'],
    now,
    commands: {
      money: ({ amount }) => {
        balance += amount;
        return { status: 'done', data: { account: 'bank', before: balance - amount, after: balance } };
      },
    },
    players: { snapshot: () => [] },
  });
  bridge.start();
  onTestFinished(() => bridge.stop());
  await expect.poll(() => bridge.state).toBe('welcomed');
  return bridge;
};

it('sends no command that its bridge takes for late, when the clock of the hub is set back', async () => {
  const clock = settable();
  const hub = await startHub();
  await openBridge(hub.bridgeUrl, hub.token, clock.rightNow);
  expect((await pay(hub)).status).toBe(200);
  clock.set(-BACK_MS);
  expect(await pay(hub)).toMatchObject({ status: 200, body: { result: { before: 5, after: 10 } } });
});

it('sends no such command to a bridge that was away when the clock was set back', async () => {
  const clock = settable();
  const hub = await startHub();
  const line = await openLine(() => hub.bridgePort);
  const bridge = await openBridge(line.url, hub.token, clock.rightNow);
  expect((await pay(hub)).status).toBe(200);
  line.break();
  await eventually(() => hub.sizes().sessions).toBe(0);
  clock.set(-BACK_MS);
  line.mend();
  await eventually(() => hub.sizes().sessions > 0 && bridge.state).toBe('welcomed');
  expect(await pay(hub)).toMatchObject({ status: 200, body: { result: { before: 5, after: 10 } } });
});

/** No heartbeat comes in between. */
const tuning = { pingEveryMs: 1e9 };
const typesOf = ({ frames }: RawBridge): string[] => frames.map(({ type }) => type);

it('tells a bridge its clock after the welcome, before the commands that were open', async () => {
  const hub = await startHub({ tuning });
  const first = await welcomeRaw(hub.bridgeUrl, hub.token);
  const told = pay(hub);
  const { id } = await first.command();
  first.kill();
  await eventually(() => hub.sizes().sessions).toBe(0);
  const next = await welcomeRaw(hub.bridgeUrl, hub.token);
  await next.command();
  expect(typesOf(next)).toEqual(['welcome', ...ALL, 'command']);
  next.send({ type: 'result', id, status: 'done', data: { account: 'bank', before: 0, after: 5 }, sequence: 1 });
  expect((await told).status).toBe(200);
});

it('tells it once for each step back, right before the next command', async () => {
  const clock = settable();
  const hub = await startHub({ tuning });
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const commanded = async (n: number, ...expected: string[]): Promise<void> => {
    const from = bridge.frames.length;
    void pay(hub, `char1:p${n}`).catch(() => undefined);
    await bridge.command(n);
    // By the clock that was set forward again, the commands before are late.
    const types = typesOf(bridge).slice(from);
    expect(types.filter((type) => type !== 'void')).toEqual([...expected, 'command']);
  };
  await bridge.frame('ping', 4);
  await commanded(1);
  clock.set(-BACK_MS);
  await commanded(2, ...ALL);
  expect(bridge.frames.at(-2)?.['now']).toBeLessThan(clock.rightNow() - BACK_MS + 1);
  await commanded(3);
  // Forward, the next ping is enough: the largest offset counts.
  clock.set(0);
  await commanded(4);
});
