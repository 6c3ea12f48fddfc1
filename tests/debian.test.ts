import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { newFolder } from './kit/folder.ts';

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, '../release/debian');
const SCRIPTS = ['causeway', 'postinst', 'prerm', 'postrm'];

/** A folder in place of `/`, with programs in place of those that change the machine: they write down their calls. */
const openMachine = () => {
  const root = newFolder();
  const calls = join(root, 'calls');
  const put = (path: string, script: string): void => {
    writeFileSync(join(root, path), `#!/bin/sh\n${script}\n`);
    chmodSync(join(root, path), 0o755);
  };
  for (const folder of ['bin', 'etc/causeway', 'run/systemd/system', 'usr/lib/causeway', 'var/lib/causeway']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const name of ['adduser', 'install', 'chown', 'chmod']) put(`bin/${name}`, 'exit 0');
  put('bin/systemctl', `echo "$*" >>${calls}`);
  put('bin/id', 'if [ "$1" = -un ]; then echo causeway; else echo 1000; fi');
  put('usr/lib/causeway/causeway', 'printf "%s|" "$DATABASE_URL" "$BACKUP_FOLDER" "$HOST" "$CAUSEWAY_COMMAND" "$@"');
  return {
    writeSettings: (text: string) => writeFileSync(join(root, 'etc/causeway/causeway.env'), text),
    /** Runs a script of the package in this folder and returns its output. */
    script: async (name: string, ...args: string[]): Promise<string> => {
      const text = readFileSync(join(FOLDER, name), 'utf8').replaceAll(/\/(?:etc|run|usr\/lib|var)\//g, `${root}$&`);
      writeFileSync(join(root, name), text);
      const env = { PATH: `${join(root, 'bin')}:/usr/bin:/bin` };
      return (await run('/bin/sh', [join(root, name), ...args], { env, cwd: root })).stdout;
    },
    /** Calls of systemctl since the last look. */
    calls: (): string[] => {
      const found = existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : [];
      rmSync(calls, { force: true });
      return found.filter((call) => call !== 'daemon-reload');
    },
  };
};

describe('the command of the Debian package', () => {
  it('reads settings as systemd does, and runs nothing in them', async () => {
    const { writeSettings, script } = openMachine();
    const values = [
      'DATABASE_URL=postgres://hub:p$w`id`@db/causeway?a=1&sslmode=require',
      'BACKUP_FOLDER=/srv/my backups',
      '#HOST=1.2.3.4',
      '; HOST=5.6.7.8',
    ];
    writeSettings(values.join('\n'));
    const read = await script('causeway', 'backup', 'a b');
    expect(read).toBe(
      'postgres://hub:p$w`id`@db/causeway?a=1&sslmode=require|/srv/my backups||sudo causeway|backup|a b|',
    );
  });

  it('takes quotes and the space around a value away', async () => {
    const { writeSettings, script } = openMachine();
    writeSettings(`DATABASE_URL="file:/srv/a b.db"\n  BACKUP_FOLDER = '/srv/it'\t\r\nHOST=::1 \n`);
    expect(await script('causeway')).toBe('file:/srv/a b.db|/srv/it|::1|sudo causeway|');
  });
});

describe('the service of the Debian package', () => {
  it('is enabled and started by the first installation', async () => {
    const { script, calls } = openMachine();
    expect(await script('postinst', 'configure')).toContain('the hub runs');
    expect(calls()).toEqual(['enable --now causeway.service']);
  });

  it('runs on after an upgrade, but only if it ran before', async () => {
    const { script, calls } = openMachine();
    await script('prerm', 'upgrade', '1.0.1');
    await script('postrm', 'upgrade', '1.0.1');
    expect(await script('postinst', 'configure', '1.0.0')).toBe('');
    expect(calls()).toEqual(['try-restart causeway.service']);
  });

  it('is enabled again when the package comes back after a removal', async () => {
    const { script, calls } = openMachine();
    await script('prerm', 'remove');
    await script('postrm', 'remove');
    expect(calls()).toEqual(['disable --now causeway.service']);
    await script('postinst', 'configure', '1.0.0');
    expect(calls()).toEqual(['enable --now causeway.service']);
    await script('postinst', 'configure', '1.0.0');
    expect(calls()).toEqual(['try-restart causeway.service']);
  });
});

describe('the scripts of the packages', () => {
  it.each(SCRIPTS)('release/debian/%s is a script that sh understands', async (name) => {
    await run('/bin/sh', ['-n', join(FOLDER, name)]);
  });

  it('that of the egg is one, too', async () => {
    const egg = JSON.parse(readFileSync(join(FOLDER, '../../deploy/pterodactyl-egg.json'), 'utf8')) as {
      scripts: { installation: { script: string; entrypoint: string } };
    };
    const { script, entrypoint } = egg.scripts.installation;
    expect(entrypoint).toBe('bash');
    await run('/bin/bash', ['-n', '-c', script]);
  });
});
