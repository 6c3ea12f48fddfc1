import { describe, expect, it } from 'vitest';
import { startHub } from '../../kit/hub.ts';
import { playerFrame, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { eventually } from '../../kit/stage.ts';

const ANA = 'char1:ana';
const PARAMS = { type: 'bank', amount: 5, action: 'add' };

/** A hub whose bridge has Ana, and holds every command. */
const open = async () => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  await reportPlayers(hub, bridge, playerFrame(ANA));
  return { hub, bridge };
};

describe('while the database takes no writes', () => {
  it('the void of a command that has left does not say that it had no effect', async () => {
    const { hub, bridge } = await open();
    const sent = await hub.request('/api/v2/bridge/main/money', {
      json: { target: ANA, ...PARAMS },
      headers: { Prefer: 'respond-async' },
    });
    await bridge.command(1);
    hub.breakDatabase('writes');
    const answer = await hub.request(`/api/v2/commands/${sent.body['id']}/void`, { json: {} });
    hub.breakDatabase('none');
    expect(answer).toMatchObject({ status: 503, body: { code: 'store_unavailable', executed: 'unknown' } });
  });

  it('the void of a batch does not say that none of its commands had an effect', async () => {
    const { hub, bridge } = await open();
    const made = await hub.request('/api/v2/batches', {
      json: { serverId: 'main', name: 'money', params: PARAMS, targets: [ANA] },
      headers: { 'Idempotency-Key': 'gift' },
    });
    await bridge.command(1);
    hub.breakDatabase('writes');
    const answer = await hub.request(`/api/v2/batches/${made.body['id']}/void`, { json: {} });
    hub.breakDatabase('none');
    expect(answer).toMatchObject({ status: 503, body: { code: 'store_unavailable', executed: 'unknown' } });
  });
});

it('a decision about a command whose answer was lost is not called undone', async () => {
  const { hub, bridge } = await open();
  const sent = await hub.request('/api/v2/bridge/main/money', {
    json: { target: ANA, ...PARAMS },
    headers: { Prefer: 'respond-async' },
  });
  const { id } = await bridge.command(1);
  bridge.send({ type: 'result', id, status: 'indeterminate', error: { code: 'indeterminate', message: 'Who knows.' } });
  const path = `/api/v2/commands/${sent.body['id']}`;
  await eventually(async () => (await hub.request(path)).body['status']).toBe('indeterminate');
  hub.loseAnswer('commands.resolve', 1);
  const answer = await hub.request(`${path}/resolve`, { json: { applied: true, note: 'Seen in the game.' } });
  expect(answer).toMatchObject({ status: 503, body: { executed: 'unknown' } });
  expect((await hub.request(path)).body['status']).toBe('resolved_applied');
});

it.each(['/api/v2/bridge/main/money', '/api/v2/batches'])(
  'a repeated key that the database cannot find now does not say that it had no effect: %s',
  async (path) => {
    const { hub, bridge } = await open();
    const json = path.endsWith('money')
      ? { target: ANA, ...PARAMS }
      : { serverId: 'main', name: 'money', params: PARAMS, targets: [ANA] };
    const send = () => hub.request(path, { json, headers: { 'Idempotency-Key': 'gift', Prefer: 'respond-async' } });
    expect((await send()).status).toBe(202);
    await bridge.command(1);
    hub.breakDatabase('everything');
    const again = await send();
    hub.breakDatabase('none');
    expect(again).toMatchObject({ status: 503, body: { code: 'store_unavailable', executed: 'unknown' } });
  },
);
