import { describe, expect, it } from 'vitest';
import { shareHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';

const COMMANDS = ['kick@1', 'money@1', 'items@1'];

const items = (hub: TestHub, changes: object = {}) =>
  hub.request('/api/v2/bridge/main/items', {
    json: { target: 'char1:ana', item: 'bread', count: 3, action: 'add', ...changes },
  });

const newTenant = shareHub();

const connected = async (reply?: Parameters<typeof answerAll>[1], hello: Record<string, unknown> = {}) => {
  const hub = await newTenant();
  const bridge: RawBridge = await welcomeRaw(hub.bridgeUrl, hub.token, { commands: COMMANDS, ...hello });
  if (reply !== undefined) answerAll(bridge, reply);
  return { hub, bridge };
};

const did = (data: object) => () => ({ status: 'done', data: { item: 'bread', ...data }, sequence: 1 });
const rejects = (code: string, details?: object) => () => ({
  status: 'rejected',
  error: { code, message: 'said the game', ...(details && { details }) },
  sequence: 1,
});

describe('items', () => {
  it('are given: the answer has what the player had and has', async () => {
    const { hub, bridge } = await connected(did({ before: 1, after: 4 }));
    const { status, body } = await items(hub, { reason: 'event', metadata: { b: 1, a: [2] } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'items',
      target: 'char1:ana',
      executed: 'yes',
      params: { item: 'bread', count: 3, action: 'add', metadata: { a: [2], b: 1 }, reason: 'event' },
      result: { item: 'bread', before: 1, after: 4 },
    });
    expect(body['params']).not.toHaveProperty('allowPartial');
    expect((await bridge.command()).params).toEqual({
      target: 'char1:ana',
      item: 'bread',
      count: 3,
      action: 'add',
      metadata: { a: [2], b: 1 },
      allowPartial: false,
      reason: 'event',
    });
  });

  it('are taken in part only where the caller allowed it', async () => {
    const { hub } = await connected(did({ before: 2, after: 0, applied: 2 }));
    const allowed = await items(hub, { action: 'remove', allowPartial: true });
    expect(allowed.body).toMatchObject({ executed: 'yes', result: { before: 2, after: 0, applied: 2 } });
    const refused = await items(hub, { action: 'remove' });
    expect(refused.status).toBe(502);
    expect(refused.body).toMatchObject({ code: 'bridge_error', executed: 'unknown' });
  });

  it.each([
    { before: 1, after: 5 },
    { before: 1, after: -2 },
    { before: 1, after: 4, item: 'cake' },
    { before: 1, after: 1, applied: 0 },
    { before: 1, after: 6, applied: 5 },
    { before: 1 },
  ])('are indeterminate when the result is %j', async (data) => {
    const { hub } = await connected(did(data));
    const { body } = await items(hub, { allowPartial: true });
    expect(body).toMatchObject({ code: 'bridge_error', executed: 'unknown', command: { status: 'indeterminate' } });
  });

  it.each([
    ['unknown_item', 422, undefined, {}],
    ['inventory_full', 409, { fits: 2 }, { fits: 2 }],
    ['too_heavy', 409, { fits: 0 }, { fits: 0 }],
    ['not_enough_items', 409, { count: 1 }, { count: 1 }],
    ['inventory_locked', 409, undefined, { retryable: true }],
  ])('are refused with %s', async (code, status, details, more) => {
    const { hub } = await connected(rejects(code, details));
    const answer = await items(hub);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code, executed: 'no', command: { status: 'rejected' }, ...more });
    expect(answer.body['detail']).toContain('said the game');
  });

  it.each([
    [{ count: 0 }, '/count'],
    [{ count: -1 }, '/count'],
    [{ count: 1.5 }, '/count'],
    [{ count: 1_000_001 }, '/count'],
    [{ item: '' }, '/item'],
    [{ item: 'x'.repeat(129) }, '/item'],
    [{ item: 'x'.repeat(10_240) }, '/item'],
    [{ item: '🚓'.repeat(65) }, '/item'],
    [{ count: '3' }, '/count'],
    [{ item: 'nul\0' }, '/item'],
    [{ action: 'deduct' }, '/action'],
    [{ metadata: [] }, '/metadata'],
    [{ metadata: null }, '/metadata'],
    [{ metadata: { text: 'x'.repeat(16_384) } }, '/metadata'],
    [{ metadata: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`k${n}`, n])) }, '/metadata'],
    [{ metadata: { list: [{ deep: { __proto__: null, constructor: {} } }] } }, '/metadata/list/0/deep/constructor'],
    [{ metadata: { a: { constructor: 1 } } }, '/metadata/a/constructor'],
    [{ metadata: JSON.parse('{"__proto__": {"isAdmin": true}}') }, '/metadata/__proto__'],
    [{ metadata: { deep: JSON.parse('['.repeat(40) + ']'.repeat(40)) } }, '/metadata/deep'],
    [{ ghost: 1 }, '/ghost'],
  ])('refuse %j', async (changes, pointer) => {
    const { hub } = await connected();
    const { status, body } = await items(hub, changes);
    expect(status).toBe(422);
    expect(body['code']).toBe('invalid_request');
    expect(body['errors']).toMatchObject([{ pointer: expect.stringContaining(pointer) }]);
  });

  it('refuse metadata of 64 KiB with the body', async () => {
    const { hub } = await connected();
    const { status, body } = await items(hub, { metadata: { text: 'x'.repeat(65_536) } });
    expect([status, body['code'], body['executed']]).toEqual([413, 'payload_too_large', 'no']);
  });

  it.each([
    'مرحبا\u202egnp.exe',
    '🚓'.repeat(64),
    '<img src=x onerror=alert(1)>',
    '%s%n',
    '../../etc/passwd',
    "';--",
    '\u200b',
  ])('take the name %j as it is', async (item) => {
    const { hub, bridge } = await connected(({ params }) => ({
      status: 'done',
      data: { item: params['item'], before: 0, after: 3 },
      sequence: 1,
    }));
    const { body } = await items(hub, { item });
    expect(body).toMatchObject({ executed: 'yes', params: { item }, result: { item } });
    expect((await bridge.command()).params['item']).toBe(item);
  });

  it('need the scope, and a bridge that announces them', async () => {
    const { hub } = await connected(undefined, { commands: ['money@1'] });
    expect((await items(hub)).body['code']).toBe('unsupported');
    const key = await hub.newKey(['commands:money']);
    const answer = await hub.request('/api/v2/bridge/main/items', { key, json: {} });
    expect(answer.body).toMatchObject({ code: 'insufficient_scope', executed: 'no' });
    expect(answer.body['detail']).toMatch(
      /^This needs the scope commands:items, which your key lacks\. .*: causeway key set key_\w+ --project \S+ --add-scopes commands:items$/,
    );
  });

  it('have a class of their own, which can be weaker than that of the journal', async () => {
    const { hub } = await connected(did({ before: 0, after: 3 }), { classes: { 'items@1': 'volatile' } });
    expect((await items(hub)).body['code']).toBe('journal_required');
    const { body } = await hub.request('/api/v2/servers/main');
    expect(body['bridge']).toMatchObject({ journalClass: 'atomic', classes: { 'items@1': 'volatile' } });
  });

  it('run once under one key', async () => {
    const { hub, bridge } = await connected(did({ before: 0, after: 3 }));
    const headers = { 'Idempotency-Key': 'gift' };
    const json = { target: 'char1:ana', item: 'bread', count: 3, action: 'add', metadata: { a: 1, b: 2 } };
    const first = await hub.request('/api/v2/bridge/main/items', { headers, json });
    const again = await hub.request('/api/v2/bridge/main/items', {
      headers,
      json: { ...json, metadata: { b: 2, a: 1 } },
    });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(bridge.frames.filter(({ type }) => type === 'command')).toHaveLength(1);
  });

  it('that were locked need a new key: the old one keeps its refusal', async () => {
    const { hub, bridge } = await connected();
    answerAll(bridge, () =>
      bridge.frames.filter(({ type }) => type === 'command').length === 1
        ? rejects('inventory_locked')()
        : did({ before: 0, after: 3 })(),
    );
    const give = (key: string) =>
      hub.request('/api/v2/bridge/main/items', {
        headers: { 'Idempotency-Key': key },
        json: { target: 'char1:ana', item: 'bread', count: 3, action: 'add' },
      });
    const first = await give('gift');
    expect(first.body).toMatchObject({ code: 'inventory_locked', retryable: true });
    expect(first.body['detail']).toContain('with a new Idempotency-Key');
    expect((await give('gift')).body).toMatchObject({ code: 'inventory_locked', command: first.body['command'] });
    expect((await give('gift again')).body).toMatchObject({ executed: 'yes' });
  });

  it('have columns of their own in the journal as a table', async () => {
    const { hub } = await connected(did({ before: 0, after: 2, applied: 2 }));
    await items(hub, { reason: 'event', allowPartial: true });
    const { text } = await hub.request('/api/v2/commands.csv');
    const [head = '', row = ''] = text.replace('\ufeff', '').split('\r\n');
    const cells = Object.fromEntries(head.split(',').map((name, index) => [name, row.split(',')[index]]));
    expect(cells).toMatchObject({
      action: '"add"',
      item: '"bread"',
      count: '3',
      before: '0',
      after: '2',
      applied: '2',
      amount: '',
    });
  });
});
