import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const CLIENT = join(import.meta.dirname, '../../clients/typescript');

/** One of the client's entries as a single module for every platform, minified. */
export const bundledClient = (entry: 'index' | 'core'): string => {
  const options = { bundle: true, minify: true, write: false, format: 'esm', target: 'es2022' } as const;
  const { outputFiles } = buildSync({ ...options, entryPoints: [join(CLIENT, `${entry}.ts`)] });
  return outputFiles[0]?.text ?? '';
};

/** Puts the client into a folder, as npm does. */
export const installClient = (folder: string): void => {
  const home = join(folder, 'node_modules/@causewayhub/client');
  mkdirSync(join(home, 'dist'), { recursive: true });
  writeFileSync(join(home, 'package.json'), readFileSync(join(CLIENT, 'package.json')));
  for (const entry of ['index', 'core'] as const) writeFileSync(join(home, `dist/${entry}.js`), bundledClient(entry));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
};
