import { it } from 'vitest';
import { createGate } from '../../kit/gate.ts';
import { startHub } from '../../kit/hub.ts';
import { playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const ANA = 'char1:ana';

it('a restored command that expires while its bridge is welcomed is asked about at once', async () => {
  const hub = await startHub();
  const first = await welcomeRaw(hub.bridgeUrl, hub.token);
  const players = [playerFrame(ANA, { online: false })];
  const snapshot = { type: 'players.snapshot', revision: 1, part: 0, last: true, players };
  first.send(snapshot);
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  const json = { target: ANA, type: 'bank', amount: 5, action: 'add', deliver: 'when_online' };
  const { body } = await hub.request('/api/v2/bridge/main/money', { json, headers: { Prefer: 'respond-async' } });
  first.kill();
  await eventually(() => hub.sizes().sessions).toBe(0);
  await hub.store.commands.markRestored(Date.now());

  const answers = createGate();
  const held = hub.holdAnswersOf('commands.openFor', answers.opened);
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  bridge.send(snapshot);
  await held;
  await rewrite(hub, 'UPDATE commands SET expires_at = 1, deliver_until = 1');
  const status = async () => (await hub.request(`/api/v2/commands/${body.id}`)).body['status'];
  await eventually(status).toBe('dispatched');
  answers.open();
  for (const round of [1, 2, 3]) {
    const asked = () => bridge.frames.find(({ type, id }) => type === 'void' && id === `${body.id}.${round}`);
    await bridge.until(asked, `the question about round ${round}`);
    bridge.send({ type: 'result', id: `${body.id}.${round}`, status: 'voided' });
  }
  await eventually(status).toBe('expired');
});
