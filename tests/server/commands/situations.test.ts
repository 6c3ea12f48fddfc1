import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../server/auth/credentials.ts';
import { shareHub, startHub, type TestHub } from '../../kit/hub.ts';
import { onPostgres } from '../../kit/hub-database.ts';
import { answerAll, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';

const kick = (hub: TestHub, changes: object = {}, headers: Record<string, string> = {}) =>
  hub.request('/api/v2/bridge/main/kick', {
    json: { target: 'char1:ana', reason: 'test', ...changes },
    headers,
  });
const money = (hub: TestHub, changes: object = {}, headers: Record<string, string> = {}) =>
  hub.request('/api/v2/bridge/main/money', {
    json: { target: 'char1:ana', type: 'bank', amount: 500, action: 'add', ...changes },
    headers,
  });

const rejects = (code: string, details?: object) => () => ({
  status: 'rejected',
  error: { code, message: 'said the game', ...(details && { details }) },
  sequence: 1,
});

const newTenant = shareHub();

const connected = async (
  reply?: Parameters<typeof answerAll>[1],
  { start = newTenant, ...hello }: Record<string, unknown> & { start?: typeof newTenant } = {},
) => {
  const hub = await start();
  const bridge: RawBridge = await welcomeRaw(hub.bridgeUrl, hub.token, hello);
  if (reply !== undefined) answerAll(bridge, reply);
  return { hub, bridge };
};

describe('every situation a command can end in', () => {
  it('200: the game server did it', async () => {
    const { hub } = await connected(() => ({
      status: 'done',
      data: { account: 'bank', before: 1000, after: 1500 },
      sequence: 1,
    }));
    const { status, body } = await money(hub, { reason: 'bonus' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'money',
      serverId: 'main',
      target: 'char1:ana',
      status: 'succeeded',
      executed: 'yes',
      params: { type: 'bank', amount: 500, action: 'add', reason: 'bonus' },
      result: { account: 'bank', before: 1000, after: 1500 },
      actor: { keyId: hub.keyId, name: `${hub.project.slug} key` },
    });
    expect(body.id).toMatch(/^cmd_/);
    const stored = await hub.request(`/api/v2/commands/${body.id}`);
    expect(stored.body).toEqual(body);
  });

  it('200 for a kick, with the default reason', async () => {
    const { hub, bridge } = await connected(() => ({ status: 'done', data: { kicked: true } }));
    const { status, body } = await kick(hub, { reason: undefined });
    expect(status).toBe(200);
    expect(body).toMatchObject({ executed: 'yes', result: { kicked: true } });
    expect((await bridge.command()).params).toEqual({ target: 'char1:ana', reason: 'Kicked by staff' });
  });

  it('deduct means remove', async () => {
    const { hub, bridge } = await connected(() => ({
      status: 'done',
      data: { account: 'bank', before: 9, after: 4 },
    }));
    expect((await money(hub, { amount: 5, action: 'deduct' })).body).toMatchObject({
      params: { action: 'deduct' },
    });
    expect((await bridge.command()).params).toMatchObject({ action: 'remove', allowNegative: false });
  });

  it('202 accepted: asked for asynchronously', async () => {
    const { hub } = await connected(() => ({
      status: 'done',
      data: { account: 'bank', before: 0, after: 500 },
    }));
    const { status, headers, body } = await money(hub, {}, { Prefer: 'respond-async' });
    expect(status).toBe(202);
    expect(body).toMatchObject({ code: 'accepted', executed: 'no', retryable: false, status: 'accepted' });
    const location = headers.get('location') ?? '';
    expect(location).toBe(`/api/v2/commands/${body.id}`);
    await expect.poll(async () => (await hub.request(location)).body['status']).toBe('succeeded');
  });

  it('202 in_doubt: money sent, no outcome in time; it settles later', async () => {
    const { hub, bridge } = await connected();
    const { status, headers, body } = await money(hub, {}, { Prefer: 'wait=1' });
    expect(status).toBe(202);
    expect(body).toMatchObject({ code: 'in_doubt', executed: 'unknown', status: 'dispatched' });
    bridge.send({
      type: 'result',
      id: body.id,
      status: 'done',
      data: { account: 'bank', before: 1, after: 501 },
    });
    const location = headers.get('location') ?? '';
    await expect.poll(async () => (await hub.request(location)).body['executed']).toBe('yes');
  });

  it('202 in_doubt: money sent, and the database cannot even be read when the time is over', async () => {
    const { hub, bridge } = await connected(undefined, { start: startHub });
    const asked = money(hub, {}, { Prefer: 'wait=1' });
    await bridge.command();
    hub.breakDatabase('everything');
    expect(await asked).toMatchObject({ status: 202, body: { code: 'in_doubt', executed: 'unknown' } });
    hub.breakDatabase('none');
  });

  it('504 bridge_timeout: kick sent, no outcome in time', async () => {
    const { hub } = await connected();
    const { status, body } = await kick(hub, {}, { Prefer: 'wait=1' });
    expect(status).toBe(504);
    expect(body).toMatchObject({
      code: 'bridge_timeout',
      executed: 'unknown',
      command: { status: 'dispatched' },
    });
  });

  it.each([
    ['an amount of zero', { amount: 0 }, '/amount'],
    ['a fraction', { amount: 1.5 }, '/amount'],
    ['an amount as text', { amount: '5' }, '/amount'],
    ['an amount past 2^53-1', { amount: 2 ** 53 }, '/amount'],
    ['an unknown action', { action: 'set' }, '/action'],
    ['an unknown field', { reson: 'typo' }, '/reson'],
    ['a hostile target', { target: "x'; drop table" }, '/target'],
    ['a reason of 513 characters', { reason: 'x'.repeat(513) }, '/reason'],
    ['a reason with NUL', { reason: 'a\0b' }, '/reason'],
    ['a lone surrogate', { reason: 'a\ud800b' }, '/reason'],
    ['an account this server has not', { type: 'gold' }, '/type'],
  ])('422 invalid_request: %s', async (_name, changes, pointer) => {
    const { hub, bridge } = await connected();
    const { status, body } = await money(hub, changes);
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'invalid_request', executed: 'no', errors: [{ pointer }] });
    expect(bridge.frames.filter((frame) => frame.type === 'command')).toEqual([]);
  });

  it('422: an unknown account is answered with the declared accounts', async () => {
    const { hub } = await connected();
    expect((await money(hub, { type: 'gold' })).text).toContain('bank, cash');
  });

  it('401 without a key and with a wrong one', async () => {
    const hub = await newTenant();
    const path = '/api/v2/bridge/main/kick';
    const missing = await hub.request(path, { key: null, json: { target: 'a' } });
    expect([missing.status, missing.body['code'], missing.body['executed']]).toEqual([401, 'missing_api_key', 'no']);
    const wrong = await hub.request(path, { key: `${hub.key.slice(0, -1)}~`, json: { target: 'a' } });
    expect([wrong.status, wrong.body['code']]).toEqual([401, 'invalid_api_key']);
  });

  it('401 after the key was revoked', async () => {
    const hub = await newTenant();
    const key = await hub.newKey(['players:read']);
    expect((await hub.request('/api/v2/players', { key })).status).toBe(200);
    const { body } = await hub.request('/api/v2/keys');
    const row = (body['data'] as { id: string; name: string }[]).find(({ name }) => name === 'other key');
    const revoked = await hub.request(`/api/v2/keys/${row?.id}`, { method: 'DELETE' });
    expect([revoked.status, revoked.text]).toEqual([204, '']);
    expect((await hub.request('/api/v2/players', { key })).body).toMatchObject({ code: 'invalid_api_key' });
  });

  it('403 without the scope, and for another server', async () => {
    const { hub } = await connected();
    const json = { target: 'a' };
    const reader = await hub.newKey(['players:read']);
    const scoped = await hub.request('/api/v2/bridge/main/kick', { key: reader, json });
    expect([scoped.status, scoped.body['code'], scoped.body['executed']]).toEqual([403, 'insufficient_scope', 'no']);
    const elsewhere = await hub.newKey(['commands:kick' as Scope], ['other']);
    const limited = await hub.request('/api/v2/bridge/main/kick', { key: elsewhere, json });
    expect([limited.status, limited.body['code']]).toEqual([403, 'server_not_allowed']);
  });

  it('404 for an unknown server, player and command', async () => {
    const { hub } = await connected(rejects('player_not_found'));
    const server = await hub.request('/api/v2/bridge/nowhere/kick', { json: { target: 'a' } });
    expect([server.status, server.body['code'], server.body['executed']]).toEqual([404, 'server_not_found', 'no']);
    const player = await kick(hub);
    expect([player.status, player.body['code'], player.body['executed']]).toEqual([404, 'player_not_found', 'no']);
    const command = await hub.request('/api/v2/commands/cmd_00000000000000000000000');
    expect([command.status, command.body['code']]).toEqual([404, 'command_not_found']);
  });

  it.each([
    ['player_offline', 409, 'player_offline', 'no'],
    ['unsupported', 501, 'unsupported', 'no'],
    ['journal_unavailable', 501, 'journal_required', 'no'],
    ['server_restarting', 503, 'server_restarting', 'no'],
    ['fingerprint_mismatch', 422, 'idempotency_mismatch', 'no'],
    ['invalid_params', 422, 'invalid_request', 'no'],
    ['internal_error', 502, 'bridge_error', 'no'],
    ['something_new', 502, 'bridge_error', 'no'],
  ])('the bridge says %s: %i %s', async (said, status, code, executed) => {
    const { hub } = await connected(rejects(said));
    const answer = await money(hub);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code, executed, command: { status: 'rejected' } });
    if (status === 503) expect(answer.headers.get('retry-after')).toBe('5');
  });

  it('409 insufficient_funds tells the balance', async () => {
    const { hub } = await connected(rejects('insufficient_funds', { balance: 120 }));
    const { status, body } = await money(hub, { action: 'remove' });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'insufficient_funds', balance: 120, executed: 'no' });
  });

  it('409 voided: taken back while it waited', async () => {
    const { hub, bridge } = await connected();
    const answer = money(hub);
    const { id } = await bridge.command();
    const taken = hub.request(`/api/v2/commands/${id}/void`, { method: 'POST' });
    await bridge.frame('void');
    bridge.send({ type: 'result', id, status: 'voided', sequence: 1 });
    expect((await taken).body).toMatchObject({ status: 'voided', executed: 'no' });
    expect(await answer).toMatchObject({ status: 409, body: { code: 'voided', executed: 'no' } });
  });

  it('409 voided: taken back before it was sent', async () => {
    const { hub, bridge } = await connected();
    const first = money(hub);
    const { id } = await bridge.command();
    const second = money(hub, { amount: 1 });
    await expect.poll(async () => (await hub.request('/api/v2/commands?status=accepted')).text).toContain('cmd_');
    const { body } = await hub.request('/api/v2/commands?status=accepted');
    const [queued] = body['data'] as { id: string }[];
    const taken = await hub.request(`/api/v2/commands/${queued?.id}/void`, { method: 'POST' });
    expect(taken.body).toMatchObject({ status: 'voided', executed: 'no', attempts: 0 });
    expect(await second).toMatchObject({ status: 409, body: { code: 'voided', executed: 'no' } });
    bridge.send({ type: 'result', id, status: 'done', data: { account: 'bank', before: 0, after: 500 }, sequence: 1 });
    expect((await first).status).toBe(200);
  });

  it('of a waiting command, an impossible result is no outcome', async () => {
    const { hub, bridge } = await connected();
    const first = money(hub);
    const { id } = await bridge.command();
    const second = money(hub, { amount: 1 });
    await expect.poll(async () => (await hub.request('/api/v2/commands?status=accepted')).text).toContain('cmd_');
    const { body } = await hub.request('/api/v2/commands?status=accepted');
    const [queued] = body['data'] as { id: string }[];
    const done = (after: number) => {
      return { type: 'result', status: 'done', data: { account: 'bank', before: 0, after }, sequence: 1 };
    };
    bridge.send({ ...done(1), id: queued?.id });
    await bridge.frame('ack');
    bridge.send({ ...done(500), id });
    expect((await bridge.command(2)).id).toBe(queued?.id);
    bridge.send({ ...done(1), id: queued?.id });
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
  });

  it('409 expired: it was never sent', async () => {
    const { hub, bridge } = await connected();
    const first = money(hub, {}, { Prefer: 'wait=3' });
    await bridge.command();
    const second = await money(hub, { expiresInSeconds: 1 });
    expect(second).toMatchObject({ status: 409, body: { code: 'expired', executed: 'no' } });
    expect(bridge.frames.filter((frame) => frame.type === 'command')).toHaveLength(1);
    await first;
  });

  it.each([
    ['is stored while it waits', { 'Idempotency-Key': 'late' }],
    ['is stored when its turn comes', {}],
  ])('409 expired: its time was over when its turn came, and it %s', async (_name, headers: Record<string, string>) => {
    const hub = await startHub({ tuning: { sweepEveryMs: 60_000 } });
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const first = money(hub);
    const { id } = await bridge.command();
    const second = money(hub, { expiresInSeconds: 1 }, headers);
    await expect.poll(() => hub.sizes().queued).toBe(1);
    const late = Date.now() + 1_000;
    await expect.poll(() => Date.now()).toBeGreaterThan(late);
    bridge.send({ type: 'result', id, status: 'done', data: { account: 'bank', before: 0, after: 500 }, sequence: 1 });
    expect((await first).status).toBe(200);
    expect(await second).toMatchObject({ status: 409, body: { code: 'expired', executed: 'no' } });
    expect(bridge.frames.filter((frame) => frame.type === 'command')).toHaveLength(1);
  });

  it('409 indeterminate, until an operator resolves it', async () => {
    const { hub } = await connected(() => ({ status: 'indeterminate', sequence: 1 }));
    const { status, body } = await money(hub);
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'indeterminate', executed: 'unknown' });
    const id = (body as { command?: { id: string } }).command?.id;
    const resolved = await hub.request(`/api/v2/commands/${id}/resolve`, {
      json: { applied: true, note: 'saw it' },
    });
    expect(resolved.body).toMatchObject({
      status: 'resolved_applied',
      executed: 'yes',
      resolution: { note: 'saw it' },
    });
    const again = await hub.request(`/api/v2/commands/${id}/resolve`, {
      json: { applied: false, note: 'no' },
    });
    expect(again).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  it('422 idempotency_mismatch, and the stored answer for the same body', async () => {
    const { hub, bridge } = await connected(() => ({
      status: 'done',
      data: { account: 'bank', before: 0, after: 500 },
    }));
    const headers = { 'Idempotency-Key': 'salary-2026-11-20' };
    const first = await money(hub, {}, headers);
    const second = await money(hub, {}, { 'Idempotency-Key': '"salary-2026-11-20"' });
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    const other = await money(hub, { amount: 501 }, headers);
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch', executed: 'no' } });
    expect(other.body['command']).toEqual({ id: first.body['id'], status: 'succeeded' });
    expect(bridge.frames.filter((frame) => frame.type === 'command')).toHaveLength(1);
  });

  it('joins a request that is still running under the same key', async () => {
    const { hub, bridge } = await connected();
    const headers = { 'Idempotency-Key': 'once' };
    const both = [money(hub, {}, headers), money(hub, {}, headers)];
    const { id } = await bridge.command();
    bridge.send({ type: 'result', id, status: 'done', data: { account: 'bank', before: 0, after: 500 } });
    const [first, second] = await Promise.all(both);
    expect(second?.body).toEqual(first?.body);
    expect(bridge.frames.filter((frame) => frame.type === 'command')).toHaveLength(1);
  });

  it('422 however strange the accounts are that a bridge names', async () => {
    const { hub } = await connected(rejects('unknown_account', { accounts: [{ toString: 1 }, 'bank', null] }));
    expect(await money(hub)).toMatchObject({
      status: 422,
      body: { executed: 'no', errors: [{ pointer: '/type', detail: 'this player has no such account: it has bank' }] },
    });
  });

  it.skipIf(onPostgres)('does other work while another process holds the database', async () => {
    const { hub } = await connected(
      () => ({
        status: 'done',
        data: { account: 'bank', before: 0, after: 500 },
        sequence: 1,
      }),
      { start: startHub },
    );
    const other = new Sqlite(join(hub.folder, 'hub.db'));
    other.exec('BEGIN IMMEDIATE');
    const answer = money(hub);
    for (let request = 0; request < 20; request += 1) {
      expect((await fetch(`${hub.address}/livez`, { signal: AbortSignal.timeout(2_000) })).status).toBe(200);
    }
    other.exec('COMMIT');
    other.close();
    expect((await answer).status).toBe(200);
  });

  it('501: the bridge cannot do this, or has no journal', async () => {
    const { hub } = await connected(undefined, { commands: ['kick@1'] });
    expect(await money(hub)).toMatchObject({ status: 501, body: { code: 'unsupported', executed: 'no' } });
    const volatile = await connected(undefined, { journal: { class: 'volatile', id: 'j', sequence: 0 } });
    expect(await money(volatile.hub)).toMatchObject({ status: 501, body: { code: 'journal_required' } });
  });

  it.each([
    ['nonsense', { balance: 'lots' }],
    ['about another account', { account: 'cash', before: 0, after: 500 }],
  ])('502 bridge_error: the bridge answered %s', async (_name, data) => {
    const { hub } = await connected(() => ({ status: 'done', data }));
    expect(await money(hub)).toMatchObject({ status: 502, body: { code: 'bridge_error', executed: 'unknown' } });
  });

  it('200 without a result: the bridge did it, and has dropped what it was', async () => {
    const { hub } = await connected(() => ({ status: 'done', sequence: 1 }));
    expect(await money(hub)).toMatchObject({ status: 200, body: { executed: 'yes', result: null } });
  });

  it('503 bridge_offline, and server_restarting while the game server drains', async () => {
    const hub = await newTenant();
    const offline = await money(hub);
    expect(offline).toMatchObject({
      status: 503,
      body: { code: 'bridge_offline', executed: 'no', retryable: true },
    });
    expect(offline.headers.get('retry-after')).not.toBeNull();
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    bridge.send({ type: 'status', draining: true });
    await expect.poll(async () => (await money(hub, {}, { Prefer: 'wait=1' })).body['code']).toBe('server_restarting');
  });

  it('503 store_unavailable: the database is down, and health says which', async () => {
    const { hub } = await connected(() => ({ status: 'done', data: { kicked: true } }), { start: startHub });
    // With this answer everything that a welcome writes is written.
    expect((await kick(hub)).status).toBe(200);
    hub.breakDatabase('writes');
    for (const answer of [await money(hub), await kick(hub)]) {
      expect(answer).toMatchObject({
        status: 503,
        body: { code: 'store_unavailable', executed: 'no', retryable: true },
      });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    hub.breakDatabase('everything');
    const health = await hub.request('/api/v2/health');
    expect(health).toMatchObject({
      status: 503,
      body: { status: 'fail', databases: [{ name: 'hub', status: 'fail' }] },
    });
    expect((await hub.request('/api/v2/players')).body.code).toBe('store_unavailable');
    expect((await fetch(`${hub.address}/readyz`)).status).toBe(503);
    hub.breakDatabase('none');
    expect((await kick(hub)).status).toBe(200);
    expect((await hub.request('/api/v2/health')).body['status']).toBe('pass');
  });

  it('goes on with what waited when the database comes back', async () => {
    const lines: string[] = [];
    const hub = await startHub({ logTo: lines });
    const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
    const waiting = async (): Promise<unknown> => {
      const { body } = await hub.request('/api/v2/commands?status=accepted');
      return (body['data'] as unknown[]).length;
    };
    const failed = (work: string): boolean => lines.some((line) => line.includes(work));
    const first = money(hub);
    const { id } = await bridge.command();
    const second = money(hub);
    await expect.poll(waiting).toBe(1);
    const third = money(hub, { expiresInSeconds: 4 });
    await expect.poll(waiting).toBe(2);
    hub.breakDatabase('writes');
    const done = { type: 'result', status: 'done', data: { account: 'bank', before: 0, after: 500 }, sequence: 1 };
    bridge.send({ ...done, id });
    // The outcome cannot be stored, the next not be marked, the last not expire: all of it is tried again.
    for (const work of ['could not be stored', '"task":"dispatch"', '"task":"expire"']) {
      await expect.poll(() => failed(work)).toBe(true);
    }
    hub.breakDatabase('none');
    bridge.send({ ...done, id: (await bridge.command(2)).id });
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect(await third).toMatchObject({ status: 409, body: { code: 'expired', executed: 'no' } });
  });

  it('503 bridge_busy beyond 256 that wait', async () => {
    const { hub, bridge } = await connected();
    void bridge.command().then(({ id }) => bridge.send({ type: 'received', ids: [id] }));
    const wait = { Prefer: 'respond-async' };
    const answers = await Promise.all(Array.from({ length: 260 }, () => money(hub, {}, wait)));
    const busy = answers.filter((answer) => answer.body['code'] === 'bridge_busy');
    expect(busy.length).toBeGreaterThan(0);
    expect(busy[0]).toMatchObject({ status: 503, body: { executed: 'no' } });
    expect(answers.filter((answer) => answer.status === 202)).toHaveLength(260 - busy.length);
  });

  it('403 server_disabled', async () => {
    const { hub, bridge } = await connected();
    await hub.request('/api/v2/servers/main', { method: 'PATCH', json: { disabled: true } });
    expect(await bridge.closed()).toEqual({ code: 4503, reason: '{"code":"disabled","r":20000}' });
    expect(await money(hub)).toMatchObject({
      status: 403,
      body: { code: 'server_disabled', executed: 'no' },
    });
  });
});
