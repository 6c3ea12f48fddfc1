import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashSecret, newSecret, type SecretKind } from '../../../server/auth/credentials.ts';
import { startEmptyHub } from '../../kit/empty-hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { bodyOf, readRoutes } from '../../kit/routes.ts';
import { pathOf, startTenants } from '../../kit/tenants.ts';

const routes = await readRoutes();
const KINDS = Object.keys({
  api_key: true,
  bridge_token: true,
  panel_session: true,
  setup_link: true,
  setup_session: true,
} satisfies Record<SecretKind, true>) as SecretKind[];
const SECRET = /cw(?:[bpst]|_live)_[0-9A-Za-z]{38}/g;
/** Pages outside of the API document that take a secret. */
const PAGES: [method: string, path: string][] = [
  ['POST', '/setup/open'],
  ['POST', '/setup/finish'],
  ['GET', '/setup/state'],
  ['GET', '/bridge/latest'],
  ['GET', '/bridge/causeway-bridge-1.zip'],
];

describe('secrets', () => {
  it('are in no log line and no error, wherever a caller puts them', async () => {
    const lines: string[] = [];
    const { hub, own, rival, secrets, call } = await startTenants({ logTo: lines, env: { LOG_LEVEL: 'trace' } });
    const stray = newSecret('api_key');
    const shown: string[] = [];
    for (const route of routes) {
      const path = pathOf(route, own);
      const json = route.bodySchema && bodyOf(route.bodySchema);
      const key = hub.key;
      const replies = [
        await call({ method: route.method, path: `${path}?key=${stray}`, json }),
        await call({ method: route.method, path: `${path}?${stray}=1`, json }),
        await call({ method: route.method, path: `${path}/${stray}`, json }),
        await call({ method: route.method, path, json, key: stray }),
        await call({ method: route.method, path, json, headers: { Authorization: `Bearer ${stray}` } }),
        await call({ method: route.method, path, json, headers: { 'X-Request-Id': key, traceparent: key } }),
      ];
      if (json !== undefined) {
        replies.push(await call({ method: route.method, path, json: { ...json, [stray]: stray } }));
      }
      for (const { status, text } of replies) {
        if (status >= 400) expect(text).not.toMatch(SECRET);
        else shown.push(...(text.match(SECRET) ?? []));
      }
    }
    expect(shown.length).toBeGreaterThan(2);
    await hub.stop();
    const log = lines.join('');
    expect(lines.length).toBeGreaterThan(routes.length);
    for (const secret of [...secrets, ...shown, stray, rival.key]) {
      expect(log).not.toContain(secret);
      expect(log).not.toContain(hashSecret(secret));
    }
    expect(log).not.toMatch(SECRET);
  });

  it.each(KINDS)(
    'of the kind %s are in no log line and no answer of the setup and the zip, nor of a request id',
    async (kind) => {
      const logTo: string[] = [];
      const hub = await startEmptyHub({ logTo, env: { LOG_LEVEL: 'trace' } });
      const stray = newSecret(kind);
      expect(stray).toMatch(SECRET);
      const answers: string[] = [];
      for (const [method, path] of PAGES) {
        const places: [path: string, headers: Record<string, string>][] = [
          [path, { 'X-Request-Id': stray, traceparent: stray }],
          [path, { Cookie: `causeway_setup=${stray}; causeway_panel=${stray}` }],
          [path, { 'X-API-Key': stray, Authorization: `Bearer ${stray}` }],
          [`${path}?token=${stray}`, {}],
          [`${path}/${stray}`, {}],
        ];
        for (const [where, headers] of places) {
          const body = method === 'POST' ? { body: JSON.stringify({ token: stray, [stray]: stray }) } : {};
          const json = { 'Content-Type': 'application/json', ...headers };
          const answer = await fetch(`${hub.address}${where}`, { method, headers: json, ...body });
          answers.push(JSON.stringify([...answer.headers]), await answer.text());
        }
      }
      expect(answers.filter((answer) => answer.includes(stray.slice(4)))).toEqual([]);
      await hub.hub.stop();
      expect(logTo.length).toBeGreaterThan(PAGES.length);
      expect(logTo.join('')).not.toContain(stray.slice(4));
    },
  );

  it.skipIf(onPostgres)('are not in the database, nor in the files beside it', async () => {
    const { hub, secrets, call } = await startTenants();
    const made = await call({ method: 'POST', path: '/api/v2/keys', json: { name: 'k', scopes: ['players:read'] } });
    const server = await call({ method: 'POST', path: '/api/v2/servers', json: { serverId: 'new' } });
    const all = [...secrets, String(made.body['key']), String(server.body['token'])];
    const files = await Promise.all(['hub.db', 'hub.db-wal'].map((name) => readFile(join(hub.folder, name))));
    for (const secret of all) {
      expect(files.some((file) => file.includes(secret.slice(12)))).toBe(false);
      expect(files.some((file) => file.includes(hashSecret(secret)))).toBe(true);
    }
  });

  it('are shown once: no list, detail or journal has them or their hashes', async () => {
    const { own, secrets, call } = await startTenants();
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const { text } = await call({ path: pathOf(route, own) });
      expect(text).not.toMatch(SECRET);
      for (const secret of secrets) expect(text).not.toContain(hashSecret(secret));
      expect(text).not.toMatch(/"(hash|previousHash|tokenHash|previousTokenHash)"/);
    }
  });

  it('of which only one kind opens a door: a bridge token is no key', async () => {
    const { hub, call } = await startTenants();
    const { status, body } = await call({ path: '/api/v2/project', key: hub.token });
    expect([status, body['code']]).toEqual([401, 'invalid_api_key']);
  });

  it('are not told by an operator page', async () => {
    const { hub, secrets } = await startTenants({ panel: true });
    for (const path of ['/metrics', '/livez', '/readyz', '/docs', '/docs/errors', '/api/v2/openapi.json']) {
      const text = await (await fetch(hub.address + path)).text();
      for (const secret of [...secrets, ...secrets.map(hashSecret)]) expect(text).not.toContain(secret);
      expect(text).not.toMatch(SECRET);
    }
  });
});
