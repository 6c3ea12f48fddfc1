import { describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../bridge-protocol/wire/limits.ts';
import { openWorld } from '../../simulator/world.ts';
import { newFile } from '../kit/folder.ts';

const HOUR_MS = 60 * 60 * 1000;

const setUp = () => {
  let time = 1_760_000_000_000;
  const world = openWorld({ players: 1, now: () => time });
  onTestFinished(world.close);
  return {
    journal: world.journal,
    later: (ms: number) => {
      time += ms;
    },
  };
};

describe("a world's journal", () => {
  it('is atomic, and has an id of its own', () => {
    const [one, other] = [setUp().journal, setUp().journal];
    expect(one.class).toBe('atomic');
    expect(one.id).not.toBe(other.id);
  });

  it('counts every write and never goes back', () => {
    const { journal } = setUp();
    journal.start('a', 'print');
    expect(journal.settle('a', { status: 'done' })).toBe(2);
    expect(() => journal.start('a', 'print')).toThrow();
    expect(() => journal.settle('a', { status: 'done' })).toThrow(/settled already/);
    expect(journal.sequence()).toBe(2);
  });

  it('drops the payload when the hub has it, and keeps the id', () => {
    const { journal } = setUp();
    journal.start('a', 'print');
    journal.settle('a', { status: 'done', data: { account: 'bank' } });
    journal.acknowledge(['a', 'never heard of']);
    expect(journal.get('a')).toMatchObject({ status: 'done', acknowledged: true });
    expect(journal.get('a')).not.toHaveProperty('outcome');
    expect(journal.open()).toEqual([]);
  });

  it('does not take an acknowledgement of what is still running', () => {
    const { journal } = setUp();
    journal.start('a', 'print');
    journal.acknowledge(['a']);
    expect(journal.get('a')).toMatchObject({ status: 'started', acknowledged: false });
    expect(journal.open()).toHaveLength(1);
  });

  it('remembers a command that was voided before it came', () => {
    const { journal } = setUp();
    journal.settle('a', { status: 'voided' });
    expect(journal.get('a')).toMatchObject({ fingerprint: '', status: 'voided' });
    expect(() => journal.start('a', 'print')).toThrow();
  });

  it('lists open commands, oldest first', () => {
    const { journal } = setUp();
    for (const id of ['c', 'a', 'b']) journal.start(id, 'print');
    expect(journal.open().map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  });

  it('forgets acknowledged ids after the promised time, and open ones never', () => {
    const { journal, later } = setUp();
    for (const id of ['acknowledged', 'open']) journal.settle(id, { status: 'done' });
    journal.acknowledge(['acknowledged']);
    later(LIMITS.journalRetentionMs - HOUR_MS);
    journal.start('early', 'print');
    expect(journal.get('acknowledged')).toBeDefined();
    later(2 * HOUR_MS);
    journal.start('late', 'print');
    expect(journal.get('acknowledged')).toBeUndefined();
    expect(journal.get('open')).toBeDefined();
    expect(journal.sequence()).toBe(4);
  });

  it('knows after a crash that what was started has never happened', () => {
    const file = newFile('world.db');
    const before = openWorld({ file, players: 1 });
    before.journal.start('a', 'print');
    before.close();
    const after = openWorld({ file, players: 1 });
    onTestFinished(after.close);
    expect(after.journal.get('a')).toMatchObject({ status: 'failed', sequence: 2 });
  });
});
