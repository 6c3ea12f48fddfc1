import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { simulate } from '../simulator/simulate.ts';
import { installClient } from './kit/client-package.ts';
import { newFolder } from './kit/folder.ts';
import { startHub, type TestHub } from './kit/hub.ts';

const root = join(import.meta.dirname, '..');
const read = (page: string): string => readFileSync(join(root, page), 'utf8');
const run = promisify(execFile);

const playersOnline = async (hub: TestHub): Promise<number> =>
  ((await hub.request('/api/v2/project')).body['totals'] as { playersOnline: number }).playersOnline;

type Example = { command: string; language: string; answer: string };

/** Every command of the README that talks to a hub, with the answer printed below it. */
const readExamples = (): Example[] =>
  [
    ...read('README.md').matchAll(
      /^```sh\n((?:(?!^```$)[\s\S])*?\$HUB[\s\S]*?)^```$\n+^```(json|text)\n([\s\S]*?)^```$/gm,
    ),
  ].map(([, command = '', language = '', answer = '']) => ({ command, language, answer }));

/** The shape of a JSON value: names and types, not the values themselves. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  // Times of later steps are null.
  if (value === null || typeof value === 'string') return 'text or null';
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
};

/** The last of the JSON documents that curl wrote one after the other. */
const lastDocument = (output: string): unknown => {
  for (let start = output.lastIndexOf('{'); start >= 0; start = output.lastIndexOf('{', start - 1)) {
    if (start > 0 && !'}\n'.includes(output[start - 1] ?? '')) continue;
    try {
      return JSON.parse(output.slice(start));
    } catch {
      // Not the beginning of the last one.
    }
  }
  throw new Error(`no JSON document: ${output}`);
};

it('keeps the README short', () => {
  expect(read('README.md').split('\n').length).toBeLessThan(250);
});

describe('the pages', () => {
  it('show answers that the hub really gives', async () => {
    const hub = await startHub({ rateLimit: 100 });
    const simulation = simulate({ url: hub.bridgeUrl, token: hub.token, players: 200, lifeEveryMs: 3_600_000 });
    onTestFinished(simulation.stop);
    await expect.poll(() => playersOnline(hub), { timeout: 15_000 }).toBe(simulation.world.count().online);
    const listed = readExamples();
    expect(listed.length).toBeGreaterThanOrEqual(3);
    const script = listed.map(({ command }) => command).join("\nprintf '\\n<next>\\n'\n");
    const env = { ...process.env, HUB: hub.address, KEY: hub.key };
    const { stdout } = await run('bash', ['-c', script], { env });
    const outputs = stdout.split('\n<next>\n').map((output) => output.trim());
    for (const [n, { command, language, answer }] of listed.entries()) {
      const output = outputs[n] ?? '';
      if (language === 'json') expect(shapeOf(lastDocument(output)), command).toEqual(shapeOf(JSON.parse(answer)));
      else expect(output.split('\n')[0], command).toBe(answer.split('\n')[0]);
    }
  });

  it('show a recipe that pays once, however often it runs', async () => {
    const hub = await startHub();
    const simulation = simulate({ url: hub.bridgeUrl, token: hub.token, players: 20, lifeEveryMs: 3_600_000 });
    onTestFinished(simulation.stop);
    await expect.poll(() => playersOnline(hub), { timeout: 15_000 }).toBe(simulation.world.count().online);
    const { body } = await hub.request('/api/v2/players?limit=1');
    const [player] = body['data'] as { identifier: string; accounts: { bank: number } }[];
    const blocks = [...read('docs/guides/write-a-bot.md').matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, js]) => js);
    expect(blocks.pop()).toContain('hub.events()');
    const away = (await hub.request('/api/v2/players?online=false&limit=1')).body['data'] as { identifier: string }[];
    const code = blocks
      .join('\n')
      .replace('char1:5f3a9c', player?.identifier ?? '')
      .replace('char1:9b2e11', away[0]?.identifier ?? '');
    const cwd = newFolder();
    installClient(cwd);
    writeFileSync(join(cwd, 'bot.mjs'), code);
    const env = { ...process.env, HUB: hub.address, KEY: hub.key };
    for (let n = 0; n < 2; n += 1) {
      const { stdout } = await run(process.execPath, ['bot.mjs'], { cwd, env });
      expect(stdout).toBe(`paid, now ${(player?.accounts.bank ?? 0) + 500}\nwaits for the player\n`);
    }
  });

  it('show a bridge that works', async () => {
    const [, section = ''] = read('docs/guides/write-a-bridge.md').split('## A bridge in ten lines\n');
    const [, code = ''] = /^```js\n([\s\S]*?)^```$/m.exec(section) ?? [];
    const hub = await startHub();
    const env = { ...process.env, CAUSEWAY_URL: hub.bridgeUrl, CAUSEWAY_TOKEN: hub.token };
    const bridge: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', code], {
      cwd: root,
      env,
    });
    onTestFinished(() => {
      bridge.kill();
    });
    await expect.poll(() => playersOnline(hub), { timeout: 15_000 }).toBe(1);
    const kick = (target: string) => hub.request('/api/v2/bridge/main/kick', { json: { target } });
    expect((await kick('char1:5f3a9c')).status).toBe(200);
    expect((await kick('char1:nobody')).body.code).toBe('player_not_found');
  });

  it('show a bridge in TypeScript that works', async () => {
    const [code = ''] = [...read('docs/guides/write-a-bridge.md').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
      ([, block = '']) => block,
    );
    const hub = await startHub();
    const args = ['--input-type=module-typescript', '-e', code.replace('ws://127.0.0.1:8080/bridge', hub.bridgeUrl)];
    const env = { ...process.env, CAUSEWAY_TOKEN: hub.token };
    const bridge: ChildProcess = spawn(process.execPath, args, { cwd: root, env });
    onTestFinished(() => {
      bridge.kill();
    });
    await expect.poll(() => playersOnline(hub), { timeout: 15_000 }).toBe(1);
    const kick = (target: string) => hub.request('/api/v2/bridge/main/kick', { json: { target } });
    expect((await kick('char1:5f3a9c')).status).toBe(200);
    expect((await kick('char1:5f3a9c')).body.code).toBe('player_offline');
    expect((await kick('char1:nobody')).body.code).toBe('player_not_found');
  });
});
