import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../kit/folder.ts';
import { skipUnless } from '../kit/possible.ts';
import {
  end,
  type Installed,
  openFolder,
  PATIENCE,
  placeDatabaseBefore,
  proveFirstDay,
  proveUpgrade,
  released,
} from './installed.ts';

describe('the executable for Linux, where no Node.js is', () => {
  const install = (): Installed => {
    const folder = newFolder();
    const program = join(folder, 'causeway-linux-x64');
    copyFileSync(released(/^causeway-linux-x64$/), program);
    chmodSync(program, 0o755);
    return { program, path: '', folder: newFolder() };
  };

  it('does the work of the first day, and is gone with its file and .causeway', async () => {
    const { program, folder, ...rest } = install();
    await proveFirstDay({ program, folder, ...rest });
    rmSync(program);
    rmSync(join(folder, '.causeway'), { recursive: true });
    // Only the data of the owner is left.
    expect(readdirSync(folder).filter((name) => !/^(?:causeway|today)\.db/.test(name))).toEqual([]);
  });

  it('says what to type by the name that it was started with', async () => {
    const installed = install();
    const { output, child } = await openFolder(installed).start();
    const line = `The hub is empty. For the address of its setup, run: ${installed.program} setup-link`;
    await expect.poll(() => output.text, PATIENCE).toContain(line);
    expect(await openFolder(installed).cli('setup-link')).toMatch(/^http:\/\/127\.0\.0\.1:0\/setup#cws_/);
    expect(await end(child)).toBe(0);
  });

  it('goes on with a database of the release before', async () => {
    const installed = install();
    placeDatabaseBefore(installed.folder);
    await proveUpgrade(installed);
  });

  it('writes changed files of its own anew, and leaves files of others alone', async () => {
    const installed = install();
    const home = join(installed.folder, '.causeway');
    const place = openFolder(installed);
    await place.cli('--version');
    const [version = ''] = readdirSync(home);
    const file = join(home, version, 'package.json');
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    writeFileSync(file, 'changed');
    const strangers = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
    for (const name of strangers) writeFileSync(join(home, name), 'not of this program');
    expect(await place.cli('--version')).toMatch(/^1\.0\.0/);
    expect(readFileSync(file, 'utf8')).not.toBe('changed');
    expect(readdirSync(home).sort()).toEqual([version, ...strangers].sort());
  });

  it.skipIf(skipUnless(process.getuid?.() === 0))('says what to do after a first start as root', async () => {
    const { program, path, folder } = install();
    for (const each of [folder, dirname(program)]) chmodSync(each, 0o755);
    await openFolder({ program, path, folder }).cli('--version');
    const args = ['--reuid=65534', '--regid=65534', '--clear-groups', program];
    const home = join(folder, '.causeway');
    await expect(openFolder({ program: '/usr/bin/setpriv', args, path, folder }).cli('--version')).rejects.toThrow(
      `${home} belongs to another user (uid 0), as after a start with sudo; run: sudo chown -R 65534 ${home}`,
    );
  });
});
