import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const RELEASE = join(ROOT, 'dist/release');
const BEFORE = join(ROOT, 'tests/fixtures/before-packages');
const PATIENCE = { timeout: 30_000, interval: 100 };

/** A package as it is installed: the program, and the only PATH that it is promised. */
type Installed = { program: string; args?: readonly string[]; path: string };

const released = (pattern: RegExp): string => {
  const name = readdirSync(RELEASE).find((each) => pattern.test(each));
  if (name === undefined) throw new Error(`npm run release has made no ${pattern}`);
  return join(RELEASE, name);
};

const emptyFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-packages-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const end = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode !== null) return child.exitCode;
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  return code;
};

/** The program in a folder, without anything else of this machine. */
const openFolder = ({ program, args: before = [], path }: Installed, folder: string) => {
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

const asker = (address: string, key: string) => async (path: string, body?: object) => {
  const response = await fetch(`${address}${path}`, {
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

/** Everything that an owner does on the first day. */
const proveFirstDay = async (installed: Installed): Promise<void> => {
  const folder = emptyFolder();
  const place = openFolder(installed, folder);
  const made = JSON.parse(await place.cli('init', '--name', 'Liberty RP', '--json')) as Record<string, string>;
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

  await place.cli('backup', 'today.db');
  expect(statSync(join(folder, 'today.db')).mode & 0o777).toBe(0o600);
  expect(await end(game.child)).not.toBe(undefined);
  expect(await end(child)).toBe(0);
  expect(output.text).not.toMatch(/cw(?:_live|b|s|t)_\w{8}/);
  expect(await place.cli('restore', 'today.db')).toContain('Restored');
  process.stdout.write(`${installed.program}: listens after ${startMs} ms\n`);
};

/** The release before: a database of its code, with a kick and a payment. */
const proveUpgrade = async (installed: Installed): Promise<void> => {
  const folder = emptyFolder();
  const before = JSON.parse(readFileSync(`${BEFORE}.json`, 'utf8')) as Record<string, string>;
  writeFileSync(join(folder, 'causeway.db'), gunzipSync(readFileSync(`${BEFORE}.sqlite.gz`)), { mode: 0o600 });
  const { child, address } = await openFolder(installed, folder).start();
  const ask = asker(address, before['key'] ?? '');
  expect((await ask('/api/v2/players')).body['data']).toHaveLength(12);
  for (const id of [before['kick'], before['payment']]) {
    expect(await ask(`/api/v2/commands/${id}`)).toMatchObject({ status: 200, body: { status: 'succeeded' } });
  }
  expect(await end(child)).toBe(0);
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('SHA256SUMS', () => {
  it('names every file of the release with its hash', () => {
    const lines = readFileSync(join(RELEASE, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    const others = readdirSync(RELEASE).filter((name) => name !== 'SHA256SUMS');
    expect(lines).toEqual(others.sort().map((name) => `${sha256(readFileSync(join(RELEASE, name)))}  ${name}`));
  });
});

describe('the executable for Linux, where no Node.js is', () => {
  const install = (): Installed => {
    const folder = emptyFolder();
    const program = join(folder, 'causeway-linux-x64');
    copyFileSync(released(/^causeway-linux-x64$/), program);
    chmodSync(program, 0o755);
    return { program, path: '' };
  };
  it('does the work of the first day', () => proveFirstDay(install()));
  it('goes on with a database of the release before', () => proveUpgrade(install()));

  it('writes changed files of its own anew', async () => {
    const place = openFolder(install(), emptyFolder());
    await place.cli('--version');
    const folder = emptyFolder();
    const other = openFolder(install(), folder);
    await other.cli('--version');
    const [version = ''] = readdirSync(join(folder, '.causeway'));
    const file = join(folder, '.causeway', version, 'package.json');
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    writeFileSync(file, 'changed');
    expect(await other.cli('--version')).toMatch(/^1\.0\.0/);
    expect(readFileSync(file, 'utf8')).not.toBe('changed');
  });
});

describe('the tarball of the hub, with npm', () => {
  const install = async (): Promise<Installed & { prefix: string }> => {
    const prefix = emptyFolder();
    await run('npm', ['install', '--silent', '-g', '--prefix', prefix, released(/hub-hub-.*\.tgz$/)]);
    // Only Node.js is promised; npm stands beside it.
    return { program: join(prefix, 'bin/causeway'), path: dirname(process.execPath), prefix };
  };

  it('does the work of the first day, and is gone after npm uninstall', async () => {
    const installed = await install();
    await proveFirstDay(installed);
    const { stdout } = await run('du', ['-sk', installed.prefix]);
    const mib = Math.round(Number.parseInt(stdout, 10) / 1024);
    process.stdout.write(`the installed tarball: ${mib} MiB\n`);
    expect(mib).toBeLessThan(60);
    await run('npm', ['uninstall', '--silent', '-g', '--prefix', installed.prefix, '@causewayhub/hub']);
    expect(existsSync(installed.program)).toBe(false);
  });

  it('goes on with a database of the release before', async () => proveUpgrade(await install()));
});

describe('the tarball of the protocol, with npm', () => {
  it('runs the bridge of its README', async () => {
    const folder = emptyFolder();
    await run('npm', ['install', '--silent', '--prefix', folder, released(/bridge-protocol-.*\.tgz$/), 'ws@8']);
    const home = join(folder, 'node_modules/@causewayhub/bridge-protocol');
    const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(home, 'README.md'), 'utf8')) ?? [];
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'my-bridge.js'), code);
    const hubFolder = emptyFolder();
    const program = join(ROOT, 'server/cli/causeway.js');
    const hub = openFolder({ program: process.execPath, args: [program], path: process.env['PATH'] ?? '' }, hubFolder);
    const made = JSON.parse(await hub.cli('init', '--json')) as Record<string, string>;
    const { address } = await hub.start();
    const url = `${address.replace('http', 'ws')}/bridge`;
    const env = { PATH: process.env['PATH'] ?? '', CAUSEWAY_TOKEN: made['token'] ?? '', CAUSEWAY_URL: url };
    const bridge = spawn(process.execPath, ['my-bridge.js'], { cwd: folder, env, stdio: 'inherit' });
    onTestFinished(async () => void (await end(bridge)));
    const ask = asker(address, made['key'] ?? '');
    await expect.poll(async () => (await ask('/api/v2/servers/main')).body['connected'], PATIENCE).toBe(true);
  });
});

describe.skipIf(process.getuid?.() !== 0 || existsSync('/usr/bin/causeway'))('the Debian package, as root', () => {
  const PLACES = ['/usr/bin/causeway', '/usr/lib/causeway/causeway', '/lib/systemd/system/causeway.service'];
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', PORT: '0' };
  const root = (program: string, ...args: string[]) => run(program, args, { env, cwd: '/' });

  it('makes user, folder and unit, runs as that user, and leaves the data until it is told otherwise', async () => {
    onTestFinished(async () => {
      await run('dpkg', ['--purge', 'causeway'], { env: { ...env, CAUSEWAY_PURGE_DATA: '1' } }).catch(() => undefined);
    });
    await root('dpkg', '-i', released(/\.deb$/));
    expect(statSync('/var/lib/causeway').mode & 0o777).toBe(0o700);
    expect(statSync('/etc/causeway/causeway.env').mode & 0o777).toBe(0o640);
    const made = JSON.parse((await root('causeway', 'init', '--json')).stdout) as { key: string };
    expect(made.key).toMatch(/^cw_live_/);
    const hub = spawn('/usr/bin/causeway', ['start'], { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(async () => void (await end(hub)));
    let output = '';
    hub.stdout.on('data', (chunk) => (output += chunk));
    await expect.poll(() => output, PATIENCE).toContain('hub listens');
    const { stdout: user } = await run('ps', ['-o', 'user=', '-p', String(hub.pid)]);
    expect(user.trim()).toBe('causeway');
    const address = /"address":"([^"]+)"/.exec(output)?.[1] ?? '';
    expect((await asker(address, made.key)('/api/v2/project')).status).toBe(200);
    expect(await end(hub)).toBe(0);

    await root('dpkg', '-r', 'causeway');
    expect(PLACES.filter((path) => existsSync(path))).toEqual([]);
    await root('dpkg', '--purge', 'causeway');
    expect(existsSync('/var/lib/causeway/causeway.db')).toBe(true);
    await root('dpkg', '-i', released(/\.deb$/));
    await run('dpkg', ['--purge', 'causeway'], { env: { ...env, CAUSEWAY_PURGE_DATA: '1' } });
    expect(existsSync('/var/lib/causeway')).toBe(false);
  });
});
