import { expect, it, onTestFinished, vi } from 'vitest';
import { createBridge } from '../../../bridge-protocol/client/bridge.ts';
import { memoryJournal } from '../../../bridge-protocol/journal/memory.ts';
import { openWebSocket } from '../../../bridge-protocol/ws.ts';
import { startHub } from '../../testkit/hub.ts';

/** More than the 30 s for which money may be sent. */
const BACK_MS = 40_000;

it('sends no command that its bridge takes for late, when the clock of the hub is set back', async () => {
  const rightNow = Date.now.bind(Date);
  let offMs = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => rightNow() + offMs);
  onTestFinished(() => clock.mockRestore());
  const hub = await startHub();
  let balance = 0;
  const bridge = createBridge({
    openSocket: openWebSocket({ url: hub.bridgeUrl, token: hub.token }),
    software: { name: 'clock', version: '1.0.0' },
    journal: memoryJournal({ class: 'atomic' }),
    accounts: ['bank'],
    // The game server's clock is right all the time.
    now: rightNow,
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
  const pay = () =>
    hub.request('/api/v2/bridge/main/money', {
      json: { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' },
    });
  expect((await pay()).status).toBe(200);
  offMs = -BACK_MS;
  // The hub compares its clocks in a sweep; every node does.
  hub.hub.gateway.sweep();
  const paid = await pay();
  expect(paid).toMatchObject({ status: 200, body: { result: { before: 5, after: 10 } } });
});
