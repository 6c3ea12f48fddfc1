import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newSecret, SCOPES } from '../../../server/auth/credentials.ts';
import type { Reply } from '../../kit/caller.ts';
import { shared } from '../../kit/ends.ts';
import { createKey } from '../../kit/make-tenant.ts';
import { bodyOf, routeCases } from '../../kit/routes.ts';
import { pathOf, shareTenants, startTenants } from '../../kit/tenants.ts';

const newTenants = shareTenants();
/** For requests that are refused. */
const unchanged = shared(startTenants);
const cases = await routeCases();
/** One guard stands before all routes, so each of them meets the first of each kind, and these two meet all. */
const thorough = ['GET', 'POST'].map((wanted) => cases.find(([, { method }]) => method === wanted)?.[0]);

/** An answer without the fields that differ from request to request. */
const essenceOf = ({ status, headers, body: { requestId: _, ...body } }: Reply) => ({
  status,
  body,
  headers: [...headers.keys()].toSorted(),
});

type Tenants = Awaited<ReturnType<typeof startTenants>>;

const changed = (key: string, at: number): string =>
  key.slice(0, at) + (key.charAt(at) === 'x' ? 'y' : 'x') + key.slice(at + 1);

describe.each(cases)('%s', (name, route) => {
  const some = <T>(all: readonly T[]): readonly T[] => (thorough.includes(name) ? all : all.slice(0, 1));
  const aim = (tenants: Tenants) => {
    const { own, call } = tenants;
    const request = {
      method: route.method,
      path: pathOf(route, own),
      headers: route.headers,
      ...(route.bodySchema && { json: bodyOf(route.bodySchema) }),
    };
    return { ...tenants, request, ask: (more: Partial<Parameters<typeof call>[0]>) => call({ ...request, ...more }) };
  };

  it('is for a key with just the scopes it needs, and for none that lacks one', async () => {
    const { hub, ask } = aim(await newTenants());
    for (const missing of route.scopes) {
      const { status, body } = await ask({ key: await hub.newKey(SCOPES.filter((scope) => scope !== missing)) });
      expect([status, body['code']]).toEqual([403, 'insufficient_scope']);
      expect(body['detail']).toContain(missing);
    }
    // The key routes do not grant scopes that the key lacks.
    // Batches, schedules, undo and again need the scope of their command, too.
    const scopes = [
      ...route.scopes,
      ...(route.path.includes('/keys') ? ['players:read' as const] : []),
      ...(/batches|schedules|undo|again/.test(route.path) ? ['commands:money' as const] : []),
    ];
    const key = await hub.newKey(scopes.length === 0 ? ['servers:read'] : scopes);
    const { status, text, body } = await ask({ key });
    expect(status < 300 || ['invalid_state', 'not_settled', 'already_sent'].includes(String(body['code'])), text).toBe(
      true,
    );
  });

  it('refuses a request without a key, and every wrong key alike, looking up only well-formed keys', async () => {
    const { hub, rival, request, ask } = aim(unchanged());
    const lookups = vi.fn();
    for (const { store } of hub.hubs) {
      const { byHash } = store.apiKeys;
      const spy = vi.spyOn(store.apiKeys, 'byHash').mockImplementation((...args) => {
        lookups();
        return byHash(...args);
      });
      onTestFinished(() => spy.mockRestore());
    }
    const bare = essenceOf(await ask({ key: null }));
    expect(bare).toMatchObject({ status: 401, body: { code: 'missing_api_key' } });
    expect(essenceOf(await ask({ key: '' }))).toEqual(bare);
    for (const field of some(['X-API-Key', 'x-api-key', 'api_key', 'apikey', 'key', 'token'])) {
      expect(essenceOf(await ask({ key: null, path: `${request.path}?${field}=${hub.key}` }))).toEqual(bare);
    }
    for (const headers of some([{ Authorization: `Bearer ${hub.key}` }, { Cookie: `X-API-Key=${hub.key}` }])) {
      expect(essenceOf(await ask({ key: null, headers }))).toEqual(bare);
    }

    const malformed = [
      changed(hub.key, 20),
      'x',
      hub.token,
      hub.key.toLowerCase(),
      hub.key.slice(0, -1),
      `${hub.key}0`,
      `${hub.key}, ${hub.key}`,
      `Bearer ${hub.key}`,
      `"${hub.key}"`,
      changed(hub.key, hub.key.length - 1),
      'cw_live_'.padEnd(46, '0'),
      '\xff\xfe',
      "' or 1=1 --",
      'k'.repeat(4_000),
    ];
    const answers: Reply[] = [];
    for (const key of some(malformed)) answers.push(await ask({ key }));
    expect(lookups).not.toHaveBeenCalled();

    const wellFormed = [newSecret('api_key')];
    const revoked = await createKey(hub.store, hub.project.id, { name: 'revoked' });
    await hub.store.apiKeys.update(hub.project.id, revoked.row.id, { revokedAt: Date.now() }, Date.now());
    const expired = await createKey(hub.store, hub.project.id, { name: 'expired', expiresAt: Date.now() - 1 });
    await hub.store.projects.update(rival.project.id, { disabled: true }, Date.now());
    const disabled = await createKey(hub.store, rival.project.id, { name: 'of a disabled project' });
    wellFormed.push(...some([revoked.key, expired.key, disabled.key]));
    for (const key of wellFormed) answers.push(await ask({ key }));
    expect(lookups).toHaveBeenCalledTimes(wellFormed.length);

    const [first, ...others] = answers.map(essenceOf);
    expect(first).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });
    for (const other of others) expect(other).toEqual(first);
  });
});
