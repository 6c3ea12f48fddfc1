import { describe, expect, it } from 'vitest';
import { openStream, type StreamEvent } from '../../kit/event-stream.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { playerFrame, type RawBridge, welcomeRaw } from '../../kit/raw-bridge.ts';
import { openTcp } from '../../kit/raw-tcp.ts';
import { eventually } from '../../kit/stage.ts';

/** As operators see it. */
const openStreams = async (hub: TestHub): Promise<number> => {
  const text = await (await fetch(`${hub.address}/metrics`)).text();
  return Number(/^causeway_event_streams_open (\d+)/m.exec(text)?.[1]);
};

const connect = (hub: TestHub): Promise<RawBridge> => welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
const snapshot = (bridge: RawBridge, ...players: object[]): void =>
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players });

/** Balance after balance of one player; each event has the balances of so many accounts. */
const spend = (bridge: RawBridge, times: number, accounts = 1): void => {
  const names = ['bank', ...Array.from({ length: accounts - 1 }, (_, n) => `${n}-${'x'.repeat(60)}`)];
  for (let n = 1; n <= times; n += 1) {
    const balances = Object.fromEntries(names.map((name) => [name, n]));
    bridge.send({ type: 'players.changed', revision: n + 1, players: [playerFrame('ana', { accounts: balances })] });
  }
};

describe('the stream of events', () => {
  it('sends events in order, and only of its project', async () => {
    const hub = await startHub();
    const rival = await hub.newProject('rival');
    const [mine, theirs] = [await openStream(hub), await openStream(hub, { key: rival.key })];
    const bridge = await connect(hub);
    snapshot(bridge, playerFrame('ana'));
    bridge.send({ type: 'players.changed', revision: 2, players: [playerFrame('bo')] });
    bridge.send({
      type: 'players.changed',
      revision: 3,
      players: [playerFrame('ana', { accounts: { bank: 7 } })],
      offline: ['bo'],
    });
    await expect.poll(mine.types).toContain('player.left');
    const kicked = hub.request('/api/v2/bridge/main/kick', { json: { target: 'ana' } });
    bridge.send({ type: 'result', id: (await bridge.command()).id, status: 'done', data: { kicked: true } });
    await kicked;
    bridge.kill();
    await expect
      .poll(mine.types)
      .toEqual([
        'bridge.connected',
        'players.synced',
        'player.joined',
        'player.balance',
        'player.left',
        'command.settled',
        'bridge.disconnected',
      ]);
    expect(mine.events()[3]?.data).toMatchObject({ serverId: 'main', identifier: 'ana', accounts: { bank: 7 } });
    expect(theirs.events()).toEqual([]);
  });

  it('tells of another catalogue once, with its kind and hash', async () => {
    const hub = await startHub();
    const bridge = await connect(hub);
    const stream = await openStream(hub);
    const entries = [{ name: 'bread', label: 'Bread' }];
    const list = (kind: string, hash: string): void =>
      bridge.send({ type: 'catalogue', kind, hash, part: 0, last: true, entries });
    const told = (): unknown[] => {
      const changes = stream.events().filter(({ type }) => type === 'catalogue.changed');
      return changes.map(({ data: { kind, hash, serverId } }) => [serverId, kind, hash]);
    };
    const first = ['main', 'items', 'h1'];
    list('items', 'h1');
    await expect.poll(told).toEqual([first]);
    list('items', 'h1');
    list('jobs', 'h1');
    await expect.poll(told).toEqual([first, ['main', 'jobs', 'h1']]);
    list('items', 'h2');
    await expect.poll(told).toEqual([first, ['main', 'jobs', 'h1'], ['main', 'items', 'h2']]);
  });

  it('goes on after the last event that was seen, and says when some are lost', async () => {
    const hub = await startHub();
    const bridge = await connect(hub);
    snapshot(bridge, playerFrame('ana'));
    const balance = async () => (await hub.request('/api/v2/players/ana')).body['accounts'];
    spend(bridge, 5);
    await expect.poll(balance).toEqual({ bank: 5 });
    const first = await openStream(hub);
    bridge.send({ type: 'players.changed', revision: 7, players: [playerFrame('ana', { accounts: { bank: 70 } })] });
    await expect.poll(() => first.events().length).toBe(1);
    const { id } = first.events()[0] as StreamEvent;
    for (let n = 8; n < 1_300; n += 1) {
      bridge.send({ type: 'players.changed', revision: n, players: [playerFrame('ana', { accounts: { bank: n } })] });
    }
    await expect.poll(() => first.events().length, { timeout: 30_000 }).toBe(1_293);
    const later = first.events()[400] as StreamEvent;
    const resumed = await openStream(hub, { lastId: later.id });
    await expect.poll(() => resumed.events().length).toBe(1_293 - 401);
    expect((await openStream(hub, { lastId: id })).isOver()).toBe(false);
    for (const lastId of [id, 'nonsense', '"', '9'.repeat(200)]) {
      const stream = await openStream(hub, { lastId });
      await expect.poll(stream.types).toEqual(['missed']);
    }
  }, 60_000);

  it('ends for a key that may do less than when it began', async () => {
    const hub = await startHub();
    const made = await hub.request('/api/v2/keys', { json: { name: 'a', scopes: ['players:read', 'commands:read'] } });
    const stream = await openStream(hub, { key: String(made.body['key']) });
    await hub.newServer('other');
    await hub.request(`/api/v2/keys/${made.body.id}`, { method: 'PATCH', json: { servers: ['other'] } });
    await expect.poll(stream.isOver).toBe(true);
  });

  it('closes a reader that reads nothing, and one whose key is revoked', async () => {
    const hub = await startHub();
    const bridge = await connect(hub);
    snapshot(bridge, playerFrame('ana'));
    const made = await hub.request('/api/v2/keys', { json: { name: 'a', scopes: ['players:read', 'commands:read'] } });
    const revoked = await openStream(hub, { key: String(made.body['key']), stalled: true });
    const slow = await openStream(hub, { stalled: true });
    await hub.request(`/api/v2/keys/${made.body.id}`, { method: 'DELETE' });
    await expect.poll(() => openStreams(hub)).toBe(1);
    revoked.read();
    await expect.poll(revoked.isOver).toBe(true);
    spend(bridge, 4_000, 64);
    await expect.poll(() => openStreams(hub), { timeout: 100_000 }).toBe(0);
    slow.read();
    await expect.poll(slow.isOver).toBe(true);
  }, 150_000);
});

it('many events are few writes for a reader, who gets each of them once, in order', async () => {
  const players = 250;
  const frames = 3;
  const hub = await startHub();
  const reader = openTcp(hub.port);
  reader.send(`GET /api/v2/events HTTP/1.1\r\nHost: hub\r\nX-API-Key: ${hub.key}\r\n\r\n`);
  await eventually(reader.text).toContain(': connected');
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token);
  const report = (bank: number) =>
    Array.from({ length: players }, (_, n) => playerFrame(`char1:p${n}`, { accounts: { bank } }));
  bridge.send({ type: 'players.snapshot', revision: 1, part: 0, last: true, players: report(0) });
  await eventually(reader.text).toContain('players.synced');
  const balances = () => reader.text().match(/^event: player\.balance$/gm) ?? [];
  for (let n = 1; n <= frames; n += 1) {
    bridge.send({ type: 'players.changed', revision: n + 1, players: report(n) });
    await eventually(() => balances().length).toBe(n * players);
  }
  const numbers = [...reader.text().matchAll(/^id: \S+-(\d+)$/gm)].map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from(numbers, (_, n) => (numbers[0] ?? 0) + n));
  // Each write is a chunk of the answer.
  const chunks = reader.text().match(/^[\da-f]+\r$/gm) ?? [];
  expect(chunks.length).toBeLessThan((frames * players) / 10);
});
