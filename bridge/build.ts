import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { bundle } from './bundle.ts';
import { VERSION } from './version.ts';

const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, '..');
/** The bundled packages that need a licence notice. */
const BUNDLED = ['ws', 'zod'];
/**
 * Zip archives store local times after 1980. One fixed time for all files keeps the hash of the archive reproducible.
 */
const WHEN = new Date(1980, 0, 1, 12);
/**
 * Marked as made on Unix (APPNOTE.TXT 4.4.2), so that the upper half of the attributes is a mode: readable by all
 * users.
 */
const FOR_ALL = { os: 3, attrs: 0o100644 << 16 };

const text = (path: string): string => readFileSync(path, 'utf8');

const notices = (): string =>
  [
    `Causeway\n\n${text(join(ROOT, 'LICENSE'))}`,
    ...BUNDLED.map((name) => `${name}\n\n${text(join(ROOT, 'node_modules', name, 'LICENSE'))}`),
  ].join(`\n${'-'.repeat(72)}\n\n`);

/** Every file of the resource, by its path inside the zip. */
export const resourceFiles = async (): Promise<Map<string, string>> => {
  const lua = readdirSync(join(FOLDER, 'lua')).sort();
  return new Map([
    ['README.md', text(join(FOLDER, 'README.md'))],
    ['LICENSES.txt', notices()],
    ['fxmanifest.lua', text(join(FOLDER, 'fxmanifest.lua')).replace(/^version '.*'$/m, `version '${VERSION}'`)],
    ...lua.map((name): [string, string] => [`lua/${name}`, text(join(FOLDER, 'lua', name))]),
    ['dist/server.js', await bundle()],
  ]);
};

/** The resource as a zip for server owners. The same sources give the same bytes on every machine. */
export const zipResource = async (): Promise<Uint8Array> => {
  const files = [...(await resourceFiles())].map(([path, content]) => [`causeway/${path}`, Buffer.from(content)]);
  return zipSync(Object.fromEntries(files), { level: 9, mtime: WHEN, ...FOR_ALL });
};

/** Writes the zip and its SHA-256, in the format of `sha256sum`, into a folder. */
export const writeZip = async (folder: string): Promise<string> => {
  const zip = await zipResource();
  const name = `causeway-bridge-${VERSION}.zip`;
  const sum = `${createHash('sha256').update(zip).digest('hex')}  ${name}\n`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), zip);
  writeFileSync(join(folder, `${name}.sha256`), sum);
  return sum;
};

if (process.argv[1] === import.meta.filename) {
  const folder = join(ROOT, 'dist/bridge');
  // The hub serves the zip that is there; an older one must not be left.
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(await writeZip(folder));
}
