import { describe, expect, it } from 'vitest';
import { newServer } from '../../../server/admin/servers.ts';
import { startEmptyHub } from '../../kit/empty-hub.ts';
import { newFolder } from '../../kit/folder.ts';

const COMMUNITY = { community: 'Liberty RP', serverId: 'main', serverName: 'Main server' };
type Hub = Awaited<ReturnType<typeof startEmptyHub>>;
type Secrets = { key: string; token: string; serverId?: string };

const stepOf = async ({ send }: Hub, headers: Record<string, string> = {}): Promise<unknown> => {
  const answer = await send('/setup/state', undefined, headers);
  return answer.status === 200 ? ((await answer.json()) as { step: string }).step : answer.status;
};

/** A hub whose setup has shown its secrets, and the browser that was there. */
const finish = async (hub: Hub) => {
  const { headers } = await hub.open(await hub.newToken());
  const finished = await hub.send('/setup/finish', COMMUNITY, headers);
  expect(finished.status).toBe(201);
  expect(finished.headers.get('set-cookie')).toMatch(/^causeway_setup=cwt_\w+; .*Max-Age=900$/);
  return { headers, made: (await finished.json()) as Secrets };
};

const renew = async (hub: Hub, headers: Record<string, string>): Promise<Secrets> => {
  const answer = await hub.send('/setup/renew', {}, headers);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return (await answer.json()) as Secrets;
};

const use = ({ address }: Hub, key: string, path = 'project', method = 'GET') =>
  fetch(`${address}/api/v2/${path}`, { method, headers: { 'X-API-Key': key } });

describe('a setup whose key was never used', () => {
  it('goes on in the same browser: other secrets are shown, and the first ones end', async () => {
    const hub = await startEmptyHub();
    const { headers, made } = await finish(hub);
    expect(await stepOf(hub, headers)).toBe('key');
    const [project] = await hub.store.projects.list();
    const { row } = newServer(project?.id ?? '', { id: 'another', name: 'A later one' });
    await hub.store.servers.create({ ...row, createdAt: Date.now() + 60_000 });
    const again = await renew(hub, headers);
    expect(again).toEqual({
      key: expect.stringMatching(/^cw_live_/),
      token: expect.stringMatching(/^cwb_/),
      serverId: 'main',
    });
    expect([again.key, again.token]).not.toEqual([made.key, made.token]);
    expect((await use(hub, made.key)).status).toBe(401);
    expect((await use(hub, again.key)).status).toBe(200);
  });

  it.each([
    ['a sign-in', 'panel/session', 'POST'],
    ['a request', 'servers', 'GET'],
  ])('ends with %s', async (_name, path, method) => {
    const hub = await startEmptyHub();
    const { headers, made } = await finish(hub);
    const link = await hub.newToken();
    expect((await use(hub, made.key, path, method)).status).toBeLessThan(300);
    expect([await stepOf(hub, headers), await hub.newToken()]).toEqual([410, '']);
    expect((await hub.send('/setup/open', { token: link })).status).toBe(410);
    expect((await hub.send('/setup/renew', {}, headers)).status).toBe(410);
    expect((await use(hub, made.key)).status).toBe(200);
  });

  it('is taken up again by another link, which ends the first browser, and after a restart', async () => {
    const folder = newFolder();
    const killed = await startEmptyHub({ folder });
    const first = await finish(killed);
    await killed.kill();
    const hub = await startEmptyHub({ folder });
    expect(await stepOf(hub, first.headers)).toBe('key');
    const { headers } = await hub.open(await hub.newToken());
    expect([await stepOf(hub, first.headers), await stepOf(hub, headers)]).toEqual([410, 'key']);
    expect((await use(hub, (await renew(hub, headers)).key)).status).toBe(200);
  });

  it('makes no second project, and shows nothing to another browser or a page of another site', async () => {
    const hub = await startEmptyHub();
    const { headers, made } = await finish(hub);
    expect((await hub.send('/setup/finish', COMMUNITY, headers)).status).toBe(410);
    expect((await hub.send('/setup/renew', {})).status).toBe(410);
    const foreign = { ...headers, Origin: 'https://elsewhere.example' };
    expect((await hub.send('/setup/renew', {}, foreign)).status).toBe(403);
    expect((await hub.send('/setup/renew', {}, { ...headers, 'X-Real-IP': '203.0.113.7' })).status).toBe(403);
    expect(await hub.store.projects.list()).toHaveLength(1);
    expect((await use(hub, made.key)).status).toBe(200);
  });
});

describe('the first page of a hub', () => {
  const follow = (hub: Hub, headers: Record<string, string> = {}) =>
    fetch(`${hub.address}/`, { redirect: 'manual', headers });

  it('leads to the setup as long as the hub is empty, and its browser until the key is used', async () => {
    const hub = await startEmptyHub({ panel: true });
    const led = await follow(hub);
    expect([led.status, led.headers.get('location')]).toEqual([302, '/setup']);
    expect(await stepOf(hub)).toBe('link');
    const { headers, made } = await finish(hub);
    expect((await follow(hub, headers)).headers.get('location')).toBe('/setup');
    expect((await follow(hub)).headers.get('location')).toBeNull();
    await use(hub, made.key);
    expect((await follow(hub, headers)).headers.get('location')).toBeNull();
    expect(await stepOf(hub)).toBe(410);
  });

  it('does not wait for a database that is gone', async () => {
    const hub = await startEmptyHub({ panel: true });
    hub.breakable.break('everything');
    expect((await follow(hub)).headers.get('location')).toBeNull();
    hub.breakable.break('none');
    await hub.hub.stop();
  });
});
