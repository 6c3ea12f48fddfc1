import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import { newFolder } from '../kit/folder.ts';

export const run = promisify(execFile);
export const ROOT = join(import.meta.dirname, '../..');
export const RELEASE = join(ROOT, 'dist/release');
const BEFORE = join(ROOT, 'tests/fixtures/before-packages');
/** Only for tests that hang: a busy machine is slow. */
export const PATIENCE = { timeout: 120_000, interval: 100 };

/** The only PATH that packages for npm are promised: npm stands beside Node.js. */
export const NODE_PATH = dirname(process.execPath);

/** A PATH with node, npm and sh only: a package that needs a compiler cannot be installed with it. */
export const npmPath = (): string => {
  const folder = newFolder();
  const npm = execFileSync('/bin/sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  for (const [name, file] of [
    ['node', process.execPath],
    ['npm', npm],
    ['sh', '/bin/sh'],
  ] as const) {
    symlinkSync(realpathSync(file), join(folder, name));
  }
  return folder;
};

/** A package as it is installed: the program, the only PATH that it is promised, and the folder of its database. */
export type Installed = { program: string; args?: readonly string[]; path: string; folder: string };

export const released = (pattern: RegExp): string => {
  const name = readdirSync(RELEASE).find((each) => pattern.test(each));
  if (name === undefined) throw new Error(`npm run release has made no ${pattern}`);
  return join(RELEASE, name);
};

export const end = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode !== null) return child.exitCode;
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  return code;
};

/** The program in a folder, without anything else of this machine. */
export const openFolder = ({ program, args: before = [], path, folder }: Installed) => {
  const env = { PATH: path, PORT: '0' };
  const begin = (...args: string[]) => {
    const child = spawn(program, [...before, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { text: '' };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output.text += chunk));
    onTestFinished(async () => void (await end(child)));
    return { child, output };
  };
  return {
    begin,
    cli: async (...args: string[]): Promise<string> =>
      (await run(program, [...before, ...args], { cwd: folder, env })).stdout,
    /** The same with the lowest priority. */
    politely: async (...args: string[]): Promise<string> =>
      (await run('/usr/bin/nice', ['-n', '19', program, ...before, ...args], { cwd: folder, env })).stdout,
    /** Starts a hub and returns its address, and how long that took. */
    start: async () => {
      const at = performance.now();
      const { child, output } = begin('start');
      await expect.poll(() => output.text, PATIENCE).toContain('hub listens');
      const startMs = Math.round(performance.now() - at);
      const address = /"address":"([^"]+)"/.exec(output.text)?.[1] ?? '';
      return { child, output, address, startMs };
    },
  };
};

export const asker = (address: string, key: string) => async (path: string, body?: object) => {
  const response = await fetch(`${address}${path}`, {
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Everything that an owner does on the first day. */
export const proveFirstDay = async (installed: Installed): Promise<void> => {
  const place = openFolder(installed);
  const made = JSON.parse(await place.cli('init', '--name', 'Liberty RP', '--json')) as Record<string, string>;
  const startedAt = performance.now();
  const { child, output, address, startMs } = await place.start();
  const ask = asker(address, made['key'] ?? '');
  for (const page of ['/', '/docs', '/docs/api', '/docs/errors']) {
    expect([page, (await fetch(`${address}${page}`)).status]).toEqual([page, 200]);
  }
  expect((await ask('/api/v2/panel/session', {})).status).toBe(201);
  const zip = await fetch(`${address}/bridge/causeway-bridge-1.0.0.zip`, {
    headers: { 'X-API-Key': made['key'] ?? '' },
  });
  expect(sha256(Buffer.from(await zip.arrayBuffer()))).toBe(sha256(readFileSync(released(/^causeway-bridge.*\.zip$/))));

  const url = `${address.replace('http', 'ws')}/bridge`;
  const game = place.begin('bridge', 'simulate', '--url', url, '--token', made['token'] ?? '', '--players', '5');
  const online = async () =>
    ((await ask('/api/v2/players?online=true')).body['data'] ?? []) as { identifier: string }[];
  await expect.poll(async () => (await online()).length, PATIENCE).toBeGreaterThan(0);
  const [player] = await online();
  const kick = await ask('/api/v2/bridge/main/kick', { target: player?.identifier, reason: 'first kick' });
  expect(kick).toMatchObject({ status: 200, body: { status: 'succeeded', executed: 'yes' } });
  const kickMs = Math.round(performance.now() - startedAt);

  // As a timer of an operator runs it.
  await place.politely('backup', 'today.db');
  expect(statSync(join(installed.folder, 'today.db')).mode & 0o777).toBe(0o600);
  expect(await end(game.child)).not.toBe(undefined);
  expect(await end(child)).toBe(0);
  expect(output.text).not.toMatch(/cw(?:_live|b|s|t)_\w{8}/);
  expect(await place.cli('restore', 'today.db')).toContain('Restored');
  process.stdout.write(`${installed.program}: listens after ${startMs} ms, first kick after ${kickMs} ms\n`);
};

/** Puts the database of the release before into the folder: a project of its code, with a kick and a payment. */
export const placeDatabaseBefore = (folder: string): string => {
  const file = join(folder, 'causeway.db');
  writeFileSync(file, gunzipSync(readFileSync(`${BEFORE}.sqlite.gz`)), { mode: 0o600 });
  return file;
};

/** The package goes on with the database that `placeDatabaseBefore` has put there. */
export const proveUpgrade = async (installed: Installed): Promise<void> => {
  const before = JSON.parse(readFileSync(`${BEFORE}.json`, 'utf8')) as Record<string, string>;
  const { child, address } = await openFolder(installed).start();
  const ask = asker(address, before['key'] ?? '');
  expect((await ask('/api/v2/players')).body['data']).toHaveLength(12);
  for (const id of [before['kick'], before['payment']]) {
    expect(await ask(`/api/v2/commands/${id}`)).toMatchObject({ status: 200, body: { status: 'succeeded' } });
  }
  expect(await end(child)).toBe(0);
};
