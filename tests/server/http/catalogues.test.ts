import { describe, expect, it } from 'vitest';
import { shareHub, type TestHub } from '../../kit/hub.ts';
import { type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';

type Entry = { name: string; label: string; grades?: { grade: number; label: string }[] };

const BREAD = { name: 'bread', label: 'Bread' };
const entry = (n: number): Entry => ({ name: `item_${n}`, label: `Thing ${n}` });

const sendAll = (bridge: RawBridge, kind: string, hash: string, entries: readonly Entry[]): void => {
  const parts = Math.max(1, Math.ceil(entries.length / 1000));
  for (let part = 0; part < parts; part += 1) {
    const some = entries.slice(part * 1000, (part + 1) * 1000);
    bridge.send({ type: 'catalogue', kind, hash, part, last: part === parts - 1, entries: some });
  }
};

const list = async (hub: TestHub, query = '', kind = 'items') => {
  const { body } = await hub.request(`/api/v2/servers/main/${kind}${query}`);
  return body as { data: Entry[]; pagination: { limit: number; next: string | null }; syncedAt: string | null };
};

const newTenant = shareHub();

const connected = async () => {
  const hub = await newTenant();
  return { hub, bridge: await welcomeRaw(hub.bridgeUrl, hub.token, {}) };
};

const synced = (hub: TestHub, kind = 'items') =>
  expect.poll(async () => (await list(hub, '', kind)).syncedAt).not.toBe(null);

describe('a catalogue', () => {
  it('is empty until the bridge sends one, and is told with its grades', async () => {
    const { hub, bridge } = await connected();
    expect(await list(hub)).toEqual({ data: [], pagination: { limit: 50, next: null }, syncedAt: null });
    const job = { name: 'police', label: 'LSPD', grades: [{ grade: 0, label: 'Cadet' }] };
    sendAll(bridge, 'jobs', 'h1', [job]);
    await synced(hub, 'jobs');
    expect((await list(hub, '', 'jobs')).data).toEqual([job]);
    sendAll(bridge, 'vehicles', 'h1', [{ name: 'adder', label: 'Truffade Adder' }]);
    await synced(hub, 'vehicles');
    expect((await list(hub, '?search=truff', 'vehicles')).data).toHaveLength(1);
  });

  it('is searched by name and label, without accents; what begins with the search comes first', async () => {
    const { hub, bridge } = await connected();
    const entries = [
      { name: 'sourdough', label: 'Sour bread' },
      { name: 'breadknife', label: 'Knife' },
      { name: 'pao', label: 'Pão' },
      BREAD,
    ];
    sendAll(bridge, 'items', 'h1', entries);
    await synced(hub);
    const names = async (search: string) =>
      (await list(hub, `?search=${encodeURIComponent(search)}`)).data.map(({ name }) => name);
    expect(await names('BREAD')).toEqual(['bread', 'breadknife', 'sourdough']);
    expect(await names('pao')).toEqual(['pao']);
    expect(await names('%')).toEqual([]);
  });

  it('of 20,000 entries comes in pages, each entry once', async () => {
    const { hub, bridge } = await connected();
    sendAll(
      bridge,
      'items',
      'h1',
      Array.from({ length: 20_000 }, (_, n) => entry(n)),
    );
    await synced(hub);
    const seen = new Set<string>();
    for (let cursor = ''; ; ) {
      const { data, pagination } = await list(hub, `?limit=200&search=thing${cursor}`);
      for (const { name } of data) seen.add(name);
      if (pagination.next === null) break;
      cursor = `&cursor=${pagination.next}`;
    }
    expect(seen.size).toBe(20_000);
  });

  it('is replaced as a whole', async () => {
    const { hub, bridge } = await connected();
    sendAll(bridge, 'items', 'h1', [BREAD, entry(1)]);
    await synced(hub);
    sendAll(bridge, 'items', 'h2', [entry(2)]);
    await expect.poll(async () => (await list(hub)).data).toEqual([entry(2)]);
  });

  it('is the last one when a bridge sends several at once', async () => {
    const { hub, bridge } = await connected();
    for (let n = 0; n < 20; n += 1) sendAll(bridge, 'items', `h${n}`, [entry(n)]);
    sendAll(bridge, 'items', 'last', [BREAD]);
    await expect.poll(async () => (await list(hub)).data).toEqual([BREAD]);
    sendAll(bridge, 'jobs', 'h1', [BREAD]);
    await synced(hub, 'jobs');
    expect((await list(hub)).data).toEqual([BREAD]);
    const heads = await hub.store.catalogues.heads(hub.project.id, 'main');
    expect(heads.find(({ kind }) => kind === 'items')?.hash).toBe('last');
  });

  it.each([
    [
      'a part is missing',
      [
        { part: 0, last: false },
        { part: 2, last: true },
      ],
    ],
    [
      'another hash comes in between',
      [
        { part: 0, last: false },
        { part: 1, last: true, hash: 'other' },
      ],
    ],
    ['it begins in the middle', [{ part: 1, last: true }]],
  ])('is dropped when %s; the earlier one stays', async (_why, frames) => {
    const { hub, bridge } = await connected();
    sendAll(bridge, 'items', 'h1', [BREAD]);
    await synced(hub);
    for (const frame of frames)
      bridge.send({ type: 'catalogue', kind: 'items', hash: 'h2', entries: [entry(1)], ...frame });
    const { message } = await bridge.frame('error');
    expect(message).toContain('does not follow');
    expect((await list(hub)).data).toEqual([BREAD]);
  });

  it('over 20,000 entries is dropped', async () => {
    const { hub, bridge } = await connected();
    sendAll(
      bridge,
      'items',
      'h1',
      Array.from({ length: 20_001 }, (_, n) => entry(n)),
    );
    expect((await bridge.frame('error'))['message']).toContain('at most 20000 entries');
    expect((await list(hub)).syncedAt).toBe(null);
  });

  it('stays while the bridge is away; its next welcome has the hash', async () => {
    const { hub, bridge } = await connected();
    sendAll(bridge, 'items', 'h1', [BREAD]);
    await synced(hub);
    bridge.socket.close();
    await expect
      .poll(async () => ((await hub.request('/api/v2/servers/main')).body as { connected: boolean }).connected)
      .toBe(false);
    expect((await list(hub)).data).toEqual([BREAD]);
    const again = await welcomeRaw(hub.bridgeUrl, hub.token, {});
    expect((await again.frame('welcome'))['catalogues']).toEqual({ items: 'h1' });
  });

  it('goes with its server, and belongs to its project', async () => {
    const { hub, bridge } = await connected();
    sendAll(bridge, 'items', 'h1', [BREAD]);
    await synced(hub);
    const key = await hub.newKey(['servers:read'], ['other']);
    expect((await hub.request('/api/v2/servers/main/items', { key })).body['code']).toBe('server_not_allowed');
    expect((await hub.request('/api/v2/servers/nobody/items')).body['code']).toBe('server_not_found');
    expect((await hub.request('/api/v2/servers/main', { method: 'DELETE' })).status).toBe(204);
    await hub.newServer('main');
    expect((await list(hub)).syncedAt).toBe(null);
  });

  it('refuses a cursor of another list', async () => {
    const { hub, bridge } = await connected();
    sendAll(
      bridge,
      'items',
      'h1',
      Array.from({ length: 60 }, (_, n) => entry(n)),
    );
    sendAll(bridge, 'jobs', 'h1', [BREAD]);
    await synced(hub, 'jobs');
    const { next } = (await list(hub)).pagination;
    const answer = await hub.request(`/api/v2/servers/main/jobs?cursor=${next}`);
    expect(answer.body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/cursor' }] });
  });
});

describe('a catalogue that does not fit', () => {
  it('by its bytes, or with grades that are not of a job, is dropped', async () => {
    const { hub, bridge } = await connected();
    const grades = Array.from({ length: 100 }, (_, grade) => ({ grade, label: 'x'.repeat(128) }));
    const part = (n: number) =>
      Array.from({ length: 15 }, (_, at) => ({ name: `job_${n}_${at}`, label: 'Job', grades }));
    for (let n = 0; n < 12; n += 1) {
      bridge.send({ type: 'catalogue', kind: 'jobs', hash: 'h1', part: n, last: n === 11, entries: part(n) });
    }
    expect((await bridge.frame('error'))['message']).toContain('at most 2097152 bytes');
    expect((await list(hub, '', 'jobs')).syncedAt).toBe(null);
    sendAll(bridge, 'items', 'h2', [{ ...BREAD, grades: [{ grade: 0, label: 'x' }] }]);
    await expect.poll(() => bridge.frames.at(-1)?.['message']).toBe('only jobs have grades');
  });

  it('does not cost the bridge its connection', async () => {
    const { hub, bridge } = await connected();
    for (let n = 0; n < 8; n += 1) sendAll(bridge, 'items', `h${n}`, [{ name: 'bread', label: 'x'.repeat(129) }]);
    await bridge.frame('error', 8);
    sendAll(bridge, 'items', 'good', [BREAD]);
    await synced(hub);
  });
});

it('a catalogue is read once for many requests at the same time', async () => {
  const { hub, bridge } = await connected();
  for (const kind of ['items', 'jobs', 'vehicles']) sendAll(bridge, kind, 'h1', [BREAD]);
  await expect.poll(async () => (await hub.store.catalogues.heads(hub.project.id, 'main')).length).toBe(3);
  const all = await Promise.all(Array.from({ length: 20 }, () => list(hub)));
  expect(all.every(({ data }) => data.length === 1)).toBe(true);
});
