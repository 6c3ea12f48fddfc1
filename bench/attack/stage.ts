import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { openDatabase } from '../../db/open.ts';
import { createStore, type Store } from '../../db/store.ts';
import type { Tuning } from '../../server/platform/config.ts';
import { helloFrame } from '../../tests/kit/frames.ts';
import { freePort } from '../../tests/kit/free-port.ts';
import { hubArguments } from '../../tests/kit/hub-arguments.ts';
import { makeTenant } from '../../tests/kit/make-tenant.ts';
import { until } from '../../tests/kit/until.ts';
import { createCaller } from '../promises/caller.ts';
import { pause } from '../promises/hub.ts';
import { openActor, openProcess } from '../promises/processes.ts';

const QUIET_MS = 3_000;
const root = join(import.meta.dirname, '../..');

type Payment = { ms: number; status: number };
type Told = { event: 'payments'; payments: Payment[] };

export type StageOptions = {
  env?: Record<string, string>;
  tuning?: Partial<Tuning>;
  /** The attacker's requests per minute. */
  rateLimit?: number;
  /** Fills the database before the hub starts. */
  fill?: (store: Store, projectId: string) => Promise<void>;
};

/** A hub in its own process with two tenants: an attacker, and a neighbour that sends payments all the time. */
export const openStage = async ({ env = {}, tuning = {}, rateLimit = 100_000, fill }: StageOptions = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-attack-'));
  const file = join(folder, 'hub.db');
  const logFile = join(folder, 'hub.log');
  const database = await openDatabase({ url: `file:${file}` });
  await database.migrate();
  const store = createStore(database);
  const attacker = await makeTenant(store, 'attacker', { servers: ['main'], rateLimit });
  const neighbourTenant = await makeTenant(store, 'neighbour', { servers: ['home', 'spare'] });
  const [attackerToken = ''] = attacker.tokens;
  const [homeToken = '', spareToken = ''] = neighbourTenant.tokens;
  await fill?.(store, attacker.project.id);
  await database.close();

  const port = await freePort();
  const hubEnv = { DATABASE_URL: `file:${file}`, PORT: String(port), ...env };
  const hub = openProcess(hubArguments(tuning), { logFile, env: hubEnv });
  const caller = createCaller({ port, key: attacker.key });
  await until(caller.isReady, `the hub is ready; see ${logFile}`);
  const url = `ws://127.0.0.1:${port}/bridge`;
  const neighbour = openActor<{ order: 'pay' | 'tell' }, Told>('../attack/neighbour.ts', {
    args: [url, String(port), homeToken, neighbourTenant.key, join(folder, 'neighbour.jsonl')],
    logFile: join(folder, 'neighbour.log'),
  });
  const neighbourCaller = createCaller({ port, key: neighbourTenant.key });
  await until(() => neighbourCaller.isConnected('home'), "the neighbour's bridge is welcomed");

  /** The neighbour's payments since the last call. */
  const payments = async (): Promise<Payment[]> => {
    neighbour.forget();
    neighbour.order({ order: 'tell' });
    const told = await neighbour.told((event): event is Told => event.event === 'payments', 'payments', 120_000);
    return told.payments;
  };
  neighbour.order({ order: 'pay' });
  await pause(QUIET_MS);
  await payments();
  await pause(QUIET_MS);
  const quiet = await payments();

  return {
    folder,
    file,
    logFile,
    root,
    port,
    url,
    env: hubEnv,
    attacker: { key: attacker.key, token: attackerToken },
    spareToken,
    caller,
    /** A bridge of the attacker, once it is welcomed. */
    connect: async () => {
      const bridge = dial(url, attackerToken, { commands: ['money@1', 'items@1'] });
      await bridge.welcomed;
      return { say: bridge.say, close: (): void => bridge.socket.terminate() };
    },
    quiet,
    payments,
    hubPid: hub.child.pid ?? 0,
    close: async (): Promise<void> => {
      caller.close();
      neighbourCaller.close();
      await neighbour.kill();
      await hub.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
export type Stage = Awaited<ReturnType<typeof openStage>>;

/** One bridge that sends the given frames. It is welcomed or refused. */
export const dial = (
  url: string,
  token: string,
  { journal = 'attacker', commands }: { journal?: string; commands?: string[] } = {},
) => {
  const socket = new WebSocket(url, 'causeway.v1', {
    headers: { Authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  });
  const hello = helloFrame({
    instance: journal,
    journal: { class: 'atomic', id: journal, sequence: 0 },
    ...(commands && { commands }),
  });
  const welcomed = new Promise<{ status: number }>((resolve) => {
    socket.on('error', () => undefined);
    socket.on('open', () => socket.send(JSON.stringify(hello)));
    socket.on('message', (data) => {
      if (data.toString().startsWith('{"type":"welcome"')) resolve({ status: 101 });
    });
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0 });
    });
    socket.on('close', (code) => resolve({ status: code }));
  });
  return { socket, welcomed, say: (message: object): void => socket.send(JSON.stringify(message)) };
};
