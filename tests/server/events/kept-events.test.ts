import { describe, expect, it } from 'vitest';
import type { EventRow } from '../../../db/queries/events.ts';
import { openStream } from '../../kit/event-stream.ts';
import { startHub, type TestHub } from '../../kit/hub.ts';
import { answerAll, playerFrame, type RawBridge, reportPlayers, welcomeRaw } from '../../kit/raw-bridge.ts';
import { tell } from '../../kit/receiver.ts';
import { eventually, rewrite } from '../../kit/stage.ts';

const keptOf = (hub: TestHub): Promise<EventRow[]> => hub.store.events.after(hub.project.id, 0, 1_000);
const typesOf = async (hub: TestHub): Promise<string[]> => (await keptOf(hub)).map(({ type }) => type);
const bodyOf = ({ body }: EventRow) => JSON.parse(body) as { id: string; type: string; data: Record<string, unknown> };
const keep = (hub: TestHub) => hub.hub.keptEvents.keep(hub.project.id);
const DONE = { status: 'done', data: { account: 'bank', before: 0, after: 100 } };

/** A hub that keeps events, with a bridge that pays, and Ana. */
const openKeeping = async (options: Parameters<typeof startHub>[0] = {}) => {
  const hub = await startHub(options);
  await keep(hub);
  const bridge = await connect(hub);
  // This event would come between those of a test.
  await eventually(() => typesOf(hub)).toContain('server.online');
  return { hub, bridge };
};
const connect = async (hub: TestHub): Promise<RawBridge> => {
  const bridge = await welcomeRaw(hub.bridgeUrl, hub.token, { instance: 'one' });
  answerAll(bridge, () => DONE);
  await reportPlayers(hub, bridge, playerFrame('ana'));
  return bridge;
};
const payAna = (hub: TestHub, key: string) =>
  hub.request('/api/v2/bridge/main/money', {
    json: { target: 'ana', type: 'bank', amount: 100, action: 'add' },
    headers: { 'Idempotency-Key': key },
  });

describe('events that last', () => {
  it('a project that keeps none has none, and its stream is live', async () => {
    const hub = await startHub();
    await connect(hub);
    const stream = await openStream(hub, { query: '?types=command.settled' });
    await payAna(hub, 'one');
    await eventually(stream.types).toEqual(['command.settled']);
    await hub.hub.keptEvents.tidy();
    expect(await typesOf(hub)).toEqual([]);
    expect(await hub.store.events.projectsThatOwe()).toEqual([]);
  });

  it('tells a payment once, as REST shows it, with an id that names the event', async () => {
    const { hub } = await openKeeping();
    const stream = await openStream(hub, { query: '?types=command.settled' });
    const paid = await payAna(hub, 'one');
    await eventually(stream.types).toEqual(['command.settled']);
    const [event] = (await keptOf(hub)).filter(({ type }) => type === 'command.settled');
    const { body } = await hub.request(`/api/v2/commands/${paid.body.id}`);
    const { targetName: _, ...shown } = body;
    expect(bodyOf(event as EventRow)).toMatchObject({ id: event?.id, type: 'command.settled', revision: 3 });
    expect(bodyOf(event as EventRow).data).toEqual(JSON.parse(JSON.stringify(shown)));
    expect(stream.events()[0]).toMatchObject({ id: event?.id, data: { id: paid.body.id, status: 'succeeded' } });
    expect(event?.id).toMatch(/^evt_[0-9a-z]{24}$/);
  });

  it('a stream goes on after a crash of the hub with what its reader has not seen, and names unknown ids', async () => {
    const { hub } = await openKeeping();
    const first = await openStream(hub, { query: '?types=command.settled' });
    await payAna(hub, 'one');
    await eventually(() => first.events().length).toBe(1);
    const { id: lastId } = first.events()[0] ?? { id: '' };
    await payAna(hub, 'two');
    await payAna(hub, 'three');
    await hub.crash();
    const next = await startHub({ folder: hub.folder });
    const ids = (await next.request('/api/v2/commands?limit=2')).body['data'] as { id: string }[];
    const query = '?types=command.settled,command.indeterminate';
    const resumed = await openStream(next, { lastId, query });
    await eventually(() => resumed.events().map(({ data }) => data['id'])).toEqual([ids[1]?.id, ids[0]?.id]);
    const all = await openStream(next, { lastId });
    await eventually(all.types).toEqual(['hints.missed', 'command.settled', 'command.settled']);
    const lost = await openStream(next, { lastId: 'evt_0000000000000000000000000', query });
    await eventually(lost.types).toEqual(['missed']);
  });

  it('a reader that is too slow is told that it has missed events that were deleted', async () => {
    const { hub } = await openKeeping();
    const { store, project } = hub;
    await tell(store, project.id);
    const stream = await openStream(hub, { stalled: true, query: '?types=batch.settled' });
    // More than the sockets of a reader hold.
    const data = { long: 'a'.repeat(19_000) };
    const body = JSON.stringify({ timestamp: '2026-11-20T12:00:00.000Z', serverId: 'main', revision: 1, data });
    const some = Array.from({ length: 200 }, () => ({ type: 'batch.settled' as const, body }));
    let told: string[] = [];
    for (let n = 0; n < 5; n += 1) told = await tell(store, project.id, some);
    const [last] = (await keptOf(hub)).slice(-100);
    await store.events.pruneUpTo(project.id, (last?.seq ?? 0) - 1, 2_000);
    stream.read();
    await eventually(() => stream.events().at(-1)?.id).toBe(told.at(-1));
    expect(stream.types()).toContain('missed');
  });

  it('a stream of one hub goes on after a live event, without the ones before it', async () => {
    const { hub, bridge } = await openKeeping();
    const first = await openStream(hub);
    await payAna(hub, 'one');
    await eventually(first.types).toContain('command.settled');
    bridge.send({ type: 'players.changed', revision: 2, players: [playerFrame('bo')] });
    await eventually(first.types).toContain('player.joined');
    const lastId = first.events().findLast(({ type }) => type === 'player.joined')?.id ?? '';
    await payAna(hub, 'two');
    const resumed = await openStream(hub, { lastId, query: '?types=command.settled,player.joined' });
    await eventually(resumed.types).toEqual(['command.settled']);
  });

  it.each(['before', 'after'] as const)(
    'a hub that dies %s it has stored events loses none and repeats none',
    async (when) => {
      const tuning = { offlineAfterMs: 1 };
      const { hub } = await openKeeping({ tuning });
      await eventually(() => hub.store.events.projectsThatOwe()).toEqual([]);
      hub.stopAt({ statement: 'together', when });
      for (const key of ['one', 'two', 'three']) await payAna(hub, key);
      await eventually(hub.hasStopped).toBe(true);
      await hub.crash();
      const next = await startHub({ folder: hub.folder, tuning });
      const settled = async (): Promise<string[]> =>
        (await keptOf(next)).filter(({ type }) => type === 'command.settled').map(({ subject }) => subject);
      await eventually(async () => (await settled()).length).toBe(3);
      await eventually(() => next.store.events.projectsThatOwe()).toEqual([]);
      const rows = (await next.request('/api/v2/commands')).body['data'] as { id: string }[];
      expect((await settled()).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    },
  );

  it('a full disk delays events, and takes none', async () => {
    const logTo: string[] = [];
    const { hub } = await openKeeping({ logTo });
    await payAna(hub, 'one');
    await eventually(() => typesOf(hub)).toContain('command.settled');
    await eventually(() => hub.store.events.projectsThatOwe()).toEqual([]);
    hub.breakDatabase('writes');
    await rewrite(hub, 'DELETE FROM events');
    await rewrite(hub, 'UPDATE commands SET outbox = 2');
    await eventually(() => logTo.some((line) => line.includes('"task":"tell events"'))).toBe(true);
    expect(await typesOf(hub)).toEqual([]);
    hub.breakDatabase('none');
    await eventually(() => typesOf(hub)).toEqual(['command.settled']);
    expect(await hub.store.events.projectsThatOwe()).toEqual([]);
  });

  it('a payment in doubt is told although it ended before the events were made, and then its end', async () => {
    const { hub, bridge } = await openKeeping();
    await eventually(() => hub.store.events.projectsThatOwe()).toEqual([]);
    bridge.socket.removeAllListeners('message');
    const [all, ends] = [await openStream(hub), await openStream(hub, { query: '?types=command.settled' })];
    const { id } = (await payLater(hub, 'one')).body;
    await eventually(async () => (await hub.request(`/api/v2/commands/${id}`)).body['status']).toBe('dispatched');
    const projectId = hub.project.id;
    const error = { code: 'indeterminate', message: 'No outcome.' };
    await hub.store.commands.indeterminate({ projectId, ids: [String(id)], error, at: Date.now() });
    await hub.request(`/api/v2/commands/${id}/resolve`, { json: { applied: true, note: 'seen in the game' } });
    const told = async () =>
      (await keptOf(hub)).flatMap((row) => (row.subject === id ? [[row.type, row.revision, statusOf(row)]] : []));
    await eventually(told).toEqual([
      ['command.indeterminate', 2, 'indeterminate'],
      ['command.settled', 3, 'resolved_applied'],
    ]);
    // Readers of live events hear of a doubt as of an end.
    const heard = ['command.settled', 'command.indeterminate', 'command.settled'];
    await eventually(() => all.types().filter((type) => type.startsWith('command.'))).toEqual(heard);
    const endsOf = () => ends.events().map(({ data }) => data['status']);
    await eventually(endsOf).toEqual(['indeterminate', 'resolved_applied']);
  });

  it('a payment that waits is told to wait, and one of before the events is told, too', async () => {
    const hub = await startHub();
    const bridge = await connect(hub);
    bridge.send({ type: 'players.changed', revision: 2, offline: ['ana'], players: [] });
    await eventually(async () => (await hub.request('/api/v2/players/ana')).body['online']).toBe(false);
    const before = await payLater(hub, 'before', 'when_online');
    expect(before.body['status']).toBe('waiting');
    const since = await keep(hub);
    expect((await hub.store.projects.byId(hub.project.id))?.eventsSince).toBe(since);
    const after = await payLater(hub, 'after', 'when_online');
    await eventually(() => typesOf(hub)).toEqual(['command.waiting']);
    bridge.send({ type: 'players.changed', revision: 3, players: [playerFrame('ana')] });
    const told = async () => (await keptOf(hub)).map(({ type, subject }) => [type, subject]);
    await eventually(told).toEqual([
      ['command.waiting', after.body.id],
      ['command.settled', before.body.id],
      ['command.settled', after.body.id],
    ]);
  });

  it('a batch is one event, whatever its commands do', async () => {
    const { hub } = await openKeeping();
    const made = await hub.request('/api/v2/batches', {
      json: { serverId: 'main', name: 'money', params: { type: 'bank', amount: 100, action: 'add' }, targets: ['ana'] },
      headers: { 'Idempotency-Key': 'salary' },
    });
    await eventually(() => typesOf(hub)).toContain('batch.settled');
    await eventually(() => hub.store.events.projectsThatOwe()).toEqual([]);
    const rows = (await keptOf(hub)).filter(({ type }) => !type.startsWith('server.'));
    expect(rows.map(({ type, subject }) => [type, subject])).toEqual([['batch.settled', made.body.id]]);
    expect(bodyOf(rows[0] as EventRow).data).toMatchObject({ total: 1, counts: { succeeded: 1 } });
  });

  it('a server that is away for a moment is not told; one that stays away is, and that it is back', async () => {
    const { hub, bridge } = await openKeeping({ tuning: { offlineAfterMs: 6_000 } });
    await eventually(() => typesOf(hub)).toEqual(['server.online']);
    bridge.kill();
    const second = await connect(hub);
    await eventually(() => hub.store.events.projectsThatOwe()).toEqual([]);
    expect(await typesOf(hub)).toEqual(['server.online']);
    second.kill();
    await eventually(() => typesOf(hub)).toEqual(['server.online', 'server.offline']);
    await connect(hub);
    await eventually(() => typesOf(hub)).toEqual(['server.online', 'server.offline', 'server.online']);
    const revisions = (await keptOf(hub)).map(({ revision }) => revision);
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  });

  it('players are new after the first snapshot of their server, and once', async () => {
    const { hub, bridge } = await openKeeping();
    bridge.send({ type: 'players.changed', revision: 2, players: [playerFrame('bo')] });
    bridge.send({ type: 'players.changed', revision: 3, players: [], offline: ['bo'] });
    bridge.send({ type: 'players.changed', revision: 4, players: [playerFrame('bo')] });
    const seen = async () =>
      (await keptOf(hub)).flatMap((row) => (row.type === 'player.first_seen' ? [bodyOf(row).data['identifier']] : []));
    await eventually(seen).toEqual(['bo']);
    await eventually(() => hub.store.events.projectsThatOwe()).toEqual([]);
    expect(await seen()).toEqual(['bo']);
  });

  it('a stream of one server and some types has only these, and bad ones are named', async () => {
    const { hub } = await openKeeping();
    await hub.newServer('other');
    const main = await openStream(hub, { query: '?types=command.settled&serverId=main' });
    const other = await openStream(hub, { query: '?serverId=other' });
    await payAna(hub, 'one');
    await eventually(main.types).toEqual(['command.settled']);
    expect(other.types()).toEqual([]);
    const bad = await hub.request('/api/v2/events?types=command.settled,nothing');
    expect([bad.status, bad.text]).toEqual([422, expect.stringContaining('/types')]);
    const key = await hub.newKey(['players:read', 'commands:read'], ['main']);
    expect((await hub.request('/api/v2/events?serverId=other', { key })).status).toBe(403);
  });
});

const statusOf = (row: EventRow): unknown => bodyOf(row).data['status'];
const payLater = (hub: TestHub, key: string, deliver?: string) =>
  hub.request('/api/v2/bridge/main/money', {
    json: { target: 'ana', type: 'bank', amount: 100, action: 'add', ...(deliver && { deliver }) },
    headers: { 'Idempotency-Key': key, Prefer: 'respond-async' },
  });
