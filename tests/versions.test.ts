import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resourceFiles } from '../bridge/build.ts';
import { VERSION as RESOURCE } from '../bridge/version.ts';
import { COMMANDS, commandTags, isCommandName, PROTOCOL_VERSION, SUBPROTOCOL } from '../bridge-protocol/index.ts';
import { VERSION } from '../server/platform/config.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const versionIn = (path: string): string => JSON.parse(read(path)).version;

it('gives hub, protocol package and client one version', () => {
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+(-rc\.\d+)?$/);
  expect(versionIn('package.json')).toBe(VERSION);
  expect(versionIn('package-lock.json')).toBe(VERSION);
  expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe(VERSION);
  expect(versionIn('bridge-protocol/package.json')).toBe(VERSION);
  expect(versionIn('clients/typescript/package.json')).toBe(VERSION);
});

it('gives the resource the number of the release, which never goes back', async () => {
  expect(RESOURCE).toBe(VERSION.replace(/-rc\.\d+$/, ''));
  expect(read('bridge/fxmanifest.lua')).toContain(`\nversion '${RESOURCE}'\n`);
  expect((await resourceFiles()).get('fxmanifest.lua')).toContain(`\nversion '${RESOURCE}'\n`);
});

it('gives the Lua bridge the version of the release', () => {
  expect(read('bridge-lua/causeway/init.lua')).toContain(`version = '${VERSION}',`);
});

it('gives the mod for Luanti the number of the release', () => {
  expect(read('bridge-luanti/init.lua')).toContain(`name = 'bridge-luanti', version = '${RESOURCE}'`);
});

it('names the version of today in the pages that show it', () => {
  expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## ${VERSION.replaceAll('.', '\\.')} \\(`, 'm'));
  for (const [path, text] of [
    ['README.md', `Version ${VERSION} is`],
    ['clients/typescript/README.md', `causewayhub-client-${VERSION}.tgz`],
    ['examples/README.md', `causewayhub-client-${VERSION}.tgz`],
    ['docs/guides/write-a-bot.md', `causewayhub-client-${VERSION}.tgz`],
    ['docs/guides/fivem/install.md', `/bridge/causeway-bridge-${RESOURCE}.zip`],
    ['docs/guides/run-a-hub.md', `"version":"${VERSION}"`],
    ['docs/reference/api.md', `"version": "${VERSION}", "uptimeSeconds"`],
  ] as const) {
    expect(read(path), path).toContain(text);
  }
});

it('has the version of today as the first row of the table of versions, with what it speaks', () => {
  const [, table = ''] = /\n\| hub \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(read('docs/reference/protocol.md')) ?? [];
  const [today = ''] = table.split('\n');
  const cells = today.split('|').map((cell) => cell.trim().replaceAll('`', ''));
  const commands = Object.keys(COMMANDS)
    .filter(isCommandName)
    .flatMap((name) => commandTags(name))
    .join(', ');
  expect(cells.slice(1, -1)).toEqual([VERSION, VERSION, RESOURCE, SUBPROTOCOL, commands]);
  expect(SUBPROTOCOL).toBe(`causeway.v${PROTOCOL_VERSION}`);
});
