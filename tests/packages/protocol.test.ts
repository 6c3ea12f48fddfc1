import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PROTOCOL } from '../../release/names.js';
import { newFolder } from '../kit/folder.ts';
import { asker, end, NODE_PATH, npmPath, openFolder, PATIENCE, ROOT, released, run } from './installed.ts';

const TSC = join(ROOT, 'tests/node_modules/typescript/bin/tsc');

/** Installs the tarball into a folder of its own, as a program that uses modules. */
const install = async (...others: string[]): Promise<string> => {
  const folder = newFolder();
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  await run('npm', ['install', '--silent', '--prefix', folder, released(/bridge-protocol-.*\.tgz$/), ...others], {
    env: { ...process.env, PATH: npmPath() },
  });
  return folder;
};

describe('the tarball of the protocol, with npm', () => {
  it('runs the bridge of its README, where nothing but Node.js is', async () => {
    const folder = await install('ws@8');
    const readme = readFileSync(join(folder, 'node_modules', PROTOCOL, 'README.md'), 'utf8');
    const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
    writeFileSync(join(folder, 'my-bridge.js'), code);
    const args = [join(ROOT, 'server/cli/causeway.js')];
    const hub = openFolder({ program: process.execPath, args, path: NODE_PATH, folder: newFolder() });
    const made = JSON.parse(await hub.cli('init', '--json')) as Record<string, string>;
    const { address } = await hub.start();
    const url = `${address.replace('http', 'ws')}/bridge`;
    const env = { PATH: NODE_PATH, CAUSEWAY_TOKEN: made['token'] ?? '', CAUSEWAY_URL: url };
    const bridge = spawn(process.execPath, ['my-bridge.js'], { cwd: folder, env, stdio: 'inherit' });
    onTestFinished(async () => void (await end(bridge)));
    const ask = asker(address, made['key'] ?? '');
    await expect.poll(async () => (await ask('/api/v2/servers/main')).body['connected'], PATIENCE).toBe(true);
  });

  it('has types for a program in TypeScript, and finds mistakes', async () => {
    const folder = await install();
    // The types of Node.js, which every such program has.
    for (const name of ['@types', 'undici-types']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    }
    const program = `
      import { type CommandHandlers, createBridge, memoryJournal } from '${PROTOCOL}';
      import { openFileJournal } from '${PROTOCOL}/journal-file';
      import { openWebSocket } from '${PROTOCOL}/ws';
      const commands: CommandHandlers = {
        kick: ({ target }) => ({ status: 'done', data: { kicked: target !== '' } }),
      };
      const wrong: CommandHandlers = {
        // @ts-expect-error No outcome has this status.
        kick: () => ({ status: 'finished' }),
      };
      const openSocket = openWebSocket({ url: 'ws://127.0.0.1:8080/bridge', token: '' });
      const software = { name: 'my-bridge', version: '1.0.0' };
      const options = { software, openSocket, commands, accounts: ['bank'], players: { snapshot: () => [] } };
      createBridge({ ...options, journal: memoryJournal() }).start();
      export const others = { wrong, openFileJournal };`;
    writeFileSync(join(folder, 'my-bridge.ts'), program);
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false'];
    const rest = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', 'my-bridge.ts'];
    await run(process.execPath, [TSC, ...options, ...rest], { cwd: folder });
  });
});
