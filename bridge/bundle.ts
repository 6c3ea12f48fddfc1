import { join } from 'node:path';
import { build } from 'esbuild';
import { VERSION } from './version.ts';

const HEADER = `// Causeway bridge ${VERSION}, the half in JavaScript.
// Made by esbuild from bridge/ and bridge-protocol/ of the Causeway sources, with the packages that LICENSES.txt names.
// It is not minified: names and structure are those of the sources.`;

/** esbuild breaks long lines of code, but not those of comments. */
const LONG_COMMENT = /^( *\/\/ )(.{100,150}) (.{40,})$/gm;
const inTwoLines = (_: string, sign: string, first: string, rest: string): string => `${sign}${first}\n${sign}${rest}`;

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
    // Server owners read it before they trust it.
    lineLimit: 160,
    banner: { js: HEADER },
    legalComments: 'none',
    charset: 'ascii',
    // Optional parts of ws; it works without them.
    external: ['bufferutil', 'utf-8-validate'],
  });
  return (outputFiles[0]?.text ?? '').replaceAll(LONG_COMMENT, inTwoLines);
};
