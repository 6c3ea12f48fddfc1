import { appendFileSync, existsSync, statSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { skipUnless } from '../kit/possible.ts';
import {
  type Installed,
  openFolder,
  placeDatabaseBefore,
  proveFirstDay,
  proveUpgrade,
  released,
  run,
} from './installed.ts';

const PROGRAM = '/usr/bin/causeway';
const DATA = '/var/lib/causeway';
const SETTINGS = '/etc/causeway/causeway.env';
const PLACES = [PROGRAM, '/usr/lib/causeway/causeway', '/lib/systemd/system/causeway.service'];
const path = '/usr/sbin:/usr/bin:/sbin:/bin';
const installed: Installed = { program: PROGRAM, path, folder: DATA };

const dpkg = (args: string[], env: Record<string, string> = {}) =>
  run('dpkg', args, { env: { PATH: path, DEBIAN_FRONTEND: 'noninteractive', ...env }, cwd: '/' });
const purge = () => dpkg(['--purge', 'causeway'], { CAUSEWAY_PURGE_DATA: '1' });

/** Installs the package on a machine that has none, until the test ends. */
const install = async (): Promise<void> => {
  // The data of an installation on this machine must not go with the test.
  expect([PROGRAM, DATA].filter((each) => existsSync(each))).toEqual([]);
  onTestFinished(() => purge().then(undefined, () => undefined));
  await dpkg(['-i', released(/\.deb$/)]);
};

const isPossible = process.getuid?.() === 0 && !existsSync(PROGRAM);

describe.skipIf(skipUnless(isPossible))('the Debian package, as root', () => {
  it('does the work of the first day as its user, with settings that have spaces', async () => {
    await install();
    expect(statSync(DATA).mode & 0o777).toBe(0o700);
    expect(statSync(SETTINGS).mode & 0o777).toBe(0o640);
    await run('install', ['-d', '-o', 'causeway', '-m', '0700', `${DATA}/my backups`]);
    appendFileSync(SETTINGS, `BACKUP_FOLDER=${DATA}/my backups\n`);
    await proveFirstDay(installed);
    const { child } = await openFolder(installed).start();
    const { stdout: user } = await run('ps', ['-o', 'user=', '-p', String(child.pid)]);
    expect(user.trim()).toBe('causeway');
  });

  it('goes on with a database of the release before', async () => {
    await install();
    await run('chown', ['causeway:causeway', placeDatabaseBefore(DATA)]);
    await dpkg(['-i', released(/\.deb$/)]);
    await proveUpgrade(installed);
  });

  it('leaves the data when it is removed and purged, until it is told otherwise', async () => {
    await install();
    await openFolder(installed).cli('init', '--json');
    await dpkg(['-r', 'causeway']);
    expect(PLACES.filter((each) => existsSync(each))).toEqual([]);
    expect(existsSync(SETTINGS)).toBe(true);
    const { stdout } = await dpkg(['--purge', 'causeway']);
    expect(stdout).toContain('rm -r /var/lib/causeway');
    expect(existsSync(SETTINGS)).toBe(false);
    expect(existsSync(`${DATA}/causeway.db`)).toBe(true);
    await dpkg(['-i', released(/\.deb$/)]);
    await purge();
    expect(existsSync(DATA)).toBe(false);
  });
});
