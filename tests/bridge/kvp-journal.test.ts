import { describe, expect, it } from 'vitest';
import { openKvpJournal } from '../../bridge/kvp-journal.ts';
import { LIMITS, type Outcome } from '../../bridge-protocol/index.ts';
import { createKvp } from '../fxserver/kvp.ts';

const DONE: Outcome = { status: 'done', data: { account: 'bank', before: 1, after: 2 } };

/** The natives of the stored values come from the game server; here they are its fake alone. */
const createDisk = () => {
  const kvp = createKvp();
  let flushes = 0;
  return {
    kvp,
    flushes: (): number => flushes,
    store: {
      read: kvp.read,
      write: kvp.write,
      remove: (key: string): void => kvp.write(key, undefined),
      flush: (): void => {
        flushes += 1;
        kvp.flush();
      },
      keys: kvp.keys,
    },
  };
};

const open = ({ store }: ReturnType<typeof createDisk>, now: () => number = Date.now) =>
  openKvpJournal({ store, class: 'saved', now });

describe('the journal in stored values', () => {
  it('knows after a crash which commands were started and which were settled', async () => {
    const disk = createDisk();
    const journal = open(disk);
    await journal.start('cmd_1', 'one');
    await journal.start('cmd_2', 'two');
    await journal.settle('cmd_2', DONE);
    disk.kvp.crash();
    const next = open(disk);
    expect(next.id).toBe(journal.id);
    expect(next.openedAt).toBe(3);
    expect(next.get('cmd_1')).toMatchObject({ status: 'started', fingerprint: 'one' });
    expect(next.get('cmd_2')).toMatchObject({ status: 'done', outcome: DONE, sequence: 3 });
    expect(next.open().map(({ id }) => id)).toEqual(['cmd_1', 'cmd_2']);
  });

  it('is durable when a write has resolved, and not before', async () => {
    const disk = createDisk();
    const journal = open(disk);
    const writing = journal.start('cmd_1', 'one');
    disk.kvp.crash();
    await writing;
    expect(open(disk).get('cmd_1')).toBeUndefined();
    await journal.start('cmd_2', 'two');
    disk.kvp.crash();
    expect(open(disk).get('cmd_2')).toBeDefined();
  });

  it('flushes once for all that is written in one turn', async () => {
    const disk = createDisk();
    const journal = open(disk);
    const before = disk.flushes();
    await Promise.all(['a', 'b', 'c'].map((id) => journal.start(id, id)));
    expect(disk.flushes() - before).toBe(1);
  });

  it('keeps the code of an acknowledged refusal', async () => {
    const disk = createDisk();
    const journal = open(disk);
    await journal.settle('cmd_1.1', { status: 'rejected', error: { code: 'player_offline', message: 'Asleep.' } });
    journal.acknowledge(['cmd_1.1']);
    journal.close();
    expect(open(disk).get('cmd_1.1')).toMatchObject({
      acknowledged: true,
      outcome: { status: 'rejected', error: { code: 'player_offline', message: '' } },
    });
  });

  it('runs no id twice, and takes no second outcome', async () => {
    const journal = open(createDisk());
    await journal.start('cmd_1', 'one');
    await expect(async () => journal.start('cmd_1', 'one')).rejects.toThrow('started before');
    await journal.settle('cmd_1', DONE);
    await expect(async () => journal.settle('cmd_1', DONE)).rejects.toThrow('settled already');
  });

  it('throws when the store takes no writes, although the native says nothing', async () => {
    const disk = createDisk();
    const journal = open(disk);
    disk.kvp.fill(true);
    await expect(async () => journal.start('cmd_1', 'one')).rejects.toThrow('take no writes');
    expect(journal.get('cmd_1')).toBeUndefined();
  });

  it('forgets an acknowledged id after its retention, and never counts backwards', async () => {
    const disk = createDisk();
    let now = 1;
    const journal = open(disk, () => now);
    await journal.start('cmd_1', 'one');
    await journal.settle('cmd_1', DONE);
    await journal.acknowledge(['cmd_1']);
    expect(journal.get('cmd_1')).not.toHaveProperty('outcome');
    now += LIMITS.journalRetentionMs + 1;
    await journal.acknowledge([]);
    await journal.close();
    const next = open(disk, () => now);
    expect(next.get('cmd_1')).toBeUndefined();
    expect(next.openedAt).toBe(2);
    expect(await next.settle('cmd_2', { status: 'voided' })).toBe(3);
  });
});
