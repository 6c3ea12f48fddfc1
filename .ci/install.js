import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const readIfThere = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

/** Installs the packages of each named folder, unless they are what its package-lock.json says already. */
for (const folder of process.argv.slice(2)) {
  const lock = readFileSync(`${folder}/package-lock.json`, 'utf8');
  const installed = `${folder}/node_modules/.installed-lock.json`;
  if (readIfThere(installed) === lock) continue;
  process.stderr.write(`Installing the packages of ${folder}/ …\n`);
  // On stderr, because stdout belongs to the command that follows.
  const stdio = ['ignore', 2, 2];
  const { status } = spawnSync('npm', ['ci'], { cwd: folder, stdio, shell: process.platform === 'win32' });
  if (status !== 0) {
    process.stderr.write(`The packages of ${folder}/ could not be installed. Try: npm ci --prefix ${folder}\n`);
    process.exit(1);
  }
  writeFileSync(installed, lock);
}
