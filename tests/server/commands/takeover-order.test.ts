import { expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { answerAll, helloFrame, openRaw, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { ANA, createGate, eventually } from '../../kit/stage.ts';

const data = { account: 'bank', before: 0, after: 1 };

/** The amounts of the commands that came to these connections, in the order of their arrival. */
const amountsIn = (...bridges: RawBridge[]): number[] =>
  bridges.flatMap(({ frames }) =>
    frames.filter(({ type }) => type === 'command').map(({ params }) => (params as { amount: number }).amount),
  );

it.each([2, 3, 4])(
  '%i payments of a player keep their order while their bridge opens another connection',
  async (n) => {
    const hub = await startHub();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
    const wanted = Array.from({ length: n + 1 }, (_, at) => at + 1);
    for (const amount of wanted) {
      const json = { target: ANA, type: 'bank', amount, action: 'add' };
      await hub.request('/api/v2/bridge/main/money', { json, headers: { Prefer: 'respond-async' } });
    }
    const first = await bridge.command();
    // The new session is in the database, and its hub does not know yet.
    const gate = createGate();
    const isStored = hub.holdAnswersOf('sessions.open', gate.pass());
    const next = openRaw(hub.bridgeUrl, hub.token);
    await next.opened();
    answerAll(next, () => ({ status: 'done', data }));
    next.send(helloFrame({ instance: 'one' }));
    await isStored;
    bridge.send({ type: 'result', id: first.id, status: 'done', data });
    await eventually(async () => (await hub.request(`/api/v2/commands/${first.id}`)).body['status']).toBe('succeeded');
    gate.open();
    await eventually(() => amountsIn(bridge, next).length).toBeGreaterThan(n);
    expect(amountsIn(bridge, next)).toEqual(wanted);
  },
);
