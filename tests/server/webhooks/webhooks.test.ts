import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../server/auth/credentials.ts';
import { playerFrame } from '../../kit/frames.ts';
import { shareHub, startHub, type TestHub } from '../../kit/hub.ts';
import { signaturesBy, startReceiver, tell } from '../../kit/receiver.ts';
import { eventually } from '../../kit/stage.ts';

const LOOPBACK = { env: { WEBHOOKS_MAY_REACH: '127.0.0.1' } };
const newTenant = shareHub(LOOPBACK);

const create = (hub: TestHub, json: object = { url: 'https://example.com/hook' }, key = hub.key) =>
  hub.request('/api/v2/webhooks', { key, json });

/** A webhook that is made at the front door. */
const connect = async (hub: TestHub, url: string, more: object = {}) => {
  const made = await create(hub, { url, ...more });
  expect(made.status, made.text).toBe(201);
  const path = `/api/v2/webhooks/${made.body.id}`;
  const post = (what: string, json: object = {}) => hub.request(`${path}/${what}`, { method: 'POST', json });
  return {
    path,
    secret: String(made.body['secret']),
    post,
    read: async () => (await hub.request(path)).body,
    deliveries: async (query = '') => (await hub.request(`${path}/deliveries${query}`)).body['data'],
  };
};

describe('webhooks', () => {
  it('are made, listed, read, changed and deleted; the secret is shown once', async () => {
    const hub = await newTenant();
    const made = await create(hub);
    expect(made.status).toBe(201);
    const { secret, ...shown } = made.body;
    expect(Buffer.from(String(secret).replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    expect(shown).toMatchObject({
      ...{
        name: null,
        format: 'json',
        url: 'https://example.com/hook',
        types: null,
        servers: null,
        names: true,
        on: true,
      },
      ...{
        off: null,
        failures: 0,
        fault: null,
        troubled: false,
        eventsSince: expect.any(String),
        behind: 0,
        waiting: 0,
        givenUp: 0,
        maker: { keyId: hub.keyId },
      },
    });
    const path = `/api/v2/webhooks/${made.body.id}`;
    expect(made.headers.get('location')).toBe(path);
    expect((await hub.request(path)).body).toEqual(shown);
    expect((await hub.request('/api/v2/project')).body).toMatchObject({ eventsSince: made.body['eventsSince'] });
    const change = { types: ['batch.settled'], servers: ['main'], url: 'https://example.com/other' };
    const changed = await hub.request(path, { method: 'PATCH', json: change });
    expect(changed.body).toMatchObject(change);
    const list = await hub.request('/api/v2/webhooks');
    expect(list.body['data']).toEqual([changed.body]);
    expect(changed.text + list.text).not.toContain(String(secret));
    expect((await hub.request(path, { method: 'DELETE' })).status).toBe(204);
    expect((await hub.request(path)).body.code).toBe('webhook_not_found');
    expect((await hub.request('/api/v2/webhooks')).body['data']).toEqual([]);
  });

  it('have a name that can be changed and taken away; a test says whom it has tried', async () => {
    const hub = await newTenant();
    const receiver = await startReceiver();
    const name = 'Staff 😀';
    const webhook = await connect(hub, receiver.url, { name });
    expect(await webhook.read()).toMatchObject({ name });
    const id = webhook.path.split('/').at(-1);
    expect((await webhook.post('test')).body).toMatchObject({ id, name, delivered: true });
    const change = (json: object) => hub.request(webhook.path, { method: 'PATCH', json });
    expect((await change({ name: 'x'.repeat(128) })).body).toMatchObject({ name: 'x'.repeat(128) });
    expect((await change({ on: false })).body).toMatchObject({ name: 'x'.repeat(128) });
    expect((await change({ name: null })).body).toMatchObject({ name: null });
    expect((await change({ name: 'x'.repeat(129) })).body['errors']).toMatchObject([
      { pointer: '/name', detail: expect.stringContaining('at most 128') },
    ]);
  });

  it.each([
    [{ url: 'http://example.com/' }, '/url'],
    [{ url: 'https://10.0.0.1/' }, '/url'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, '/url'],
    [{ url: 'https://user:pass@example.com/' }, '/url'],
    [{ url: `https://example.com/${'a'.repeat(2_048)}` }, '/url'],
    [{ url: 'no address' }, '/url'],
    [{}, '/url'],
    [{ url: 'https://example.com/', types: ['player.exploded'] }, '/types/0'],
    [{ url: 'https://example.com/', types: [] }, '/types'],
    [{ url: 'https://example.com/', servers: ['ghost'] }, '/servers/0'],
    [{ url: 'https://example.com/', name: '' }, '/name'],
    [{ url: 'https://example.com/', ghost: 1 }, '/ghost'],
  ])('refuse %j', async (json, pointer) => {
    const { status, body } = await create(await newTenant(), json);
    expect(status).toBe(422);
    expect(body['errors']).toMatchObject([{ pointer }]);
  });

  it('need webhooks:write and commands:read, and show names by players:read only', async () => {
    const hub = await newTenant();
    const [weak, nameless] = [
      await hub.newKey(['webhooks:write']),
      await hub.newKey(['webhooks:write', 'commands:read']),
    ];
    expect((await create(hub, undefined, weak)).body).toMatchObject({ code: 'insufficient_scope' });
    expect((await create(hub, undefined, await hub.newKey(['commands:read']))).body.code).toBe('insufficient_scope');
    expect((await create(hub, undefined, nameless)).body).toMatchObject({ names: false });
  });

  it('of a key without players:read get events without the names of players', async () => {
    const hub = await newTenant();
    const [whole, nameless] = [await startReceiver(), await startReceiver()];
    await create(hub, { url: whole.url });
    const key = await hub.newKey(['webhooks:write', 'commands:read']);
    await create(hub, { url: nameless.url }, key);
    const events = (['player.first_seen', 'shop.line.delivered', 'server.online'] as const).map((type) => ({
      type,
      // Of a line, it is the name of its command.
      body: JSON.stringify({ type, data: { id: 'one', name: type === 'shop.line.delivered' ? 'money' : 'Ana' } }),
    }));
    await tell(hub.store, hub.project.id, events);
    const named = ({ posts }: typeof whole) =>
      posts
        .map(({ text }) => JSON.parse(text))
        .map(({ type, data }) => `${type} ${data.id} ${data.name}`)
        .toSorted();
    await eventually(() => named(whole)).toEqual([
      'player.first_seen one Ana',
      'server.online one Ana',
      'shop.line.delivered one money',
    ]);
    await eventually(() => named(nameless)).toEqual([
      'player.first_seen one undefined',
      'server.online one Ana',
      'shop.line.delivered one money',
    ]);
  });

  it('send no names to an address that a key without players:read has given', async () => {
    const hub = await newTenant();
    const { path } = await connect(hub, 'https://example.com/');
    const key = await hub.newKey(['webhooks:write', 'commands:read']);
    const change = async (json: object, by = hub.key) =>
      (await hub.request(path, { method: 'PATCH', key: by, json })).body;
    expect(await change({ name: 'Staff' }, key)).toMatchObject({ names: true });
    expect(await change({ url: 'https://example.com/other' })).toMatchObject({ names: true });
    expect(await change({ url: 'https://example.com/own' }, key)).toMatchObject({ names: false });
  });

  it('of a limited key get events of its servers, and are hidden from keys of other servers', async () => {
    const hub = await newTenant();
    await hub.newServer('other');
    const limited = await hub.newKey(['webhooks:write', 'commands:read'], ['other']);
    const url = 'https://example.com/';
    expect((await create(hub, { url, servers: null }, limited)).body.code).toBe('server_not_allowed');
    expect((await create(hub, { url, servers: ['main'] }, limited)).body.code).toBe('server_not_allowed');
    const own = await create(hub, { url }, limited);
    expect(own.body).toMatchObject({ servers: ['other'] });
    const wide = await create(hub, { url });
    const wider = { method: 'PATCH', key: limited, json: { servers: null } };
    expect((await hub.request(`/api/v2/webhooks/${own.body.id}`, wider)).body.code).toBe('server_not_allowed');
    expect((await hub.request(`/api/v2/webhooks/${wide.body.id}`, { key: limited })).status).toBe(404);
    expect((await hub.request('/api/v2/webhooks', { key: limited })).body['data']).toHaveLength(1);
    expect((await hub.request('/api/v2/webhooks')).body['data']).toHaveLength(2);
  });

  it('that got events of more servers before show a limited key nothing of them, and send it none', async () => {
    const hub = await newTenant();
    await hub.newServer('other');
    const limited = await hub.newKey(['webhooks:write', 'commands:read'], ['other']);
    const [wide, narrow] = [await startReceiver(), await startReceiver()];
    const webhook = await connect(hub, wide.url);
    const body = JSON.stringify({ serverId: 'main', data: { name: 'money', target: 'char1:ana' } });
    const [id, own] = await tell(hub.store, hub.project.id, [{ body }, { body, serverId: 'other' }]);
    await eventually(webhook.deliveries).toHaveLength(2);
    await hub.request(webhook.path, { method: 'PATCH', json: { servers: ['other'] } });
    await hub.request(webhook.path, { method: 'PATCH', key: limited, json: { url: narrow.url } });
    const list = async () => (await hub.request(`${webhook.path}/deliveries`, { key: limited })).body['data'];
    expect(await list()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ eventId: id, about: null }),
        expect.objectContaining({ eventId: own, about: expect.objectContaining({ serverId: 'other' }) }),
      ]),
    );
    for (const event of [id, own]) {
      await hub.request(`${webhook.path}/deliveries/${event}/retry`, { method: 'POST', key: limited, json: {} });
    }
    await eventually(() => narrow.ids()).toEqual([own]);
    await eventually(list).toContainEqual(expect.objectContaining({ eventId: id, state: 'given_up' }));
    expect(narrow.ids()).toEqual([own]);
  });

  it('are fifty in a project at most', async () => {
    const hub = await newTenant();
    for (let n = 0; n < 50; n += 1) expect((await create(hub)).status).toBe(201);
    expect((await create(hub)).body.code).toBe('quota_exceeded');
  });

  it('get each event once, signed, with the id and the bytes that the hub has stored', async () => {
    const hub = await newTenant();
    await tell(hub.store, hub.project.id, [{ body: '{"before":"the webhook"}' }]);
    const receiver = await startReceiver();
    const webhook = await connect(hub, receiver.url);
    const ids = await tell(hub.store, hub.project.id, [{ body: '{"name":"Zoë 😀"}' }, {}, {}]);
    await eventually(() => receiver.ids().toSorted()).toEqual(ids.toSorted());
    await eventually(webhook.deliveries).toHaveLength(3);
    const first = receiver.posts.find(({ id }) => id === ids[0]);
    expect(first?.text).toBe('{"name":"Zoë 😀"}');
    expect(receiver.posts.map((got) => signaturesBy(webhook.secret, got))).toEqual([1, 1, 1]);
    expect(first?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(await webhook.deliveries()).toMatchObject(
      Array.from({ length: 3 }, () => ({ state: 'delivered', attempts: 1, status: 204, detail: null, nextAt: null })),
    );
    expect(await webhook.read()).toMatchObject({ behind: 0, failures: 0 });
  });

  it('show what each event was about: to keys that read commands, names to those that read players', async () => {
    const hub = await newTenant();
    const { store, project } = hub;
    await store.players.upsert(project.id, 'main', [playerFrame('char1:ana', { name: 'Ana Silva' })], Date.now());
    const receiver = await startReceiver();
    const webhook = await connect(hub, receiver.url);
    const params = { type: 'bank', amount: 500, action: 'add', reason: 'Salary' };
    const body = JSON.stringify({ serverId: 'main', data: { name: 'money', target: 'char1:ana', params } });
    const [id] = await tell(store, project.id, [{ body, subject: 'cmd_7' }]);
    await eventually(webhook.deliveries).toHaveLength(1);
    const about = { serverId: 'main', subject: 'cmd_7', command: 'money' };
    const shownTo = async (...scopes: Scope[]) => {
      const key = await hub.newKey(['webhooks:write', ...scopes]);
      return (await hub.request(`${webhook.path}/deliveries`, { key })).body['data'];
    };
    const named = [{ eventId: id, events: 1, about: { ...about, says: 'Ana Silva · +500 bank · Salary' } }];
    expect(await shownTo('commands:read', 'players:read')).toMatchObject(named);
    expect(await shownTo('commands:read')).toMatchObject([
      { about: { ...about, says: 'char1:ana · +500 bank · Salary' } },
    ]);
    expect(await shownTo('players:read')).toMatchObject([{ eventId: id, about: null }]);
    expect((await webhook.post(`deliveries/${id}/retry`)).body).toMatchObject(named[0] ?? {});
    // A list of what is not kept any more.
    await store.events.pruneUpTo(project.id, Number.MAX_SAFE_INTEGER, 9);
    expect(await webhook.deliveries()).toMatchObject([{ eventId: id, about: null }]);
  });

  it('get the types and the servers that they ask for', async () => {
    const hub = await newTenant();
    const receiver = await startReceiver();
    const webhook = await connect(hub, receiver.url, { types: ['batch.settled'], servers: ['main'] });
    const type = 'batch.settled';
    const ids = await tell(hub.store, hub.project.id, [{}, { type }, { type, serverId: 'other' }, { type }]);
    await eventually(async () => (await webhook.read())['behind']).toBe(0);
    expect(receiver.ids().toSorted()).toEqual([ids[1], ids[3]].toSorted());
  });

  it('that fail are tried again, with the same id and the beginning of the answer in the list', async () => {
    const hub = await newTenant();
    const receiver = await startReceiver((_got, nth) => ({ status: nth === 1 ? 500 : 200, text: 'a'.repeat(9_999) }));
    const webhook = await connect(hub, receiver.url);
    const [id] = await tell(hub.store, hub.project.id);
    await eventually(webhook.deliveries).toMatchObject([
      { eventId: id, state: 'waiting', attempts: 1, status: 500, answer: 'a'.repeat(256), nextAt: expect.any(String) },
    ]);
    expect(await webhook.deliveries('?state=delivered')).toEqual([]);
    const failing = { failures: 1, waiting: 1, failingSince: expect.any(String), fault: 'The answer was 500.' };
    expect(await webhook.read()).toMatchObject(failing);
    const again = await webhook.post(`deliveries/${id}/retry`);
    expect(again).toMatchObject({ status: 202, body: { eventId: id, state: 'waiting' } });
    await eventually(webhook.deliveries).toMatchObject([{ state: 'delivered', attempts: 1, status: 200 }]);
    expect(receiver.ids()).toEqual([id, id]);
    await eventually(webhook.read).toMatchObject({ failures: 0, fault: null });
    expect((await webhook.post('deliveries/evt_0/retry')).body.code).toBe('delivery_not_found');
  });

  it('that answer 410 are off; switched on again, they get what has come meanwhile', async () => {
    const hub = await newTenant();
    const receiver = await startReceiver((_got, nth) => ({ status: nth === 1 ? 410 : 200 }));
    const webhook = await connect(hub, receiver.url);
    await tell(hub.store, hub.project.id);
    await eventually(webhook.read).toMatchObject({
      on: false,
      off: 'gone',
      troubled: true,
      fault: 'The answer was 410.',
    });
    const attention = async () => (await hub.request('/api/v2/project')).body['attention'];
    expect(await attention()).toMatchObject({ webhooks: 1 });
    await hub.request(webhook.path, { method: 'PATCH', json: { on: false } });
    expect(await attention()).toMatchObject({ webhooks: 0 });
    const [later] = await tell(hub.store, hub.project.id);
    await hub.request(webhook.path, { method: 'PATCH', json: { on: true } });
    await eventually(receiver.ids).toContain(later);
    await eventually(webhook.read).toMatchObject({ on: true, off: null, failures: 0, waiting: 0 });
  });

  it('sign a retry with what is valid then: with both secrets after a rotation', async () => {
    const hub = await newTenant();
    const receiver = await startReceiver((_got, nth) => ({ status: nth === 1 ? 500 : 200 }));
    const webhook = await connect(hub, receiver.url);
    const [id] = await tell(hub.store, hub.project.id);
    await eventually(webhook.deliveries).toMatchObject([{ state: 'waiting' }]);
    const rotated = await webhook.post('rotate');
    expect(rotated.body).toMatchObject({ previousSecretEndsAt: expect.any(String) });
    await webhook.post(`deliveries/${id}/retry`);
    await eventually(() => receiver.posts.length).toBe(2);
    const [before, after] = receiver.posts as [(typeof receiver.posts)[0], (typeof receiver.posts)[0]];
    const secret = String(rotated.body['secret']);
    expect([signaturesBy(webhook.secret, before), signaturesBy(secret, before)]).toEqual([1, 0]);
    expect([signaturesBy(webhook.secret, after), signaturesBy(secret, after)]).toEqual([1, 1]);
  });

  it('are tested on the way of all events: at once, and nothing is stored', async () => {
    const hub = await newTenant();
    const receiver = await startReceiver((_got, nth) => ({ status: nth === 1 ? 200 : 302, text: 'thanks' }));
    const webhook = await connect(hub, receiver.url);
    expect((await webhook.post('test')).body).toMatchObject({ delivered: true, status: 200, answer: 'thanks' });
    const [got] = receiver.posts as [(typeof receiver.posts)[0]];
    expect(JSON.parse(got.text)).toMatchObject({ id: got.id, type: 'webhook.test' });
    expect(signaturesBy(webhook.secret, got)).toBe(1);
    expect((await webhook.post('test')).body).toMatchObject({ delivered: false, status: 302 });
    expect(await webhook.deliveries()).toEqual([]);
    const nowhere = await connect(hub, 'https://localhost/');
    expect((await nowhere.post('test')).body).toMatchObject({ delivered: false, status: null });
  });

  it('are replayed from a time on, with the same ids', async () => {
    const hub = await newTenant();
    const receiver = await startReceiver();
    const webhook = await connect(hub, receiver.url);
    const ids = await tell(hub.store, hub.project.id, [{ at: 1_000 }, { at: 2_000 }, { at: 3_000 }]);
    await eventually(receiver.ids).toHaveLength(3);
    await eventually(async () => (await webhook.read())['behind']).toBe(0);
    const replayed = await webhook.post('replay', { since: new Date(2_000).toISOString() });
    expect(replayed).toMatchObject({ status: 202, body: { behind: 2 } });
    await eventually(receiver.ids).toHaveLength(5);
    expect(receiver.ids().slice(3).toSorted()).toEqual(ids.slice(1).toSorted());
    expect((await webhook.post('replay', { since: 'yesterday' })).status).toBe(422);
  });

  it('refuse an address of Discord as JSON: Discord could not read it, and it would be shown', async () => {
    const hub = await newTenant();
    const answer = await create(hub, { url: 'https://discord.com/api/webhooks/123/abc' });
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    expect(JSON.stringify(answer.body)).toContain('its format must be discord');
    expect((await hub.request('/api/v2/webhooks')).body['data']).toEqual([]);
  });

  it('outlive the key of their maker, which they name', async () => {
    const hub = await newTenant();
    const receiver = await startReceiver();
    const key = await hub.newKey(['webhooks:write', 'commands:read']);
    const made = await create(hub, { url: receiver.url }, key);
    const { keyId } = made.body['maker'] as { keyId: string };
    expect((await hub.request(`/api/v2/keys/${keyId}`, { method: 'DELETE' })).status).toBe(204);
    const ids = await tell(hub.store, hub.project.id);
    await eventually(receiver.ids).toEqual(ids);
    expect((await hub.request(`/api/v2/webhooks/${made.body.id}`)).body).toMatchObject({ maker: { keyId } });
  });

  it('go on after the hub was stopped in the middle of a post', async () => {
    const hub = await startHub(LOOPBACK);
    const receiver = await startReceiver((_got, nth) => (nth === 1 ? 'hang' : { status: 200 }));
    await connect(hub, receiver.url);
    const ids = await tell(hub.store, hub.project.id);
    await eventually(receiver.ids).toEqual(ids);
    await hub.stop();
    const next = await startHub({ ...LOOPBACK, folder: hub.folder });
    await eventually(receiver.ids).toEqual([...ids, ...ids]);
    const { body } = await next.request('/api/v2/webhooks');
    expect(body['data']).toMatchObject([{ failures: 0, waiting: 0 }]);
  });
});
