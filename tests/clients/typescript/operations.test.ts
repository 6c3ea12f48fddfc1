import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createHub, HubProblem, HubUnreachable } from '../../../clients/typescript/index.ts';
import { bundledClient } from '../../kit/client-package.ts';
import { shareHub, startHub, type TestHub } from '../../kit/hub.ts';
import { openLine } from '../../kit/line.ts';
import { readRoutes } from '../../kit/routes.ts';
import { ANA, eventually, openStage, PAY } from '../../kit/stage.ts';

const start = shareHub();
const clientOf = ({ address: url, key: apiKey }: TestHub) => createHub({ url, apiKey });
const payment = { serverId: 'main', target: ANA, type: 'bank', amount: PAY, action: 'add' } as const;
const params = { type: 'bank', amount: PAY, action: 'add' };

/** Operations whose function has another name. */
const RENAMED: Record<string, string> = { runAction: 'action', streamEvents: 'events', receiveOrder: 'sendOrder' };
const routes = (await readRoutes()).filter(({ id }) => id !== 'receiveTebex');

/** A function by its name: the test walks over all of them. */
const functionOf = (hub: object, name: string): ((input: object, options: object) => Promise<unknown>) =>
  Object.entries(hub).find(([each]) => each === name)?.[1] ?? expect.fail(`there is no ${name}`);

describe('the client', () => {
  it.each([
    ['core', 3],
    ['index', 8],
  ] as const)('is small: the entry %s has at most %i KB compressed', (entry, kilobytes) => {
    expect(brotliCompressSync(bundledClient(entry)).length).toBeLessThanOrEqual(kilobytes * 1024);
  });

  it.each(['localhost:8080', 'hub.example.org', 'ftp://hub.example.org', ''])('is not made for the URL %j', (url) => {
    expect(() => createHub({ url })).toThrow(TypeError);
  });

  it.each(routes)(
    'has a function for $id, which sends the right request',
    async ({ id, method, path, pathParams, query }) => {
      const seen: Request[] = [];
      const hub = createHub({
        url: 'http://hub.example/below/',
        apiKey: 'cw_live_x',
        fetch: async (request) => {
          seen.push(request);
          throw new TypeError('no network');
        },
      });
      const inPath = Object.fromEntries(pathParams.map((name) => [name, `a/${name}`]));
      const inQuery = method === 'POST' ? {} : Object.fromEntries(query.map(({ name }) => [name, 'some']));
      const more = { receiveOrder: { secret: 'secret', order: { id: 'o' } }, runAction: { params: {} } };
      const rest = Object.entries(more).find(([name]) => name === id)?.[1] ?? {};
      const call = functionOf(hub, RENAMED[id] ?? id);
      if (id === 'streamEvents')
        await Promise.race([hub.events(inQuery).next(), eventually(() => seen).toHaveLength(1)]);
      else await call({ ...inPath, ...inQuery, ...rest }, { timeoutMs: 0 }).catch(() => undefined);
      const [request] = seen;
      const url = new URL(request?.url ?? '');
      const wanted = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(`a/${name}`));
      expect([request?.method, url.pathname]).toEqual([method, `/below${wanted}`]);
      expect(Object.fromEntries(url.searchParams)).toEqual(inQuery);
      expect(request?.headers.get('x-api-key')).toBe('cw_live_x');
    },
  );
});

describe('a list', () => {
  it('is a page when awaited, and all pages when iterated', async () => {
    const target = await start();
    const hub = clientOf(target);
    const before = (await hub.listKeys()).data.map(({ name }) => name);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await hub.createKey({ name, scopes: ['players:read'] });
    const page = await hub.listKeys({ limit: 2 });
    expect(page.data).toHaveLength(2);
    const names: string[] = [];
    for await (const { name } of hub.listKeys({ limit: 2 })) names.push(name);
    expect(names.toSorted()).toEqual([...before, 'a', 'b', 'c', 'd', 'e'].toSorted());
  });

  it('throws the hub’s problem while it is iterated', async () => {
    const target = await start();
    const poor = createHub({ url: target.address, apiKey: await target.newKey(['players:read']) });
    const read = async () => {
      for await (const _ of poor.listKeys()) expect.fail('a key is listed');
    };
    await expect(read()).rejects.toMatchObject({ name: 'HubProblem', code: 'insufficient_scope' });
  });
});

describe('a request that makes no command', () => {
  it('throws the problem with its code and fields', async () => {
    const hub = clientOf(await start());
    const error = await hub.getServer({ serverId: 'nowhere' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HubProblem);
    expect(error).toMatchObject({ code: 'server_not_found', problem: { status: 404, requestId: expect.any(String) } });
  });

  it('reads the health of a hub whose database has failed', async () => {
    const target = await startHub();
    const hub = clientOf(target);
    expect(await hub.getHealth()).toMatchObject({ status: 'warn' });
    target.breakDatabase('everything');
    expect(await hub.getHealth()).toMatchObject({ status: 'fail', databases: [{ status: 'fail' }] });
  });

  it('reads again after a lost answer, and sends nothing twice that would be done twice', async () => {
    const target = await start();
    const line = await openLine(() => target.port);
    const hub = createHub({ url: line.address, apiKey: target.key });
    line.cutInside('down', 'HTTP/1.1 200');
    expect((await hub.listServers()).data).toHaveLength(1);
    line.cutInside('down', 'HTTP/1.1 201');
    await expect(hub.createKey({ name: 'once', scopes: ['players:read'] })).rejects.toBeInstanceOf(HubUnreachable);
    const names = (await hub.listKeys()).data.map(({ name }) => name);
    expect(names.filter((name) => name === 'once')).toHaveLength(1);
  });

  it('throws the caller’s reason when it gives up', async () => {
    const hub = createHub({ url: 'http://127.0.0.1:1' });
    const signal = AbortSignal.timeout(100);
    await expect(hub.listServers({}, { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('a batch', () => {
  it('is stored once under its key, also after a lost answer', async () => {
    const stage = await openStage({ start });
    const line = await openLine(() => stage.hub().port);
    const hub = createHub({ url: line.address, apiKey: stage.hub().key });
    await hub.money(payment);
    line.cutInside('down', 'HTTP/1.1 202');
    const batch = { serverId: 'main', name: 'money', params, targets: [ANA], key: 'christmas' };
    const first = await hub.createBatch(batch);
    const again = await hub.createBatch(batch);
    if (first.stored !== 'yes' || again.stored !== 'yes') throw new Error('it is stored');
    expect([first.key, again.value.id]).toEqual(['christmas', first.value.id]);
    await eventually(async () => (await hub.getBatch({ id: first.value.id })).status).toBe('settled');
    expect(stage.bank()).toBe(2 * PAY);
    const dryRun = await hub.previewUndoBatch({ id: first.value.id });
    expect(dryRun).toMatchObject({ dryRun: true, undo: 1, money: PAY });
    expect(await hub.undoBatch({ id: first.value.id })).toMatchObject({
      stored: 'yes',
      value: { undoes: first.value.id },
    });
    await eventually(stage.bank).toBe(PAY);
  });

  it('is unknown with its key when nobody answers, and throws when the request is wrong', async () => {
    const away = createHub({ url: 'http://127.0.0.1:1' });
    const batch = { serverId: 'main', name: 'money', params, targets: [ANA], key: 'christmas' };
    expect(await away.createBatch(batch, { timeoutMs: 0 })).toMatchObject({ stored: 'unknown', key: 'christmas' });
    const stage = await openStage({ start });
    const hub = clientOf(stage.hub());
    await hub.money(payment);
    await expect(hub.createBatch({ ...batch, name: 'no such' })).rejects.toBeInstanceOf(HubProblem);
    const dryRun = await hub.previewBatch({ ...batch, targets: [ANA, 'char1:bob'] });
    expect(dryRun).toMatchObject({ dryRun: true, targets: 2, unknown: ['char1:bob'], money: PAY });
  });
});

describe('undo and repeat', () => {
  it('undoes once, and says no when there is nothing to undo', async () => {
    const stage = await openStage({ start });
    const hub = clientOf(stage.hub());
    const paid = await hub.money(payment);
    if (paid.happened !== 'yes') throw new Error('it is paid');
    const undone = await hub.undoCommand({ id: paid.command.id, reason: 'Wrong player' });
    expect(undone).toMatchObject({ happened: 'yes', command: { undoes: paid.command.id } });
    expect(await hub.undoCommand({ id: paid.command.id })).toEqual(undone);
    expect(stage.bank()).toBe(0);
    expect(await hub.undoCommand({ id: undone.command?.id ?? '' })).toMatchObject({
      happened: 'no',
      reason: 'no_opposite',
    });
  });

  it('says yes when the command was not sent and is taken back', async () => {
    const stage = await openStage({ start });
    const hub = clientOf(stage.hub());
    await hub.money(payment);
    await stage.game().stop();
    await eventually(async () => (await hub.getServer({ serverId: 'main' })).connected).toBe(false);
    const waiting = await hub.money({ ...payment, deliver: 'when_connected' });
    const id = waiting.command?.id ?? '';
    expect(await hub.undoCommand({ id })).toMatchObject({ happened: 'yes', command: { id, status: 'voided' } });
  });

  it('sends a command again once, and follows that one after a lost answer', async () => {
    const stage = await openStage({ start });
    const line = await openLine(() => stage.hub().port);
    const hub = createHub({ url: line.address, apiKey: stage.hub().key });
    const refused = await hub.money({ ...payment, action: 'remove' });
    expect(refused.happened).toBe('no');
    await hub.money(payment);
    line.cutInside('down', 'HTTP/1.1 200');
    const repeated = await hub.repeatCommand({ id: refused.command?.id ?? '' });
    expect(repeated).toMatchObject({ happened: 'yes', command: { repeats: refused.command?.id } });
    expect(stage.bank()).toBe(0);
  });
});

describe('an order of a shop', () => {
  it('is signed, and counts once', async () => {
    const stage = await openStage({ start });
    const hub = clientOf(stage.hub());
    const secret = 'a-secret-of-the-shop-01';
    const packages = { vip: [{ name: 'money', params }] };
    const shop = await hub.createIntegration({
      kind: 'orders',
      name: 'Shop',
      serverId: 'main',
      secret,
      packages,
    } as never);
    const order = { id: 'order-1', type: 'paid', buyer: ANA, packages: [{ id: 'vip', quantity: 1 }] } as const;
    const sent = await hub.sendOrder({ id: shop.id, secret, order: order as never });
    expect(sent).toMatchObject({ stored: 'yes', value: { outcome: 'stored' } });
    expect(await hub.sendOrder({ id: shop.id, secret, order: order as never })).toMatchObject({
      value: { outcome: 'duplicate' },
    });
    await expect(
      hub.sendOrder({ id: shop.id, secret: 'wrong-secret-of-shop', order: order as never }),
    ).rejects.toBeInstanceOf(HubProblem);
  });
});
