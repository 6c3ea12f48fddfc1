import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { json, ROOT, readJson, WORK, write } from './files.ts';
import { PROTOCOL } from './names.js';
import { run } from './run.ts';

type Manifest = { name: string; version: string; scripts: object };

const TSC = join(ROOT, 'tests/node_modules/typescript/bin/tsc');

const GUIDE = join(ROOT, 'docs/guides/write-a-bridge.md');

/** The lines of the guide's ten-line bridge after its imports. */
const tenLines = (): string => {
  const [, lines] =
    /## A bridge in ten lines\n.*?```js\n(?:import [^\n]*\n)+\n(.*?)```/s.exec(readFileSync(GUIDE, 'utf8')) ?? [];
  if (lines === undefined) throw new Error(`${GUIDE} has no bridge in ten lines`);
  return lines;
};

const readme = (version: string): string => {
  const values: Record<string, string> = { VERSION: version, PACKAGE: PROTOCOL, BRIDGE: tenLines() };
  const text = readFileSync(join(import.meta.dirname, 'protocol.md'), 'utf8');
  return text.replaceAll(/\b(VERSION|PACKAGE|BRIDGE)\b/g, (name) => values[name] ?? '');
};

/** The folder of the protocol's package: JavaScript and types, so that its users need no TypeScript. */
export const stageProtocol = (): string => {
  const from = join(ROOT, 'bridge-protocol');
  const folder = join(WORK, 'protocol');
  run(process.execPath, [TSC, '-p', join(from, 'tsconfig.build.json'), '--outDir', join(folder, 'dist')]);
  const { scripts: _ours, ...manifest } = readJson<Manifest>(join(from, 'package.json'));
  if (manifest.name !== PROTOCOL) throw new Error(`bridge-protocol/package.json is not named ${PROTOCOL}`);
  write(join(folder, 'package.json'), json(manifest));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  write(join(folder, 'README.md'), readme(manifest.version));
  copyFileSync(join(from, 'README.md'), join(folder, 'PROTOCOL.md'));
  return folder;
};
