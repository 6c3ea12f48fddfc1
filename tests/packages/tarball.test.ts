import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HUB } from '../../release/names.js';
import { newFolder } from '../kit/folder.ts';
import {
  type Installed,
  NODE_PATH,
  npmPath,
  placeDatabaseBefore,
  proveFirstDay,
  proveUpgrade,
  released,
  run,
} from './installed.ts';

describe('the tarball of the hub, with npm', () => {
  const install = async (): Promise<Installed & { prefix: string }> => {
    const prefix = newFolder();
    // No compiler can be found: the packages bring what they need.
    const env = { ...process.env, PATH: npmPath() };
    await run('npm', ['install', '--silent', '-g', '--prefix', prefix, released(/hub-hub-.*\.tgz$/)], { env });
    return { program: join(prefix, 'bin/causeway'), path: NODE_PATH, prefix, folder: newFolder() };
  };

  it('does the work of the first day, and is gone after npm uninstall', async () => {
    const installed = await install();
    await proveFirstDay(installed);
    const { stdout } = await run('du', ['-sk', installed.prefix]);
    const mib = Math.round(Number.parseInt(stdout, 10) / 1024);
    process.stdout.write(`the installed tarball: ${mib} MiB\n`);
    expect(mib).toBeLessThan(60);
    await run('npm', ['uninstall', '--silent', '-g', '--prefix', installed.prefix, HUB]);
    expect(existsSync(installed.program)).toBe(false);
  });

  it('goes on with a database of the release before', async () => {
    const installed = await install();
    placeDatabaseBefore(installed.folder);
    await proveUpgrade(installed);
  });
});
