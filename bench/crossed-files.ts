import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { runHub } from '../server/cli/run-hub.ts';
import { readConfig } from '../server/platform/config.ts';
import { helloFrame } from '../tests/kit/frames.ts';
import { makeTenant } from '../tests/kit/make-tenant.ts';

const root = join(import.meta.dirname, '..');
const PAYMENTS = 30;
/** No sweep runs during the measurement: it belongs to no payment. */
const NEVER_MS = 2 ** 31 - 1;

/** Files that know nothing of payments: names and numbers, time, notes. All others are steps of the payment. */
const HELPERS = /\/(?:ids|time|metrics|background|columns|text|errors|log)(?:\.ts|\/)/;

/** Files of the hub in which a function ran since the last coverage report, from V8's exact counts. */
const filesIn = ({ result }: Awaited<ReturnType<typeof takeCoverage>>): string[] =>
  result
    .filter(({ url, functions }) => url.startsWith('file:') && functions.some(({ ranges }) => ranges[0]?.count))
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter((file) => /^(server|db|bridge-protocol)\//.test(file));

const inspector = new Session();
inspector.connect();
const takeCoverage = () => inspector.post('Profiler.takePreciseCoverage');

const DONE = { account: 'bank', before: 0, after: 1 };

/** A bridge that confirms each command. It reports no balance, so nothing follows the answer of a payment. */
const openBridge = async (url: string, token: string): Promise<WebSocket> => {
  const socket = new WebSocket(url, 'causeway.v1', { headers: { Authorization: `Bearer ${token}` } });
  const send = (frame: object): void => socket.send(JSON.stringify(frame));
  socket.on('open', () => send(helloFrame({})));
  socket.on('message', (data) => {
    const frame = JSON.parse(data.toString()) as { type: string; id?: string };
    if (frame.type === 'command') send({ type: 'result', id: frame.id, status: 'done', data: DONE });
  });
  await new Promise<void>((resolve, reject) => {
    socket.on('message', (data) => JSON.parse(data.toString()).type === 'welcome' && resolve());
    socket.on('close', (code, reason) => reject(new Error(`the hub closed the bridge: ${code} ${reason}`)));
  });
  return socket;
};

/** Starts a hub and a bridge, and returns a function that requests one confirmed payment. */
const openStage = async (folder: string) => {
  const { hub, address } = await runHub(
    readConfig({ PORT: '0', DATABASE_URL: `file:${join(folder, 'causeway.db')}`, LOG_LEVEL: 'silent' }),
    { tuning: { sweepEveryMs: NEVER_MS } },
  );
  const { key, tokens } = await makeTenant(hub.store, 'test', { servers: ['main'] });
  const [token = ''] = tokens;
  const bridge = await openBridge(`${address.replace('http', 'ws')}/bridge`, token);
  let paid = 0;
  return {
    pay: async (): Promise<void> => {
      paid += 1;
      const answer = await fetch(`${address}/api/v2/bridge/main/money`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Idempotency-Key': `payment-${paid}` },
        body: JSON.stringify({ target: 'char1:ana', type: 'bank', amount: 1, action: 'add' }),
      });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`the payment was answered ${answer.status}: ${text}`);
    },
    close: async (): Promise<void> => {
      bridge.terminate();
      await hub.stop();
    },
  };
};

/**
 * Prints the files of server/, db/ and bridge-protocol/ in which a function runs between the request and the answer of
 * one confirmed payment with an Idempotency-Key. A file counts if it ran in each of 30 payments.
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
const files = [...(crossed ?? [])].sort();
const helpers = files.filter((file) => HELPERS.test(file));
const steps = files.filter((file) => !HELPERS.test(file));
process.stdout.write(`${steps.length} steps and ${helpers.length} helpers\n`);
for (const [name, group] of Object.entries({ steps, helpers }))
  process.stdout.write(`\n${name}\n${group.map((file) => `  ${file}\n`).join('')}`);
await stage.close();
rmSync(folder, { recursive: true });
