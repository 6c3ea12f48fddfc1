import { expect, it, onTestFinished, vi } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { ANA, commandsOf, createGate, eventually, PAY, pay } from '../../kit/stage.ts';

/** More than the 30 s for which a round may be sent. */
const ROUND_MS = 31_000;

it('a round is taken back at its deadline, though the end of the one before was looked for until it was sent', async () => {
  const rightNow = Date.now.bind(Date);
  let aheadMs = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => rightNow() + aheadMs);
  onTestFinished(() => clock.mockRestore());
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [playerFrame(ANA)] });
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  const later = { Prefer: 'respond-async', 'Idempotency-Key': 'first' };
  await pay(hub, later, { expiresInSeconds: 3_600 });
  const first = await bridge.command();
  await pay(hub, { ...later, 'Idempotency-Key': 'second' }, { deliver: 'when_connected' });
  await eventually(() => hub.sizes().queued).toBe(1);

  // Two sweeps try to end its first round. One does, and the other has its answer late.
  const [bothTry, lateEnds] = [createGate(), createGate()];
  const oneTries = hub.holdAnswersOf('commands.expire', bothTry.pass());
  aheadMs += ROUND_MS;
  await oneTries;
  await hub.holdAnswersOf('commands.expire', bothTry.pass());
  const oneIsLate = hub.holdAnswersOf('commands.askLate', lateEnds.pass());
  bothTry.open();
  await oneIsLate;
  bridge.send({
    type: 'result',
    id: first.id,
    status: 'done',
    data: { account: 'bank', before: 0, after: PAY },
    sequence: 1,
  });
  const second = await bridge.command(2);
  lateEnds.open();
  await commandsOf(hub);
  aheadMs += ROUND_MS;
  expect(await bridge.frame('void')).toMatchObject({ id: second.id });
});
