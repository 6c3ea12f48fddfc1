import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../db/database.ts';
import { createStore } from '../../db/store.ts';
import { makeFolder, playerOf, projectOf } from '../support/databases.ts';

const root = join(import.meta.dirname, '../..');
const PROJECTS = 2_100;

const newFile = async (): Promise<string> => {
  const folder = await makeFolder();
  onTestFinished(folder.dispose);
  return join(folder.path, 'hub.db');
};

describe('the thread that checkpoints', () => {
  it('copies the log into the database while that is open', async () => {
    const file = await newFile();
    const database = await openDatabase({ url: `file:${file}` });
    onTestFinished(database.close);
    await database.migrate();
    const { projects } = createStore(database);
    const before = statSync(file).size;
    await Promise.all(Array.from({ length: PROJECTS }, (_, n) => projects.create(projectOf(`p${n}`))));
    await expect.poll(() => statSync(file).size, { timeout: 10_000 }).toBeGreaterThan(before);
  });

  it('is told how many rows a statement wrote, and who writes does not do its work', async () => {
    const file = await newFile();
    const database = await openDatabase({ url: `file:${file}` });
    onTestFinished(database.close);
    await database.migrate();
    const { players } = createStore(database);
    const metadata = { notes: 'n'.repeat(12_000) };
    const write = (statement: number): Promise<void> => {
      const some = Array.from({ length: 100 }, (_, n) => playerOf(`${statement}:${n}`, { metadata }));
      return players.upsert('p', 'main', some, statement);
    };
    await write(0);
    const before = statSync(file).size;
    for (let statement = 1; statement <= 3; statement += 1) await write(statement);
    // By default SQLite copies the log in a commit, from 1,000 pages on.
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(1_000 * 4_096);
    expect(statSync(file).size).toBe(before);
    for (let statement = 4; statement <= 6; statement += 1) await write(statement);
    await expect.poll(() => statSync(file).size, { timeout: 10_000 }).toBeGreaterThan(before);
  });

  it('catches up with who writes players without a pause, so that the log stays short', async () => {
    const file = await newFile();
    const database = await openDatabase({ url: `file:${file}` });
    onTestFinished(database.close);
    await database.migrate();
    const { players } = createStore(database);
    const metadata = { notes: 'n'.repeat(2_000) };
    let longest = 0;
    for (let first = 0; first < 12_000; first += 50) {
      const some = Array.from({ length: 50 }, (_, n) =>
        playerOf(`${((first + n) * 7_919) % 12_007}:${n}`, { metadata }),
      );
      await players.calm();
      await players.upsert('p', 'main', some, first);
      longest = Math.max(longest, statSync(`${file}-wal`).size);
    }
    expect(longest).toBeLessThan(64 * 2 ** 20);
  });

  it('and the one that reads do not keep a process from ending, and let it close the database first', async () => {
    const args = ['--import', './server/cli/typescript.js', 'tests/support/write-much.ts', await newFile()];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    expect(stdout).toBe('closed');
  });
});
