import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { json, ROOT, readJson, WORK, write } from './files.ts';
import { CLIENT } from './names.js';
import { run } from './run.ts';

const TSC = join(ROOT, 'tests/node_modules/typescript/bin/tsc');

/** The folder of the client's package: JavaScript and types, so that its users need no TypeScript. */
export const stageClient = (): string => {
  const folder = join(WORK, 'client');
  const from = join(ROOT, 'clients/typescript');
  run(process.execPath, [TSC, '-p', join(from, 'tsconfig.build.json'), '--outDir', join(folder, 'dist')]);
  const manifest = readJson<{ name: string }>(join(from, 'package.json'));
  if (manifest.name !== CLIENT) throw new Error(`clients/typescript/package.json is not named ${CLIENT}`);
  write(join(folder, 'package.json'), json(manifest));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(from, 'README.md'), join(folder, 'README.md'));
  return folder;
};
