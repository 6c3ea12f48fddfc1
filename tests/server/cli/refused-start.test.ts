import { linkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkplace, SLOW } from '../../kit/cli.ts';

it('a hub refuses to start with settings that are slips, and names each', SLOW, async () => {
  const place = openWorkplace(onTestFinished);
  const refused = async (env: Record<string, string>, says: RegExp): Promise<void> => {
    const { code, stdout, stderr } = await place.verb(['start'], env);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^causeway: [^\n]+\n$/);
    expect(stderr).toMatch(says);
  };
  const port = /PORT: must be a whole number from 0 to 65535/;
  for (const PORT of ['8e3', '0x1f90', ' 8080', '8080.0', '+8080']) await refused({ PORT }, port);
  const memory = /DATABASE_URL: must name a file.*would lose every command/;
  for (const DATABASE_URL of ['file::memory:', 'file::memory:?cache=shared']) await refused({ DATABASE_URL }, memory);
  const nowhere = join(place.folder, 'nowhere');
  await refused({ BACKUP_FOLDER: nowhere }, /BACKUP_FOLDER: \S+nowhere is not an existing folder; create it/);
});

it('a second hub does not start on the same file under another name', SLOW, async () => {
  const place = openWorkplace(onTestFinished);
  const first = await place.startHub();
  const folder = join(place.folder, 'other');
  mkdirSync(folder);
  const link = join(folder, 'linked.db');
  linkSync(place.file, link);
  const { code, stderr } = await place.run(['start'], { DATABASE_URL: `file:${link}`, PORT: '0' });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/linked\.db has another name, a hard link.*Copy it/)]);
  expect((await fetch(`${first.address}/readyz`)).status).toBe(200);
});
