import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, it } from 'vitest';
import { readHolder } from '../../../db/sqlite/lock.ts';
import { openWorkplace, SLOW, type Workplace } from '../../kit/cli.ts';

const slugsIn = (file: string): unknown[] => {
  const client = new Sqlite(file, { readonly: true });
  try {
    return client.prepare('SELECT slug FROM projects ORDER BY slug').pluck().all();
  } finally {
    client.close();
  }
};

/** A database with the projects `old` and `new`, and a backup from when it had `old` only. */
const open = async (atEnd: Parameters<typeof openWorkplace>[0]) => {
  const place = openWorkplace(atEnd);
  await place.run(['project', 'create', 'old']);
  await place.run(['backup', 'copy.db']);
  await place.run(['project', 'create', 'new']);
  return { ...place, backup: join(place.folder, 'copy.db') };
};
const filesIn = ({ folder }: Pick<Workplace, 'folder'>): string[] => readdirSync(folder).toSorted();

describe.concurrent('causeway restore', SLOW, () => {
  it('puts a backup in place, and keeps the database from before', async ({ expect, onTestFinished }) => {
    const place = await open(onTestFinished);
    const { code, stdout, stderr } = await place.run(['restore', 'copy.db']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Restored \S+hub\.db from copy\.db: 0 commands\.\n/);
    expect(stdout).toMatch(/told as missed or refused\.\n.*revoke them again\.\n$/);
    const replaced = /from before is (\S+);/.exec(stdout)?.[1] ?? '';
    expect([slugsIn(place.file), slugsIn(replaced), slugsIn(place.backup)]).toEqual([['old'], ['new', 'old'], ['old']]);
    expect(statSync(place.file).mode & 0o777).toBe(0o600);
    const hub = await place.startHub();
    await hub.stop();
    expect(filesIn(place).filter((name) => /restoring|replaced\S*-(wal|shm)/.test(name))).toEqual([]);
  });

  it('holds the database under the address of the hub, IPv6 in brackets', async ({ expect, onTestFinished }) => {
    const place = await open(onTestFinished);
    expect((await place.run(['restore', 'copy.db'], { HOST: '::1', PORT: '8090' })).code).toBe(0);
    expect(readHolder(`file:${place.file}`)?.address).toBe('http://[::1]:8090');
  });

  it('replaces a log that was left behind, and a database that is damaged', async ({ expect, onTestFinished }) => {
    const place = await open(onTestFinished);
    const hub = await place.startHub();
    hub.signal('SIGKILL');
    await hub.ended();
    expect(existsSync(`${place.file}-wal`)).toBe(true);
    truncateSync(place.file, 5_000);
    const { code, stdout } = await place.run(['restore', 'copy.db']);
    expect(code).toBe(0);
    expect(slugsIn(place.file)).toEqual(['old']);
    expect(filesIn(place)).not.toContain('hub.db-wal');
    expect(readFileSync(/from before is (\S+);/.exec(stdout)?.[1] ?? '')).toHaveLength(5_000);
  });

  it('makes a database where there was none', async ({ expect, onTestFinished }) => {
    const place = await open(onTestFinished);
    const file = join(place.folder, 'other.db');
    const { code, stdout } = await place.run(['restore', 'copy.db'], { DATABASE_URL: `file:${file}` });
    expect([code, stdout.includes('from before')]).toEqual([0, false]);
    expect(slugsIn(file)).toEqual(['old']);
  });

  it('refuses while a hub runs', async ({ expect, onTestFinished }) => {
    const place = await open(onTestFinished);
    const hub = await place.startHub();
    const { code, stderr } = await place.run(['restore', 'copy.db']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^causeway: Another hub uses the database \S+hub\.db \(process \d+ .*\); stop it or/);
    await hub.stop();
    expect(slugsIn(place.file)).toEqual(['new', 'old']);
  });

  it('changes nothing if the file is not a backup', async ({ expect, onTestFinished }) => {
    const place = await open(onTestFinished);
    const file = (name: string): string => join(place.folder, name);
    writeFileSync(file('text.db'), 'no database at all, only text'.repeat(40));
    new Sqlite(file('foreign.db')).exec('CREATE TABLE a (b)').close();
    copyFileSync(place.backup, file('newer.db'));
    new Sqlite(file('newer.db')).exec("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('x', 9e15)").close();
    copyFileSync(place.backup, file('short.db'));
    truncateSync(file('short.db'), statSync(place.backup).size - 8_192);
    const refusals: Record<string, RegExp> = {
      'text.db': /text\.db is damaged, or no database/,
      'foreign.db': /foreign\.db belongs to another program/,
      'newer.db': /newer\.db was last used by a newer version/,
      'short.db': /short\.db is damaged/,
      'none.db': /there is no backup \S+none\.db/,
      'hub.db': /is the database itself/,
    };
    const before = filesIn(place);
    for (const [name, says] of Object.entries(refusals)) {
      const { code, stdout, stderr } = await place.run(['restore', name]);
      expect([code, stdout], name).toEqual([1, '']);
      expect(stderr, name).toMatch(says);
      expect(stderr.trimEnd().split('\n'), name).toHaveLength(1);
    }
    expect(filesIn(place).filter((name) => !before.includes(name) && !name.endsWith('.lock'))).toEqual([]);
    expect(slugsIn(place.file)).toEqual(['new', 'old']);
  });

  it('is for SQLite', async ({ expect, onTestFinished }) => {
    const place = await open(onTestFinished);
    const { code, stderr } = await place.run(['restore', 'copy.db'], { DATABASE_URL: 'postgres://u:secret@db/x' });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/use pg_restore while no hub runs/)]);
    expect(stderr).not.toContain('secret');
  });
});

describe.concurrent('a command in the wrong folder', SLOW, () => {
  const verbs = ['project list', 'key list --project default', 'command list --project default'];
  it.for(verbs)('says where it looked and makes nothing: %s', async (verb, { expect, onTestFinished }) => {
    const place = openWorkplace(onTestFinished);
    expect(await place.run(verb.split(' '))).toEqual({
      code: 1,
      stdout: '',
      stderr: `causeway: there is no database ${place.file}; run this in the folder of the hub, or set DATABASE_URL\n`,
    });
    expect(filesIn(place)).toEqual([]);
  });
});
