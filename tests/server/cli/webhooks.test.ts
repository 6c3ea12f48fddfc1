import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { createStore, type Store } from '../../../db/store.ts';
import { addProject } from '../../../server/admin/projects.ts';
import { attemptOf } from '../../kit/batch-rows.ts';
import { openWorkplace, SLOW } from '../../kit/cli.ts';
import { createKey, createServer } from '../../kit/make-tenant.ts';
import { signaturesBy, startReceiver, tell } from '../../kit/receiver.ts';

const OF_VICE = ['--project', 'vice'];

/** A place with the project `vice` and its server `main`; `work` reads and writes its database. */
const openVice = async () => {
  const place = openWorkplace(onTestFinished);
  const work = async <T>(act: (store: Store, projectId: string) => Promise<T>): Promise<T> => {
    const database = await openDatabase({ url: `file:${place.file}` });
    const store = createStore(database);
    try {
      await database.migrate();
      const project =
        (await store.projects.bySlug('vice')) ??
        (await addProject(store, { slug: 'vice', name: 'Vice RP', rateLimit: 100 }));
      return await act(store, project?.id ?? '');
    } finally {
      await database.close();
    }
  };
  await work((store, projectId) => createServer(store, projectId, { id: 'main', name: 'Main' }));
  const verb = (...args: string[]) =>
    place.verb(['webhook', ...args, ...OF_VICE], { WEBHOOKS_MAY_REACH: '127.0.0.1', USER: 'olga' });
  const made = async (...args: string[]): Promise<{ id: string; secret: string }> => {
    const { code, stdout, stderr } = await verb('create', ...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  return { act: place.verb, work, verb, made };
};

it('webhooks are made, tested and rotated; a secret is shown once', SLOW, async () => {
  const { verb, made, work } = await openVice();
  const receiver = await startReceiver((_got, nth) => ({ status: nth === 1 ? 204 : 500, text: 'no\x1b[2J\nway' }));
  const ofMain = ['--types', 'batch.settled', '--servers', 'main'];
  const { id, secret } = await made('--url', receiver.url, '--name', 'Site', ...ofMain);
  expect(await work((store, projectId) => store.webhooks.get(projectId, id))).toMatchObject({
    ...{ name: 'Site', types: ['batch.settled'], servers: ['main'], maker: { keyId: 'cli', name: 'olga' }, off: null },
  });
  expect(await work((store) => store.projects.bySlug('vice'))).toMatchObject({ keepEvents: true });
  expect((await verb('test', id)).stdout).toMatch(/^Delivered to Site: 204, in \d+ ms\.\n$/);
  expect((await verb('rename', id, '--name', 'Shop')).stdout).toBe(`The webhook ${id} is named Shop.\n`);
  expect(receiver.posts.map((got) => signaturesBy(secret, got))).toEqual([1]);
  // The receiver must not write to the operator's terminal.
  expect(await verb('test', id)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/not delivered to Shop: The answer was 500. no\?\[2J way\n$/),
  });
  const { stdout } = await verb('rotate', id);
  const [, next = ''] = /\n {2}(whsec_\S+)\n$/.exec(stdout) ?? [];
  await verb('test', id);
  const last = receiver.posts.at(-1) as (typeof receiver.posts)[0];
  expect([secret, next].map((each) => signaturesBy(each, last))).toEqual([1, 1]);
  const list = await verb('list');
  expect(list.stdout).not.toMatch(/whsec_|\/hook/);
  expect(list.stdout).toMatch(new RegExp(`${id} +Shop +http`));
});

it('what was sent is listed, sent again, and replayed from a time on', SLOW, async () => {
  const { verb, made, work } = await openVice();
  const { id } = await made('--url', 'https://example.com/hook');
  const [first, second] = await work(async (store, projectId) => {
    const data = { name: 'money', target: 'char1:ana', params: { type: 'bank', amount: 5, action: 'remove' } };
    const body = JSON.stringify({ serverId: 'main', data });
    const ids = await tell(store, projectId, [{ at: 1_000 }, { at: 2_000, body }]);
    const row = await store.webhooks.claim(id, 'n', 1);
    const cursor = (await store.events.last(projectId))?.seq ?? 0;
    const rows = [
      attemptOf(id, ids[0] ?? '', {
        projectId,
        state: 'given_up',
        attempts: 10,
        status: 500,
        detail: 'The answer was 500.',
      }),
      attemptOf(id, ids[1] ?? '', { projectId, at: 2 }),
    ];
    const failing = { failures: 5, failingSince: 1_000, fault: 'The answer was 500.', restUntil: 3_000 };
    if (row !== undefined) await store.webhooks.record(row, 'n', { patch: { ...row, ...failing, cursor }, rows });
    return ids;
  });
  const { stdout } = await verb('deliveries', id, '--state', 'given_up', '--json');
  expect(JSON.parse(stdout).data).toMatchObject([{ eventId: first, attempts: 10, status: 500, nextAt: null }]);
  expect((await verb('deliveries', id)).stdout).toMatch(new RegExp(`${second} +command.settled +char1:ana · -5 bank`));
  const resting = { state: 'rests', fault: 'The answer was 500.', waiting: 0, behind: 0 };
  const since = { failingSince: '1970-01-01T00:00:01.000Z', restUntil: '1970-01-01T00:00:03.000Z' };
  expect(JSON.parse((await verb('list', '--json')).stdout).data).toMatchObject([{ ...resting, ...since }]);
  expect((await verb('list')).stdout).toContain('The answer was 500.');
  expect((await verb('retry', id, String(first))).stdout).toBe(`The webhook ${id} gets ${first} again.\n`);
  // A webhook that rests goes on for it, as it does by REST.
  expect(JSON.parse((await verb('list', '--json')).stdout).data).toMatchObject([{ restUntil: null }]);
  expect(await work((store) => store.webhooks.due(id, Date.now(), 9))).toMatchObject([{ eventId: first, attempts: 0 }]);
  expect(await verb('retry', id, 'evt_0')).toMatchObject({ code: 1, stderr: expect.stringContaining('evt_0') });
  const replayed = await verb('replay', id, '--since', '1970-01-01T00:00:02Z');
  expect(replayed.stdout).toBe(`The webhook ${id} gets all events since 1970-01-01T00:00:02.000Z again: 1.\n`);
  expect(await verb('replay', id, '--since', 'yesterday')).toMatchObject({ code: 2 });
});

it('a webhook of a key that is revoked is named', SLOW, async () => {
  const { act, made, work } = await openVice();
  const { id } = await made('--url', 'https://example.com/hook');
  const keyId = await work(async (store, projectId) => {
    const { row } = await createKey(store, projectId, { name: 'bot' });
    await store.webhooks.update(projectId, id, { maker: { keyId: row.id, name: 'bot' } }, 1);
    return row.id;
  });
  const { stdout } = await act(['key', 'revoke', keyId, ...OF_VICE]);
  expect(stdout).toContain(`Webhooks that it made go on: ${id}\n`);
});

it.each([
  [['create', '--url', 'http://example.com/'], 1, '--url: must begin with https://'],
  [['create', '--url', 'https://10.0.0.1/'], 1, 'WEBHOOKS_MAY_REACH'],
  [['create', '--url', 'https://example.com/', '--format', 'discord'], 1, 'Discord'],
  [['create', '--url', 'https://example.com/', '--types', 'player.exploded'], 2, 'batch.settled'],
  [['create', '--url', 'https://example.com/', '--servers', 'ghost'], 1, 'project "vice" has no server ghost'],
  [['test', 'whk_0'], 1, 'project "vice" has no webhook whk_0'],
])('refuses webhook %j', SLOW, async (args, code, reason) => {
  const { verb } = await openVice();
  expect(await verb(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(reason) });
});
