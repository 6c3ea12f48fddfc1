import { chmodSync, copyFileSync, lutimesSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EPOCH_S, OUT, ROOT, readJson, WORK, write } from './files.ts';
import { run } from './run.ts';

const DEBIAN = join(import.meta.dirname, 'debian');
/** The glibc that SQLite's addon needs (`objdump -T`); Node.js 24 itself runs with 2.28. */
export const OLDEST_GLIBC = '2.34';

/** Where each file of `release/debian` goes, and its mode. */
const FILES: Record<string, [path: string, mode: number]> = {
  conffiles: ['DEBIAN/conffiles', 0o644],
  postinst: ['DEBIAN/postinst', 0o755],
  prerm: ['DEBIAN/prerm', 0o755],
  postrm: ['DEBIAN/postrm', 0o755],
  causeway: ['usr/bin/causeway', 0o755],
  'causeway.env': ['etc/causeway/causeway.env', 0o640],
  'causeway.service': ['lib/systemd/system/causeway.service', 0o644],
};

const place = (from: string, to: string, mode: number): void => {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, mode);
};

const setTimes = (folder: string): void => {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    lutimesSync(path, EPOCH_S, EPOCH_S);
  }
  chmodSync(folder, 0o755);
  lutimesSync(folder, EPOCH_S, EPOCH_S);
};

/** A package for Debian and Ubuntu around the executable, with a user, a folder and a service. */
export const makeDeb = (executable: string): void => {
  const { version } = readJson<{ version: string }>(join(ROOT, 'package.json'));
  // Debian sorts 1.0.0~rc.1 before 1.0.0.
  const debian = version.replace('-', '~');
  const folder = join(WORK, 'deb');
  place(executable, join(folder, 'usr/lib/causeway/causeway'), 0o755);
  place(join(ROOT, 'LICENSE'), join(folder, 'usr/share/doc/causeway/copyright'), 0o644);
  for (const [name, [path, mode]] of Object.entries(FILES)) place(join(DEBIAN, name), join(folder, path), mode);
  const kib = Math.ceil(statSync(executable).size / 1024);
  const values: Record<string, string> = { VERSION: debian, KIB: String(kib), GLIBC: OLDEST_GLIBC };
  const control = readFileSync(join(DEBIAN, 'control'), 'utf8');
  write(
    join(folder, 'DEBIAN/control'),
    control.replaceAll(/\b(VERSION|KIB|GLIBC)\b/g, (name) => values[name] ?? ''),
  );
  setTimes(folder);
  const target = join(OUT, `causeway_${debian}_amd64.deb`);
  const env = { SOURCE_DATE_EPOCH: String(EPOCH_S) };
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '-z2', '--build', folder, target], { env });
};
