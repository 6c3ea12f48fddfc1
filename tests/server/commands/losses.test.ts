import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../../testkit/hub.ts';
import { changeRows, onPostgres } from '../../testkit/hub-database.ts';
import { type RawBridge, welcomeRaw } from '../../testkit/raw-bridge.ts';

const DONE = { status: 'done', data: { account: 'bank', before: 0, after: 5 } };

const connect = (hub: TestHub, token: string, id = 'j'): Promise<RawBridge> =>
  welcomeRaw(hub.bridgeUrl, token, { journal: { class: 'durable', id, sequence: 3 } });

/** Sends a payment to the bridge and leaves it there. */
const leaveOpen = async (hub: TestHub, bridge: RawBridge, serverId = 'main'): Promise<string> => {
  const json = { target: 'char1:ana', type: 'bank', amount: 5, action: 'add' };
  await hub.request(`/api/v2/bridge/${serverId}/money`, { json, headers: { Prefer: 'respond-async' } });
  return (await bridge.command()).id;
};

/** Takes a command out of the database, as a damaged write-ahead log does. */
const lose = (hub: TestHub, id: string): Promise<void> =>
  changeRows(hub.folder, 'DELETE FROM commands WHERE id = ?', [id]);

const journalOf = async (hub: TestHub): Promise<Record<string, unknown>> => {
  const { body } = await hub.request('/api/v2/health');
  return { ...(body['journal'] as object), health: body['status'] };
};

/** Tells a result and waits until the hub has confirmed it. */
const tell = async (bridge: RawBridge, id: string, sequence: number | undefined): Promise<void> => {
  bridge.send({ type: 'result', id, ...DONE, sequence });
  await bridge.until(() => bridge.frames.find(({ type, ids }) => type === 'ack' && (ids as string[]).includes(id)), id);
};

/** A hub that crashed with a payment at a bridge, and has lost its row; and the next process, without the bridge. */
const crashed = async () => {
  const first = await startHub();
  const bridge = await connect(first, first.token);
  const id = await leaveOpen(first, bridge);
  await first.crash();
  await lose(first, id);
  const hub = await startHub({ folder: first.folder });
  return { hub, id, token: first.token };
};

const NONE = { status: 'pass', missing: 0, since: null, detail: null };

describe('a result of a command that the hub does not know', () => {
  it.skipIf(onPostgres)(
    'after a crash proves that commands are missing: health says since when, and for which project',
    async () => {
      const from = Date.now();
      const { hub, id, token } = await crashed();
      expect(await journalOf(hub)).toMatchObject(NONE);
      const bridge = await connect(hub, token);
      await tell(bridge, id, 4);
      await tell(bridge, id, 4);
      const detail = expect.stringContaining('causeway command missing');
      const { since, ...journal } = await journalOf(hub);
      expect(journal).toEqual({ status: 'warn', missing: 1, detail, health: 'warn' });
      expect(Date.parse(String(since))).toBeGreaterThan(from - 5_000);
      expect(Date.parse(String(since))).toBeLessThanOrEqual(Date.now());
      const keyOfOther = await hub.newKey(['servers:read'], ['other']);
      const { body } = await hub.request('/api/v2/health', { key: keyOfOther });
      expect(body['journal']).toEqual(NONE);
      const rival = await hub.newProject('rival');
      expect((await hub.request('/api/v2/health', { key: rival.key })).body['journal']).toEqual(NONE);
    },
  );

  it('proves nothing in a cluster, whose database recovers by itself', async () => {
    const { hub, id, token } = await crashed();
    if (!onPostgres) return;
    await tell(await connect(hub, token), id, 4);
    expect(await journalOf(hub)).toMatchObject(NONE);
  });

  it('proves nothing without an entry in the journal of the bridge, as of a kick', async () => {
    const { hub, id, token } = await crashed();
    await tell(await connect(hub, token), id, undefined);
    expect(await journalOf(hub)).toMatchObject(NONE);
  });

  it('proves nothing from a bridge with another journal, which served another hub', async () => {
    const { hub, token } = await crashed();
    await tell(await connect(hub, token, 'of another hub'), 'cmd_of_another_hub', 4);
    expect(await journalOf(hub)).toMatchObject(NONE);
  });

  it('proves nothing from a bridge that the hub never saw', async () => {
    const { hub } = await crashed();
    await tell(await connect(hub, await hub.newServer('new')), 'cmd_of_another_hub', 4);
    expect(await journalOf(hub)).toMatchObject(NONE);
  });

  it('proves nothing from a bridge that had left before the crash', async () => {
    const first = await startHub();
    const bridge = await connect(first, first.token);
    const id = await leaveOpen(first, bridge);
    bridge.kill();
    await expect.poll(() => first.sizes().sessions).toBe(0);
    // The hub lives on for a while.
    const rowOf = () => first.store.sessions.get(first.project.id, 'main');
    await expect.poll(async () => (await rowOf())?.disconnectedAt ?? 0).toBeGreaterThan(0);
    const row = await rowOf();
    const seenAt = async (): Promise<number> => (await first.store.nodes.get(row?.node ?? ''))?.leaseEndsAt ?? 0;
    if (!onPostgres) await expect.poll(seenAt, { timeout: 15_000 }).toBeGreaterThan(row?.disconnectedAt ?? 0);
    await first.crash();
    await lose(first, id);
    const hub = await startHub({ folder: first.folder });
    await tell(await connect(hub, first.token), id, 4);
    expect(await journalOf(hub)).toMatchObject(NONE);
  });

  it('proves nothing in a later session, after the results from before the crash', async () => {
    const { hub, token } = await crashed();
    const back = await connect(hub, token);
    back.kill();
    await expect.poll(() => hub.sizes().sessions).toBe(0);
    await tell(await connect(hub, token), 'cmd_of_another_hub', 4);
    expect(await journalOf(hub)).toMatchObject(NONE);
  });

  it('proves nothing after a clean stop', async () => {
    const first = await startHub({ env: { SHUTDOWN_GRACE_MS: '100' } });
    const bridge = await connect(first, first.token);
    const id = await leaveOpen(first, bridge);
    await first.stop();
    await lose(first, id);
    const hub = await startHub({ folder: first.folder });
    await tell(await connect(hub, first.token), id, 4);
    expect(await journalOf(hub)).toMatchObject(NONE);
  });

  it('proves nothing where the command is known, of a server that was deleted or under another name', async () => {
    const first = await startHub();
    const other = await first.newServer('other');
    await connect(first, other, 'k');
    const id = await leaveOpen(first, await connect(first, first.token));
    await first.crash();
    const hub = await startHub({ folder: first.folder });
    await tell(await connect(hub, other, 'k'), id, 4);
    expect(await journalOf(hub)).toMatchObject(NONE);
    await hub.request('/api/v2/servers/main', { method: 'DELETE' });
    const made = await hub.request('/api/v2/servers', { json: { serverId: 'main' } });
    await tell(await connect(hub, String(made.body['token'])), id, 4);
    expect(await journalOf(hub)).toMatchObject(NONE);
  });
});
