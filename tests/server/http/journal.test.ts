import { expect, it } from 'vitest';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { eventually } from '../../kit/stage.ts';

const [ANA, BOB] = ['char1:ana', 'char1:bob'];
const PARAMS = { type: 'bank', amount: 5, action: 'add' };

type Rows = { id: string; name: string }[];
const rowsOf = async (hub: TestHub, path: string, key = hub.key): Promise<Rows> =>
  (await hub.request(`/api/v2/${path}`, { key })).body['data'] as Rows;

/** A hub whose Ana was paid 5, failed to pay 9,000 and got 5 with Bob in a batch, by another key. */
const openJournal = async () => {
  const hub = await startHub();
  await hub.newServer('second');
  const economy = createEconomy({ [ANA]: 100, [BOB]: 100 });
  startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: hub.folder, economy });
  await eventually(async () => (await hub.request(`/api/v2/players/${BOB}`)).status).toBe(200);
  const pay = (json: object) => hub.request('/api/v2/bridge/main/money', { json: { target: ANA, ...PARAMS, ...json } });
  await pay({});
  await pay({ action: 'remove', amount: 9_000 });
  await pay({ action: 'deduct', amount: 2 });
  const key = await hub.newKey(['commands:money', 'commands:batch']);
  const json = { serverId: 'main', name: 'money', params: PARAMS, targets: [ANA, BOB] };
  const made = await hub.request('/api/v2/batches', { json, key, headers: { 'Idempotency-Key': 'gift' } });
  const batch = String(made.body['id']);
  await eventually(async () => (await hub.request(`/api/v2/batches/${batch}`)).body['status']).toBe('settled');
  return { hub, batch };
};

it('the journal is filtered by several statuses, and by batches', async () => {
  const { hub, batch } = await openJournal();
  const count = async (query: string) => (await rowsOf(hub, `commands?${query}`)).length;
  expect(await count('')).toBe(5);
  expect(await count('status=rejected')).toBe(1);
  expect(await count('status=rejected,succeeded')).toBe(5);
  expect(await count('batches=all')).toBe(5);
  expect(await count('batches=none')).toBe(3);
  expect(await count(`batches=${batch}&status=succeeded`)).toBe(2);
  expect((await hub.request('/api/v2/commands.csv?batches=none')).text.trim().split('\r\n')).toHaveLength(4);
  expect(await hub.request('/api/v2/commands?status=rejected,none')).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/status' }] },
  });
  expect(await hub.request('/api/v2/commands?batches=some')).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/batches', detail: 'must be all, none, or the id of a batch' }] },
  });
});

it('the sums of money say what each person has given and taken', async () => {
  const { hub, batch } = await openJournal();
  const sums = async (query = '', key = hub.key) =>
    (await hub.request(`/api/v2/commands/sums${query}`, { key })).body as unknown as { data: object[]; since: null };
  const bank = { account: 'bank' };
  expect(await sums()).toMatchObject({
    data: [
      { actor: { name: 'other key' }, ...bank, given: 10, taken: 0, commands: 2 },
      { actor: { name: 'test key' }, ...bank, given: 5, taken: 2, commands: 2 },
    ],
    since: null,
  });
  expect((await sums('?batches=none')).data).toMatchObject([{ given: 5, taken: 2 }]);
  expect((await sums(`?batches=${batch}&target=${BOB}`)).data).toMatchObject([{ given: 5, taken: 0 }]);
  expect((await sums('?actor=other')).data).toHaveLength(1);
  expect((await sums('?actor=test&direction=give')).data).toMatchObject([{ given: 5, taken: 0, commands: 1 }]);
  expect((await sums('?direction=take')).data).toMatchObject([{ given: 0, taken: 2, commands: 1 }]);
  expect(await rowsOf(hub, 'commands?direction=take')).toHaveLength(2);
  expect((await hub.request('/api/v2/commands.csv?direction=give')).text.trim().split('\r\n')).toHaveLength(4);
  expect(await hub.request('/api/v2/commands/sums?direction=both')).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/direction' }] },
  });
  expect((await sums('', await hub.newKey(['commands:read'], ['second']))).data).toEqual([]);
  expect(await hub.request('/api/v2/commands/sums', { key: await hub.newKey(['players:read']) })).toMatchObject({
    status: 403,
  });
});

it('batches are listed by server, command, actor and time, those of other servers never', async () => {
  const { hub, batch } = await openJournal();
  const ids = async (query: string, key?: string) => (await rowsOf(hub, `batches?${query}`, key)).map(({ id }) => id);
  expect(await ids('serverId=main&name=money&actor=OTHER')).toEqual([batch]);
  for (const query of ['serverId=second', 'name=items', 'actor=nobody', 'since=2999-01-01T00:00:00Z'])
    expect(await ids(query), query).toEqual([]);
  expect(await ids('until=2999-01-01T00:00:00Z')).toEqual([batch]);
  const ofSecond = await hub.newKey(['commands:read'], ['second']);
  expect(await ids('', ofSecond)).toEqual([]);
  expect(await hub.request('/api/v2/batches?serverId=main', { key: ofSecond })).toMatchObject({
    body: { code: 'server_not_allowed' },
  });
});
