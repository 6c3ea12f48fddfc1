import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { bundle } from './bundle.ts';
import { VERSION } from './version.ts';

const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, '..');
/** What is bundled, and must be named. */
const BUNDLED = ['ws', 'zod', 're2js'];
/** Archives name times in local time and nothing before 1980: one moment for all files makes one hash. */
const WHEN = new Date(1980, 0, 1, 12);
/** Made on Unix (APPNOTE.TXT 4.4.2), so that the upper half of its attributes is a mode: a file that everybody may read. */
const FOR_ALL = { os: 3, attrs: 0o100644 << 16 };

const text = (path: string): string => readFileSync(path, 'utf8');

const notices = (): string =>
  [
    `Causeway\n\n${text(join(ROOT, 'LICENSE'))}`,
    ...BUNDLED.map((name) => `${name}\n\n${text(join(ROOT, 'node_modules', name, 'LICENSE'))}`),
  ].join(`\n${'-'.repeat(72)}\n\n`);

/** Every file of the resource by its path inside of the zip. */
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

/** The resource as owners download it: the same bytes from the same sources, wherever and whenever it is made. */
export const zipResource = async (): Promise<Uint8Array> => {
  const files = [...(await resourceFiles())].map(([path, content]) => [`causeway/${path}`, Buffer.from(content)]);
  return zipSync(Object.fromEntries(files), { level: 9, mtime: WHEN, ...FOR_ALL });
};

if (process.argv[1] === import.meta.filename) {
  const zip = await zipResource();
  const path = join(ROOT, 'dist', `causeway-bridge-${VERSION}.zip`);
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(path, zip);
  process.stdout.write(`${createHash('sha256').update(zip).digest('hex')}  ${path}\n`);
}
