import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, it, type TestContext } from 'vitest';
import { openDatabase } from '../../../db/open.ts';
import { openWorkplace, SLOW, type Workplace } from '../../kit/cli.ts';

/** A database as a hub leaves it. */
const makeDatabase = async (file: string): Promise<void> => {
  const database = await openDatabase({ url: `file:${file}` });
  await database.migrate();
  await database.close();
};

const change = (file: string, sql: string): void => {
  const client = new Sqlite(file);
  client.exec(sql);
  client.close();
};

const bytesOf = (path: string): string | undefined =>
  existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'latin1') : undefined;

type Case = {
  title: string;
  /** Creates the files before the start; returns the path for DATABASE_URL. */
  make: (place: Workplace) => string | Promise<string>;
  says: RegExp;
};

const cases: Case[] = [
  {
    title: 'with a damaged page',
    make: async ({ file }) => {
      await makeDatabase(file);
      const bytes = readFileSync(file);
      bytes.fill(0xaa, 4096, 4096 * 4);
      writeFileSync(file, bytes);
      return file;
    },
    says: /hub\.db is damaged; .*restore a backup/,
  },
  {
    title: 'of garbage',
    make: ({ file }) => {
      writeFileSync(file, Buffer.alloc(8192, 'garbage'));
      return file;
    },
    says: /hub\.db is not an SQLite database; change DATABASE_URL/,
  },
  {
    title: 'of another program',
    make: ({ file }) => {
      change(file, 'CREATE TABLE bookmarks (url TEXT)');
      return file;
    },
    says: /hub\.db belongs to another program; change DATABASE_URL/,
  },
  {
    title: 'of a newer version',
    make: async ({ file }) => {
      await makeDatabase(file);
      change(file, "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', 99999999999999)");
      return file;
    },
    says: /newer version of Causeway; start that version, or restore a backup/,
  },
  {
    title: 'in a folder that is not there',
    make: ({ folder }) => join(folder, 'missing', 'hub.db'),
    says: /The folder \S+missing does not exist; create it or change DATABASE_URL/,
  },
  {
    title: 'that is a folder',
    make: ({ file }) => {
      mkdirSync(file);
      return file;
    },
    says: /hub\.db is not a file; change DATABASE_URL/,
  },
  {
    title: 'below a file',
    make: ({ file }) => {
      writeFileSync(file, 'a file');
      return join(file, 'below.db');
    },
    says: /change DATABASE_URL/,
  },
];

/** Starts on an unusable database: one line, exit code 1. */
const refuses = async ({ expect }: TestContext, place: Workplace, path: string, says: RegExp): Promise<void> => {
  const { code, stdout, stderr } = await place.run(['start'], { DATABASE_URL: `file:${path}` });
  expect(stderr).toMatch(/^causeway: [^\n]+\n$/);
  expect(stderr).toMatch(says);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
};

describe.concurrent('a database that cannot be used is refused in one line and left as it was: one', SLOW, () => {
  it('locked by another process', async (context) => {
    const place = openWorkplace(context.onTestFinished);
    await makeDatabase(place.file);
    const before = bytesOf(place.file);
    const client = new Sqlite(place.file);
    context.onTestFinished(() => void client.close());
    client.exec('BEGIN EXCLUSIVE');
    await refuses(context, place, place.file, /hub\.db is locked by another process; end that process/);
    // Not earlier: a file that is closed takes the locks of its whole process away.
    client.close();
    context.expect(bytesOf(place.file)).toEqual(before);
  });

  it.for(cases.map((one) => [one.title, one] as const))('%s', async ([, { make, says }], context) => {
    const place = openWorkplace(context.onTestFinished);
    const path = await make(place);
    const before = { named: bytesOf(path), usual: bytesOf(place.file) };
    await refuses(context, place, path, says);
    context.expect({ named: bytesOf(path), usual: bytesOf(place.file) }).toEqual(before);
  });
});
