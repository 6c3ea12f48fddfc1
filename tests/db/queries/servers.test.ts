import { describe, expect, it } from 'vitest';
import { commandOf, engines, playerOf, projectOf, serverOf, sessionOf, useStore } from '../../kit/databases.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const REFUSED = { name: 'DatabaseError', code: 'failed' };

describe.each(engines)('on $name', ({ open }) => {
  const db = useStore(open);
  const createServers = async (...rows: ReturnType<typeof serverOf>[]): Promise<void> => {
    for (const id of ['p', 'q']) await db.store.projects.create(projectOf(id));
    for (const row of rows) await db.store.servers.create(row);
  };

  describe('servers', () => {
    it('come back as they were written, with defaults for the rest', async () => {
      await createServers();
      const bare = serverOf('p', 'main', { name: 'Главный "1"' });
      const created = await db.store.servers.create(bare);
      expect(created).toStrictEqual({
        ...bare,
        disabled: false,
        previousTokenHash: null,
        previousTokenExpiresAt: null,
        journalId: null,
        journalSequence: null,
        journalInstance: null,
        deletingAt: null,
      });
      expect(await db.store.servers.get('p', 'main')).toStrictEqual(created);
      expect(await db.store.servers.get('q', 'main')).toBeUndefined();
    });

    it('have ids of their own inside a project, and tokens of their own everywhere', async () => {
      await createServers(serverOf('p', 'main'));
      expect(await db.store.servers.create(serverOf('p', 'main', { tokenHash: 'other' }))).toBeUndefined();
      expect(await db.store.servers.create(serverOf('q', 'main'))).toMatchObject({ projectId: 'q' });
      const twin = serverOf('q', 'twin', { tokenHash: 'token of p main' });
      await expect(db.store.servers.create(twin)).rejects.toMatchObject(REFUSED);
      await expect(db.store.servers.create(serverOf('nobody', 'main'))).rejects.toMatchObject(REFUSED);
    });

    it('are listed by their id', async () => {
      await createServers(serverOf('p', 'b'), serverOf('p', 'a_1'), serverOf('p', 'a-1'), serverOf('q', 'c'));
      expect((await db.store.servers.list('p')).map(({ id }) => id)).toEqual(['a-1', 'a_1', 'b']);
    });

    it('are found by their token with their project, disabled or not', async () => {
      await createServers(serverOf('p', 'main', { disabled: true }));
      expect(await db.store.servers.byTokenHash('token of p main', 1)).toStrictEqual({
        server: await db.store.servers.get('p', 'main'),
        project: await db.store.projects.byId('p'),
      });
      expect(await db.store.servers.byTokenHash('token of p', 1)).toBeUndefined();
    });

    it('are found by their previous token before its end only', async () => {
      await createServers(
        serverOf('p', 'main', { previousTokenHash: 'old', previousTokenExpiresAt: MAX }),
        serverOf('p', 'other', { previousTokenHash: 'endless' }),
      );
      expect((await db.store.servers.byTokenHash('old', MAX - 1))?.server.id).toBe('main');
      expect(await db.store.servers.byTokenHash('old', MAX)).toBeUndefined();
      expect(await db.store.servers.byTokenHash('endless', 1)).toBeUndefined();
    });

    it('change only the fields of a patch', async () => {
      await createServers(serverOf('p', 'main'), serverOf('q', 'main'));
      const changed = await db.store.servers.update('p', 'main', { disabled: true, tokenHash: 'new' }, 2_000);
      expect(changed).toMatchObject({ name: 'Server main', disabled: true, tokenHash: 'new', updatedAt: 2_000 });
      expect(await db.store.servers.get('p', 'main')).toStrictEqual(changed);
      expect(await db.store.servers.get('q', 'main')).toMatchObject({ disabled: false, updatedAt: 1_000 });
      expect(await db.store.servers.update('p', 'nobody', { disabled: true }, 2_000)).toBeUndefined();
      await expect(db.store.servers.update('p', 'main', { tokenHash: 'token of q main' }, 3_000)).rejects.toMatchObject(
        REFUSED,
      );
    });

    it('tell which changed since, that moment included', async () => {
      await createServers(serverOf('p', 'a', { updatedAt: 1 }), serverOf('q', 'b', { updatedAt: 2 }));
      expect((await db.store.servers.changedSince(2)).map(({ id }) => id)).toEqual(['b']);
    });

    it('go with their session and their players, while their commands stay', async () => {
      const { store } = db;
      await createServers(serverOf('p', 'main'), serverOf('p', 'other'));
      const many = Array.from({ length: 501 }, (_, n) => playerOf(`n${n}`));
      await store.players.upsert('p', 'main', many, 1);
      await store.players.upsert('p', 'other', [playerOf('n0')], 1);
      for (const serverId of ['main', 'other']) await store.sessions.open(sessionOf('p', serverId));
      await store.commands.insert(commandOf('cmd_1'), { durable: true });
      expect(await store.servers.remove('p', 'main')).toBe(true);
      expect((await store.servers.list('p')).map(({ id }) => id)).toEqual(['other']);
      expect((await store.sessions.list('p')).map(({ serverId }) => serverId)).toEqual(['other']);
      expect(await store.projects.totals('p')).toStrictEqual({ servers: 1, players: 1, playersOnline: 1 });
      expect(await store.commands.get('p', 'cmd_1')).toMatchObject({ serverId: 'main' });
      expect(await store.servers.remove('p', 'main')).toBe(false);
      expect(await store.servers.remove('q', 'other')).toBe(false);
    });

    it('keep the journal that was recorded last, and raise its sequence only', async () => {
      await createServers(serverOf('p', 'main'), serverOf('q', 'main'));
      const row = async (): Promise<unknown[]> => {
        const found = await db.store.servers.get('p', 'main');
        return [found?.journalId, found?.journalSequence, found?.journalInstance, found?.updatedAt];
      };
      const { recordJournal, raiseJournal } = db.store.servers;
      await raiseJournal('p', 'main', { journalId: 'j1', sequence: 3 });
      expect(await row()).toEqual([null, null, null, 1_000]);
      await recordJournal('p', 'main', { journalId: 'j1', sequence: 5, instance: 'one', epoch: 1 });
      await raiseJournal('p', 'main', { journalId: 'j1', sequence: 3 });
      expect(await row()).toEqual(['j1', 5, 'one', 1_000]);
      await raiseJournal('p', 'main', { journalId: 'j1', sequence: MAX });
      await raiseJournal('p', 'main', { journalId: 'j2', sequence: MAX });
      expect(await row()).toEqual(['j1', MAX, 'one', 1_000]);
      await recordJournal('p', 'main', { journalId: 'j1', sequence: 0, instance: 'two', epoch: 2 });
      expect(await row()).toEqual(['j1', 0, 'two', 1_000]);
      expect(await db.store.servers.get('q', 'main')).toMatchObject({ journalId: null, journalSequence: null });
    });

    it('keep the journal of their last session, though one of before is written late', async () => {
      await createServers(serverOf('p', 'main'));
      const record = (journalId: string, epoch: number) =>
        db.store.servers.recordJournal('p', 'main', { journalId, sequence: 0, instance: journalId, epoch });
      const epochs = [await db.store.sessions.open(sessionOf('p', 'main'))];
      expect(await record('j1', epochs[0] ?? 0)).toBe(true);
      epochs.push(await db.store.sessions.open(sessionOf('p', 'main')));
      expect(await record('j1', epochs[0] ?? 0)).toBe(false);
      expect(await record('j2', epochs[1] ?? 0)).toBe(true);
      expect(await record('j1', epochs[0] ?? 0)).toBe(false);
      expect(await db.store.servers.get('p', 'main')).toMatchObject({ journalId: 'j2' });
    });

    it('keep the highest of sequences that are raised at the same time', async () => {
      await createServers(serverOf('p', 'main'));
      await db.store.servers.recordJournal('p', 'main', { journalId: 'j', sequence: 0, instance: 'one', epoch: 1 });
      const sequences = [4, 9, 1, 7, 3];
      await Promise.all(
        sequences.map((sequence) => db.store.servers.raiseJournal('p', 'main', { journalId: 'j', sequence })),
      );
      expect(await db.store.servers.get('p', 'main')).toMatchObject({ journalSequence: 9 });
    });
  });

  describe('sessions', () => {
    const close = (epoch: number, closeCode: number | null = 4001) =>
      db.store.sessions.close({ projectId: 'p', serverId: 'main', epoch, at: 9_000, closeCode });

    it('come back as they were opened', async () => {
      const { at, ...session } = sessionOf('p', 'main');
      expect(await db.store.sessions.open({ ...session, at })).toBe(1);
      expect(await db.store.sessions.get('p', 'main')).toStrictEqual({
        ...session,
        epoch: 1,
        connected: true,
        connectedAt: at,
        disconnectedAt: null,
        closeCode: null,
        playersSyncedAt: null,
        missingSince: null,
        missingPlayers: null,
        outbox: null,
      });
      expect(await db.store.sessions.get('p', 'other')).toBeUndefined();
      expect(await db.store.sessions.get('q', 'main')).toBeUndefined();
    });

    it('count the epoch of their server upwards, and replace the one before altogether', async () => {
      await db.store.sessions.open(sessionOf('p', 'main'));
      await close(1);
      const next = sessionOf('p', 'main', { id: 'ses_2', node: 'node-2', accounts: [], journalClass: 'saved', at: 9 });
      expect(await db.store.sessions.open(next)).toBe(2);
      const { at: connectedAt, ...rest } = next;
      const missing = { missingSince: null, missingPlayers: null };
      const fresh = { connected: true, disconnectedAt: null, closeCode: null, playersSyncedAt: null, ...missing };
      expect(await db.store.sessions.get('p', 'main')).toStrictEqual({
        ...rest,
        ...fresh,
        outbox: null,
        epoch: 2,
        connectedAt,
      });
      expect(await db.store.sessions.open(sessionOf('p', 'other'))).toBe(1);
    });

    it('record their last whole snapshot, which a later session keeps and does not take from an earlier one', async () => {
      await db.store.sessions.open(sessionOf('p', 'main'));
      await db.store.sessions.playersSynced({ projectId: 'p', serverId: 'main', epoch: 1 }, 5_000);
      await db.store.sessions.open(sessionOf('p', 'main', { id: 'ses_2' }));
      await db.store.sessions.playersSynced({ projectId: 'p', serverId: 'main', epoch: 1 }, 6_000);
      expect(await db.store.sessions.get('p', 'main')).toMatchObject({ playersSyncedAt: 5_000 });
    });

    it('never share an epoch when many open at the same time', async () => {
      const opened = Array.from({ length: 20 }, (_, n) =>
        db.store.sessions.open(sessionOf('p', 'main', { id: `ses_${n}` })),
      );
      const epochs = await Promise.all(opened);
      expect(epochs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
      const last = `ses_${epochs.indexOf(20)}`;
      expect(await db.store.sessions.get('p', 'main')).toMatchObject({ id: last, epoch: 20 });
    });

    it('are closed once, and only by their own epoch', async () => {
      await db.store.sessions.open(sessionOf('p', 'main'));
      await db.store.sessions.open(sessionOf('p', 'main', { id: 'ses_2' }));
      expect(await close(1)).toBeUndefined();
      expect(await db.store.sessions.get('p', 'main')).toMatchObject({ connected: true, disconnectedAt: null });
      const closed = await close(2);
      expect(closed).toMatchObject({ id: 'ses_2', connected: false, disconnectedAt: 9_000, closeCode: 4001 });
      expect(await close(2, null)).toBeUndefined();
      expect(await db.store.sessions.get('p', 'main')).toStrictEqual(closed);
    });

    it('are listed by their server', async () => {
      for (const serverId of ['b', 'c', 'a']) await db.store.sessions.open(sessionOf('p', serverId));
      await db.store.sessions.open(sessionOf('q', 'd'));
      expect((await db.store.sessions.list('p')).map(({ serverId }) => serverId)).toEqual(['a', 'b', 'c']);
    });

    it('are connected while their node has a lease', async () => {
      const node = { name: 'n', host: 'h', pid: 1, bus: 'nats', startedAt: 1 } as const;
      await db.store.nodes.renew({ ...node, id: 'alive' }, 60_000);
      await db.store.nodes.renew({ ...node, id: 'dead' }, -1);
      for (const [serverId, id] of [
        ['a', 'alive'],
        ['b', 'dead'],
        ['c', 'unknown'],
      ] as const) {
        await db.store.sessions.open(sessionOf('p', serverId, { node: id }));
      }
      expect((await db.store.nodes.living()).map(({ id }) => id)).toEqual(['alive']);
      expect(await db.store.sessions.place('p', 'a')).toMatchObject({ node: 'alive', epoch: 1 });
      expect(await db.store.sessions.place('p', 'b')).toBeUndefined();
      expect((await db.store.sessions.places('p')).map(({ serverId }) => serverId)).toEqual(['a']);
      const held = { projectId: 'p', serverId: 'a', epoch: 1 };
      expect(await db.store.sessions.heldBy('alive', undefined, 10)).toEqual([held]);
      expect(await db.store.sessions.heldBy('alive', held, 10)).toEqual([]);
      const ended = await db.store.sessions.endOfDead(9_000);
      expect(ended.map(({ serverId }) => serverId).toSorted()).toEqual(['b', 'c']);
      expect(await db.store.sessions.get('p', 'b')).toMatchObject({ connected: false, disconnectedAt: 9_000 });
      expect(await db.store.sessions.get('p', 'a')).toMatchObject({ connected: true });
      await db.store.nodes.renew({ ...node, id: 'dead' }, 60_000);
      expect(await db.store.nodes.living()).toHaveLength(2);
      await db.store.nodes.removeDead(0);
      await db.store.nodes.remove('alive');
      expect((await db.store.nodes.living()).map(({ id }) => id)).toEqual(['dead']);
    });

    it('end all at once, of every node', async () => {
      const { sessions } = db.store;
      await sessions.open(sessionOf('p', 'a', { node: 'node-1' }));
      await sessions.disconnectAll(7_000);
      await sessions.open(sessionOf('p', 'b', { node: 'node-2' }));
      await sessions.disconnectAll(8_000);
      expect(await sessions.list('p')).toMatchObject([
        { connected: false, disconnectedAt: 7_000, closeCode: null },
        { connected: false, disconnectedAt: 8_000, closeCode: null },
      ]);
    });
  });

  describe('stray results', () => {
    const strayOf = (
      commandId: string,
      changes: { serverId?: string; payload?: unknown; receivedAt?: number } = {},
    ) => ({
      projectId: 'p',
      serverId: 'main',
      commandId,
      status: 'done',
      payload: { data: { balance: -MAX }, error: null } as unknown,
      receivedAt: 1,
      ...changes,
    });
    const idsOf = async (serverId = 'main', limit?: number): Promise<string[]> =>
      (await db.store.strayResults.list('p', serverId, limit)).map(({ commandId }) => commandId);

    it('are kept as they came, the first of an id', async () => {
      await db.store.strayResults.keep(strayOf('a'));
      await db.store.strayResults.keep(strayOf('a', { payload: 'another', receivedAt: 2 }));
      expect(await db.store.strayResults.list('p', 'main')).toStrictEqual([strayOf('a')]);
    });

    it.each([['text'], [['a', 1, null]], [0], [false], [{}], ['']])('keep any JSON: %j', async (payload) => {
      await db.store.strayResults.keep(strayOf('a', { payload }));
      expect(await db.store.strayResults.list('p', 'main')).toStrictEqual([strayOf('a', { payload })]);
    });

    it('are listed for their server, the oldest first', async () => {
      for (const [id, receivedAt] of [
        ['a', 3],
        ['b', 1],
        ['c', 2],
      ] as const) {
        await db.store.strayResults.keep(strayOf(id, { receivedAt }));
      }
      await db.store.strayResults.keep(strayOf('d', { serverId: 'other' }));
      expect(await idsOf()).toEqual(['b', 'c', 'a']);
      expect(await idsOf('main', 2)).toEqual(['b', 'c']);
      expect(await idsOf('other')).toEqual(['d']);
    });

    it('are pruned from the oldest on, in batches', async () => {
      for (const [id, receivedAt] of [
        ['a', 4],
        ['b', 1],
        ['c', 3],
        ['d', 2],
      ] as const) {
        await db.store.strayResults.keep(strayOf(id, { receivedAt }));
      }
      await db.store.strayResults.keep(strayOf('b', { serverId: 'other', receivedAt: 9 }));
      expect(await db.store.strayResults.prune(4, 2)).toBe(2);
      expect(await idsOf()).toEqual(['c', 'a']);
      expect(await db.store.strayResults.prune(4, 2)).toBe(1);
      expect(await db.store.strayResults.prune(4, 2)).toBe(0);
      expect(await idsOf()).toEqual(['a']);
      expect(await idsOf('other')).toEqual(['b']);
    });
  });
});
