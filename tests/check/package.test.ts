import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROTOCOL } from '../../release/names.js';

const run = promisify(execFile);
const TSC = new URL('../node_modules/typescript/bin/tsc', import.meta.url).pathname;
const root = join(import.meta.dirname, '../..');
const place = mkdtempSync(join(tmpdir(), 'causeway-package-'));
const modules = join(place, 'node_modules');
const home = join(modules, PROTOCOL);

const install = (name: string): void => symlinkSync(join(root, 'node_modules', name), join(modules, name));
/** The output of a program that uses the installed package. */
const print = async (program: string): Promise<string> => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: place });
  return stdout.trim();
};

beforeAll(async () => {
  mkdirSync(home, { recursive: true });
  const project = join(root, 'bridge-protocol/tsconfig.build.json');
  await run(process.execPath, [TSC, '-p', project, '--outDir', join(home, 'dist')]);
  copyFileSync(join(root, 'bridge-protocol/package.json'), join(home, 'package.json'));
  install('zod');
}, 120_000);
afterAll(() => rmSync(place, { recursive: true }));

it('makes a bridge without the package ws', async () => {
  const program = `
    import { createBridge } from '${PROTOCOL}';
    import { openFileJournal } from '${PROTOCOL}/journal-file';
    console.log(typeof createBridge, typeof openFileJournal);`;
  expect(await print(program)).toBe('function function');
});

it('opens WebSockets where ws is installed, too', async () => {
  const program = `
    import { openWebSocket } from '${PROTOCOL}/ws';
    console.log(typeof openWebSocket({ url: 'ws://127.0.0.1:1/bridge', token: 'cwb_x' }));`;
  await expect(print(program)).rejects.toThrow(/Cannot find package 'ws'/);
  install('ws');
  expect(await print(program)).toBe('function');
});
