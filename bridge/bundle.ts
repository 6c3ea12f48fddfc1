import { join } from 'node:path';
import { build } from 'esbuild';

/** The JavaScript half as one file without anything to install, as FXServer runs it: a classic script for Node.js 22. */
export const bundle = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'main.ts')],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    // The names as ws has them; no test with FXServer has shown that other names work.
    supported: { 'node-colon-prefix-require': false },
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    // Optional parts of ws; it works without them.
    external: ['bufferutil', 'utf-8-validate'],
  });
  return outputFiles[0]?.text ?? '';
};
