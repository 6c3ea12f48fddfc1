import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { panelFingerprint } from '../server/cli/panel.ts';

const target = join(import.meta.dirname, '../dist/panel');
const COMPRESSIBLE = /\.(js|css|html|svg)$/;

const compress = async (file: string): Promise<void> => {
  const content = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
};

/** Builds the panel beside the old one and puts it in its place, so that nobody finds half of it. */
const buildPanel = async (): Promise<void> => {
  const partial = `${target}.${randomUUID()}`;
  await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: partial, emptyOutDir: true },
  });
  const files = readdirSync(partial, { recursive: true, encoding: 'utf8' });
  await Promise.all(files.filter((name) => COMPRESSIBLE.test(name)).map((name) => compress(join(partial, name))));
  await writeFile(join(partial, 'fingerprint'), panelFingerprint());
  await rm(target, { recursive: true, force: true });
  await mkdir(join(target, '..'), { recursive: true });
  await rename(partial, target).catch(async (error: unknown) => {
    // Another build was faster.
    await rm(partial, { recursive: true, force: true });
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error;
  });
};

await buildPanel();
