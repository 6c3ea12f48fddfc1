import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { writeZip } from '../bridge/build.ts';
import { panelFingerprint } from '../server/cli/panel.ts';
import { buildSite } from './site/build.ts';

const root = join(import.meta.dirname, '..');
const COMPRESSIBLE = /\.(js|css|html|svg|json)$/;

const compress = async (file: string): Promise<void> => {
  const content = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
};

/** Fills a folder beside the old one and puts it in its place, so that no hub finds half of it. */
const replace = async (target: string, fill: (folder: string) => Promise<unknown>): Promise<void> => {
  const partial = `${target}.${randomUUID()}`;
  await mkdir(partial, { recursive: true });
  await fill(partial);
  const files = readdirSync(partial, { recursive: true, encoding: 'utf8' });
  await Promise.all(files.filter((name) => COMPRESSIBLE.test(name)).map((name) => compress(join(partial, name))));
  await writeFile(join(partial, 'fingerprint'), panelFingerprint());
  await rm(target, { recursive: true, force: true });
  await rename(partial, target).catch(async (error: unknown) => {
    // Another build was faster.
    await rm(partial, { recursive: true, force: true });
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error;
  });
};

await replace(join(root, 'dist/bridge'), writeZip);
await replace(join(root, 'dist/docs'), (folder) => buildSite(root, folder));
await replace(join(root, 'dist/panel'), (outDir) =>
  build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  }),
);
