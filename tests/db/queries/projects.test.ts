import { count, eq, getTableColumns } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { NewApiKey } from '../../../db/queries/api-keys.ts';
import type { Store } from '../../../db/store.ts';
import { provisionFirst } from '../../../server/admin/projects.ts';
import { partialRefundOf } from '../../../server/shops/orders.ts';
import { batchOf, runOf, scheduleOf } from '../../kit/batch-rows.ts';
import {
  commandOf,
  engines,
  eventOf,
  playerOf,
  projectOf,
  serverOf,
  sessionOf,
  useStore,
} from '../../kit/databases.ts';

const MAX = Number.MAX_SAFE_INTEGER;

const keyOf = (projectId: string, id: string, changes: Partial<NewApiKey> = {}): NewApiKey => ({
  id,
  projectId,
  name: `Key ${id}`,
  scopes: ['players:read'],
  prefix: 'cwk_1234',
  hash: `hash of ${id}`,
  createdAt: 1_000,
  updatedAt: 1_000,
  ...changes,
});

/** A shop of a project with a webhook, an order and a line. */
const addShop = async ({ integrations, shopOrders, shopLines }: Store, projectId: string): Promise<void> => {
  const of = { projectId, integrationId: `int_${projectId}`, transaction: 't' };
  const shop = { id: of.integrationId, projectId, kind: 'tebex', name: 'Shop', serverId: 'main' } as const;
  const maker = { keyId: 'key_p', name: 'k' };
  await integrations.create({ ...shop, secrets: [], packages: {}, maker, createdAt: 1, updatedAt: 1 });
  await integrations.addDelivery({ ...of, receivedAt: 1, type: 't', outcome: 'stored', detail: null });
  await shopOrders.pay({ ...of, serverId: 'main', plan: [], paid: null, requestId: 'r', at: 1 });
  await shopLines.add([partialRefundOf({ ...of, serverId: 'main' }, 'A part.', 1)]);
};

/** A webhook of a project, and an event that was sent to it. */
const addWebhook = async ({ webhooks }: Store, projectId: string): Promise<void> => {
  const id = `whk_${projectId}`;
  const none = { types: null, servers: null, secrets: [], off: null, cursor: 0 };
  const health = { failures: 0, failingSince: null, failedDay: null, failedDays: 0, fault: null, restUntil: null };
  const row = { id, projectId, format: 'json', url: 'clear:u', names: true, ...none, ...health } as const;
  await webhooks.create({ ...row, maker: { keyId: 'key_p', name: 'k' }, createdAt: 1, updatedAt: 1 }, 50);
  const sent = { projectId, webhookId: id, eventId: 'evt_1', eventSeq: 1, type: 't', state: 'delivered' } as const;
  const attempt = {
    ...sent,
    attempts: 1,
    status: 200,
    detail: null,
    answer: '',
    tookMs: 1,
    at: 1,
    dueAt: null,
    events: 1,
  };
  await webhooks.claim(id, 'node', 1_000);
  await webhooks.record({ id, cursor: 0 }, 'node', { patch: { ...health, cursor: 1 }, rows: [attempt] });
};

describe.each(engines)('on $name', ({ open }) => {
  const db = useStore(open);
  describe('the first project', () => {
    const link = { hash: 'link', browser: { hash: 'browser', expiresAt: 2_000 } };
    const rows = () => ({ project: projectOf('p'), key: keyOf('p', 'k'), server: serverOf('p', 'main') });

    it('is written with its key and server, and ends the links', async () => {
      const { setupLinks, projects, servers, apiKeys } = db.store;
      await setupLinks.replace(link.hash, 1_000);
      expect(await setupLinks.open(link.hash, link.browser, 999)).toBe(true);
      expect(await setupLinks.find('browser', 1_999)).toEqual({ keyId: null });
      expect(await setupLinks.find('browser', 2_000)).toBeUndefined();
      expect(await setupLinks.finish(rows())).toBe(true);
      expect(await projects.byId('p')).toMatchObject({ slug: 'p', rateLimit: 100 });
      expect(await servers.get('p', 'main')).toMatchObject({ id: 'main' });
      expect(await apiKeys.find('p', 'k')).toMatchObject({ scopes: ['players:read'] });
      expect(await setupLinks.find('browser', 1_000)).toBeUndefined();
      expect(await setupLinks.isMade()).toBe(false);
    });

    it('can be set up on by its browser until its key is used', async () => {
      const { setupLinks, apiKeys } = db.store;
      expect(await setupLinks.finish(rows(), link.browser)).toBe(true);
      expect(await setupLinks.find('browser', 1_999)).toEqual({ keyId: 'k' });
      expect(await setupLinks.find('browser', 2_000)).toBeUndefined();
      expect([await setupLinks.isMade(), await setupLinks.isMade('k'), await setupLinks.isMade('l')]).toEqual([
        true,
        true,
        false,
      ]);
      expect(await setupLinks.replaceMade('again', 3_000)).toBe(true);
      expect(await setupLinks.find('browser', 1_999)).toBeUndefined();
      expect(await setupLinks.open('again', { hash: 'second', expiresAt: 4_000 }, 2_000)).toBe(true);
      await apiKeys.touch([{ id: 'k', at: 1 }]);
      expect(await setupLinks.find('second', 2_000)).toBeUndefined();
      expect(await setupLinks.replaceMade('more', 5_000)).toBe(false);
      await setupLinks.end('k');
      expect(await setupLinks.find('second', 2_000)).toBeUndefined();
    });

    it('is one of those that come at the same time: the others leave nothing', async () => {
      const { projects, apiKeys } = db.store;
      const names = ['Same', 'Same', 'Liberty', 'Vice'];
      const made = await Promise.all(
        names.map((name) => provisionFirst(db.store, { name, server: { id: 'main', name: 'Main' } })),
      );
      expect(made.filter((secrets) => secrets !== undefined)).toHaveLength(1);
      const [first, ...more] = await projects.list();
      expect(more).toEqual([]);
      expect(await apiKeys.list(first?.id ?? '')).toHaveLength(1);
    });

    it('is none where a project came before it', async () => {
      await db.store.projects.create(projectOf('q'));
      expect(await db.store.setupLinks.finish(rows())).toBe(false);
      expect((await db.store.projects.list()).map(({ id }) => id)).toEqual(['q']);
      expect(await db.store.servers.get('p', 'main')).toBeUndefined();
    });

    it('leaves nothing where one of its rows is refused', async () => {
      const { setupLinks, projects, servers, apiKeys } = db.store;
      await setupLinks.replace(link.hash, 1_000);
      await setupLinks.open(link.hash, link.browser, 999);
      const { server } = rows();
      const refused = setupLinks.finish({ ...rows(), server: { ...server, projectId: 'nobody' } });
      await expect(refused).rejects.toMatchObject({ name: 'DatabaseError', code: 'failed' });
      expect([await projects.list(), await servers.get('p', 'main'), await apiKeys.find('p', 'k')]).toEqual([
        [],
        undefined,
        undefined,
      ]);
      expect(await setupLinks.find('browser', 1_000)).toEqual({ keyId: null });
    });
  });

  describe('projects', () => {
    it('come back as they were written, with defaults for the rest', async () => {
      const created = await db.store.projects.create(projectOf('p', { name: 'Ünï "quoted" 🚓' }));
      expect(created).toStrictEqual({
        id: 'p',
        slug: 'p',
        name: 'Ünï "quoted" 🚓',
        rateLimit: 100,
        maxAmount: null,
        maxServers: 100,
        maxKeys: 1_000,
        maxWaiting: 50_000,
        maxBatchTargets: 10_000,
        maxBatchTotal: null,
        allowVolatile: false,
        disabled: false,
        createdAt: 1_000,
        updatedAt: 1_000,
        ownMaxAmount: null,
        ownMaxBatchTotal: null,
        confirmAbove: 1_000_000,
        reasonFor: null,
        language: null,
        keepEvents: false,
        eventsSince: null,
      });
      expect(await db.store.projects.byId('p')).toStrictEqual(created);
      expect(await db.store.projects.bySlug('p')).toStrictEqual(created);
      expect(await db.store.projects.byId('q')).toBeUndefined();
      expect(await db.store.projects.bySlug('P')).toBeUndefined();
    });

    it('keep numbers up to 2^53−1', async () => {
      const row = projectOf('p', { rateLimit: MAX, maxAmount: MAX, createdAt: MAX, updatedAt: MAX });
      expect(await db.store.projects.create(row)).toMatchObject({ rateLimit: MAX, maxAmount: MAX, createdAt: MAX });
    });

    it('are made once per slug and once per id', async () => {
      await db.store.projects.create(projectOf('p'));
      expect(await db.store.projects.create(projectOf('q', { slug: 'p' }))).toBeUndefined();
      expect(await db.store.projects.create(projectOf('p', { slug: 'q' }))).toBeUndefined();
      expect(await db.store.projects.list()).toHaveLength(1);
    });

    it('are made once when ten ask for the slug at the same time', async () => {
      const asked = Array.from({ length: 10 }, (_, n) =>
        db.store.projects.create(projectOf(`p${n}`, { slug: 'same' })),
      );
      expect((await Promise.all(asked)).filter((row) => row !== undefined)).toHaveLength(1);
    });

    it('are listed by their slug, byte by byte', async () => {
      for (const slug of ['b', 'a_c', 'a-b', 'a1', 'a']) await db.store.projects.create(projectOf(slug));
      expect((await db.store.projects.list()).map(({ slug }) => slug)).toEqual(['a', 'a-b', 'a1', 'a_c', 'b']);
    });

    it('change only the fields of a patch', async () => {
      await db.store.projects.create(projectOf('p', { maxAmount: 5, allowVolatile: true }));
      const changed = await db.store.projects.update('p', { maxAmount: null, disabled: true }, 2_000);
      expect(changed).toMatchObject({ name: 'Project p', maxAmount: null, allowVolatile: true, disabled: true });
      expect(changed).toMatchObject({ createdAt: 1_000, updatedAt: 2_000 });
      expect(await db.store.projects.byId('p')).toStrictEqual(changed);
      expect(await db.store.projects.update('nobody', { name: 'x' }, 2_000)).toBeUndefined();
    });

    it('refuse a change to a slug that is taken', async () => {
      await db.store.projects.create(projectOf('p'));
      await db.store.projects.create(projectOf('q'));
      await expect(db.store.projects.update('q', { slug: 'p' }, 2_000)).rejects.toMatchObject({ code: 'failed' });
      expect(await db.store.projects.byId('q')).toMatchObject({ slug: 'q', updatedAt: 1_000 });
    });

    it('tell which changed since, that moment included', async () => {
      for (const at of [1, 2, 3]) await db.store.projects.create(projectOf(`p${at}`, { updatedAt: at }));
      const changedSince = async (at: number) => (await db.store.projects.changedSince(at)).map(({ id }) => id).sort();
      expect(await changedSince(2)).toEqual(['p2', 'p3']);
      await db.store.projects.update('p1', {}, 4);
      expect(await changedSince(4)).toEqual(['p1']);
    });

    it('count their servers and keys', async () => {
      await db.store.projects.create(projectOf('p'));
      expect(await db.store.projects.totals('p')).toStrictEqual({ servers: 0, players: 0, playersOnline: 0 });
      await db.store.servers.create(serverOf('p', 'main'));
      await db.store.players.upsert('p', 'main', [playerOf('a'), playerOf('b', { online: false })], 1);
      await db.store.players.upsert('q', 'main', [playerOf('c')], 1);
      expect(await db.store.projects.totals('p')).toStrictEqual({ servers: 1, players: 2, playersOnline: 1 });
    });

    it('say whether there is any', async () => {
      expect(await db.store.projects.isAny()).toBe(false);
      await db.store.projects.create(projectOf('p'));
      expect(await db.store.projects.isAny()).toBe(true);
    });

    it('go with their rows in every table, and nothing of others', async () => {
      const { store } = db;
      const { handle, tables, commit, read } = db.database;
      const stray = { serverId: 'main', commandId: 'x', status: 'done', payload: {}, receivedAt: 1 };
      for (const id of ['p', 'q']) {
        await store.projects.create(projectOf(id));
        await store.apiKeys.create(keyOf(id, `key_${id}`));
        await store.servers.create(serverOf(id, 'main'));
        await store.sessions.open(sessionOf(id, 'main'));
        await store.players.upsert(id, 'main', [playerOf('a', { identifiers: ['license:1'] })], 1);
        await store.commands.insert(commandOf(`cmd_${id}`, { projectId: id }), { durable: false });
        await store.strayResults.keep({ ...stray, projectId: id });
        const list = { serverId: 'main', kind: 'items', hash: 'h', syncedAt: 1, entries: [] } as const;
        await store.catalogues.put({ ...list, entries: [], projectId: id, epoch: 1 });
        const signedIn = { hash: id, projectId: id, keyId: 'key', keyHash: 'hash', createdAt: 1, lastUsedAt: 1 };
        await commit(() => handle.insert(tables.panelSessions).values(signedIn));
        const outcomes = { succeeded: 1, refused: 0, failed: 0, unknown: 0 };
        const step = { projectId: id, serverId: 'main', at: 1, online: 1, ...outcomes };
        await store.statistics.add([step]);
        await store.batches.insert(batchOf(`bat_${id}`, { projectId: id }));
        await store.schedules.create(scheduleOf(`sch_${id}`, { projectId: id }));
        await store.schedules.claim(runOf(1_000, { scheduleId: `sch_${id}`, projectId: id }));
        await addShop(store, id);
        await addWebhook(store, id);
        await store.events.tell(id, [eventOf(`evt_${id}`, { projectId: id })], []);
      }
      const left = (id: string): Promise<[string, number][]> =>
        Promise.all(
          Object.entries(tables)
            .filter(([, table]) => 'projectId' in getTableColumns(table))
            .map(async ([name, table]) => {
              const condition = eq((table as typeof tables.players).projectId, id);
              const [counted] = await read(() => handle.select({ rows: count() }).from(table).where(condition));
              return [name, counted?.rows ?? 0];
            }),
        );
      expect(await store.projects.remove('p')).toBe(true);
      expect(await store.projects.byId('p')).toBeUndefined();
      expect((await left('p')).filter(([, rows]) => rows > 0)).toEqual([]);
      expect((await left('q')).filter(([, rows]) => rows !== 1)).toEqual([]);
      expect(await store.players.find({ projectId: 'p', identifier: 'license:1' })).toBeUndefined();
      expect(await store.players.find({ projectId: 'q', identifier: 'license:1' })).toBeDefined();
      expect(await store.projects.remove('p')).toBe(false);
    });

    it('go even with more players, commands and stray results than one statement deletes', async () => {
      const { store } = db;
      await store.projects.create(projectOf('p'));
      const ids = Array.from({ length: 501 }, (_, n) => `n${n}`);
      const stray = { projectId: 'p', serverId: 'main', status: 'done', payload: {}, receivedAt: 1 };
      await store.players.upsert(
        'p',
        'main',
        ids.map((id) => playerOf(id)),
        1,
      );
      const { handle, tables, commit } = db.database;
      await commit(() => handle.insert(tables.commands).values(ids.map((id) => commandOf(id))));
      await commit(() => handle.insert(tables.strayResults).values(ids.map((commandId) => ({ ...stray, commandId }))));
      expect(await store.projects.remove('p')).toBe(true);
      expect(await store.projects.totals('p')).toMatchObject({ players: 0 });
      expect(await store.commands.get('p', 'n500')).toBeUndefined();
      expect(await store.strayResults.list('p', 'main')).toEqual([]);
    });
  });

  describe('API keys', () => {
    const createKeys = async (...keys: NewApiKey[]): Promise<void> => {
      await db.store.projects.create(projectOf('p'));
      await db.store.projects.create(projectOf('q'));
      for (const key of keys) await db.store.apiKeys.create(key);
    };

    it('come back as they were written', async () => {
      await createKeys();
      const written = {
        ...keyOf('p', 'key_1', { name: 'Shop 🛒', scopes: ['a', 'b"c'], servers: [], createdBy: 'key_0' }),
        maxBatchTargets: 5,
        maxBatchTotal: MAX,
        rateLimit: 60,
        previousHash: 'old',
        previousExpiresAt: MAX,
        expiresAt: 7,
        revokedAt: 8,
        lastUsedAt: 9,
      };
      expect(await db.store.apiKeys.create(written)).toStrictEqual(written);
      expect(await db.store.apiKeys.find('p', 'key_1')).toStrictEqual(written);
      const bare = { previousHash: null, previousExpiresAt: null, expiresAt: null, revokedAt: null, lastUsedAt: null };
      expect(await db.store.apiKeys.create(keyOf('p', 'key_2'))).toStrictEqual({
        ...keyOf('p', 'key_2'),
        ...bare,
        servers: null,
        maxBatchTargets: null,
        maxBatchTotal: null,
        rateLimit: null,
        createdBy: null,
      });
    });

    it('need a project, an id and a hash of their own', async () => {
      await createKeys(keyOf('p', 'key_1'));
      // Messages never repeat a value.
      const refused = {
        name: 'DatabaseError',
        code: 'failed',
        message: expect.not.stringMatching(/key_1|nobody|hash of/),
      };
      await expect(db.store.apiKeys.create(keyOf('nobody', 'key_2'))).rejects.toMatchObject(refused);
      await expect(db.store.apiKeys.create(keyOf('q', 'key_1', { hash: 'other' }))).rejects.toMatchObject(refused);
      await expect(db.store.apiKeys.create(keyOf('q', 'key_2', { hash: 'hash of key_1' }))).rejects.toMatchObject(
        refused,
      );
      expect(await db.store.apiKeys.list('q')).toEqual([]);
    });

    it('are found, changed and listed inside their project only', async () => {
      await createKeys(keyOf('p', 'key_1'), keyOf('q', 'key_2'));
      expect(await db.store.apiKeys.find('q', 'key_1')).toBeUndefined();
      expect(await db.store.apiKeys.update('q', 'key_1', { name: 'stolen' }, 2_000)).toBeUndefined();
      expect((await db.store.apiKeys.list('p')).map(({ id, name }) => [id, name])).toEqual([['key_1', 'Key key_1']]);
    });

    it('are listed in the order they were made, then by id', async () => {
      const made = [
        ['c', 1],
        ['b', 2],
        ['a', 2],
        ['d', 0],
      ] as const;
      await createKeys(...made.map(([id, createdAt]) => keyOf('p', id, { createdAt })));
      expect((await db.store.apiKeys.list('p')).map(({ id }) => id)).toEqual(['d', 'c', 'a', 'b']);
    });

    it('are listed page by page for a key of some servers: only keys without other servers', async () => {
      await db.store.projects.create(projectOf('p'));
      const reach = [['main'], null, ['main', 'west'], ['east'], ['main', 'east'], [], ['west', 'main'], ["o'neill"]];
      for (const [n, servers] of reach.entries()) await db.store.apiKeys.create(keyOf('p', `k${n}`, { servers }));
      const pages = async (servers: string[] | undefined): Promise<string[]> => {
        const ids: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await db.store.apiKeys.page('p', { servers, limit: 2, cursor });
          ids.push(...page.rows.map(({ id }) => id));
          cursor = page.next ?? undefined;
        } while (cursor !== undefined);
        return ids;
      };
      expect(await pages(['main', 'west'])).toEqual(['k0', 'k2', 'k5', 'k6']);
      expect(await pages(['main'])).toEqual(['k0', 'k5']);
      expect(await pages(["o'neill"])).toEqual(['k5', 'k7']);
      expect(await pages(undefined)).toHaveLength(reach.length);
    });

    it('are found by their hash with their project, revoked or not', async () => {
      await createKeys(keyOf('p', 'key_1', { revokedAt: 5, expiresAt: 5 }));
      const found = await db.store.apiKeys.byHash('hash of key_1', 10);
      expect(found).toStrictEqual({
        key: await db.store.apiKeys.find('p', 'key_1'),
        project: await db.store.projects.byId('p'),
      });
      expect(await db.store.apiKeys.byHash('hash of nobody', 10)).toBeUndefined();
    });

    it('are found by their previous hash before its end only', async () => {
      await createKeys(
        keyOf('p', 'key_1', { previousHash: 'old', previousExpiresAt: 10 }),
        keyOf('p', 'key_2', { previousHash: 'endless' }),
      );
      expect((await db.store.apiKeys.byHash('old', 9))?.key.id).toBe('key_1');
      expect(await db.store.apiKeys.byHash('old', 10)).toBeUndefined();
      expect((await db.store.apiKeys.byHash('endless', 9))?.key.id).toBe('key_2');
    });

    it('change only the fields of a patch, lists and nulls included', async () => {
      await createKeys(keyOf('p', 'key_1', { servers: ['main'], expiresAt: 5 }));
      const changed = await db.store.apiKeys.update('p', 'key_1', { servers: null, scopes: [], revokedAt: 3 }, 2_000);
      expect(changed).toMatchObject({ servers: null, scopes: [], revokedAt: 3, expiresAt: 5, updatedAt: 2_000 });
      expect(await db.store.apiKeys.find('p', 'key_1')).toStrictEqual(changed);
    });

    it('record their last uses without counting as changed', async () => {
      await createKeys(keyOf('p', 'key_1'), keyOf('p', 'key_2'));
      await db.store.apiKeys.touch([
        { id: 'key_1', at: MAX },
        { id: 'nobody', at: 1 },
      ]);
      await db.store.apiKeys.touch([]);
      const rows = await db.store.apiKeys.list('p');
      expect(rows.map(({ lastUsedAt, updatedAt }) => [lastUsedAt, updatedAt])).toEqual([
        [MAX, 1_000],
        [null, 1_000],
      ]);
    });
  });
});
