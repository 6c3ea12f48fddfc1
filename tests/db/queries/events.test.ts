import { beforeEach, describe, expect, it } from 'vitest';
import type { Cleared } from '../../../db/queries/events.ts';
import { batchOf } from '../../kit/batch-rows.ts';
import {
  commandOf,
  engines,
  eventOf,
  playerOf,
  projectOf,
  serverOf,
  sessionOf,
  useStore,
} from '../../kit/databases.ts';

const DURABLE = { durable: true };

describe.each(engines)('on $name', ({ open }) => {
  const db = useStore(open);
  const events = () => db.store.events;
  const keep = async (projectId = 'p') => {
    await db.store.projects.create(projectOf(projectId));
    await events().setKeeping(projectId, true, 1);
  };
  const outboxes = async (): Promise<(number | null)[]> => {
    const { handle, read, tables } = db.database;
    const { outbox, seq } = tables.commands;
    const rows = await read(() => handle.select({ outbox }).from(tables.commands).orderBy(seq));
    return rows.map((row) => row.outbox);
  };
  const settle = (id: string, status: 'succeeded' | 'indeterminate') => {
    const values = { projectId: 'p', serverId: 'main', id, status, result: null, error: null, settledAt: 5 };
    return db.store.commands.settle(values, DURABLE);
  };
  const insert = (id: string, outbox: number | null, batchId: string | null = null) =>
    db.store.commands.insert(commandOf(id, { outbox, batchId, status: 'dispatched', epoch: 1 }), DURABLE);

  describe('events', () => {
    it('are told once for each state of their subject, and keep their order', async () => {
      expect(await events().tell('p', [eventOf('evt_1'), eventOf('evt_2', { revision: 4 })], [])).toBe(2);
      expect(await events().tell('p', [eventOf('evt_3'), eventOf('evt_4', { subject: 'cmd_2' })], [])).toBe(1);
      const found = await events().after('p', 0, 10);
      expect(found.map(({ id }) => id)).toEqual(['evt_1', 'evt_2', 'evt_4']);
      expect(await events().after('p', found[0]?.seq ?? 0, 1)).toEqual([found[1]]);
      expect(await events().last('p')).toEqual({ id: 'evt_4', seq: found[2]?.seq });
      expect(await events().get('p', 'evt_1')).toEqual({ ...eventOf('evt_1'), seq: found[0]?.seq });
      expect(await events().get('q', 'evt_1')).toBeUndefined();
      expect(await events().last('q')).toBeUndefined();
    });

    it('of two nodes that tell the same, each is told once, and all places are in the order of the commits', async () => {
      const tell = (n: number) =>
        events().tell(
          'p',
          Array.from({ length: 20 }, (_, k) => eventOf(`evt_${n}_${k}`, { subject: `cmd_${k}` })),
          [],
        );
      const added = await Promise.all([tell(1), tell(2), tell(3)]);
      expect(added.toSorted()).toEqual([0, 0, 20]);
      expect((await events().after('p', 0, 100)).map(({ subject }) => subject)).toHaveLength(20);
    });

    it('are found by time, counted after a place, and pruned from the oldest on', async () => {
      const list = Array.from({ length: 5 }, (_, n) => eventOf(`evt_${n}`, { subject: `cmd_${n}`, at: n * 1_000 }));
      await events().tell('p', list, []);
      const places = (await events().after('p', 0, 10)).map(({ seq }) => seq);
      expect(await events().placeBefore('p', 2_000)).toBe((places[2] ?? 0) - 1);
      expect(await events().placeBefore('p', 9_000)).toBeUndefined();
      expect(await events().countAfter('p', places[1] ?? 0, 2)).toBe(2);
      expect(await events().countAfter('p', places[1] ?? 0, 10)).toBe(3);
      expect(await events().excess('p', 5)).toBeUndefined();
      expect(await events().excess('p', 3)).toBe(places[1]);
      expect(await events().pruneOld(1_000, 10)).toBe(1);
      expect(await events().pruneUpTo('p', places[3] ?? 0, 2)).toBe(2);
      expect((await events().after('p', 0, 10)).map(({ id }) => id)).toEqual(['evt_3', 'evt_4']);
    });
  });

  describe('rows that owe events', () => {
    beforeEach(() => keep());

    it('owe what their statement of the change has set, and nothing where no events are kept', async () => {
      await insert('kept', 0);
      await insert('other', null);
      await insert('doubtful', 0);
      await insert('of a batch', 0, 'bat_1');
      await insert('doubtful of a batch', 0, 'bat_1');
      for (const id of ['kept', 'other', 'of a batch']) await settle(id, 'succeeded');
      for (const id of ['doubtful', 'doubtful of a batch']) await settle(id, 'indeterminate');
      expect(await outboxes()).toEqual([2, null, 4, 2, 4]);
      const owed = await events().owedCommands('p', 10);
      expect(owed.map(({ id }) => id)).toEqual(['kept', 'doubtful', 'doubtful of a batch']);
      expect(await events().projectsThatOwe()).toEqual(['p']);
      const resolution = { applied: true, note: 'seen', actor: { keyId: 'k', name: 'k' }, at: 6 };
      await db.store.commands.resolve({ projectId: 'p', id: 'doubtful', ...resolution });
      expect((await outboxes())[2]).toBe(6);
    });

    it('are cleared with their events, unless they have changed since they were read', async () => {
      await insert('a', 0);
      await insert('b', 0);
      await settle('a', 'succeeded');
      await settle('b', 'indeterminate');
      const read = await events().owedCommands('p', 10);
      const cleared = read.map(
        ({ seq: key, outbox }): Cleared => ({ table: 'commands', key, from: outbox ?? 0, to: 0 }),
      );
      const resolution = { applied: true, note: 'seen', actor: { keyId: 'k', name: 'k' }, at: 6 };
      await db.store.commands.resolve({ projectId: 'p', id: 'b', ...resolution });
      await events().tell('p', [eventOf('evt_1', { subject: 'a' })], cleared);
      expect(await outboxes()).toEqual([0, 6]);
      expect(await events().tell('q', [], cleared)).toBe(0);
    });

    it('are read again when another node has told events meanwhile: a state is never told after a later one', async () => {
      await insert('a', 0);
      await settle('a', 'indeterminate');
      const read = await events().owedCommands('p', 10);
      const cleared = read.map(
        ({ seq: key, outbox }): Cleared => ({ table: 'commands', key, from: outbox ?? 0, to: 0 }),
      );
      const doubt = eventOf('evt_doubt', { subject: 'a', type: 'command.indeterminate', revision: 2 });
      await events().tell('p', [eventOf('evt_end', { subject: 'a', revision: 3 })], []);
      expect(await events().tell('p', [doubt], cleared, 0)).toBeUndefined();
      expect([await outboxes(), (await events().after('p', 0, 10)).map(({ id }) => id)]).toEqual([[4], ['evt_end']]);
      const place = (await events().last('p'))?.seq;
      expect(await events().tell('p', [], cleared, place)).toBe(0);
      expect(await outboxes()).toEqual([0]);
    });

    it('of before are marked, open ones only', async () => {
      await db.store.batches.insert(batchOf('bat_1'));
      await insert('open', null);
      await insert('of a batch', null, 'bat_1');
      await insert('over', null);
      await settle('over', 'succeeded');
      await db.store.commands.insert(commandOf('waits', { status: 'waiting', deliver: 'when_online' }), DURABLE);
      await events().markFew('p');
      expect(await events().markCommands('p')).toBe(3);
      expect(await events().markCommands('p')).toBe(0);
      expect(await outboxes()).toEqual([0, 0, null, 0]);
      expect((await db.store.batches.get('p', 'bat_1'))?.outbox).toBe(0);
      expect(await events().setSince('p', 7)).toBe(7);
      expect(await events().setSince('p', 8)).toBe(7);
      expect(await events().keepers()).toEqual([{ id: 'p', since: 7 }]);
      expect(await events().setKeeping('p', true, 9)).toBe(false);
      expect(await events().setKeeping('p', false, 9)).toBe(true);
      expect(await events().setSince('p', 8)).toBeUndefined();
    });

    it('are sessions and players, too, of servers of a project that keeps events', async () => {
      for (const id of ['p', 'q']) {
        if (id === 'q') await db.store.projects.create(projectOf(id));
        await db.store.servers.create(serverOf(id, 'main', { name: 'Main' }));
        await db.store.sessions.open(sessionOf(id, 'main'));
        await db.store.players.upsert(id, 'main', [playerOf('first')], 1, { isFirst: true });
        await db.store.players.upsert(id, 'main', [playerOf('first'), playerOf('new')], 1);
      }
      expect(await events().projectsThatOwe()).toEqual(['p']);
      expect(await events().owedSessions('p')).toMatchObject([{ serverId: 'main', name: 'Main', epoch: 1, outbox: 1 }]);
      const [player, ...more] = await events().owedPlayers('p', 10);
      expect([player, more]).toMatchObject([{ identifier: 'new', outbox: 1 }, []]);
      const cleared: Cleared[] = [
        { table: 'sessions', key: 'main', from: 1, to: 2 },
        { table: 'players', key: player?.id ?? 0, from: 1, to: 0 },
      ];
      await events().tell('p', [], cleared);
      expect(await events().projectsThatOwe()).toEqual([]);
      await db.store.players.upsert('p', 'main', [playerOf('new')], 2);
      await db.store.sessions.close({ projectId: 'p', serverId: 'main', epoch: 1, at: 9, closeCode: null });
      expect(await events().owedSessions('p')).toMatchObject([{ connected: false, outbox: 3 }]);
      expect(await events().owedPlayers('p', 10)).toEqual([]);
    });
  });
});
