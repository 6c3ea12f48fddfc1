import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OLDEST_GLIBC } from '../release/deb.ts';

const ROOT = join(import.meta.dirname, '..');

/** The newest version of glibc that a binary names: its table of strings has `GLIBC_2.34` in clear. */
const neededBy = (file: string): string => {
  const names = readFileSync(join(ROOT, file), 'latin1').matchAll(/\bGLIBC_2\.(\d+)\b/g);
  return `2.${Math.max(...[...names].map(([, minor]) => Number(minor)))}`;
};

it.each(['linux-x64', 'linux-arm64'])(
  'the addon for %s needs the glibc that the Debian package demands',
  (platform) => {
    expect(neededBy(`node_modules/better-sqlite3/prebuilds/${platform}.node`)).toBe(OLDEST_GLIBC);
  },
);

it('the docs name the same glibc, everywhere', () => {
  for (const file of ['docs/reference/packages.md', 'deploy/pterodactyl-egg.json']) {
    const named = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/glibc (2\.\d+) or newer/g)];
    expect(named.length).toBeGreaterThan(0);
    expect(new Set(named.map(([, version]) => version))).toEqual(new Set([OLDEST_GLIBC]));
  }
});
