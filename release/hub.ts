import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeZip } from '../bridge/build.ts';
import { copyFiles, filesIn, json, ROOT, readJson, WORK, write } from './files.ts';
import { licences } from './licences.ts';
import { HUB } from './names.js';
import { run } from './run.ts';

type Package = { version: string; description: string; license: string; engines: object; dependencies: Packages };
type Packages = Record<string, string>;

const ADDON = 'better-sqlite3';

const manifest = (): object => {
  const { version, description, license, engines, dependencies } = readJson<Package>(join(ROOT, 'package.json'));
  return {
    name: HUB,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { causeway: 'server/cli/causeway.js' },
    dependencies: { [ADDON]: dependencies[ADDON] },
  };
};

/** The folder of the installed hub, without SQLite's addon, out of what `npm run build` made. */
export const stageHub = async (): Promise<string> => {
  const folder = join(WORK, 'hub');
  const { version } = readJson<Package>(join(ROOT, 'package.json'));
  copyFiles(ROOT, folder, [
    'LICENSE',
    'server/cli/causeway.js',
    'server/cli/from-executable.cjs',
    'db/sqlite/checkpoint-worker.js',
    'db/sqlite/reader-worker.js',
  ]);
  const migrations = filesIn(join(ROOT, 'db/migrations')).filter((name) => /\.sql$|_journal\.json$/.test(name));
  copyFiles(join(ROOT, 'db/migrations'), join(folder, 'db/migrations'), migrations);
  for (const part of ['dist/program', 'dist/panel', 'dist/docs']) {
    copyFiles(join(ROOT, part), join(folder, part), filesIn(join(ROOT, part)));
  }
  await writeZip(join(folder, 'dist/bridge'));
  const readme = readFileSync(join(import.meta.dirname, 'hub.md'), 'utf8');
  write(join(folder, 'README.md'), readme.replaceAll('VERSION', version));
  write(join(folder, 'LICENSES.txt'), licences());
  write(join(folder, 'package.json'), json(manifest()));
  return folder;
};

/** Adds SQLite's addon for one platform: what npm installs for the tarball, an executable brings along. */
export const stageAddon = (folder: string, platform: string): void => {
  const from = join(ROOT, 'node_modules', ADDON);
  const scripts = filesIn(join(from, 'lib')).map((name) => `lib/${name}`);
  const to = join(folder, 'node_modules', ADDON);
  copyFiles(from, to, [...scripts, `prebuilds/${platform}.node`, 'LICENSE', 'package.json']);
};

/** Packs a folder into a tarball as npm does: fixed times, owners and order. Returns its file name. */
export const pack = (folder: string, to: string): string =>
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', to], { cwd: folder }).trim();
