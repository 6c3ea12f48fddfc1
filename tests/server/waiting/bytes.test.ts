import { expect, it } from 'vitest';
import { lentTo, startHub, type TestHub } from '../../kit/hub.ts';
import { playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { rewrite } from '../../kit/stage.ts';

const MOST = 256 * 1024 * 1024;
const ANA = 'char1:ana';
const PARAMS = { target: ANA, type: 'bank', amount: 5, action: 'add' };

/** A bridge that has one player, who is away. */
const connect = async (hub: TestHub): Promise<void> => {
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: ['money@1', 'items@1'] });
  await reportPlayers(hub, bridge, playerFrame(ANA, { online: false }));
};

const pay = (hub: TestHub, reason: string) =>
  hub.request('/api/v2/bridge/main/money', { json: { ...PARAMS, reason, deliver: 'when_online' } });

it('the parameters of what waits in a project take at most 256 MiB', async () => {
  const hub = await startHub();
  await connect(hub);
  const first = await pay(hub, 'x'.repeat(300));
  expect(first).toMatchObject({ status: 202, body: { code: 'waiting' } });
  // It stands for many large ones: there is room for 380 bytes.
  await rewrite(hub, 'UPDATE commands SET bytes = ?', MOST - 380);
  const full = { status: 503, body: { code: 'waiting_full', executed: 'no', waiting: { of: 'bytes', most: MOST } } };
  expect(await pay(hub, 'x'.repeat(300))).toMatchObject(full);
  // As UTF-8 these letters are two bytes each.
  expect(await pay(hub, 'é'.repeat(160))).toMatchObject(full);
  expect(await pay(hub, 'x'.repeat(160))).toMatchObject({ status: 202, body: { code: 'waiting' } });
  expect(await pay(hub, 'x'.repeat(160))).toMatchObject(full);
  const neighbour = await lentTo(hub, 'neighbour');
  await connect(neighbour);
  expect((await pay(neighbour, 'x'.repeat(300))).status).toBe(202);
  const { command } = first.body as unknown as { command: { id: string } };
  expect((await hub.request(`/api/v2/commands/${command.id}/void`, { method: 'POST' })).status).toBe(200);
  expect((await pay(hub, 'x'.repeat(300))).status).toBe(202);
});

it('a batch that does not fit into them is refused, although none of the one before it is stored', async () => {
  const hub = await startHub();
  await connect(hub);
  const metadata = { note: 'x'.repeat(15_000) };
  const json = {
    serverId: 'main',
    name: 'items',
    params: { item: 'book', count: 1, action: 'add', metadata },
    targets: Array.from({ length: 10_000 }, (_, n) => `char1:p${n}`),
    deliver: 'when_online',
  };
  const send = (key: string) => hub.request('/api/v2/batches', { json, headers: { 'Idempotency-Key': key } });
  const answers = await Promise.all([send('one'), send('two')]);
  const stored = answers.find(({ status }) => status === 202);
  expect(answers.find((answer) => answer !== stored)).toMatchObject({
    status: 503,
    body: { code: 'waiting_full', waiting: { of: 'bytes', most: MOST } },
  });
  const { status } = await hub.request(`/api/v2/batches/${stored?.body['id']}/void`, { method: 'POST' });
  expect(status).toBe(200);
});
