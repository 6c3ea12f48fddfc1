import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { hashSecret, newSecret } from '../../../server/auth/credentials.ts';
import { startEmptyHub } from '../../kit/empty-hub.ts';
import { newFolder } from '../../kit/folder.ts';

const COMMUNITY = { community: 'São Paulo RP', serverId: 'main', serverName: 'Main server' };
const TLS = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.7' };

/** An address of this machine that is no loopback address. */
const outsideAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

const codeOf = async (response: Response) => {
  const { code, detail } = (await response.json()) as { code: string; detail: string };
  return { status: response.status, code, detail };
};

describe('the setup of an empty hub', () => {
  it('exchanges the link for a cookie, and writes project, key and server at the last step', async () => {
    const logTo: string[] = [];
    const { send, newToken, open, store, address } = await startEmptyHub({ logTo });
    const token = await newToken();
    const browser = await open(token);
    expect(browser).toMatchObject({ status: 204 });
    expect(browser.cookie).toMatch(/^causeway_setup=cwt_\w+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=900$/);
    expect(await (await send('/setup/state', undefined, browser.headers)).json()).toEqual({
      publicUrl: null,
      step: 'names',
    });
    expect(await store.projects.list()).toEqual([]);

    const finished = await send('/setup/finish', COMMUNITY, browser.headers);
    expect([finished.status, finished.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const made = (await finished.json()) as { key: string; token: string };
    const headers = { 'X-API-Key': made.key };
    const project = await fetch(`${address}/api/v2/project`, { headers });
    expect(await project.json()).toMatchObject({ slug: 'sao-paulo-rp', name: 'São Paulo RP' });
    const servers = await fetch(`${address}/api/v2/servers`, { headers });
    expect(await servers.json()).toMatchObject({ data: [{ serverId: 'main', name: 'Main server' }] });

    expect(await codeOf(await send('/setup/finish', COMMUNITY, browser.headers))).toMatchObject({ status: 410 });
    expect(await codeOf(await send('/setup/state', undefined, browser.headers))).toMatchObject({ status: 410 });
    expect(logTo.join('')).not.toMatch(/cw(?:_live|b|p|s|t)_\w{10}/);
  });

  it.each([
    ['used', async (hub: Awaited<ReturnType<typeof startEmptyHub>>, token: string) => void (await hub.open(token))],
    ['replaced', async (hub: Awaited<ReturnType<typeof startEmptyHub>>) => void (await hub.newToken())],
    [
      'expired',
      async (hub: Awaited<ReturnType<typeof startEmptyHub>>, token: string) =>
        void (await hub.store.setupLinks.replace(hashSecret(token), Date.now() - 1)),
    ],
  ])('answers 410 to a link that is %s', async (_, spoil) => {
    const hub = await startEmptyHub();
    const token = await hub.newToken();
    await spoil(hub, token);
    const refused = await codeOf(await hub.send('/setup/open', { token }));
    expect(refused).toMatchObject({ status: 410, code: 'setup_link_gone' });
    expect(refused.detail).toContain('causeway setup-link');
  });

  it.each(['', 'cws_', `cws_${'0'.repeat(38)}`, 'cwb_x'])('answers 410 to %j', async (token) => {
    const { send } = await startEmptyHub();
    expect(await codeOf(await send('/setup/open', { token }))).toMatchObject({ status: 410 });
  });

  it('ends the first browser where another link is made, and takes one of two that come together', async () => {
    const { send, newToken, open } = await startEmptyHub();
    const first = await open(await newToken());
    const token = await newToken();
    expect((await send('/setup/finish', COMMUNITY, first.headers)).status).toBe(410);
    const both = await Promise.all([open(token), open(token)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 410]);
  });

  it.each([
    ['with the same name', ['Liberty RP', 'Liberty RP']],
    ['with two names', ['Liberty RP', 'Vice RP']],
  ])('writes once where the last step is sent twice %s', async (_, names) => {
    const { send, newToken, open, store } = await startEmptyHub();
    const { headers } = await open(await newToken());
    const twice = await Promise.all(
      names.map((community) => send('/setup/finish', { ...COMMUNITY, community }, headers)),
    );
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 410]);
    expect(await store.projects.list()).toHaveLength(1);
  });

  it('counts wrong links as wrong secrets of the address', async () => {
    const { send } = await startEmptyHub({ tuning: { wrongKeysPerMinute: 3 } });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await send('/setup/open', { token: `cws_${n}` })).status);
    expect(statuses).toEqual([410, 410, 410, 429]);
  });

  it.each(['/setup/state', '/bridge/latest'])(
    'counts wrong cookies at %s as wrong secrets of the address',
    async (path) => {
      const { send } = await startEmptyHub({ tuning: { wrongKeysPerMinute: 3 } });
      const statuses: number[] = [];
      for (let n = 0; n < 4; n += 1) {
        const headers = { Cookie: `causeway_setup=${newSecret('setup_session')}` };
        statuses.push((await send(path, undefined, headers)).status);
      }
      const wrong = path === '/setup/state' ? 410 : 401;
      expect(statuses).toEqual([wrong, wrong, wrong, 429]);
    },
  );

  it('looks no cookie up once the hub is set up, and takes a link again when its projects are deleted', async () => {
    const { send, newToken, open, store, breakable, hub, address } = await startEmptyHub();
    const cookie = () => ({ Cookie: `causeway_setup=${newSecret('setup_session')}` });
    const browser = await open(await newToken());
    const finished = await send('/setup/finish', COMMUNITY, browser.headers);
    const { key } = (await finished.json()) as { key: string };
    await fetch(`${address}/api/v2/project`, { headers: { 'X-API-Key': key } });
    expect((await send('/setup/state', undefined, cookie())).status).toBe(410);
    breakable.break('everything');
    expect((await send('/setup/state', undefined, cookie())).status).toBe(410);
    expect((await send('/bridge/latest', undefined, cookie())).status).toBe(401);
    breakable.break('none');
    const [project] = await store.projects.list();
    await store.projects.remove(project?.id ?? '');
    const again = await open(await newToken());
    expect((await send('/setup/state', undefined, again.headers)).status).toBe(200);
    await hub.stop();
  });

  it.each([
    [{ community: '' }, '/community'],
    [{ community: 'x'.repeat(129) }, '/community'],
    [{ serverId: 'Main Server' }, '/serverId'],
    [{ serverName: '' }, '/serverName'],
    [{ more: 1 }, '/more'],
  ])('names the field that does not fit: %j', async (wrong, pointer) => {
    const { send, newToken, open } = await startEmptyHub();
    const { headers } = await open(await newToken());
    const refused = await codeOf(await send('/setup/finish', { ...COMMUNITY, ...wrong }, headers));
    expect(refused).toMatchObject({ status: 422, code: 'invalid_request' });
    expect(refused.detail).toContain(pointer);
    expect((await send('/setup/finish', COMMUNITY, headers)).status).toBe(201);
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('is all or nothing when the hub is killed %s the commit of the last step', async (when, projects) => {
    const folder = newFolder();
    const killed = await startEmptyHub({ folder });
    const { headers } = await killed.open(await killed.newToken());
    killed.breakable.stopAt({ statement: 'together', when });
    const lost = killed.send('/setup/finish', COMMUNITY, headers).catch(() => undefined);
    await expect.poll(killed.breakable.hasStopped).toBe(true);
    await killed.kill();
    await lost;
    const next = await startEmptyHub({ folder });
    expect(await next.store.projects.list()).toHaveLength(projects);
    const state = await (await next.send('/setup/state', undefined, headers)).json();
    expect(state).toMatchObject({ step: projects === 0 ? 'names' : 'key' });
    if (projects === 0) expect((await next.send('/setup/finish', COMMUNITY, headers)).status).toBe(201);
  });
});

describe('the way to the setup', () => {
  it.each([
    ['a proxy without TLS', { 'X-Forwarded-For': '203.0.113.7' }],
    ['a proxy that the hub does not trust', TLS],
    ['a tunnel that says so', { Forwarded: 'for=203.0.113.7' }],
    ...[
      'Via',
      'X-Real-IP',
      'X-Forwarded-Host',
      'X-Forwarded-Port',
      'X-Forwarded',
      'X-Client-IP',
      'X-Original-Host',
      'True-Client-IP',
      'CF-Connecting-IP',
      'Fastly-Client-IP',
    ].map((name): [string, Record<string, string>] => [`a proxy that sends ${name}`, { [name]: '203.0.113.7' }]),
  ])('is refused over %s', async (_, headers) => {
    const { send, newToken, open } = await startEmptyHub();
    const browser = await open(await newToken());
    const notPrivate = { status: 403, code: 'setup_not_private' };
    expect(await codeOf(await send('/setup/open', { token: await newToken() }, headers))).toMatchObject(notPrivate);
    const withCookie = { ...browser.headers, ...headers };
    expect(await codeOf(await send('/setup/finish', COMMUNITY, withCookie))).toMatchObject(notPrivate);
    expect(await codeOf(await send('/setup/state', undefined, withCookie))).toMatchObject(notPrivate);
    expect((await send('/bridge/latest', undefined, withCookie)).status).toBe(401);
  });

  it('is refused from another machine, without any header of a proxy', async ({ skip }) => {
    const outside = outsideAddress() ?? skip('this machine has no address but loopback');
    const { newToken, address } = await startEmptyHub({ env: { HOST: '0.0.0.0' } });
    const refused = await fetch(`http://${outside}:${new URL(address).port}/setup/open`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: await newToken() }),
    });
    expect(await codeOf(refused)).toMatchObject({ status: 403, code: 'setup_not_private' });
  });

  it('is open over TLS of a trusted proxy, with a cookie for TLS only', async () => {
    const env = { TRUST_PROXY: '1', PUBLIC_URL: 'https://hub.example.com' };
    const { send, newToken, open } = await startEmptyHub({ env });
    const browser = await open(await newToken(), { ...TLS, Origin: 'https://hub.example.com' });
    expect(browser.cookie).toMatch(/^__Host-causeway_setup=.*; Secure$/);
    expect((await send('/setup/finish', COMMUNITY, browser.headers)).status).toBe(201);
  });

  it('is refused for pages of other sites', async () => {
    const { send, newToken, open, store } = await startEmptyHub();
    const headers = { Origin: 'https://elsewhere.example' };
    const token = await newToken();
    const foreign = { status: 403, code: 'origin_not_allowed' };
    expect(await codeOf(await send('/setup/open', { token }, headers))).toMatchObject(foreign);
    const browser = await open(token);
    const finished = await send('/setup/finish', COMMUNITY, { ...browser.headers, ...headers });
    expect(await codeOf(finished)).toMatchObject(foreign);
    expect(await store.projects.list()).toEqual([]);
  });
});
