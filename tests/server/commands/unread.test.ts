import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { playerFrame, welcomeRaw } from '../../kit/raw-bridge.ts';
import { ANA, eventually } from '../../kit/stage.ts';

const data = { account: 'bank', before: 0, after: 5 };

const ask = (hub: TestHub, key: string, prefer: string, more: object = {}) =>
  hub.request('/api/v2/bridge/main/money', {
    json: { target: ANA, type: 'bank', amount: 5, action: 'add', ...more },
    headers: { 'Idempotency-Key': key, Prefer: prefer },
  });

/** The bridge pays while the disk of the hub is gone, and the caller is told what the hub knows. */
const told = async (hub: TestHub, pay: () => void, asked: ReturnType<typeof ask>) => {
  hub.breakDatabase('everything');
  pay();
  const answer = await asked;
  hub.breakDatabase('none');
  return answer;
};

it('a repeated request is not told that nothing happened, when its command has been sent and cannot be read', async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  await ask(hub, 'first', 'respond-async');
  const first = await bridge.command();
  expect((await ask(hub, 'second', 'respond-async')).body['status']).toBe('accepted');
  const repeated = ask(hub, 'second', 'wait=3');
  await eventually(() => hub.hub.commands.sizes().callers).toBe(1);
  bridge.send({ type: 'result', id: first.id, status: 'done', data, sequence: 1 });
  const second = await bridge.command(2);
  const pay = () => bridge.send({ type: 'result', id: second.id, status: 'done', data, sequence: 2 });
  expect((await told(hub, pay, repeated)).body['executed']).toBe('unknown');
  await eventually(async () => (await hub.request(`/api/v2/commands/${second.id}`)).body['executed']).toBe('yes');
});

it('a command that left at once is not told that nothing happened, when it cannot be read', async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: [playerFrame(ANA)] });
  await eventually(async () => (await hub.request(`/api/v2/players/${ANA}`)).status).toBe(200);
  const asked = ask(hub, 'gift', 'wait=3', { deliver: 'when_online' });
  const { id } = await bridge.command();
  await eventually(() => hub.hub.commands.sizes().callers).toBe(1);
  const pay = () => bridge.send({ type: 'result', id, status: 'done', data, sequence: 1 });
  expect((await told(hub, pay, asked)).body['executed']).toBe('unknown');
  const [stored] = id.split('.');
  await eventually(async () => (await hub.request(`/api/v2/commands/${stored}`)).body['executed']).toBe('yes');
});
