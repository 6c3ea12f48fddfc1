import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { atEnd } from '../kit/ends.ts';
import { newFolder } from '../kit/folder.ts';
import { freePort } from '../kit/free-port.ts';
import { startHub } from '../kit/hub.ts';
import { createVictim } from '../kit/processes.ts';
import { until } from '../kit/until.ts';
import { SERVER_PROGRAM } from './server.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

const blocksOf = (language: string): string[] => {
  const [, steps = ''] = readFileSync(join(ROOT, 'docs/guides/luanti.md'), 'utf8').split('\n## Install\n');
  const [install = ''] = steps.split('\n## ');
  const blocks = install.matchAll(new RegExp(`^   \`\`\`${language}\n([\\s\\S]*?)^   \`\`\`$`, 'gm'));
  return [...blocks].map(([, text = '']) => text.replaceAll(/^ {3}/gm, ''));
};

it('installs the mod with the printed steps, in an empty folder', async () => {
  const hub = await startHub();
  const home = newFolder();
  const env = { ...process.env, HOME: home, HUB: hub.address, KEY: hub.key };
  const [packages = '', build = '', copy = '', add = '', start = '', look = ''] = blocksOf('sh');
  const sh = async (script: string): Promise<string> =>
    (await run('bash', ['-euc', script], { cwd: ROOT, env, maxBuffer: 2 ** 26 })).stdout;
  for (const step of [packages, build, copy]) await sh(step);
  const { token } = JSON.parse(await sh(add)) as { token: string };
  const [settings = ''] = blocksOf('ini');
  mkdirSync(join(home, '.minetest'), { recursive: true });
  const filled = settings.replace('ws://127.0.0.1:8080/bridge', hub.bridgeUrl).replace('cwb_…', token);
  expect(filled).toContain(token);
  writeFileSync(join(home, '.minetest/minetest.conf'), filled);

  // The command on the PATH is a script that ends with this program; the port must be free on this machine.
  const world = join(home, '.minetest/worlds/world');
  const args = start.replace('"$WORLD"', world).replace('"$HOME/', `${home}/`).replaceAll('"', '').trim().split(' ');
  expect(args[0]).toBe('minetestserver');
  const more = ['--port', String(await freePort())];
  const server = createVictim([...args.slice(1), ...more], { HOME: home }, { program: SERVER_PROGRAM });
  atEnd(() => server.kill());
  server.start();
  await until(() => server.said().includes('[causeway] welcomed'), `it connects; it said ${server.said()}`, {
    withinMs: 30_000,
  });
  expect(JSON.parse(await sh(look))).toMatchObject({ connected: true, bridge: { software: { game: 'luanti' } } });
});
