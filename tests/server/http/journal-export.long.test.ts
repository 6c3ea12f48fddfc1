import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createEconomy, startGameServer } from '../../kit/game-server.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { insertCommand } from '../../kit/journal.ts';

const HOSTILE = [
  '=HYPERLINK("http://evil")',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  ' =1',
  '＝1',
  '﹦1',
  // Invisible characters: zero-width, direction, joiner, soft hyphen, fillers, mark, control, tag.
  ...['\u200b', '\u202e', '\u2060', '\u00ad', '\u3164', '\u2800', '\u0301', '\u001f', '\ufeff', '\u180e'].map(
    (x) => `${x}=1`,
  ),
  '\u200d\u200b \u{e0020}@SUM(A1)',
];
const HARMLESS = ['<img src=x onerror=1>', 'a,"b"\n', 'é=1', '\u200bvote', '1=1', 'مرحبا'];

const insert = (hub: TestHub, createdAt: number, fields: { reason?: string; actor?: string; serverId?: string } = {}) =>
  insertCommand(hub, {
    createdAt,
    serverId: fields.serverId ?? 'main',
    params: { target: 'char1:ana', type: 'bank', amount: 5, action: 'add', reason: fields.reason ?? 'why' },
    actor: { keyId: hub.keyId, name: fields.actor ?? 'somebody' },
  });

/** Cells of a line; quoted cells may contain any character. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
  );

describe('the journal as a table', () => {
  it('has no cell that a spreadsheet would run', async () => {
    const hub = await startHub();
    const texts = [...HOSTILE, ...HARMLESS];
    for (const text of texts) await insert(hub, Date.now(), { reason: text, actor: text });
    const { status, text, headers } = await hub.request('/api/v2/commands.csv');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="/);
    const [head = '', ...lines] = text.split(/\r\n/).filter((line) => line !== '');
    expect(head).toContain('time,server,command,player,name,');
    expect(lines).toHaveLength(texts.length);
    const reasons = lines.map((line) => cellsOf(line)[10] ?? '');
    for (const cell of lines.flatMap(cellsOf)) expect(cell).not.toMatch(/^\s*[=+\-@＝]/);
    expect(reasons.toReversed()).toEqual([...HOSTILE.map((text) => `'${text}`), ...HARMLESS]);
  });

  it('has the names of the players, for keys that may see players', async () => {
    const hub = await startHub();
    const economy = createEconomy({ 'char1:ana': 1 });
    startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: hub.folder, economy });
    await expect.poll(async () => (await hub.request('/api/v2/players/char1:ana')).status).toBe(200);
    await insert(hub, Date.now());
    await insert(hub, Date.now(), { serverId: 'west' });
    const names = async (key: string) => {
      const [, west = '', main = ''] = (await hub.request('/api/v2/commands.csv', { key })).text.split('\r\n');
      const { body } = await hub.request('/api/v2/commands', { key });
      const rows = body['data'] as { id: string; targetName?: string }[];
      const [, ofMain] = await Promise.all(rows.map(({ id }) => hub.request(`/api/v2/commands/${id}`, { key })));
      return [cellsOf(west)[4], cellsOf(main)[4], ...rows.map((row) => row.targetName), ofMain?.body['targetName']];
    };
    const name = 'Name of char1:ana';
    expect(await names(hub.key)).toEqual(['', name, undefined, name, name]);
    const blind = await hub.newKey(['commands:read']);
    expect(await names(blind)).toEqual(['', '', undefined, undefined, undefined]);
  });

  it('has the parameters of custom commands in a column of their own, and only money in the columns of money', async () => {
    const hub = await startHub();
    const params = { target: 'char1:ana', item: 'bread', amount: 3, type: 'food', action: 'add', reason: 'hungry' };
    const result = { before: 1, after: 4 };
    await insertCommand(hub, { name: 'custom:give_item', status: 'succeeded', params, result });
    const [head = '', line = ''] = (await hub.request('/api/v2/commands.csv')).text.replace('\ufeff', '').split('\r\n');
    const cells = cellsOf(line);
    const filled = head.split(',').flatMap((name, at) => (cells[at] === '' ? [] : [[name, cells[at]]]));
    expect(Object.fromEntries(filled)).toMatchObject({
      command: 'custom:give_item',
      parameters: JSON.stringify(params),
    });
    expect(filled.map(([name]) => name)).toEqual([
      'time',
      'server',
      'command',
      'player',
      'outcome',
      'actor',
      'settled',
      'id',
      'parameters',
    ]);
  });

  it('has the parameters of built-in commands that have no column in the column of parameters', async () => {
    const hub = await startHub();
    const money = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add', reason: 'why' };
    await insertCommand(hub, { params: { ...money, allowNegative: false } });
    await insertCommand(hub, { params: { ...money, allowNegative: true } });
    // A parameter that a later version of the command has.
    await insertCommand(hub, { name: 'kick', params: { target: 'license:a', reason: 'why', minutes: 3 } });
    const { text } = await hub.request('/api/v2/commands.csv');
    const [head = '', ...lines] = text.replace('\ufeff', '').trimEnd().split('\r\n');
    const columns = ['action', 'account', 'amount', 'reason', 'parameters'].map((name) =>
      head.split(',').indexOf(name),
    );
    const cells = lines.map((line) => columns.map((at) => cellsOf(line)[at]));
    expect(cells.toReversed()).toEqual([
      ['add', 'bank', '5', 'why', ''],
      ['add', 'bank', '5', 'why', '{"allowNegative":true}'],
      ['', '', '', 'why', '{"target":"license:a","minutes":3}'],
    ]);
  });

  it('ends at 10,000 rows', async () => {
    const hub = await startHub();
    // No more at once than may wait for a database server.
    for (let from = 0; from < 10_300; from += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => insert(hub, Date.now(), { reason: `${from + n}` })));
    }
    const { text } = await hub.request('/api/v2/commands.csv');
    const lines = text.split('\r\n');
    expect(lines.length).toBeGreaterThan(10_000);
    expect(lines.length).toBeLessThan(10_210);
    expect(lines[1]).toContain('"10299"');
  });

  it('shows a key its own servers only', async () => {
    const hub = await startHub();
    await insert(hub, Date.now(), { serverId: 'main' });
    const key = await hub.newKey(['commands:read'], ['west']);
    expect((await hub.request('/api/v2/commands.csv', { key })).text.split('\r\n')).toHaveLength(2);
    expect((await hub.request('/api/v2/commands.csv?serverId=main', { key })).status).toBe(403);
  });
});

describe('the journal by caller', () => {
  it('finds a part of the name in any case, the id of the key, and no sign that stands for others', async () => {
    const hub = await startHub();
    const names = ['Änne Müller', 'ÖZGE', 'bot_50%', 'bot x50y', 'a\\b'];
    for (const actor of names) await insert(hub, Date.now(), { actor });
    const found = async (actor: string): Promise<string[]> => {
      const { body } = await hub.request(`/api/v2/commands?actor=${encodeURIComponent(actor)}`);
      return (body['data'] as { actor: { name: string } }[]).map((row) => row.actor.name).toReversed();
    };
    expect(await found('müll')).toEqual(['Änne Müller']);
    expect(await found('ÄNNE')).toEqual(['Änne Müller']);
    expect(await found('özge')).toEqual(['ÖZGE']);
    expect(await found('BOT')).toEqual(['bot_50%', 'bot x50y']);
    expect(await found('t_50%')).toEqual(['bot_50%']);
    expect(await found('\\')).toEqual(['a\\b']);
    expect(await found(hub.keyId)).toEqual(names);
    expect(await found('nobody')).toEqual([]);
  });
});

describe('the journal by time', () => {
  it('has the commands made since, and before', async () => {
    const hub = await startHub();
    const start = Date.parse('2026-11-01T00:00:00.000Z');
    const HOUR_MS = 3_600_000;
    for (let hour = 0; hour < 48; hour += 1) await insert(hub, start + hour * HOUR_MS, { reason: `hour ${hour}` });
    const reasons = async (query: string): Promise<string[]> => {
      const { body } = await hub.request(`/api/v2/commands?limit=200&${query}`);
      return (body['data'] as { params: { reason: string } }[]).map(({ params }) => params.reason);
    };
    expect(await reasons('since=2026-11-02T22:00:00.000Z')).toEqual(['hour 47', 'hour 46']);
    expect(await reasons('until=2026-11-01T02:00:00.000Z')).toEqual(['hour 1', 'hour 0']);
    expect(await reasons('since=2026-11-01T05:00:00Z&until=2026-11-01T06:00:00Z')).toEqual(['hour 5']);
    expect(await reasons('since=2027-01-01T00:00:00Z')).toEqual([]);
    expect(await reasons('until=2020-01-01T00:00:00Z')).toEqual([]);
    expect((await hub.request('/api/v2/commands?since=yesterday')).status).toBe(422);
  });
});

describe.each([
  ['an hour slow', -3_600_000],
  ['an hour fast', 3_600_000],
])('the journal by time after a clock was %s for a while', (_name, errorMs) => {
  it('has every command of each time, as a list and as a table', async () => {
    const rightNow = Date.now.bind(Date);
    let offMs = 0;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => rightNow() + offMs);
    onTestFinished(() => clock.mockRestore());
    const hub = await startHub();
    const economy = createEconomy({ 'char1:ana': 1_000 });
    startGameServer({ url: () => hub.bridgeUrl, token: hub.token, folder: hub.folder, economy });
    await expect.poll(async () => (await hub.request('/api/v2/players/char1:ana')).status).toBe(200);
    const pay = async (reason: string): Promise<void> => {
      for (let n = 0; n < 8; n += 1) {
        const json = { target: 'char1:ana', type: 'bank', action: 'add', amount: 1, reason };
        const { status, text } = await hub.request('/api/v2/bridge/main/money', { json });
        // A bridge that has not heard of the new time yet may take a command back: it is in the journal all the same.
        expect([200, 409], text).toContain(status);
      }
    };
    await pay('before');
    offMs = errorMs;
    await pay('wrong');
    offMs = 0;
    await pay('after');
    const reasonsOf = async (query: string): Promise<string[]> => {
      const listed = await hub.request(`/api/v2/commands?limit=200&${query}`);
      const reasons = (listed.body['data'] as { params: { reason: string } }[]).map(({ params }) => params.reason);
      const { text } = await hub.request(`/api/v2/commands.csv?${query}`);
      const lines = text.split('\r\n').slice(1, -1);
      expect(lines.map((line) => cellsOf(line)[10])).toEqual(reasons);
      return reasons;
    };
    const time = (ms: number): string => new Date(ms).toISOString();
    const quarter = 900_000;
    const around = (at: number): string => `since=${time(at - quarter)}&until=${time(at + quarter)}`;
    const eight = (reason: string): string[] => Array.from({ length: 8 }, () => reason);
    expect(await reasonsOf(around(rightNow()))).toEqual([...eight('after'), ...eight('before')]);
    expect(await reasonsOf(around(rightNow() + errorMs))).toEqual(eight('wrong'));
    expect(await reasonsOf(`since=${time(rightNow() - 2 * 3_600_000)}`)).toHaveLength(24);
    expect(await reasonsOf(`until=${time(rightNow() + 2 * 3_600_000)}`)).toHaveLength(24);
  });
});
