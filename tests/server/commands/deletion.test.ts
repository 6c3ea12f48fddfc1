import { describe, expect, it } from 'vitest';
import { serverAdmin } from '../../../server/admin/servers.ts';
import { createLastRows } from '../../../server/commands/end.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, type RawBridge, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { commandsOf, eventually } from '../../kit/stage.ts';

const MAIN = '/api/v2/servers/main';
const DONE = { type: 'result', status: 'done', data: { account: 'bank', before: 0, after: 5 }, sequence: 1 };
const OLD = { journal: { class: 'durable', id: 'old', sequence: 0 } };
const NEW = { journal: { class: 'durable', id: 'new', sequence: 0 } };

const pay = (hub: TestHub, target: string, headers: Record<string, string> = {}) => {
  const json = { target, type: 'bank', amount: 5, action: 'add', expiresInSeconds: 600 };
  return hub.request('/api/v2/bridge/main/money', { json, headers });
};
const acknowledged = (bridge: RawBridge, id: unknown): Promise<unknown> =>
  bridge.until(() => bridge.frames.find(({ type, ids }) => type === 'ack' && (ids as unknown[]).includes(id)), 'ack');
const statuses = async (hub: TestHub): Promise<string[]> => (await commandsOf(hub)).map(({ status }) => status);
const create = async (hub: TestHub): Promise<string> =>
  String((await hub.request('/api/v2/servers', { json: { serverId: 'main' } })).body['token']);

/** One command at the bridge, `count` behind it: of each three one is asked for asynchronously, one has a key. */
const busyHub = async (count: number) => {
  const hub = await startHub();
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, OLD);
  const first = pay(hub, 'char1:ana');
  const { id } = await bridge.command();
  const rest = Array.from({ length: count }, (_, n) => {
    const headers = n % 3 === 0 ? { Prefer: 'respond-async' } : n % 3 === 1 ? { 'Idempotency-Key': `key-${n}` } : {};
    return pay(hub, 'char1:ana', headers as Record<string, string>);
  });
  // The end of a test may come before the answer.
  for (const answer of [first, ...rest]) answer.catch(() => undefined);
  await eventually(() => hub.sizes().queued).toBe(count);
  return { hub, bridge, id, first, rest };
};

/** As the command line does it: another process, which the hub does not hear of. */
const otherProcess = ({ store }: TestHub) => serverAdmin({ store, endCommands: createLastRows({ store }).endAll });
const elsewhere = (hub: TestHub) => otherProcess(hub).remove({ projectId: hub.project.id, id: 'main' });
const byRest = (hub: TestHub) => hub.request(MAIN, { method: 'DELETE' });

describe.each([
  ['by REST', byRest],
  ['by another process', elsewhere],
])('a game server that is deleted %s', (_name, remove) => {
  it('takes back unsent commands, makes sent ones indeterminate, and closes with 4504', async () => {
    const { hub, bridge, id, first, rest } = await busyHub(6);
    await remove(hub);
    expect((await bridge.closed()).code).toBe(4504);
    expect(await first).toMatchObject({ status: 409, body: { code: 'indeterminate', executed: 'unknown' } });
    for (const answer of await Promise.all(rest)) {
      const isAsync = answer.status === 202;
      if (!isAsync) expect(answer).toMatchObject({ status: 409, body: { code: 'voided', executed: 'no' } });
    }
    await eventually(() => statuses(hub)).toEqual([...Array(6).fill('voided'), 'indeterminate']);
    expect((await commandsOf(hub)).at(-1)?.id).toBe(id);
    expect((await hub.request(MAIN)).status).toBe(404);
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(1);
  });

  it('leaves nothing to do to a new server of its name', async () => {
    const { hub, first, rest } = await busyHub(30);
    await remove(hub);
    const bridge = await welcomeRaw(hub.bridgeUrl, await create(hub), NEW);
    answerAll(bridge, () => ({ status: 'done', data: DONE.data, sequence: 1 }));
    await Promise.all([first, ...rest]);
    // A command of today goes through, and is the only one.
    expect(await pay(hub, 'char1:bo')).toMatchObject({ status: 200 });
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(1);
    expect((await statuses(hub)).filter((status) => status === 'voided')).toHaveLength(30);
  });
});

describe('a command that is indeterminate because its server was deleted', () => {
  const deleted = async () => {
    const { hub, id, first } = await busyHub(0);
    await byRest(hub);
    await first;
    return { hub, id, token: await create(hub), status: async () => (await commandsOf(hub))[0]?.status };
  };

  it('is settled by its bridge that comes back with its journal, once', async () => {
    const { hub, id, token, status } = await deleted();
    const bridge = await welcomeRaw(hub.bridgeUrl, token, OLD);
    bridge.send({ ...DONE, id });
    await acknowledged(bridge, id);
    expect(await status()).toBe('succeeded');
    bridge.send({ type: 'result', id, status: 'rejected', error: { code: 'player_not_found', message: 'no' } });
    await bridge.frame('ack', 2);
    expect(await status()).toBe('succeeded');
  });

  it('is not settled by a bridge with another journal', async () => {
    const { hub, id, token, status } = await deleted();
    const bridge = await welcomeRaw(hub.bridgeUrl, token, NEW);
    bridge.send({ ...DONE, id });
    await acknowledged(bridge, id);
    expect(await status()).toBe('indeterminate');
  });

  it('stays as an operator resolved it', async () => {
    const { hub, id, token, status } = await deleted();
    await hub.request(`/api/v2/commands/${id}/resolve`, { json: { applied: false, note: 'looked' } });
    const bridge = await welcomeRaw(hub.bridgeUrl, token, OLD);
    bridge.send({ ...DONE, id });
    await acknowledged(bridge, id);
    expect(await status()).toBe('resolved_not_applied');
  });
});

it('what a deleted server has done is neither undone nor sent again at a new server of its name', async () => {
  const hub = await startHub();
  const players = ['char1:bo', 'char1:ana'].map((id) => playerFrame(id));
  const refusal = { status: 'rejected', error: { code: 'refused', message: 'no' } };
  const old = await welcomeRaw(hub.bridgeUrl, hub.token, OLD);
  answerAll(old, ({ params }) => (params['target'] === 'char1:bo' ? refusal : { status: 'done', data: DONE.data }));
  await reportPlayers(hub, old, ...players);
  const { id } = (await pay(hub, 'char1:ana')).body;
  const refused = (await pay(hub, 'char1:bo')).body['command'] as { id: string };
  const params = { type: 'bank', amount: 5, action: 'add' };
  const json = { serverId: 'main', name: 'money', params, targets: ['char1:ana'] };
  const headers = { 'Idempotency-Key': 'event' };
  const { body } = await hub.request('/api/v2/batches', { json, headers });
  const batch = `/api/v2/batches/${body['id']}`;
  await eventually(async () => (await hub.request(batch)).body['status']).toBe('settled');
  expect((await hub.request(`/api/v2/commands/${id}`)).body).toHaveProperty('opposite');
  await byRest(hub);
  const bridge = await welcomeRaw(hub.bridgeUrl, await create(hub), NEW);
  answerAll(bridge, () => ({ status: 'done', data: { account: 'bank', before: 5, after: 0 } }));
  await reportPlayers(hub, bridge, ...players);

  const detail = 'The server was deleted and created again since.';
  const listed = (await hub.request('/api/v2/commands?target=char1:ana')).body['data'] as object[];
  for (const command of [...listed, (await hub.request(`/api/v2/commands/${id}`)).body]) {
    expect(command).toMatchObject({ status: 'succeeded' });
    expect(command).not.toHaveProperty('opposite');
  }
  const undo = await hub.request(`/api/v2/commands/${id}/undo`, { json: {} });
  expect(undo).toMatchObject({ status: 409, body: { code: 'no_opposite', executed: 'no', detail } });
  const again = await hub.request(`/api/v2/commands/${refused.id}/again`, { json: {} });
  expect(again).toMatchObject({ status: 409, body: { code: 'not_repeatable', executed: 'no', detail } });
  const plan = await hub.request(`${batch}/undo`, { json: { dryRun: true } });
  expect(plan.body).toMatchObject({ undo: 0, noOpposite: 1, money: 0 });
  expect((await hub.request(`${batch}/undo`, { json: {} })).body.code).toBe('nothing_to_undo');
  expect(bridge.frames.filter(({ type }) => type === 'command')).toEqual([]);
});

describe('a deletion', () => {
  it('says before how many commands it ends', async () => {
    const { hub, bridge } = await busyHub(3);
    await reportPlayers(hub, bridge, playerFrame('char1:bo', { online: false }));
    const json = { target: 'char1:bo', type: 'bank', amount: 5, action: 'add', deliver: 'when_online' };
    expect(await hub.request('/api/v2/bridge/main/money', { json })).toMatchObject({ body: { status: 'waiting' } });
    // The third waits in memory, or is a row by then; for a moment on its way it is neither.
    await expect
      .poll(() => hub.request(`${MAIN}/deletion`))
      .toMatchObject({ status: 200, body: { waiting: 4, sent: 1 } });
  });

  it('that was cut off is carried on by the hub', async () => {
    const { hub, bridge, first } = await busyHub(0);
    const longAgo = Date.now() - 61_000;
    await hub.store.servers.update(hub.project.id, 'main', { deletingAt: longAgo }, Date.now());
    expect((await bridge.closed()).code).toBe(4504);
    expect((await hub.request(MAIN)).body).toMatchObject({ deleting: true });
    await otherProcess(hub).continueRemovals();
    expect((await hub.request(MAIN)).status).toBe(404);
    expect(await first).toMatchObject({ status: 409, body: { executed: 'unknown' } });
  });
});
