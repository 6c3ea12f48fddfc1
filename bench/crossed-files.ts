import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runHub } from '../server/cli/run-hub.ts';
import { readConfig } from '../server/platform/config.ts';
import { bundled } from '../tests/testkit/bundled.ts';
import { makeTenant } from '../tests/testkit/make-tenant.ts';

const root = join(import.meta.dirname, '..');
const PAYMENTS = 30;
/** No sweep runs during the measurement: it belongs to no payment. */
const NEVER_MS = 2 ** 31 - 1;

/** The first group that fits counts. */
const GROUPS: readonly (readonly [name: string, files: RegExp])[] = [
  ['HTTP and limits', /^server\/(rest|auth|listener\.ts|platform\/http\.ts)/],
  ['command', /^server\/(commands|cluster|panel-api)\//],
  ['gateway', /^server\/(gateway|players)\//],
  ['database', /^db\//],
  ['protocol', /^bridge-protocol\//],
  ['platform and wiring', /^server\//],
];

/** Files of the hub in which a function ran since the last coverage report, from V8's exact counts. */
const filesIn = ({ result }: Awaited<ReturnType<typeof takeCoverage>>): string[] =>
  result
    .filter(({ url, functions }) => url.startsWith('file:') && functions.some(({ ranges }) => ranges[0]?.count))
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter((file) => /^(server|db|bridge-protocol)\//.test(file));

const inspector = new Session();
inspector.connect();
const takeCoverage = () => inspector.post('Profiler.takePreciseCoverage');

/** Starts a hub and a simulated game server, and returns a function that requests one confirmed payment. */
const openStage = async (folder: string) => {
  const { hub, address } = await runHub(
    readConfig({ PORT: '0', DATABASE_URL: `file:${join(folder, 'causeway.db')}`, LOG_LEVEL: 'silent' }),
    { tuning: { sweepEveryMs: NEVER_MS } },
  );
  const { key, tokens } = await makeTenant(hub.store, 'test', { servers: ['main'] });
  const [token = ''] = tokens;
  const url = `${address.replace('http', 'ws')}/bridge`;
  const simulate = [await bundled(), 'bridge', 'simulate', '--url', url, '--life-every', '0'];
  const bridge = spawn(process.execPath, simulate, {
    cwd: root,
    env: { ...process.env, CAUSEWAY_TOKEN: token },
    stdio: 'ignore',
  });
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const call = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${address}/api/v2/${path}`, { headers, ...init });
    return { status: answer.status, body: (await answer.json()) as { data?: { identifier: string }[] } };
  };
  const waitForPlayer = async (): Promise<string> => {
    for (;;) {
      const { body } = await call('players?limit=1&online=true');
      if (body.data?.[0] !== undefined) return body.data[0].identifier;
    }
  };
  const target = await waitForPlayer();
  return {
    pay: async (): Promise<void> => {
      const body = JSON.stringify({ target, type: 'bank', amount: 1, action: 'add' });
      const { status } = await call('bridge/main/money', { method: 'POST', body });
      if (status !== 200) throw new Error(`the payment was answered ${status}`);
    },
    close: async (): Promise<void> => {
      bridge.kill();
      await hub.stop();
    },
  };
};

/**
 * Prints the files of server/, db/ and bridge-protocol/ in which a function runs between the request and the answer of
 * one confirmed payment, by group. A file counts if it ran in each of 30 payments.
 */
const folder = mkdtempSync(join(tmpdir(), 'causeway-crossed-'));
const stage = await openStage(folder);
for (let n = 0; n < PAYMENTS; n += 1) await stage.pay();
await inspector.post('Profiler.enable');
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
let crossed: Set<string> | undefined;
for (let n = 0; n < PAYMENTS; n += 1) {
  await takeCoverage();
  await stage.pay();
  const files = filesIn(await takeCoverage());
  crossed = new Set(files.filter((file) => crossed === undefined || crossed.has(file)));
}
const left = new Set([...(crossed ?? [])].sort());
process.stdout.write(`${left.size} files\n`);
for (const [name, pattern] of GROUPS) {
  const files = [...left].filter((file) => pattern.test(file));
  for (const file of files) left.delete(file);
  process.stdout.write(`\n${name}: ${files.length}\n${files.map((file) => `  ${file}\n`).join('')}`);
}
await stage.close();
rmSync(folder, { recursive: true });
