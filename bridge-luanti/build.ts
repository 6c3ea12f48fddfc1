import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, '..');

/** Writes the whole mod, with the Lua library inside of it, into a folder that may exist already. */
export const writeMod = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(FOLDER)) {
    if (/\.(?:lua|conf|txt)$/.test(name)) cpSync(join(FOLDER, name), join(folder, name));
  }
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(ROOT, 'bridge-lua/causeway'), join(folder, 'causeway'), { recursive: true });
};

if (process.argv[1] === import.meta.filename) {
  const folder = join(ROOT, 'dist/luanti/causeway');
  // A file that the mod has no more must not be left.
  rmSync(folder, { recursive: true, force: true });
  writeMod(folder);
  process.stdout.write(`${folder}\n`);
}
