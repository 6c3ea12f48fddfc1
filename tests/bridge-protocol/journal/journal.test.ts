import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Journal, LIMITS, memoryJournal, type Outcome } from '../../../bridge-protocol/index.ts';
import { openFileJournal } from '../../../bridge-protocol/journal/file.ts';
import { newFile } from '../../kit/folder.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const done: Outcome = { status: 'done', data: { account: 'bank', before: 0, after: 500 } };
const refused: Outcome = { status: 'rejected', error: { code: 'player_offline', message: 'Asleep.' } };

const openFile = (
  path = newFile('journal.jsonl'),
  more: Partial<Parameters<typeof openFileJournal>[0]> = {},
): Journal => {
  const journal = openFileJournal({ path, ...more });
  onTestFinished(async () => await journal.close());
  return journal;
};

const reopen = async (journal: Journal, path: string): Promise<Journal> => {
  await journal.close();
  return openFile(path);
};

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);

describe.each([
  { name: 'in memory', open: (now: () => number) => memoryJournal({ class: 'durable', now }) },
  { name: 'in a file', open: (now: () => number) => openFile(newFile('journal.jsonl'), { now }) },
])('a journal $name', ({ open }) => {
  const start = () => {
    const clock = { at: 1_760_000_000_000 };
    return { clock, journal: open(() => clock.at) };
  };

  it('knows started commands and their outcomes', async () => {
    const { journal } = start();
    expect(journal.get('a')).toBeUndefined();
    await journal.start('a', 'fp');
    expect(journal.get('a')).toEqual({
      id: 'a',
      fingerprint: 'fp',
      status: 'started',
      sequence: 1,
      at: 1_760_000_000_000,
      acknowledged: false,
    });
    expect(await journal.settle('a', done)).toBe(2);
    expect(journal.get('a')).toMatchObject({ fingerprint: 'fp', status: 'done', outcome: done, sequence: 2 });
  });

  it('keeps a tombstone for an id it has never seen', async () => {
    const { journal } = start();
    await journal.settle('a', { status: 'voided' });
    expect(journal.get('a')).toMatchObject({ fingerprint: '', status: 'voided' });
    await expect(async () => journal.start('a', 'fp')).rejects.toThrow();
  });

  it('settles an id once', async () => {
    const { journal } = start();
    await journal.start('a', 'fp');
    await expect(async () => journal.start('a', 'fp')).rejects.toThrow();
    await journal.settle('a', done);
    await expect(async () => journal.settle('a', refused)).rejects.toThrow();
    expect(journal.get('a')?.outcome).toEqual(done);
  });

  it('starts an id once, also when both callers ask at the same time', async () => {
    const { journal } = start();
    const attempts = [async () => journal.start('a', 'fp'), async () => journal.start('a', 'fp')];
    const results = await Promise.allSettled(attempts.map((attempt) => attempt()));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('keeps the code of a refusal when it is acknowledged', async () => {
    const { journal } = start();
    await journal.settle('a', {
      status: 'rejected',
      error: { code: 'too_heavy', message: 'No.', details: { fits: 1 } },
    });
    await journal.settle('b', { status: 'failed' });
    await journal.acknowledge(['a', 'b']);
    expect(journal.get('a')?.outcome).toEqual({ status: 'rejected', error: { code: 'too_heavy', message: '' } });
    expect(journal.get('b')).not.toHaveProperty('outcome');
  });

  it('drops the payload when it is acknowledged, and keeps the id', async () => {
    const { journal } = start();
    await journal.start('a', 'fp');
    await journal.settle('a', done);
    await journal.acknowledge(['a', 'unknown']);
    expect(journal.get('a')).toMatchObject({ status: 'done', acknowledged: true, fingerprint: 'fp' });
    expect(journal.get('a')).not.toHaveProperty('outcome');
    expect(journal.open()).toEqual([]);
  });

  it('cannot acknowledge a running command', async () => {
    const { journal } = start();
    await journal.start('a', 'fp');
    await journal.acknowledge(['a']);
    expect(journal.open()).toMatchObject([{ id: 'a', status: 'started' }]);
  });

  it('lists open commands, oldest first', async () => {
    const { journal } = start();
    for (const id of ['a', 'b', 'c', 'd']) await journal.start(id, 'fp');
    await journal.settle('b', done);
    await journal.settle('a', refused);
    await journal.settle('c', done);
    await journal.acknowledge(['c']);
    expect(journal.open().map(({ id }) => id)).toEqual(['d', 'b', 'a']);
  });

  it('counts every write, and never backwards', async () => {
    const { journal } = start();
    const seen = [journal.sequence()];
    for (const id of ['a', 'b', 'c']) {
      await journal.start(id, 'fp');
      seen.push(journal.sequence());
      seen.push(await journal.settle(id, done));
    }
    await journal.acknowledge(['a', 'b', 'c']);
    seen.push(journal.sequence());
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 6]);
  });

  it('forgets acknowledged ids after 14 days, and no others', async () => {
    const { clock, journal } = start();
    for (const id of ['acknowledged', 'open']) await journal.settle(id, { status: 'voided' });
    await journal.start('started', 'fp');
    await journal.acknowledge(['acknowledged']);
    clock.at += LIMITS.journalRetentionMs - DAY_MS;
    await journal.start('later', 'fp');
    expect(journal.get('acknowledged')).toBeDefined();
    clock.at += 2 * DAY_MS;
    await journal.start('last', 'fp');
    expect(journal.get('acknowledged')).toBeUndefined();
    expect(journal.open().map(({ id }) => id)).toEqual(['open', 'started', 'later', 'last']);
  });
});

describe('a journal file', () => {
  it('has everything after a restart, under the same identity', async () => {
    const path = newFile('journal.jsonl');
    const journal = openFile(path);
    await journal.start('a', 'fp_a');
    await journal.settle('a', done);
    await journal.settle('b', refused);
    await journal.start('c', 'fp_c');
    await journal.settle('d', done);
    await journal.acknowledge(['d']);
    const before = ['a', 'b', 'c', 'd'].map(journal.get);
    const again = await reopen(journal, path);
    expect(again.id).toBe(journal.id);
    expect(again.sequence()).toBe(5);
    expect(['a', 'b', 'c', 'd'].map(again.get)).toEqual(before);
    expect(again.open()).toEqual(journal.open());
  });

  it('can be read by its owner only', () => {
    const path = newFile('journal.jsonl');
    openFile(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is on the disk when start and settle resolve', async () => {
    const path = newFile('journal.jsonl');
    const journal = openFile(path);
    await journal.start('a', 'fp');
    expect(linesOf(path).at(-1)).toContain('"started"');
    await journal.settle('a', done);
    expect(linesOf(path).at(-1)).toContain('"after":500');
  });

  it('takes many writes at the same time', async () => {
    const path = newFile('journal.jsonl');
    const journal = openFile(path);
    const ids = Array.from({ length: 500 }, (_, nth) => `cmd_${nth}`);
    await Promise.all(ids.map((id) => journal.start(id, 'fp')));
    const sequences = await Promise.all(ids.map((id) => journal.settle(id, done)));
    expect(sequences).toEqual(ids.map((_, nth) => ids.length + nth + 1));
    const again = await reopen(journal, path);
    expect(again.open().map(({ id }) => id)).toEqual(ids);
  });

  it('loses only a line that was being written, wherever it was torn', async () => {
    const path = newFile('journal.jsonl');
    const journal = openFile(path);
    await journal.start('a', 'fp');
    await journal.settle('a', { status: 'done', data: { note: 'ü€😀' } });
    await journal.close();
    const bytes = readFileSync(path);
    const lastLine = bytes.lastIndexOf(10, bytes.length - 2) + 1;
    for (let length = lastLine; length < bytes.length; length += 1) {
      writeFileSync(path, bytes.subarray(0, length));
      const logged: string[] = [];
      const torn = openFileJournal({ path, log: (_level, message) => logged.push(message) });
      expect(torn.get('a')?.status).toBe('started');
      expect(logged).toHaveLength(length === lastLine ? 0 : 1);
      expect(await torn.settle('a', done)).toBe(2);
      await torn.close();
      const after = openFileJournal({ path });
      expect(after.get('a')?.outcome).toEqual(done);
      await after.close();
    }
  });

  it('is new when not even its first line was written', async () => {
    const path = newFile('journal.jsonl');
    const journal = openFile(path);
    await journal.close();
    const bytes = readFileSync(path);
    for (let length = 0; length < bytes.length; length += 1) {
      writeFileSync(path, bytes.subarray(0, length));
      const again = openFileJournal({ path });
      expect(again.id).not.toBe(journal.id);
      await again.close();
    }
  });

  it.each([
    ['half a line', (line: string) => line.slice(0, 20)],
    ['something else', () => '{"op":"entry","id":7}'],
    ['nothing', () => ''],
    ['broken text', (line: string) => `${line.slice(0, 10)}\u0001${line.slice(10)}`],
  ])('does not open with %s in the middle, and says where', async (_what, damage) => {
    const path = newFile('journal.jsonl');
    const journal = openFile(path);
    for (const id of ['a', 'b', 'c']) await journal.start(id, 'fp');
    await journal.close();
    const lines = linesOf(path).map((line, nth) => (nth === 2 ? damage(line) : line));
    writeFileSync(path, `${lines.join('\n')}\n`);
    expect(() => openFileJournal({ path })).toThrow(`${path} cannot be opened: line 3`);
    expect(linesOf(path)).toEqual(lines);
    writeFileSync(path, '');
    await openFile(path).close();
  });

  it('does not touch a file that is no journal', () => {
    const path = newFile('journal.jsonl');
    writeFileSync(path, 'set sv_hostname "mine"');
    expect(() => openFileJournal({ path })).toThrow('line 1');
    expect(readFileSync(path, 'utf8')).toBe('set sv_hostname "mine"');
  });

  it('keeps the code of an acknowledged refusal, also in a new file', async () => {
    const path = newFile('journal.jsonl');
    const kept = { status: 'rejected', error: { code: 'player_offline', message: '' } };
    let journal = openFile(path, { compactAfter: 0 });
    await journal.settle('a', refused);
    await journal.acknowledge(['a']);
    journal = await reopen(journal, path);
    expect(journal.get('a')).toMatchObject({ acknowledged: true, outcome: kept });
    await journal.close();
    journal = openFile(path, { compactAfter: 0 });
    for (const id of 'bcdefghijklmnop') {
      await journal.settle(id, { status: 'voided' });
      await journal.acknowledge([id]);
    }
    journal = await reopen(journal, path);
    expect(journal.get('a')).toMatchObject({ acknowledged: true, outcome: kept });
  });

  it('reads an acknowledged refusal of an earlier version, which has no code', async () => {
    const path = newFile('journal.jsonl');
    await openFile(path).close();
    const entry = { op: 'entry', id: 'a', fingerprint: '', status: 'rejected', sequence: 1, at: 1, acknowledged: true };
    writeFileSync(path, `${readFileSync(path, 'utf8')}${JSON.stringify(entry)}\n`);
    const journal = openFile(path);
    expect(journal.get('a')).toMatchObject({ status: 'rejected', acknowledged: true });
    expect(journal.get('a')).not.toHaveProperty('outcome');
  });

  it('stays small however much is acknowledged', async () => {
    const path = newFile('journal.jsonl');
    const clock = { at: 1_760_000_000_000 };
    const journal = openFile(path, { compactAfter: 50, now: () => clock.at });
    await journal.settle('open', refused);
    await journal.start('started', 'fp');
    for (let nth = 0; nth < 400; nth += 1) {
      clock.at += DAY_MS;
      await journal.start(`cmd_${nth}`, 'fp');
      await journal.settle(`cmd_${nth}`, done);
      await journal.acknowledge([`cmd_${nth}`]);
    }
    const sequence = journal.sequence();
    const open = journal.open();
    await journal.close();
    expect(linesOf(path).length).toBeLessThan(150);
    const again = openFile(path);
    expect(again.id).toBe(journal.id);
    expect(again.sequence()).toBe(sequence);
    expect(again.open()).toEqual(open);
    expect(open.map(({ id }) => id)).toEqual(['open', 'started']);
    expect(again.get('cmd_399')).toMatchObject({ status: 'done', acknowledged: true });
    expect(again.get('cmd_0')).toBeUndefined();
  });

  it('does not count backwards when compaction drops the newest entry', async () => {
    const path = newFile('journal.jsonl');
    const clock = { at: 1_760_000_000_000 };
    const journal = openFile(path, { compactAfter: 1, now: () => clock.at });
    await journal.start('a', 'fp');
    await journal.settle('a', done);
    await journal.acknowledge(['a']);
    clock.at += 30 * DAY_MS;
    await journal.settle('b', done);
    await journal.acknowledge(['b']);
    clock.at += 30 * DAY_MS;
    await journal.settle('c', done);
    const again = await reopen(journal, path);
    expect(again.sequence()).toBe(4);
    expect(again.get('a')).toBeUndefined();
    expect(await again.settle('e', done)).toBe(5);
  });

  it('takes nothing after it was closed', async () => {
    const journal = openFile();
    await journal.close();
    await expect(async () => journal.start('a', 'fp')).rejects.toThrow(/closed/);
  });
});

describe('the lock of a journal file', () => {
  it('lets one holder in at a time', async () => {
    const path = newFile('journal.jsonl');
    const journal = openFile(path);
    expect(() => openFileJournal({ path })).toThrow(`held by process ${process.pid}`);
    await journal.close();
    await openFile(path).close();
  });

  it('holds against another process that is alive', () => {
    const path = newFile('journal.jsonl');
    writeFileSync(`${path}.lock`, `${process.ppid}\n`);
    expect(() => openFileJournal({ path })).toThrow(`held by process ${process.ppid}`);
  });

  it('is taken over from a process that is gone', () => {
    const path = newFile('journal.jsonl');
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(`${path}.lock`, `${pid}\n`);
    openFile(path);
    expect(readFileSync(`${path}.lock`, 'utf8').split(' ')[0]).toBe(String(process.pid));
  });

  it('is taken over from an earlier process with the same number', () => {
    const path = newFile('journal.jsonl');
    writeFileSync(`${path}.lock`, `${process.pid}\n`);
    const yesterday = new Date(Date.now() - DAY_MS);
    utimesSync(`${path}.lock`, yesterday, yesterday);
    openFile(path);
  });

  it('is given back when the file cannot be opened', async () => {
    const path = newFile('journal.jsonl');
    writeFileSync(path, 'no journal\n');
    expect(() => openFileJournal({ path })).toThrow('line 1');
    rmSync(path);
    await openFile(path).close();
  });

  it('survives a second close by a holder that has lost it', async () => {
    const path = newFile('journal.jsonl');
    const first = openFile(path);
    await first.close();
    const second = openFile(path);
    await first.close();
    expect(() => openFileJournal({ path })).toThrow('held by');
    await second.close();
  });
});
